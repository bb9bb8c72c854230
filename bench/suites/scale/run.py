"""Times calls at a service, and at an edge in front of workers.

Rule 1: both sides have the same page, and each call is made at both in turns, so that what else the machine does meets
both.
Rule 2: all processes share this machine's cores, this one and Chromium too. Processor time is that of a process alone,
without its Chromium.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from perception.bench.pages.local_site import HTML, serve_apart
from perception.bench.process_times import own_seconds
from perception.bench.suite_options import CORES
from perception.bench.suites.scale.cluster import ClusterProcesses, Started, cluster_processes
from perception.bench.turns import turn_of
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.v1 import session_service_pb2 as session_pb

CALL_SECONDS = 60.0

DIRECT = "service"

FIRST, CHANGED, UNCHANGED = "text snapshot, first", "text snapshot, after a change", "text snapshot, unchanged"
CLICK, EMPTY, PNG, OPEN = "click", "empty rpc", "PNG of 1 MB or more", "new session"


@dataclass(frozen=True, slots=True)
class ScaleSample:
    """One call. `workers`: 0 for the service; `ms`: until it was answered."""

    workers: int
    what: str
    ms: float


@dataclass(frozen=True, slots=True)
class CallCost:
    """Milliseconds of processor time of an unchanged text snapshot. `process`: `service`, `edge` or `worker`."""

    workers: int
    process: str
    ms: float


@dataclass(frozen=True, slots=True)
class Throughput:
    """Text snapshots after clicks, by sessions that do not pause."""

    workers: int
    sessions: int
    per_second: float


@dataclass(frozen=True, slots=True)
class ScaleRun:
    """A run.

    Attributes:
        cores: that all processes share.
        png_bytes: size of the large answer.
        samples, direct: calls through the edge, and those at the service in turns with them.
    """

    cores: int
    png_bytes: int
    samples: tuple[ScaleSample, ...]
    direct: tuple[ScaleSample, ...]
    costs: tuple[CallCost, ...]
    throughput: tuple[Throughput, ...]


def run_scale(
    counts: Sequence[int], rounds: int, seconds: float, sessions: int, say: Callable[[str], None]
) -> ScaleRun:
    """Starts all processes, and measures one number of workers after the other. See `ScaleOptions`."""
    page = files(__package__).joinpath("scale_page.html").read_bytes()
    with serve_apart({"": (HTML, page)}) as url, cluster_processes() as processes:
        return asyncio.run(_Measurement(processes, url, rounds, seconds, sessions, say).run(counts))


class _Measurement:
    def __init__(
        self,
        processes: ClusterProcesses,
        url: str,
        rounds: int,
        seconds: float,
        sessions: int,
        say: Callable[[str], None],
    ) -> None:
        self._processes = processes
        self._url = url
        self._rounds = rounds
        self._seconds = seconds
        self._sessions = sessions
        self._say = say
        self._png_bytes = 0

    async def run(self, counts: Sequence[int]) -> ScaleRun:
        slots = self._sessions + 4
        service = self._processes.service(slots)
        workers = [self._processes.worker(slots) for _ in range(max(counts))]
        samples: list[ScaleSample] = []
        direct: list[ScaleSample] = []
        costs: list[CallCost] = []
        rates = []
        if self._seconds:
            rates.append(await self._throughput(0, service))
        for count in counts:
            edge = self._processes.edge(workers[:count])
            edges, services = await self._compare(count, edge, service)
            samples += edges
            direct += services
            costs += await self._costs(count, service, edge, workers[:count])
            if self._seconds:
                rates.append(await self._throughput(count, edge))
            self._say(f"{count} workers: measured")
        return ScaleRun(CORES, self._png_bytes, tuple(samples), tuple(direct), tuple(costs), tuple(rates))

    async def _compare(
        self, count: int, edge: Started, service: Started
    ) -> tuple[list[ScaleSample], list[ScaleSample]]:
        found: dict[int, list[ScaleSample]] = {count: [], 0: []}
        sides = [(count, await self._side(edge)), (0, await self._side(service))]
        for turn in range(self._rounds + 1):
            for number, side in turn_of(sides, turn):
                timed = await side.turn(with_slow=turn % 10 == 0)
                if turn:  # the first round loads code and fonts
                    found[number] += [ScaleSample(count, what, ms) for what, ms in timed]
        self._png_bytes = max(each.png_bytes for _, each in sides)
        for _, side in sides:
            await side.close()
        return found[count], found[0]

    async def _costs(self, count: int, service: Started, edge: Started, workers: list[Started]) -> list[CallCost]:
        side, direct = await self._side(edge), await self._side(service)
        before = {each.pid: own_seconds(each.pid) for each in (service, edge, *workers)}
        for _ in range(self._rounds):
            await side.look()
            await direct.look()
        spent = {pid: (own_seconds(pid) - before[pid]) * 1000 / self._rounds for pid in before}
        await side.close()
        await direct.close()
        return [
            CallCost(count, DIRECT, spent[service.pid]),
            CallCost(count, "edge", spent[edge.pid]),
            CallCost(count, "worker", sum(spent[each.pid] for each in workers)),
        ]

    async def _throughput(self, count: int, at: Started) -> Throughput:
        sides = [await self._side(at) for _ in range(self._sessions)]
        until = time.monotonic() + self._seconds
        looks = sum(await asyncio.gather(*(each.drive(until) for each in sides)))
        for each in sides:
            await each.close()
        return Throughput(count, self._sessions, looks / self._seconds)

    async def _side(self, at: Started) -> _Side:
        client = await aconnect(at.address, timeout_s=CALL_SECONDS)
        return await _Side.open(client, self._url)


@dataclass(slots=True)
class _Side:
    """A session at a service or an edge."""

    client: AsyncClient
    page: AsyncPage
    url: str
    ref: str = ""
    png_bytes: int = 0

    @classmethod
    async def open(cls, client: AsyncClient, url: str) -> _Side:
        until = time.monotonic() + CALL_SECONDS
        while True:
            try:
                return cls(client, await client.open(url), url)
            except RemoteError:  # the edge has not reached a worker yet
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.1)

    async def turn(self, *, with_slow: bool) -> list[tuple[str, float]]:
        """Each call once: what it was, and its milliseconds."""
        found: list[tuple[str, float]] = []
        if with_slow:
            await self.page.navigate(self.url)
            self.ref = ""
            found.append((FIRST, await _time(self.look)))
            found.append((PNG, await _time(self._take_png)))
            found.append((OPEN, await _time(self._open_another)))
        if not self.ref:
            await self.look()
        found.append((UNCHANGED, await _time(self.look)))
        found.append((EMPTY, await _time(self._ask)))
        found.append((CLICK, await _time(self._click)))
        found.append((CHANGED, await _time(self.look)))
        return found

    async def drive(self, until_s: float) -> int:
        """Clicks and looks until a time. Returns the number of looks."""
        await self.look()
        looks = 0
        while time.monotonic() < until_s:
            await self._click()
            await self.look()
            looks += 1
        return looks

    async def look(self) -> None:
        snapshot = await self.page.snapshot(mode="text")
        self.ref = next(each.ref for each in snapshot.elements if each.name == "Turn")

    async def close(self) -> None:
        await self.page.close()
        await self.client.close()

    async def _ask(self) -> None:
        await self.client.sessions.GetSession(
            session_pb.GetSessionRequest(session_id=self.page.session_id), timeout=CALL_SECONDS
        )

    async def _click(self) -> None:
        await self.page.click(self.ref, settle_timeout=0, skip_diff=True)

    async def _take_png(self) -> None:
        self.png_bytes = len(await self.page.screenshot())

    async def _open_another(self) -> None:
        await (await self.client.open()).close()


async def _time(call: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await call()
    return (time.perf_counter() - start) * 1000
