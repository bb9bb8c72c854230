"""Opens one flooding page after the other in one session, while others look and click beside it.

Rule 1: each flood is compared with the quiet just before it, on the same sessions, so that a busy machine counts on
both sides.
Rule 2: every flood gets a service and a browser of its own: none suffers for the one before.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perception.bench.suites.neighbours.flood_site import open_flood_site
from perception.bench.suites.neighbours.floods import CONTROLS
from perception.browser.chromium.process_memory import tree_bytes
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.client.child import ServiceChild

FLOOD_CALL_SECONDS = 60.0
"""Deadline of each call: the first session starts a browser."""

NEIGHBOR_CALL_SECONDS = 15.0
"""A neighbor's call that takes longer is given up and counts as an error."""

TOO_LATE = "given up"

PAUSE_SECONDS = 0.03
"""Between a neighbor's calls, so that four of them leave the machine idle time. Chosen by hand."""

SETTLE_SECONDS = 3.0
"""From the end of the flooding session until memory is measured: Chromium ends a process within a second or two."""


@dataclass(frozen=True, slots=True)
class NeighborCalls:
    """What the neighbors' calls took, s, and their errors by reason."""

    looks: tuple[float, ...] = ()
    clicks: tuple[float, ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FloodOutcome:
    """One flood.

    Attributes:
        name: of the flood.
        is_control: it keeps a core busy and sends no events.
        quiet, flooded: the neighbors' calls before and meanwhile.
        memory_mib: PSS of the service and its browser before, during, and after the flooding session, MiB.
        own_calls: what became of the flooding session's calls: the call, and its result or reason.
        notes: what its answers said.
    """

    name: str
    is_control: bool
    quiet: NeighborCalls
    flooded: NeighborCalls
    memory_mib: tuple[float, float, float]
    own_calls: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeighborsRun:
    """A run. `sessions`: neighbors; `seconds`: of each flood."""

    sessions: int
    seconds: float
    outcomes: tuple[FloodOutcome, ...]


async def run_neighbors(
    floods: Mapping[str, str], sessions: int, seconds: float, say: Callable[[str], None]
) -> NeighborsRun:
    """Measures the floods one after the other. `say` is called with a line for each."""
    outcomes = []
    with open_flood_site() as site:
        for name in floods:
            outcome = await _measure_flood(name, site, sessions, seconds)
            outcomes.append(outcome)
            say(f"{name}: {_words(outcome)}")
    return NeighborsRun(sessions, seconds, tuple(outcomes))


def _words(outcome: FloodOutcome) -> str:
    """One line: the slowest calls in the quiet and beside the flood."""
    slowest = (
        f"{kind} {max(quiet, default=0):.2f} to {max(flooded, default=0):.2f} s"
        for kind, quiet, flooded in (
            ("looks", outcome.quiet.looks, outcome.flooded.looks),
            ("clicks", outcome.quiet.clicks, outcome.flooded.clicks),
        )
    )
    return f"slowest {', '.join(slowest)}, errors {dict(outcome.flooded.errors) or 'none'}"


async def _measure_flood(name: str, site: str, sessions: int, seconds: float) -> FloodOutcome:
    child = await ServiceChild.astart(("127.0.0.1",))
    try:
        access = {"token": child.access.token} if child.access.token else {}
        async with await aconnect(child.address, timeout_s=FLOOD_CALL_SECONDS, **access) as client:
            pages = [await client.open(f"{site}/small") for _ in range(sessions)]
            await _drive(pages, 1.0)  # warms up
            quiet = await _drive(pages, seconds)
            before = _mebibytes(child)
            flooding = asyncio.create_task(_flood(client, f"{site}/flood/{name}", seconds))
            flooded = await _drive(pages, seconds)
            during = _mebibytes(child)
            own_calls, notes = await flooding
            await asyncio.sleep(SETTLE_SECONDS)
            memory = (before, during, _mebibytes(child))
    finally:
        await child.astop()
    return FloodOutcome(name, name in CONTROLS, quiet, flooded, memory, own_calls, notes)


async def _drive(pages: Sequence[AsyncPage], seconds: float) -> NeighborCalls:
    """All neighbors look and click for so long."""
    looks, clicks, errors = list[float](), list[float](), Counter[str]()
    end = time.monotonic() + seconds

    async def timed(spent: list[float], call: Awaitable[Any]) -> Any:
        start = time.monotonic()
        async with asyncio.timeout(NEIGHBOR_CALL_SECONDS):
            answer = await call
        spent.append(time.monotonic() - start)
        return answer

    async def drive(page: AsyncPage) -> None:
        while time.monotonic() < end:
            try:
                seen = await timed(looks, page.snapshot(mode="text"))
                button = next(each.ref for each in seen.elements if each.role == "button")
                await timed(clicks, page.click(button, skip_diff=True))
            except RemoteError as exc:
                errors[exc.reason or exc.code.name] += 1
            except TimeoutError:
                errors[TOO_LATE] += 1
            await asyncio.sleep(PAUSE_SECONDS)

    await asyncio.gather(*map(drive, pages))
    return NeighborCalls(tuple(looks), tuple(clicks), dict(errors))


async def _flood(client: AsyncClient, url: str, seconds: float) -> tuple[dict[str, str], tuple[str, ...]]:
    """One flooding session for so long: what became of its calls, and the notes of its answers."""
    end, came, notes = time.monotonic() + seconds, dict[str, str](), tuple[str, ...]()
    page: AsyncPage | None = None

    async def call(name: str, wanted: Awaitable[Any]) -> Any:
        try:
            answer = await wanted
        except RemoteError as exc:
            came[name] = exc.reason or exc.code.name
            return None
        came[name] = "answered"
        return answer

    page = await call("open", client.open(url))
    if page is not None:
        await asyncio.sleep(max(0.0, (end - time.monotonic()) / 2))
        await call("look", page.snapshot(mode="text"))
        clicked = await call("click", page.click((5, 5)))
        notes = tuple(clicked.notes) if clicked is not None else ()
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        await call("close", page.close())
    return came, notes


def _mebibytes(child: ServiceChild) -> float:
    pid = child.process.pid
    return tree_bytes([pid])[pid] / 2**20
