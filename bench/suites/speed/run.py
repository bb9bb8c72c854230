"""Measures time and tokens of a look at a page, ours and the peers', on the same tab of the same browser.

Rule 1: all sides look at one tab of one Chromium, in one viewport; each loads the page again before its first look.
Rule 2: the order of the sides rotates from round to round, so that none is always second.
Rule 3: between looks the page is unchanged, or is changed by its own script, equally for all sides; a change is made
and settled before timing starts.
Rule 4: these sessions look only when asked. How looks ahead change that is measured apart, in `agent_loop`.
Rule 5: every single measurement is stored; results are computed from them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.bench.machine import machine_facts
from perception.bench.pages.page_change import PageChange, change_page
from perception.bench.pages.shared_browser import SharedBrowser, shared_browser
from perception.bench.suites.speed.agent_loop import after_thinking, agent_loops
from perception.bench.suites.speed.report import LoopMeasure, SpeedMeasure, SpeedRun, SpeedSample, TextSize
from perception.bench.turns import turn_of
from perception.client import AsyncPage, RemoteError
from perception.datasets import load_manifest
from perception.datasets.sources.arrival import BIRTH
from perception.datasets.sources.peer_snapshots import Peer, PeerError, agent_browser, installed_peers, missing_peers
from perception.deadline import Deadline
from perception.errors import first_line
from perception.render.tokens import count_tokens
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

T = TypeVar("T")

BLANK = "about:blank"

PEER_SECONDS = 120.0
"""Limit of all of a peer's looks at one page. agent-browser starts in 0.1 s; a look at 10,000 controls takes it 5 s."""

SPEED_UNCHANGED_LOOKS = 5
"""Looks at a page that has been looked at already, in each visit."""

SPEED_CHANGED_LOOKS = 2 * len(PageChange)
"""Looks at a page after a small change, in each visit: two after each kind of change."""

THINKING_SECONDS = 1.0
"""How long an agent's model thinks between two calls; fast ones take half of it."""

LOOP_STEPS = 20
LOOP_PAGES = 6
"""Looks of an agent's loop, and pages that have one: it takes a minute and a half for each."""

SPEED_ENOUGH_SECONDS = 10.0
"""Looks of one kind stop after this total time: on a large page a peer takes seconds for each."""

SNAPSHOT_OPTIONS: Mapping[TextSize, Mapping[str, Any]] = {
    TextSize.FULL: {},
    TextSize.FULL_COMPACT: {"style": perception_pb.TEXT_STYLE_COMPACT},
    TextSize.INTERACTIVE: {"view": perception_pb.VIEW_INTERACTIVE},
    TextSize.INTERACTIVE_COMPACT: {"view": perception_pb.VIEW_INTERACTIVE, "style": perception_pb.TEXT_STYLE_COMPACT},
    TextSize.DIGEST: {"view": perception_pb.VIEW_DIGEST, "scope": perception_pb.SCOPE_PAGE},
    TextSize.PAGE: {"scope": perception_pb.SCOPE_PAGE},
    TextSize.PAGE_COMPACT: {"scope": perception_pb.SCOPE_PAGE, "style": perception_pb.TEXT_STYLE_COMPACT},
}
"""The request for each of our texts."""


@dataclass(frozen=True, slots=True)
class SideMeasures:
    """The measures of one side's looks at a page."""

    first: SpeedMeasure
    changed: SpeedMeasure
    unchanged: SpeedMeasure


TEXT_LOOKS = SideMeasures(SpeedMeasure.TEXT_FIRST, SpeedMeasure.TEXT_CHANGED, SpeedMeasure.TEXT_UNCHANGED)
PAGE_LOOKS = SideMeasures(SpeedMeasure.PAGE_FIRST, SpeedMeasure.PAGE_CHANGED, SpeedMeasure.PAGE_UNCHANGED)
FUSED_LOOKS = SideMeasures(SpeedMeasure.FUSED_FIRST, SpeedMeasure.FUSED_CHANGED, SpeedMeasure.FUSED_UNCHANGED)
PLAYWRIGHT_LOOKS = SideMeasures(
    SpeedMeasure.PLAYWRIGHT_FIRST, SpeedMeasure.PLAYWRIGHT_CHANGED, SpeedMeasure.PLAYWRIGHT_UNCHANGED
)
AGENT_BROWSER_LOOKS = SideMeasures(
    SpeedMeasure.AGENT_BROWSER_FIRST, SpeedMeasure.AGENT_BROWSER_CHANGED, SpeedMeasure.AGENT_BROWSER_UNCHANGED
)


@dataclass(slots=True)
class _SpeedNotes:
    """The results of a run so far."""

    samples: list[SpeedSample] = field(default_factory=list)
    skipped: dict[str, None] = field(default_factory=dict)

    def skip(self, line: str) -> None:
        self.skipped[line] = None

    @contextmanager
    def skipping(self, page_id: str) -> Iterator[None]:
        """Records a failure in the block as a skipped line."""
        try:
            yield
        except (RemoteError, PlaywrightError, PeerError, TimeoutError) as exc:
            self.skip(f"{page_id}: {first_line(exc)}")


async def run_speed(
    pages: Mapping[str, str],
    *,
    rounds: int,
    apart: Collection[str] = (),
    on_visited: Callable[[str], None] = lambda page: None,
    loop_steps: int = LOOP_STEPS,
    think_s: float = THINKING_SECONDS,
) -> SpeedRun:
    """Measures looks at pages. A failure of one side affects only that side's results, and is noted in a line.

    Args:
        pages: address by page id. The manifest's facts of a page with this id (locale, time to wait) are applied.
        rounds: how often each page is measured; at least 1.
        apart: ids of those that are in no ratio over pages.
        on_visited: called with each finished page, in each round.
        loop_steps: looks of an agent's loop, in the first round, on the first pages; 0 for no loops.
        think_s: how long an agent thinks.

    Raises:
        ValueError: there is no page, or no round.
        BrowserUnavailableError: there is no Chromium to run.
    """
    if not pages or rounds < 1:
        raise ValueError("nothing to measure: give at least one page and one round")
    made = datetime.now(UTC)
    looped = [page for page in pages if page not in apart][:LOOP_PAGES]
    notes = _SpeedNotes(skipped=dict.fromkeys(f"without {peer}: {why}" for peer, why in missing_peers().items()))
    async with shared_browser(pages.values()) as shared:
        machine = await asyncio.to_thread(machine_facts, shared.browser.version)
        await _warm_up(shared)
        for index in range(rounds):
            for page_id, url in pages.items():
                visit = _PageVisit(shared, page_id, url, index, notes)
                with notes.skipping(page_id):
                    await _measure_page(visit)
                    await _measure_agent(visit, think_s, loop_steps if not index and page_id in looped else 0)
                on_visited(page_id)
    versions = {peer.name: peer.version for peer in installed_peers() if peer.short}
    return SpeedRun(
        tuple(notes.samples),
        rounds,
        machine | versions,
        tuple(notes.skipped),
        made,
        tuple(page for page in pages if page in apart),
    )


@dataclass(frozen=True, slots=True)
class _PageVisit:
    """One page in one round. `theirs` is Playwright's object for the tab."""

    shared: SharedBrowser
    page_id: str
    url: str
    index: int
    notes: _SpeedNotes

    def note(self, of: SpeedMeasure | TextSize | LoopMeasure, value: float, change: str = "") -> None:
        self.notes.samples.append(SpeedSample(self.page_id, self.index, of, value, change))


async def _measure_page(visitor: _PageVisit) -> None:
    """Visits a page once for each side, in the order of this round."""
    known = load_manifest().pages.get(visitor.page_id)
    options = session_pb.SessionOptions(locale=known.locale if known else "", no_look_ahead=True)
    tab = await visitor.shared.open_tab(options)
    ours, theirs = tab.ours, tab.theirs
    try:
        visits: list[Callable[[], Awaitable[None]]] = [
            lambda: _visit_text(visitor, ours, theirs),
            lambda: _visit_playwright(visitor, theirs),
            lambda: _visit_page(visitor, ours, theirs),
            *(_visit_by(peer, visitor, theirs) for peer in installed_peers() if peer.short),
            lambda: _visit_fused(visitor, ours, theirs),
        ]
        for visit in turn_of(visits, visitor.index):
            # Through another page: navigating to the current address with a fragment loads nothing.
            for url in (BLANK, visitor.url):
                await tab.go(url)
            # A settled page may still draw; the manifest has the time. All sides wait equally.
            await asyncio.sleep((known.wait_ms if known else 0) / 1000)
            with visitor.notes.skipping(visitor.page_id):
                await visit()
    finally:
        await ours.close()


async def _measure_agent(visitor: _PageVisit, think_s: float, loop_steps: int) -> None:
    """Looks as an agent meets them: after thinking, and where there are steps, in a loop."""
    known = load_manifest().pages.get(visitor.page_id)
    locale = known.locale if known else ""
    for thought, spent_ms in (await after_thinking(visitor.shared, visitor.url, locale, think_s)).items():
        visitor.note(thought, spent_ms)
    if loop_steps:
        loops = await agent_loops(visitor.shared, visitor.url, locale, loop_steps, think_s)
        for cost, spent_ms in loops.items():
            visitor.note(cost, spent_ms)


async def _visit_text(visitor: _PageVisit, page: AsyncPage, theirs: Page) -> None:
    """Our texts: the time of the default one, the size of each."""

    def look(**options: Any) -> Awaitable[pb.Snapshot]:
        return page.snapshot(mode=perception_pb.MODE_TEXT, **options)

    async def count(_: object) -> None:
        for size, options in SNAPSHOT_OPTIONS.items():
            try:
                seen = await look(**options)
            except RemoteError as exc:
                if exc.code.name != "UNIMPLEMENTED":
                    raise
                visitor.notes.skip(f"{size}: {first_line(exc)}")
            else:
                visitor.note(size, count_tokens(seen.text))

    await _look_on(visitor, theirs, TEXT_LOOKS, look, count)


async def _visit_page(visitor: _PageVisit, page: AsyncPage, theirs: Page) -> None:
    """Our list of the part of the page that the peers list."""
    whole: dict[str, Any] = {"mode": perception_pb.MODE_TEXT, "scope": perception_pb.SCOPE_PAGE}
    await _look_on(visitor, theirs, PAGE_LOOKS, lambda: page.snapshot(**whole))


async def _visit_fused(visitor: _PageVisit, page: AsyncPage, theirs: Page) -> None:
    async def look() -> None:
        seen = await page.snapshot(mode=perception_pb.MODE_FUSED)
        for skipped in seen.skipped:
            visitor.notes.skip(f"{visitor.page_id}: {skipped.name}: {skipped.reason}")

    await _look_on(visitor, theirs, FUSED_LOOKS, look)


async def _visit_playwright(visitor: _PageVisit, page: Page) -> None:
    """Timed as an agent uses it, without boxes; the size of the boxes is measured separately."""

    async def count(text: str) -> None:
        visitor.note(TextSize.PLAYWRIGHT_PLAIN, count_tokens(text))
        visitor.note(TextSize.PLAYWRIGHT, count_tokens(await page.aria_snapshot(mode="ai", boxes=True)))

    await _look_on(visitor, page, PLAYWRIGHT_LOOKS, lambda: page.aria_snapshot(mode="ai"), count)


def _visit_by(peer: Peer, visitor: _PageVisit, page: Page) -> Callable[[], Awaitable[None]]:
    """agent-browser's visit. Its daemon is running and attached to the tab before timing starts."""

    async def visit() -> None:
        deadline = Deadline.of(PEER_SECONDS)
        birth = await page.evaluate(BIRTH)
        async with agent_browser(peer, page.url, birth, visitor.shared.endpoint, deadline) as daemon:

            async def count(text: str) -> None:
                visitor.note(TextSize.AGENT_BROWSER_SHORT, count_tokens(text))
                visitor.note(TextSize.AGENT_BROWSER, count_tokens(await daemon.snapshot(deadline)))

            await _look_on(visitor, page, AGENT_BROWSER_LOOKS, lambda: daemon.snapshot(deadline, short=True), count)

    return visit


async def _look_on(
    visitor: _PageVisit,
    page: Page,
    looks: SideMeasures,
    look: Callable[[], Awaitable[T]],
    count: Callable[[T], Awaitable[None]] | None = None,
) -> None:
    """One side's looks at a newly loaded page.

    Args:
        page: the tab, to change the page in it.
        count: called with the output of the first look, before the page is changed.
    """
    seen, _ = await _time(visitor, looks.first, look)
    if count is not None:
        await count(seen)
    spent = 0.0
    for _ in range(SPEED_UNCHANGED_LOOKS):
        if spent < SPEED_ENOUGH_SECONDS:
            spent += (await _time(visitor, looks.unchanged, look))[1]
    spent = 0.0
    for number in range(SPEED_CHANGED_LOOKS):
        if spent < SPEED_ENOUGH_SECONDS:
            change = await change_page(page, number)
            spent += (await _time(visitor, looks.changed, look, change))[1]


async def _time(
    visitor: _PageVisit, of: SpeedMeasure, look: Callable[[], Awaitable[T]], change: str = ""
) -> tuple[T, float]:
    """The result of a look, and its duration in seconds."""
    start = time.perf_counter()
    seen = await look()
    seconds = time.perf_counter() - start
    visitor.note(of, seconds * 1000, change)
    return seen, seconds


async def _warm_up(shared: SharedBrowser) -> None:
    """Lets the service load its models: that belongs to its start, not to a look."""
    tab = await shared.open_tab(session_pb.SessionOptions())
    await tab.ours.snapshot(mode=perception_pb.MODE_VISION)
    await tab.ours.close()
