"""Faults of workers: killed, stopped, slow, cut off, full, with a wrong clock, and told to end."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

from perception.bench.suites.cluster_faults.callers import TOLD, Caller, hit_callers
from perception.bench.suites.cluster_faults.fault import cluster_fault
from perception.bench.suites.cluster_faults.lab import ClusterLab
from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS
from perception.bench.suites.cluster_faults.processes import Relay
from perception.bench.suites.faults.disk_faults import full_disk
from perception.bench.suites.faults.processes import stopped
from perception.client import RemoteError

SHORT_STOP_SECONDS = 3.0
"""Shorter than an edge waits for a worker's news."""

LONG_STOP_SECONDS = 8.0
"""Longer than that (5 s), and shorter than until its sessions count as lost (30 s)."""

DELAY_SECONDS = 0.2

_DICE = random.Random(2)


@cluster_fault("worker killed with live calls")
async def _killed(lab: ClusterLab) -> None:
    victim = await lab.victim()
    start = time.monotonic()
    await lab.placement.kill(victim)
    await lab.served(start, lab.hit)


@cluster_fault("node killed: worker and browsers at once")
async def _node(lab: ClusterLab) -> None:
    victim = await lab.victim()
    start = time.monotonic()
    await lab.placement.kill_node(victim)
    await lab.served(start, lab.hit)


@cluster_fault("worker killed with claims under way")
async def _killed_claims(lab: ClusterLab) -> None:
    """A claim whose worker is gone goes to another one, where there is room."""
    victim = await lab.victim()
    claims = [asyncio.create_task(each.client.open()) for each in lab.edges]
    await asyncio.sleep(_DICE.uniform(0, 0.2))
    await lab.placement.kill(victim)
    for claim in claims:
        try:
            page = await claim
        except RemoteError as exc:
            lab.account.note(exc, frozenset({"SESSION_LIMIT", "WORKER_UNREACHABLE"}))
            continue
        lab.account.told["OK"] += 1
        with contextlib.suppress(RemoteError):  # its worker was killed after the answer
            await page.close()


@cluster_fault("all workers killed at once")
async def _all_killed(lab: ClusterLab) -> None:
    lab.hit = set(lab.callers)
    await asyncio.gather(*(lab.placement.kill(each) for each in await lab.placement.workers()))
    await asyncio.sleep(1)


@cluster_fault("worker stopped for 3 s (SIGSTOP)")
async def _stopped_shortly(lab: ClusterLab) -> None:
    victim = await lab.victim()
    async with stopped([victim.pid]):
        await asyncio.sleep(SHORT_STOP_SECONDS)


@cluster_fault("worker stopped for 8 s (SIGSTOP)")
async def _stopped_long(lab: ClusterLab) -> None:
    victim = await lab.victim()
    held = {each: each.held for each in lab.hit}
    async with stopped([victim.pid]):
        await asyncio.sleep(LONG_STOP_SECONDS)
    await lab.served(time.monotonic(), lab.hit)
    assert all(each.held is page for each, page in held.items()), "a session was given up that was there"


@cluster_fault("link to a worker slow by 200 ms", placements=("static",))
async def _slow(lab: ClusterLab) -> None:
    victim = await lab.victim()
    async with _far_edge(lab) as relay:
        await relay.tell(victim.index, f"delay {DELAY_SECONDS}")
        await asyncio.sleep(SHORT_STOP_SECONDS)
        await relay.tell(victim.index, "pass")


@cluster_fault("worker cut off from one of three edges for 8 s", placements=("static",))
async def _cut(lab: ClusterLab) -> None:
    async with _far_edge(lab) as relay:
        (far,) = lab.hit
        assert far.held is not None
        before, session_id = far.held, far.held.page.session_id
        workers = await lab.placement.workers()
        victim = next(each for each in workers if each.has(session_id))
        await relay.tell(victim.index, "stall")
        await asyncio.sleep(LONG_STOP_SECONDS)
        told = await _reason(far.client.attach(session_id), lab)
        assert told == "WORKER_UNREACHABLE", f"a call through the edge that is cut off was answered with {told}"
        near = await lab.edges[0].client.attach(session_id)
        await near.snapshot(mode="text")
        await relay.tell(victim.index, "pass")
        await lab.served(time.monotonic(), lab.hit)
        assert far.held is before, "a session was given up that was there"


@cluster_fault("drain with a watch open", turn=20)
async def _drained(lab: ClusterLab) -> None:
    victim = await lab.victim()
    async with lab.paused():
        holder = next(each for each in lab.callers if each.held and victim.has(each.held.page.session_id))
        assert holder.held is not None
        watched = await holder.client.attach(holder.held.page.session_id)
        watch = watched.watch(mode="text", min_interval=0.1)
        await anext(watch)
    draining = asyncio.create_task(lab.placement.drain(victim, 60))
    news, ended = 0, ""
    try:
        async for _ in watch:
            news += 1
    except RemoteError as exc:
        ended = exc.reason
    await draining
    assert news, "the watch has ended before its session"
    assert ended in ("", "UNKNOWN_SESSION"), f"the watch has ended with {ended}"  # its caller has closed the session


@cluster_fault("drain whose grace ends before the sessions")
async def _cut_short(lab: ClusterLab) -> None:
    victim = await lab.victim()
    await lab.placement.drain(victim, 1)
    await lab.served(time.monotonic(), lab.hit)


@cluster_fault("clock of a worker a minute ahead", turn=10, placements=("static",))
async def _ahead(lab: ClusterLab) -> None:
    await _skew(lab, "+60s")


@cluster_fault("clock of a worker a minute behind", turn=10, placements=("static",))
async def _behind(lab: ClusterLab) -> None:
    await _skew(lab, "-60s")


@cluster_fault("disk full on one node")
async def _full(lab: ClusterLab) -> None:
    """Sessions that it has go on; one that needs a browser of its own opens on a worker with a disk."""
    async with lab.paused():
        workers = await lab.placement.workers()
        victim = min(workers, key=lambda each: len(hit_callers(lab.callers, each.has)))
        lab.hit = hit_callers(lab.callers, victim.has)
        others = len(lab.callers) - len(lab.hit)
    async with full_disk(victim.temporary), full_disk(victim.data):
        await lab.served(time.monotonic())
        opened = []
        for index in range(WORKERS * SLOTS - len(lab.callers)):
            try:
                opened.append(await lab.edges[index % 2].client.open(dedicated_browser=True))
            except RemoteError as exc:
                lab.account.note(exc, frozenset({"BROWSER_UNAVAILABLE"}))
        for page in opened:
            await page.close()
    room = (WORKERS - 1) * SLOTS - others
    assert len(opened) == room, f"{room} sessions have room on workers with a disk, {len(opened)} were opened"


async def _skew(lab: ClusterLab, clock: str) -> None:
    """A worker goes on with another clock; its sessions are used, and it is drained."""
    victim = await lab.victim()
    await lab.placement.restart_at(victim, clock)
    async with asyncio.timeout(60):
        while not hit_callers(lab.callers, victim.has):  # noqa: ASYNC110  (of many)
            await asyncio.sleep(0.05)
    lab.hit |= hit_callers(lab.callers, victim.has)
    await lab.served(time.monotonic() + SHORT_STOP_SECONDS)
    await lab.placement.drain(victim, 60)


async def _reason(call: Awaitable[Any], lab: ClusterLab) -> str:
    """Why a call failed; OK if it did not."""
    try:
        await call
    except RemoteError as exc:
        return lab.account.note(exc, TOLD)
    return "OK"


@asynccontextmanager
async def _far_edge(lab: ClusterLab) -> AsyncIterator[Relay]:
    """A third edge behind a relay, with one caller, who is hit. Both end with the context."""
    relay, option = await lab.placement.relayed()
    lab.far_edges += 1
    edge = await lab.begin_edge(f"far{lab.far_edges}", option)
    caller = Caller([edge.client], lab.site, lab.account)
    lab.add_caller(caller)
    try:
        await lab.served(time.monotonic(), [caller])
        lab.hit = {caller}
        yield relay
    finally:
        await lab.remove_caller(caller)
        edge.run.signal(signal.SIGTERM)
        await edge.run.wait()
        await edge.end()
        await relay.end()
