"""Measures what the simulation draws its times from, and writes `measured.json`.

    python -m perception.bench.suites.placement_simulation.measure

One edge and one worker are started as a user starts them; sessions are opened through the edge, one after the other.
What connections cost is measured by another process, `perception.server.placement.simulation.link_costs`.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from perception.bench.machine import machine_facts
from perception.bench.suites.scale.cluster import ClusterProcesses, Started, cluster_processes
from perception.client import RemoteError, aconnect

MEASURED = Path(__file__).with_name("measured.json")

SESSIONS = 40

KEPT = 21
"""Quantiles of each distribution that are kept, ends included."""


def quantiles(values: list[float]) -> list[float]:
    """Ends and what lies between, in equal shares."""
    inner = statistics.quantiles(values, n=KEPT - 1, method="inclusive")
    return [round(each, 6) for each in (min(values), *inner, max(values))]


async def openings(edge: Started) -> list[float]:
    """Seconds of CreateSession, after the first one, which starts the browser."""
    client = await aconnect(edge.address, timeout_s=60)
    found: list[float] = []
    while len(found) <= SESSIONS:
        start = time.perf_counter()
        try:
            page = await client.open()
        except RemoteError:  # the edge has not reached its worker
            await asyncio.sleep(0.1)
            continue
        found.append(time.perf_counter() - start)
        await page.close()
    await client.close()
    return found[1:]


def measure(processes: ClusterProcesses) -> dict[str, Any]:
    """The content of `measured.json`."""
    worker = processes.worker(4)
    opening_s = asyncio.run(openings(processes.edge([worker])))
    module = "perception.server.placement.simulation.link_costs"
    command = [sys.executable, "-m", module, worker.address, str(processes.folder / "cluster")]
    costs = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    facts = machine_facts("none")
    machine = f"{facts['processor']}, {facts['cores']} cores, Python {facts['Python']}"
    return {
        "made": f"python -m perception.bench.suites.placement_simulation.measure ({machine})",
        "opening_s": quantiles(opening_s),
        "hop_s": quantiles(costs["hop_s"]),
        "heartbeat_cpu_s": round(costs["heartbeat_cpu_s"], 7),
        "link_mib": round(costs["link_mib"], 3),
    }


def read_measured() -> dict[str, Any]:
    """What was measured last."""
    found: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    return found


if __name__ == "__main__":
    with cluster_processes() as processes:
        MEASURED.write_text(json.dumps(measure(processes), indent=2) + "\n", "utf-8")
