"""Speed and size of a look at a page, beside the peers', on the same tab of the same browser.

Rule 1: all sides look at one tab of one Chromium, in one viewport; each loads the page anew before its first look.
Rule 2: the order of the sides rotates from round to round, so that none is always the one that comes second.
Rule 3: between looks the page is left alone, or is changed by its own script, for all sides alike; a change is made and
settled before time is taken.
Rule 4: every single measurement is kept; what is shown is computed from them.
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
from perception.bench.page_change import Change, change_page
from perception.bench.shared import SharedBrowser, shared_browser
from perception.bench.speed_report import Measure, Sample, Size, SpeedRun
from perception.budget import Budget
from perception.client import AsyncPage, RemoteError
from perception.datasets import load_manifest
from perception.datasets.arrival import BIRTH
from perception.datasets.peers import Peer, PeerError, agent_browser, installed_peers, missing_peers
from perception.errors import first_line
from perception.render.tokens import count_tokens
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

T = TypeVar("T")

BLANK = "about:blank"

PEER_SECONDS = 120.0
"""For all of a peer's looks at one page. agent-browser is up in 0.1 s; a look at 10,000 controls takes it 5 s."""

UNCHANGED_LOOKS = 5
"""Looks at a page that has been looked at already, in each visit."""

CHANGED_LOOKS = 2 * len(Change)
"""Looks at a page that was just changed a little, in each visit: two after each kind of change."""

ENOUGH_SECONDS = 10.0
"""Looks of one kind that took so long together are enough: on a large page a peer takes seconds for each."""

SIZES: Mapping[Size, Mapping[str, Any]] = {
    Size.FULL: {},
    Size.FULL_COMPACT: {"style": perception_pb.TEXT_STYLE_COMPACT},
    Size.INTERACTIVE: {"view": perception_pb.VIEW_INTERACTIVE},
    Size.INTERACTIVE_COMPACT: {"view": perception_pb.VIEW_INTERACTIVE, "style": perception_pb.TEXT_STYLE_COMPACT},
    Size.DIGEST: {"view": perception_pb.VIEW_DIGEST, "scope": perception_pb.SCOPE_PAGE},
    Size.PAGE: {"scope": perception_pb.SCOPE_PAGE},
    Size.PAGE_COMPACT: {"scope": perception_pb.SCOPE_PAGE, "style": perception_pb.TEXT_STYLE_COMPACT},
}
"""What is asked for each of our texts."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What one side's looks at a page are counted as."""

    first: Measure
    changed: Measure
    unchanged: Measure


TEXT = Looks(Measure.TEXT_FIRST, Measure.TEXT_CHANGED, Measure.TEXT_UNCHANGED)
PAGE = Looks(Measure.PAGE_FIRST, Measure.PAGE_CHANGED, Measure.PAGE_UNCHANGED)
FUSED = Looks(Measure.FUSED_FIRST, Measure.FUSED_CHANGED, Measure.FUSED_UNCHANGED)
PLAYWRIGHT = Looks(Measure.PLAYWRIGHT_FIRST, Measure.PLAYWRIGHT_CHANGED, Measure.PLAYWRIGHT_UNCHANGED)
AGENT_BROWSER = Looks(Measure.AGENT_BROWSER_FIRST, Measure.AGENT_BROWSER_CHANGED, Measure.AGENT_BROWSER_UNCHANGED)


@dataclass(slots=True)
class _Notes:
    """What a run has gathered so far."""

    samples: list[Sample] = field(default_factory=list)
    skipped: dict[str, None] = field(default_factory=dict)

    def skip(self, line: str) -> None:
        self.skipped[line] = None

    @contextmanager
    def skipping(self, page_id: str) -> Iterator[None]:
        """What fails in the block is left out, with a line."""
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
) -> SpeedRun:
    """Measures looks at pages. What one side cannot do costs that side's figures alone, and is a line.

    Args:
        pages: address by page id. What the manifest says of a page by this id (locale, time to wait) is heeded.
        rounds: how often each page is measured; at least 1.
        apart: ids of those that are in no ratio over pages.
        on_visited: told of each page, in each round, as it is done.

    Raises:
        ValueError: there is no page, or no round.
        BrowserUnavailableError: there is no Chromium to run.
    """
    if not pages or rounds < 1:
        raise ValueError("nothing to measure: give at least one page and one round")
    made = datetime.now(UTC)
    notes = _Notes(skipped=dict.fromkeys(f"without {peer}: {why}" for peer, why in missing_peers().items()))
    async with shared_browser(pages.values()) as shared:
        machine = await asyncio.to_thread(machine_facts, shared.browser.version)
        await _warm_up(shared)
        for index in range(rounds):
            for page_id, url in pages.items():
                with notes.skipping(page_id):
                    await _measure_page(_Visitor(shared, page_id, url, index, notes))
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
class _Visitor:
    """One page in one round. `theirs` is the tab as Playwright has it."""

    shared: SharedBrowser
    page_id: str
    url: str
    index: int
    notes: _Notes

    def note(self, of: Measure | Size, value: float, change: str = "") -> None:
        self.notes.samples.append(Sample(self.page_id, self.index, of, value, change))


async def _measure_page(visitor: _Visitor) -> None:
    """Visits a page once for each side, in the order of this round."""
    known = load_manifest().pages.get(visitor.page_id)
    tab = await visitor.shared.open_tab(session_pb.SessionOptions(locale=known.locale if known else ""))
    ours, theirs = tab.ours, tab.theirs
    try:
        visits: list[Callable[[], Awaitable[None]]] = [
            lambda: _visit_text(visitor, ours, theirs),
            lambda: _visit_playwright(visitor, theirs),
            lambda: _visit_page(visitor, ours, theirs),
            *(_visit_by(peer, visitor, theirs) for peer in installed_peers() if peer.short),
            lambda: _visit_fused(visitor, ours, theirs),
        ]
        for step in range(len(visits)):
            # By way of another page: going to an address with a fragment that one is at already loads nothing.
            for url in (BLANK, visitor.url):
                await tab.go(url)
            # A settled page may still draw; the manifest knows for how long. All sides wait alike.
            await asyncio.sleep((known.wait_ms if known else 0) / 1000)
            with visitor.notes.skipping(visitor.page_id):
                await visits[(visitor.index + step) % len(visits)]()
    finally:
        await ours.close()


async def _visit_text(visitor: _Visitor, page: AsyncPage, theirs: Page) -> None:
    """Our texts: the time of the default one, the size of each."""

    def look(**options: Any) -> Awaitable[pb.Snapshot]:
        return page.snapshot(mode=perception_pb.MODE_TEXT, **options)

    async def count(_: object) -> None:
        for size, options in SIZES.items():
            try:
                seen = await look(**options)
            except RemoteError as exc:
                if exc.code.name != "UNIMPLEMENTED":
                    raise
                visitor.notes.skip(f"{size}: {first_line(exc)}")
            else:
                visitor.note(size, count_tokens(seen.text))

    await _look_on(visitor, theirs, TEXT, look, count)


async def _visit_page(visitor: _Visitor, page: AsyncPage, theirs: Page) -> None:
    """Our list of as much as the peers list."""
    whole: dict[str, Any] = {"mode": perception_pb.MODE_TEXT, "scope": perception_pb.SCOPE_PAGE}
    await _look_on(visitor, theirs, PAGE, lambda: page.snapshot(**whole))


async def _visit_fused(visitor: _Visitor, page: AsyncPage, theirs: Page) -> None:
    async def look() -> None:
        seen = await page.snapshot(mode=perception_pb.MODE_FUSED)
        for skipped in seen.skipped:
            visitor.notes.skip(f"{visitor.page_id}: {skipped.name}: {skipped.reason}")

    await _look_on(visitor, theirs, FUSED, look)


async def _visit_playwright(visitor: _Visitor, page: Page) -> None:
    """Timed as an agent uses it, without boxes; what they cost is a size of its own."""

    async def count(text: str) -> None:
        visitor.note(Size.PLAYWRIGHT_PLAIN, count_tokens(text))
        visitor.note(Size.PLAYWRIGHT, count_tokens(await page.aria_snapshot(mode="ai", boxes=True)))

    await _look_on(visitor, page, PLAYWRIGHT, lambda: page.aria_snapshot(mode="ai"), count)


def _visit_by(peer: Peer, visitor: _Visitor, page: Page) -> Callable[[], Awaitable[None]]:
    """agent-browser's visit. Its daemon is there and points at the tab before its time is taken."""

    async def visit() -> None:
        budget = Budget.of(PEER_SECONDS)
        birth = await page.evaluate(BIRTH)
        async with agent_browser(peer, page.url, birth, visitor.shared.endpoint, budget) as daemon:

            async def count(text: str) -> None:
                visitor.note(Size.AGENT_BROWSER_SHORT, count_tokens(text))
                visitor.note(Size.AGENT_BROWSER, count_tokens(await daemon.snapshot(budget)))

            await _look_on(visitor, page, AGENT_BROWSER, lambda: daemon.snapshot(budget, short=True), count)

    return visit


async def _look_on(
    visitor: _Visitor,
    page: Page,
    looks: Looks,
    look: Callable[[], Awaitable[T]],
    count: Callable[[T], Awaitable[None]] | None = None,
) -> None:
    """One side's looks at a page that was just loaded.

    Args:
        page: the tab, to change the page in it.
        count: told what the first look gave, before the page is changed.
    """
    seen, _ = await _time(visitor, looks.first, look)
    if count is not None:
        await count(seen)
    spent = 0.0
    for _ in range(UNCHANGED_LOOKS):
        if spent < ENOUGH_SECONDS:
            spent += (await _time(visitor, looks.unchanged, look))[1]
    spent = 0.0
    for number in range(CHANGED_LOOKS):
        if spent < ENOUGH_SECONDS:
            change = await change_page(page, number)
            spent += (await _time(visitor, looks.changed, look, change))[1]


async def _time(visitor: _Visitor, of: Measure, look: Callable[[], Awaitable[T]], change: str = "") -> tuple[T, float]:
    """What a look gives, and the seconds that it took."""
    start = time.perf_counter()
    seen = await look()
    seconds = time.perf_counter() - start
    visitor.note(of, seconds * 1000, change)
    return seen, seconds


async def _warm_up(shared: SharedBrowser) -> None:
    """Lets the service load its models: that is its start, not a look's."""
    tab = await shared.open_tab(session_pb.SessionOptions())
    await tab.ours.snapshot(mode=perception_pb.MODE_VISION)
    await tab.ours.close()
