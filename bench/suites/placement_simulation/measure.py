"""Measures what the simulation draws its times from, and writes `measured.json`.

    python -m perception.bench.suites.placement_simulation.measure

One edge and one worker are started as a user starts them; sessions are opened through the edge, one after the other. Of
connections, this process makes LINKS to the worker, as an edge does to as many workers.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import msgspec
import psutil

from perception.bench.machine import machine_facts
from perception.bench.quiet_logs import quiet_logs
from perception.bench.suites.placement_simulation.model import Measured
from perception.bench.suites.scale.cluster import ClusterProcesses, Started, cluster_processes
from perception.client import RemoteError, aconnect
from perception.deadline import Deadline
from perception.server.placement.authority import SESSION_KEYS, edge_credentials
from perception.server.placement.session_ids import parse_keys
from perception.server.placement.worker_link import WorkerLink, tls_options
from perception.server.placement.worker_status import FIND, HEARTBEAT_SECONDS, Found, Wanted

MEASURED = Path(__file__).with_name("measured.json")

SESSIONS, PROBES, LINKS = 40, 400, 200

HEARTBEATS = 20
"""How many of each connection."""

KEPT = 21
"""Quantiles of each distribution that are kept, ends included."""


def quantiles(values: list[float]) -> tuple[float, ...]:
    """Ends and what lies between, in equal shares."""
    inner = statistics.quantiles(values, n=KEPT - 1, method="inclusive")
    return tuple(round(each, 6) for each in (min(values), *inner, max(values)))


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


async def links(processes: ClusterProcesses, worker: Started) -> tuple[list[float], float, float]:
    """One way between an edge and a worker, processor seconds of a heartbeat, and MiB of a connection."""
    folder = processes.folder / "cluster"
    keys = parse_keys((folder / SESSION_KEYS).read_bytes())
    own, before = psutil.Process(), psutil.Process().memory_info().rss
    made = [
        WorkerLink(worker.address, lambda: keys, credentials=edge_credentials(folder), options=tls_options())
        for _ in range(LINKS)
    ]
    for each in made:
        each.start()
    while not all(each.up for each in made):  # noqa: ASYNC110  (of all of them)
        await asyncio.sleep(0.1)
    mib = (own.memory_info().rss - before) / 2**20 / LINKS
    await asyncio.sleep(3)
    cpu = own.cpu_times()
    await asyncio.sleep(HEARTBEATS * HEARTBEAT_SECONDS)
    now = own.cpu_times()
    spent_s = (now.user + now.system - cpu.user - cpu.system) / (LINKS * HEARTBEATS)
    hops = []
    for _ in range(PROBES):
        start = time.perf_counter()
        await made[0].ask(FIND, Wanted("", ""), Found, Deadline.of(10))
        hops.append((time.perf_counter() - start) / 2)
    for each in made:
        await each.close()
    return hops, spent_s, mib


async def measure(processes: ClusterProcesses) -> Measured:
    worker = processes.worker(4)
    edge = processes.edge([worker])
    opening_s = await openings(edge)
    hop_s, heartbeat_cpu_s, link_mib = await links(processes, worker)
    facts = machine_facts("")
    made = (
        f"python -m perception.bench.suites.placement_simulation.measure: {SESSIONS} sessions opened through an edge, "
        f"half the round trip of {PROBES} FindRequest calls, {LINKS} connections for {HEARTBEATS} heartbeats. "
        f"{facts['processor']}, {facts['cores']} cores, Python {facts['Python']}, load {facts['load average before']}"
    )
    return Measured(made, quantiles(opening_s), quantiles(hop_s), round(heartbeat_cpu_s, 7), round(link_mib, 3))


def read_measured() -> Measured:
    """What was measured last."""
    return msgspec.json.decode(MEASURED.read_bytes(), type=Measured)


if __name__ == "__main__":
    with quiet_logs(), cluster_processes() as processes:
        data = msgspec.json.format(msgspec.json.encode(asyncio.run(measure(processes))))
    MEASURED.write_bytes(data + b"\n")
