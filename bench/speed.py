"""Speed and size of a look at a page, beside the peers', on the same tab of the same browser.

Rule 1: all sides look at one tab of one Chromium, in one viewport; each loads the page anew before its first look.
Rule 2: the order of the sides rotates from round to round, so that none is always the one that comes second.
Rule 3: every single measurement is kept; what is shown is computed from them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.bench.machine import machine_facts
from perception.bench.shared import SharedBrowser, shared_browser
from perception.bench.speed_report import WARM_LOOKS, Measure, Sample, Size, SpeedRun
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

PEER_SECONDS = 60.0
"""For all of a peer's looks at one page. agent-browser is up in 0.1 s; a look at a large page takes it 0.3 s."""


@dataclass(slots=True)
class _Notes:
    """What a run has gathered so far."""

    samples: list[Sample] = field(default_factory=list)
    skipped: dict[str, None] = field(default_factory=dict)

    def skip(self, line: str) -> None:
        self.skipped[line] = None


async def run_speed(pages: Mapping[str, str], *, rounds: int) -> SpeedRun:
    """Measures looks at pages.

    Args:
        pages: address by page id. What the manifest says of a page by this id (locale, time to wait) is heeded.
        rounds: how often each page is measured; at least 1.

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
                try:
                    await _measure_page(_Visitor(shared, page_id, url, index, notes))
                except (RemoteError, PlaywrightError, PeerError, TimeoutError) as exc:
                    notes.skip(f"{page_id}: {first_line(exc)}")
    return SpeedRun(tuple(notes.samples), rounds, machine, tuple(notes.skipped), made)


@dataclass(frozen=True, slots=True)
class _Visitor:
    """One page in one round."""

    shared: SharedBrowser
    page_id: str
    url: str
    index: int
    notes: _Notes

    def note(self, of: Measure | Size, value: float) -> None:
        self.notes.samples.append(Sample(self.page_id, self.index, of, value))


async def _measure_page(visitor: _Visitor) -> None:
    """Visits a page once for each side, in the order of this round."""
    known = load_manifest().pages.get(visitor.page_id)
    tab = await visitor.shared.open_tab(session_pb.SessionOptions(locale=known.locale if known else ""))
    ours, theirs = tab.ours, tab.theirs
    try:
        visits: list[Callable[[], Awaitable[None]]] = [
            lambda: _visit_text(visitor, ours),
            lambda: _visit_playwright(visitor, theirs),
            lambda: _visit_fused(visitor, ours),
            *(_visit_by(peer, visitor, theirs) for peer in installed_peers() if peer.program),
        ]
        for step in range(len(visits)):
            # By way of another page: going to an address with a fragment that one is at already loads nothing.
            for url in (BLANK, visitor.url):
                await tab.go(url)
            # A settled page may still draw; the manifest knows for how long. All sides wait alike.
            await asyncio.sleep((known.wait_ms if known else 0) / 1000)
            await visits[(visitor.index + step) % len(visits)]()
    finally:
        await ours.close()


async def _visit_text(visitor: _Visitor, page: AsyncPage) -> None:
    def look(**options: Any) -> Awaitable[pb.Snapshot]:
        return page.snapshot(mode=perception_pb.MODE_TEXT, **options)

    await _time(visitor, Measure.TEXT_FIRST, look)
    for _ in range(WARM_LOOKS):
        full = await _time(visitor, Measure.TEXT_WARM, look)
    visitor.note(Size.FULL, full.token_count)
    visitor.note(Size.INTERACTIVE, (await look(view=perception_pb.VIEW_INTERACTIVE)).token_count)
    visitor.note(Size.PAGE, (await look(scope=perception_pb.SCOPE_PAGE)).token_count)


async def _visit_fused(visitor: _Visitor, page: AsyncPage) -> None:
    def look() -> Awaitable[pb.Snapshot]:
        return page.snapshot(mode=perception_pb.MODE_FUSED)

    first = await _time(visitor, Measure.FUSED_FIRST, look)
    for skipped in first.skipped:
        visitor.notes.skip(f"{visitor.page_id}: {skipped.name}: {skipped.reason}")
    for _ in range(WARM_LOOKS):
        await _time(visitor, Measure.FUSED_WARM, look)


async def _visit_playwright(visitor: _Visitor, page: Page) -> None:
    def look() -> Awaitable[str]:
        return page.aria_snapshot(mode="ai", boxes=True)

    await _time(visitor, Measure.PLAYWRIGHT_FIRST, look)
    for _ in range(WARM_LOOKS):
        text = await _time(visitor, Measure.PLAYWRIGHT_WARM, look)
    visitor.note(Size.PLAYWRIGHT, count_tokens(text))
    visitor.note(Size.PLAYWRIGHT_PLAIN, count_tokens(await page.aria_snapshot(mode="ai")))


def _visit_by(peer: Peer, visitor: _Visitor, page: Page) -> Callable[[], Awaitable[None]]:
    """agent-browser's visit. Its daemon is there and points at the tab before its time is taken."""

    async def visit() -> None:
        budget = Budget.of(PEER_SECONDS)
        birth = await page.evaluate(BIRTH)
        async with agent_browser(peer, page.url, birth, visitor.shared.endpoint, budget) as daemon:
            await _time(visitor, Measure.AGENT_BROWSER_FIRST, lambda: daemon.snapshot(budget))
            for _ in range(WARM_LOOKS):
                text = await _time(visitor, Measure.AGENT_BROWSER_WARM, lambda: daemon.snapshot(budget))
            visitor.note(Size.AGENT_BROWSER, count_tokens(text))

    return visit


async def _time(visitor: _Visitor, of: Measure, look: Callable[[], Awaitable[T]]) -> T:
    start = time.perf_counter()
    seen = await look()
    visitor.note(of, (time.perf_counter() - start) * 1000)
    return seen


async def _warm_up(shared: SharedBrowser) -> None:
    """Lets the service load its models: that is its start, not a look's."""
    tab = await shared.open_tab(session_pb.SessionOptions())
    await tab.ours.snapshot(mode=perception_pb.MODE_VISION)
    await tab.ours.close()
