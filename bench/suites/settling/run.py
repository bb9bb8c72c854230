"""Acts on pages that update late and looks at pages that never quite rest, through the service.

Rule 1: what counts is what a client gets: the diff of an action with a long `settle_timeout`, or a settled look.
Rule 2: nothing is waited for beside that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perception.bench.suites.settling.settling_cases import SettlingCase, serve_settling_cases
from perception.client import AsyncPage, RemoteError, aconnect
from perception.client.child import ServiceChild
from perception.v1 import action_service_pb2 as pb

SETTLE_SECONDS = 8.0
"""The `settle_timeout` of each look: longer than any update takes."""

CALL_SECONDS = 30.0

_HOSTS = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class SettlingOutcome:
    """One case in one round.

    Attributes:
        case: its id.
        updates: the page updates late; False for a page at rest.
        kept: the case was written after the code that waits was finished.
        later: why no look can know of the update; empty for most.
        holds: the answer holds the update; True for a page at rest.
        first_s: duration of the first look, which is settled for pages at rest.
        act_s: duration of the action with its settled look.
        plain_s: duration of a look afterwards that does not wait; 0 for pages that update.
        look_s: duration of a settled look after that; 0 for pages that update.
        pending, background: what the action's answer says; empty for an older service.
        problem: why the case failed; empty for none.
    """

    case: str
    updates: bool
    kept: bool
    later: str
    holds: bool
    first_s: float
    act_s: float
    plain_s: float
    look_s: float
    pending: tuple[str, ...]
    background: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class SettlingRun:
    """A run: the outcome of each case in each round."""

    outcomes: tuple[SettlingOutcome, ...]


async def run_settling(
    cases: Sequence[SettlingCase], *, rounds: int, on_outcome: Callable[[SettlingOutcome], None]
) -> list[SettlingOutcome]:
    """Runs all cases the given number of times.

    Args:
        on_outcome: called with each outcome.
    """
    ran: list[SettlingOutcome] = []
    with serve_settling_cases() as origin:
        child = await asyncio.to_thread(ServiceChild.start, _HOSTS)
        try:
            async with await aconnect(child.address, timeout_s=CALL_SECONDS) as client:
                for _ in range(rounds):
                    for case in cases:
                        page = await client.open(case.url(origin))
                        ran.append(await _go_through(page, case))
                        on_outcome(ran[-1])
                        await page.close()
        finally:
            await asyncio.to_thread(child.stop)
    return ran


async def _go_through(page: AsyncPage, case: SettlingCase) -> SettlingOutcome:
    try:
        await asyncio.sleep(case.still)
        began = time.perf_counter()
        await page.snapshot(mode="text", scope="page", settle_timeout=0.0 if case.updates else SETTLE_SECONDS)
        first_s = time.perf_counter() - began
        began = time.perf_counter()
        result = await _act(page, case)
        act_s = time.perf_counter() - began
        plain_s = look_s = 0.0
        if not case.updates:
            began = time.perf_counter()
            await page.snapshot(mode="text", scope="page")
            plain_s = time.perf_counter() - began
            await page.snapshot(mode="text", scope="page", settle_timeout=SETTLE_SECONDS)
            look_s = time.perf_counter() - began - plain_s
    except RemoteError as exc:
        return _outcome(case, holds=False, problem=f"{exc.reason}: {exc}")
    holds = not case.updates or (case.expect in result.diff.text if case.expect else len(result.downloads) > 0)
    settle = getattr(result, "settle", None)
    return _outcome(
        case,
        holds=holds,
        first_s=first_s,
        act_s=act_s,
        plain_s=plain_s,
        look_s=look_s,
        pending=tuple(settle.pending) if settle is not None else (),
        background=tuple(settle.background) if settle is not None else (),
        problem="" if holds else "the answer does not hold the update",
    )


async def _act(page: AsyncPage, case: SettlingCase) -> pb.ActionResult:
    if case.act == "type":
        return await page.type_text("#field", "a", settle_timeout=SETTLE_SECONDS)
    if case.act == "scroll":
        return await page.scroll(delta_y=5000, settle_timeout=SETTLE_SECONDS)
    return await page.click("#b", settle_timeout=SETTLE_SECONDS)


def _outcome(
    case: SettlingCase,
    *,
    holds: bool,
    problem: str,
    first_s: float = 0.0,
    act_s: float = 0.0,
    plain_s: float = 0.0,
    look_s: float = 0.0,
    pending: tuple[str, ...] = (),
    background: tuple[str, ...] = (),
) -> SettlingOutcome:
    return SettlingOutcome(
        case=case.id,
        updates=case.updates,
        kept=case.kept,
        later=case.later,
        holds=holds,
        first_s=first_s,
        act_s=act_s,
        plain_s=plain_s,
        look_s=look_s,
        pending=pending,
        background=background,
        problem=problem,
    )
