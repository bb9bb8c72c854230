"""What connections to workers cost an edge.

    python -m perception.server.placement.simulation.link_costs ADDRESS FOLDER

This process makes LINKS connections to one worker, as an edge makes one to each of as many workers, and writes a
LinkCosts as JSON.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from pathlib import Path

import msgspec
import psutil
import structlog

from perception.deadline import Deadline
from perception.server.placement.worker_link import link_by
from perception.server.placement.worker_status import FIND, HEARTBEAT_SECONDS, Found, Wanted

PROBES, LINKS = 400, 200

HEARTBEATS = 20
"""How many of each connection."""


class LinkCosts(msgspec.Struct, frozen=True):
    """Seconds of each way between an edge and a worker; processor seconds of one heartbeat; MiB of one connection."""

    hop_s: list[float]
    heartbeat_cpu_s: float
    link_mib: float


async def measure(address: str, folder: Path) -> LinkCosts:
    """Costs of connections to the worker at an address, of the cluster in a folder."""
    own, before = psutil.Process(), psutil.Process().memory_info().rss
    links = [link_by(folder, address) for _ in range(LINKS)]
    for each in links:
        each.start()
    while not all(each.up for each in links):  # noqa: ASYNC110  (of all of them)
        await asyncio.sleep(0.1)
    mib = (own.memory_info().rss - before) / 2**20 / LINKS
    await asyncio.sleep(3 * HEARTBEAT_SECONDS)
    start_s = time.process_time()
    await asyncio.sleep(HEARTBEATS * HEARTBEAT_SECONDS)
    spent_s = (time.process_time() - start_s) / (LINKS * HEARTBEATS)
    hops = []
    for _ in range(PROBES):
        start_s = time.perf_counter()
        await links[0].ask(FIND, Wanted("", ""), Found, Deadline.of(10))
        hops.append((time.perf_counter() - start_s) / 2)
    for each in links:
        await each.close()
    return LinkCosts(hops, spent_s, mib)


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    found = asyncio.run(measure(sys.argv[1], Path(sys.argv[2])))
    sys.stdout.buffer.write(msgspec.json.encode(found))
