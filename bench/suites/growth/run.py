"""Measures how the cost of a look grows with the page and with its changes: ours and Playwright's, on generated pages.

Rule 1: both look at one page of one Chromium, each in a tab of its own, which is new for each visit: a look that was
aborted leaves work behind, which is discarded with its tab.
Rule 2: the order of the sides rotates from round to round.
Rule 3: large pages are visited in fewer rounds, which the report says.
Rule 4: a look that takes too long is aborted and noted, and that side's looks at larger pages are skipped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from playwright.async_api import Error as PlaywrightError

from perception.bench.machine import machine_facts
from perception.bench.pages.controls_page import change_controls, serve_controls
from perception.bench.pages.shared_browser import SharedBrowser, SharedTab, shared_browser
from perception.bench.suites.growth.report import (
    CHANGED,
    LARGE,
    LARGE_ROUNDS,
    ControlsPage,
    GrowthRun,
    GrowthSide,
    PageCondition,
    TimedLook,
)
from perception.bench.turns import turn_of
from perception.client import RemoteError
from perception.datasets.sources.build import Progress
from perception.errors import first_line
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb

CONTROL_COUNTS = (100, 1_000, 10_000, 100_000)
"""Controls of a page."""

WARM_LOOKS = 3
"""Looks after each change, in each visit."""

GROWTH_LOOK_SECONDS = 30.0
"""Time limit of a look. Playwright takes 1 s for 10,000 controls, and tens of seconds for 100,000."""

GROWTH_ENOUGH_SECONDS = 5.0
"""Looks under one condition stop after this total time."""

_COUNT = """() => {
  const inView = (each) => {
    const box = each.getBoundingClientRect();
    return box.top < innerHeight && box.bottom > 0;
  };
  const controls = [...document.querySelectorAll("button, a, input")];
  return [document.querySelectorAll("*").length, controls.filter(inView).length];
}"""


@dataclass(slots=True)
class _GrowthNotes:
    """The results of a run so far. `limits`: by side, the size at which it was aborted."""

    looks: list[TimedLook] = field(default_factory=list)
    pages: dict[int, ControlsPage] = field(default_factory=dict)
    limits: dict[GrowthSide, int] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _GrowthVisit:
    """One side at one page in one round."""

    side: GrowthSide
    size: int
    round: int


async def run_growth(sizes: Sequence[int], *, rounds: int, progress: Progress) -> GrowthRun:
    """Measures looks at pages of the given numbers of controls, each at least 1.

    Raises:
        ValueError: there is no size, or no round.
        BrowserUnavailableError: there is no Chromium to run.
    """
    if not sizes or min(sizes) < 1 or rounds < 1:
        raise ValueError("nothing to measure: give at least one size of at least 1, and one round")
    made, grown = datetime.now(UTC), _GrowthNotes()
    sides = list(GrowthSide)
    progress.start(sum(_rounds_of(size, rounds) for size in sizes) * len(sides))
    with serve_controls(sizes) as urls:
        async with shared_browser(urls.values()) as shared:
            machine = await asyncio.to_thread(machine_facts, shared.browser.version)
            for index in range(rounds):
                for size, url in urls.items():
                    if index >= _rounds_of(size, rounds):
                        continue
                    for side in turn_of(sides, index):
                        visit = _GrowthVisit(side, size, index)
                        progress.done(f"{visit.side}, {size:,} controls", await _attempt(shared, visit, url, grown))
    return GrowthRun(tuple(grown.looks), tuple(grown.pages.values()), rounds, machine, tuple(grown.skipped), made)


def _rounds_of(size: int, rounds: int) -> int:
    return min(rounds, LARGE_ROUNDS) if size >= LARGE else rounds


async def _attempt(shared: SharedBrowser, visit: _GrowthVisit, url: str, grown: _GrowthNotes) -> str:
    """Makes a visit; returns why it ended early, or an empty text."""
    limit = grown.limits.get(visit.side)
    if limit is not None and visit.size >= limit:
        return ""
    try:
        await _visit(shared, visit, url, grown)
    except (TimeoutError, RemoteError, PlaywrightError) as exc:
        grown.limits[visit.side] = visit.size
        why = first_line(exc) if str(exc) else f"given up after {GROWTH_LOOK_SECONDS:g} s"
        grown.skipped[f"{visit.side} at {visit.size:,} controls and more: {why}"] = None
        return why
    return ""


async def _visit(shared: SharedBrowser, visit: _GrowthVisit, url: str, grown: _GrowthNotes) -> None:
    tab = await shared.open_tab(session_pb.SessionOptions(no_look_ahead=True))
    try:
        await tab.go(url)
        if visit.size not in grown.pages:
            elements, in_view = await tab.theirs.evaluate(_COUNT)
            grown.pages[visit.size] = ControlsPage(visit.size, elements, in_view)
        for condition in PageCondition:
            if CHANGED.get(condition, 0) <= visit.size:
                await _look_under(condition, visit, tab, grown)
    finally:
        await tab.ours.close()


async def _look_under(condition: PageCondition, visit: _GrowthVisit, tab: SharedTab, grown: _GrowthNotes) -> None:
    """One side's looks under one condition: one for the first look, otherwise several."""
    look = _look_of(visit.side, tab)
    spent = 0.0
    for number in range(1 if condition is PageCondition.FIRST else WARM_LOOKS):
        if spent >= GROWTH_ENOUGH_SECONDS:
            return
        if condition in CHANGED:
            await change_controls(tab.theirs, CHANGED[condition], number)
        start = time.perf_counter()
        async with asyncio.timeout(GROWTH_LOOK_SECONDS):
            await look()
        seconds = time.perf_counter() - start
        grown.looks.append(TimedLook(visit.size, visit.round, visit.side, condition, seconds * 1000))
        spent += seconds


def _look_of(side: GrowthSide, tab: SharedTab) -> Callable[[], Awaitable[object]]:
    """The side's call for a look. It has no timeout of its own: ours applies."""
    match side:
        case GrowthSide.VIEWPORT:
            return lambda: tab.ours.snapshot(mode=perception_pb.MODE_TEXT)
        case GrowthSide.PAGE:
            return lambda: tab.ours.snapshot(mode=perception_pb.MODE_TEXT, scope=perception_pb.SCOPE_PAGE)
        case GrowthSide.PLAYWRIGHT:
            return lambda: tab.theirs.aria_snapshot(mode="ai", timeout=2 * GROWTH_LOOK_SECONDS * 1000)
