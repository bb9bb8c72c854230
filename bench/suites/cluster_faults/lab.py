"""The lab of the campaign: workers, two edges, a site that counts presses, and callers.

Rule 1: after each round everything works again without help: every caller has finished a step, claims fill exactly all
slots, and there is no session that no caller knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from perception import host_os
from perception.bench.suites.cluster_faults.callers import Account, Caller, hit_callers, reason_of
from perception.bench.suites.cluster_faults.outcomes import Counts
from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS, FaultPlacement, WorkerNow
from perception.bench.suites.cluster_faults.processes import EdgeProcess, processes_of
from perception.bench.suites.faults.fault_lab import Site
from perception.client import AsyncPage, RemoteError
from perception.v1 import session_service_pb2 as session_pb

CALLERS = 4
"""As many as two workers have slots for: with one gone, each caller still has a session."""

AGAIN_SECONDS = 90.0
"""Within which every caller has to be served again."""

SLOTS_SECONDS = 40.0
"""Within which all slots have to be free for claims again: longer than an edge waits for a worker that is silent."""


@dataclass(slots=True, eq=False)
class ClusterLab:
    """Everything of one campaign. `hit`: callers that the round's fault is for; `far_edges`: how many there were."""

    site: Site
    folder: Path
    placement: FaultPlacement
    edges: list[EdgeProcess] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)
    account: Account = field(default_factory=Account)
    hit: set[Caller] = field(default_factory=set)
    far_edges: int = 0
    _running: dict[Caller, asyncio.Task[None]] = field(default_factory=dict)

    async def start(self) -> None:
        await self.placement.start(self.folder)
        for index in range(2):
            self.edges.append(await self.begin_edge(f"e{index}", self.placement.option))

    async def begin_edge(self, name: str, option: str) -> EdgeProcess:
        environment = {"PERCEPTION_DRAIN_S": "3", "TMPDIR": str(self.folder), **self.placement.environment}
        return await EdgeProcess.begin(self.folder / name, self.placement.cluster, option, environment)

    async def close(self) -> None:
        await self.stop_load()
        for edge in self.edges:
            await edge.end()
        await self.placement.close()

    async def start_load(self, turn: int = 0) -> None:
        """Callers of both edges; returns when each has finished a step."""
        clients = [each.client for each in self.edges]
        for index in range(CALLERS):
            self.add_caller(Caller(clients, self.site, self.account, edge=index % 2, turn=turn))
        await self.served(time.monotonic())

    def add_caller(self, caller: Caller) -> None:
        self.callers.append(caller)
        self._running[caller] = asyncio.create_task(caller.run(), name="caller")

    async def remove_caller(self, caller: Caller) -> None:
        """Ends a caller between two steps, and its session."""
        async with caller.stepping:
            task = self._running.pop(caller)
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self.callers.remove(caller)
        with contextlib.suppress(RemoteError):
            await caller.close()

    async def stop_load(self) -> None:
        await asyncio.gather(*map(self.remove_caller, tuple(self.callers)))

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """No caller has a call under way within the context."""
        async with AsyncExitStack() as stack:
            for caller in self.callers:
                await stack.enter_async_context(caller.stepping)
            yield

    async def victim(self) -> WorkerNow:
        """The worker with most of the callers' sessions; they are hit."""
        workers = await self.placement.workers()
        async with self.paused():
            found = max(workers, key=lambda each: len(hit_callers(self.callers, each.has)))
            self.hit = hit_callers(self.callers, found.has)
        assert self.hit, "no caller has a session on any worker"
        return found

    async def served(self, since: float, callers: Collection[Caller] | None = None) -> None:
        """Returns when each caller has finished a step that ended after a moment. Raises TimeoutError."""
        async with asyncio.timeout(AGAIN_SECONDS):
            while any(each.done_at < since for each in (self.callers if callers is None else callers)):  # noqa: ASYNC110  (of many)
                await asyncio.sleep(0.02)

    async def check_slots(self) -> None:
        """Fills all slots, and asks for one more. Raises AssertionError where slots are leaked, or given twice."""
        async with self.paused():
            free = WORKERS * SLOTS - sum(each.held is not None for each in self.callers)
            until = time.monotonic() + SLOTS_SECONDS
            opened: list[AsyncPage] = []
            try:
                while len(opened) < free and time.monotonic() < until:
                    opened += await self._open_through_all(free - len(opened))
                assert len(opened) == free, f"{free} slots should be free, {len(opened)} are"
                more = await self._open_through_all(2)
                opened += more
                assert not more, f"{free} slots should be free, there are more"
            finally:
                for page in opened:
                    await page.close()
            await self._check_sessions()

    async def _open_through_all(self, count: int) -> list[AsyncPage]:
        """As many sessions as open of this number at once, by turns through the edges."""
        clients = [self.edges[index % 2].client for index in range(count)]
        found = await asyncio.gather(*(each.open() for each in clients), return_exceptions=True)
        for each in found:
            if isinstance(each, RemoteError):
                if reason_of(each) not in ("SESSION_LIMIT", "WORKER_UNREACHABLE"):
                    raise each
            elif isinstance(each, BaseException):
                raise each
        if not any(isinstance(each, AsyncPage) for each in found):
            await asyncio.sleep(0.1)
        return [each for each in found if isinstance(each, AsyncPage)]

    async def _check_sessions(self) -> None:
        """Through both edges the same sessions: those of the callers."""
        known = {each.held.page.session_id for each in self.callers if each.held is not None}
        for edge in self.edges:
            until = time.monotonic() + 10
            while True:
                request = session_pb.ListSessionsRequest()
                reply = await edge.client.call(edge.client.sessions.ListSessions, request)
                found = {each.session_id for each in reply.sessions}
                if (found == known and not reply.workers_missing) or time.monotonic() > until:
                    break
                await asyncio.sleep(0.1)
            assert not reply.workers_missing, f"{reply.workers_missing} workers are missing"
            assert found == known, f"{len(found - known)} sessions that nobody knows, {len(known - found)} missing"

    def check_presses(self) -> list[str]:
        """What is wrong with the site's counts."""
        wrong = (each.wrong_count(self.site.counted[each.id]) for each in self.account.pages)
        return [each for each in wrong if each]

    async def count(self) -> Counts:
        """What is held while nothing is under way."""
        async with self.paused():
            workers = await self.placement.workers()
            return Counts(
                processes=len(processes_of(self.folder)),
                edge_files=max(host_os.open_file_count(each.run.pid) for each in self.edges),
                worker_files=max(host_os.open_file_count(each.pid) for each in workers),
                links=max(_links(each.run.pid) for each in self.edges),
                folders=sum(len(list(each.temporary.iterdir())) for each in workers),
                actors=await self.placement.count_actors(),
            )


def _links(pid: int) -> int:
    """TCP connections that are open."""
    connections = psutil.Process(pid).net_connections("tcp")
    return sum(each.status == psutil.CONN_ESTABLISHED for each in connections)
