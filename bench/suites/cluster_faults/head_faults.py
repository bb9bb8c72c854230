"""Faults of the head of a Ray cluster, and of the way to it."""

from __future__ import annotations

import asyncio
import time
from typing import cast

import psutil

from perception.bench.suites.cluster_faults.fault import cluster_fault
from perception.bench.suites.cluster_faults.lab import ClusterLab
from perception.bench.suites.cluster_faults.ray_workers import RayWorkers
from perception.bench.suites.faults.processes import stopped

AWAY_SECONDS = 10.0
"""For the head; its nodes wait for it for 60 s."""

CUT_OFF_SECONDS = 70.0
"""Longer than a head waits for a node that is silent: some 55 s."""


@cluster_fault("head killed and back after 10 s", placements=("ray",))
async def _killed(lab: ClusterLab) -> None:
    """Nobody is hit: sessions, claims and edges go on without a head."""
    placement = cast(RayWorkers, lab.placement)
    held = {each: each.held for each in lab.callers}
    await placement.kill_head()
    try:
        await asyncio.sleep(AWAY_SECONDS / 2)
        pages = [await each.client.open() for each in lab.edges]
        for page in pages:
            await page.close()
        await asyncio.sleep(AWAY_SECONDS / 2)
    finally:
        await placement.start_head()
    await lab.served(time.monotonic())
    assert all(each.held is page for each, page in held.items()), "a session was lost with the head"


@cluster_fault("worker killed while the head is away", placements=("ray",))
async def _both(lab: ClusterLab) -> None:
    placement = cast(RayWorkers, lab.placement)
    victim = await lab.victim()
    await placement.kill_head()
    start = time.monotonic()
    try:
        await placement.kill(victim)
        await lab.served(start, lab.hit)
    finally:
        await placement.start_head()


@cluster_fault("Ray's own processes of a node killed", turn=10, placements=("ray",))
async def _without_ray(lab: ClusterLab) -> None:
    """Its worker goes on with the sessions that it has, and ends with the last one."""
    placement = cast(RayWorkers, lab.placement)
    victim = await lab.victim()
    await placement.kill_ray(victim)
    async with asyncio.timeout(60):
        while psutil.pid_exists(victim.pid):  # noqa: ASYNC110  (it is not a child)
            await asyncio.sleep(0.05)
    assert not lab.account.told["SESSION_LOST"], "a session was lost with its node's Ray"


@cluster_fault("worker cut off from the head but not from edges", placements=("ray",))
async def _cut_off(lab: ClusterLab) -> None:
    """Its node counts as dead, and its actor starts elsewhere where there is room; its sessions go on."""
    placement = cast(RayWorkers, lab.placement)
    victim = await lab.victim()
    held = {each: each.held for each in lab.hit}
    async with stopped([await placement.raylet_of(victim)]):
        await asyncio.sleep(CUT_OFF_SECONDS)
        await lab.served(time.monotonic(), lab.hit)
        kept = all(each.held is page for each, page in held.items())
    assert kept, "a session was lost of a worker that edges reached"
    await placement.kill_node(victim)  # on its return it is told that it is dead
