"""Faults of edges, and the restart of everything."""

from __future__ import annotations

import asyncio
import signal
import time

from perception.bench.suites.cluster_faults.fault import cluster_fault
from perception.bench.suites.cluster_faults.lab import ClusterLab
from perception.bench.suites.cluster_faults.processes import EdgeProcess


@cluster_fault("edge killed")
async def _killed(lab: ClusterLab) -> None:
    edge = _victim(lab)
    held = {each: each.held for each in lab.callers}
    start = time.monotonic()
    await edge.run.kill()
    await lab.served(start, lab.hit)
    await edge.again()
    assert all(each.held is page for each, page in held.items()), "a session was lost with an edge"


@cluster_fault("edge ended by SIGTERM")
async def _ended(lab: ClusterLab) -> None:
    edge = _victim(lab)
    held = {each: each.held for each in lab.callers}
    edge.run.signal(signal.SIGTERM)
    assert await edge.run.wait() == 0, "an edge has not ended with 0"
    await lab.served(time.monotonic(), lab.hit)
    await edge.again()
    assert all(each.held is page for each, page in held.items()), "a session was lost with an edge"


@cluster_fault("edge stopped for 3 s (SIGSTOP)")
async def _stopped(lab: ClusterLab) -> None:
    edge = _victim(lab)
    edge.run.signal(signal.SIGSTOP)
    await asyncio.sleep(3)
    edge.run.signal(signal.SIGCONT)
    await lab.served(time.monotonic(), lab.hit)


@cluster_fault("rolling restart of everything", turn=10)
async def _rolling(lab: ClusterLab) -> None:
    """Callers end their sessions by themselves within the grace: none of them may lose one."""
    lab.hit = set(lab.callers)
    for worker in await lab.placement.workers():
        await lab.placement.drain(worker, 60)
        await lab.placement.restore()
        await lab.served(time.monotonic())
    for edge in lab.edges:
        edge.run.signal(signal.SIGTERM)
        assert await edge.run.wait() == 0, "an edge has not ended with 0"
        await edge.again()
        await lab.served(time.monotonic())
    assert not lab.account.told["SESSION_LOST"], f"{lab.account.told['SESSION_LOST']} sessions were lost"


def _victim(lab: ClusterLab) -> EdgeProcess:
    """The edge that most callers use; they are hit."""
    index = int(sum(each.edge for each in lab.callers) * 2 > len(lab.callers))
    lab.hit = {each for each in lab.callers if each.edge == index}
    return lab.edges[index]
