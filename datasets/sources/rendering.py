"""Renders pages to samples: opens each page, brings it to its state, and captures all facts at one moment.

Rule 1: all facts belong to one state: a page that paints meanwhile is captured again, and if it never settles,
its sample records that (`made["still"]`).
Rule 2: no host outside this machine is reached: requests for fonts of other hosts fail.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import DatasetError, PeerView, Stratum, TruthElement
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.page_actions import Action, ActionVerb
from perception.datasets.sources.page_shapes import Shape
from perception.datasets.sources.peer_snapshots import Peer, PeerError, witness
from perception.datasets.truth.truth import Truth, read_truth
from perception.deadline import Deadline
from perception.errors import first_line
from perception.imaging.codec import encode_png
from perception.types import Capture, Engine, Pixels, Scope

VISIT_SECONDS = 60.0
"""Time limit of one page. The slowest of the corpus takes 12 s on two busy cores."""

ATTEMPTS = 4
"""Maximum number of captures until the screenshots before and after one are equal."""

MAX_MOVED = 0.0005
"""Share of pixels that may differ between those two: a blinking caret is 1 × 16 px of a million."""

WARM_LOOKS = 3

ACTION_SECONDS = 10.0
"""Time limit of one action, such as a click that waits for its target."""

SWITCHES = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)


@dataclass(frozen=True, slots=True)
class Visit:
    """One page in one shape, at its URL."""

    page: PageSpec
    shape: Shape
    url: str

    @property
    def name(self) -> str:
        return f"{self.page.id}@{self.shape.name}"

    @property
    def options(self) -> SessionOptions:
        """Options of its tab."""
        return SessionOptions(
            viewport=self.shape.viewport, locale=self.page.locale, color_scheme=self.shape.color_scheme
        )


async def bring(tab: Tab, visit: Visit, deadline: Deadline) -> None:
    """Opens a page in a tab and brings it to its state.

    Raises:
        PerceptionError: the page cannot be opened in time.
        DatasetError: one of its actions fails.
    """
    await navigate(tab.link, visit.url, WaitUntil.SETTLED, deadline)
    await asyncio.sleep(visit.page.wait_ms / 1000)
    await arrive(tab, deadline)
    for action in visit.page.actions:
        await act_on(tab.page, action, min(deadline.remaining(), ACTION_SECONDS))


@dataclass(frozen=True, slots=True)
class RenderedLook:
    """A captured page.

    Attributes:
        capture: the page's own facts and pixels.
        png: the screenshot as a PNG file.
        truth: ground truth.
        still: whether the page was at rest.
        milliseconds: durations by name.
        peers: snapshots of peers.
        peer_errors: reasons of peers that failed, by name.
    """

    capture: Capture
    png: bytes
    truth: Truth
    still: bool
    milliseconds: Mapping[str, float]
    peers: tuple[PeerView, ...] = ()
    peer_errors: Mapping[str, str] = field(default_factory=dict)


class Renderer:
    """A browser for rendering pages. A browser that dies is replaced at the next visit."""

    def __init__(self, peers: Sequence[Peer] = ()) -> None:
        self._peers = peers
        self._host: BrowserHost | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Renderer:
        await self._alive()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._host is not None:
            await self._host.close()

    @property
    def version(self) -> str:
        """Version of the browser."""
        assert self._host is not None
        return self._host.version

    async def visit(self, visit: Visit) -> RenderedLook:
        """Opens a page, brings it to its state and captures it.

        Raises:
            PerceptionError: the page cannot be opened or captured in time.
            DatasetError: one of its actions fails.
        """
        deadline = Deadline.of(VISIT_SECONDS)
        return await self.look(visit.options, lambda tab: bring(tab, visit, deadline), deadline)

    async def look(
        self, options: SessionOptions, prepare: Callable[[Tab], Awaitable[None]], deadline: Deadline
    ) -> RenderedLook:
        """Captures a new tab after `prepare`."""
        host = await self._alive()
        session = await host.new_session(options, lambda _: None, deadline)
        try:
            tab = session.tab()
            await prepare(tab)
            return await self._look(host, tab, deadline)
        finally:
            await session.close()

    async def _look(self, host: BrowserHost, tab: Tab, deadline: Deadline) -> RenderedLook:
        milliseconds = {"text_first": await _time(lambda: _capture(tab, deadline, with_pixels=False))}
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(0.25 * attempt)
            capture = await _capture(tab, deadline, with_pixels=True)
            truth = await read_truth(tab.link, capture.viewport, deadline)
            assert capture.screenshot is not None
            pixels = capture.screenshot.pixels
            again = await tab.capturer.capture_pixels(deadline, reveal=True)
            assert again.screenshot is not None
            still = is_still(pixels, again.screenshot.pixels)
            if still:
                break
        peers, peer_errors = await self._witness(host, tab, deadline)
        for name, with_pixels in (("text_warm", False), ("fused_warm", True)):
            milliseconds[name] = statistics.median(
                [await _time(lambda: _capture(tab, deadline, with_pixels=with_pixels)) for _ in range(WARM_LOOKS)]  # noqa: B023
            )
        # This includes taking the screenshot, but no detectors.
        milliseconds["fused_first"] = milliseconds["text_first"] + max(
            0.0, milliseconds["fused_warm"] - milliseconds["text_warm"]
        )
        png = encode_png(pixels)
        return RenderedLook(_without_pixels(capture), png, truth, still, milliseconds, tuple(peers), peer_errors)

    async def _witness(self, host: BrowserHost, tab: Tab, deadline: Deadline) -> tuple[list[PeerView], dict[str, str]]:
        views, errors = [], {}
        for peer in self._peers:
            try:
                views.append(await witness(peer, tab, host.endpoint, deadline))
            except PeerError as exc:
                errors[peer.name] = str(exc)
        return views, errors

    async def _alive(self) -> BrowserHost:
        async with self._starting:
            if self._host is None or not self._host.alive:
                if self._host is not None:
                    await self._host.close()
                self._host = await BrowserHost.start(LaunchOptions(switches=SWITCHES), Deadline.of(VISIT_SECONDS))
            return self._host


def is_still(before: Pixels, after: Pixels) -> bool:
    """Whether two screenshots are equal, except for a caret."""
    if before.shape != after.shape:
        return False
    return float(np.mean(np.any(before != after, axis=2))) <= MAX_MOVED


def stratum_of(elements: Sequence[TruthElement], opaque_share: float) -> Stratum:
    """Classifies how much of a page the accessibility tree explains, by controls and by pixels.

    `accessible`: nine of ten reachable controls have a role and a name in it, and pictures cover less than a tenth of
    the viewport. `ax-poor`: less than six of ten have, or pictures cover two fifths. A page without controls is
    classified by its pixels.
    """
    reachable = [each for each in elements if each.reachable]
    explained = sum(bool(each.name) and "role" in each.evidence for each in reachable)
    share = explained / len(reachable) if reachable else 1.0
    if share < 0.6 or opaque_share >= 0.4:
        return Stratum.AX_POOR
    return Stratum.ACCESSIBLE if share >= 0.9 and opaque_share < 0.1 else Stratum.MIXED


async def act_on(page: Any, action: Action, seconds: float) -> None:
    """Runs one action of a page with Playwright.

    Args:
        page: the Playwright page.
        action: the action.
        seconds: time limit.

    Raises:
        DatasetError: the action fails, or exceeds the time limit.
    """
    timeout = seconds * 1000
    try:
        match action.verb:
            case ActionVerb.CLICK:
                await page.click(str(action.argument), timeout=timeout)
            case ActionVerb.HOVER:
                if await page.locator(str(action.argument)).count():
                    await page.locator(str(action.argument)).first.hover(timeout=timeout, force=True)
            case ActionVerb.TYPE:
                await page.keyboard.type(str(action.argument))
            case ActionVerb.PRESS:
                await page.keyboard.press(str(action.argument))
            case ActionVerb.WAIT:
                await asyncio.sleep(float(action.argument) / 1000)
            case ActionVerb.EVAL:
                # Not `evaluate`: the result may be anything and is not needed.
                await page.evaluate(f"() => {{ (0, eval)({str(action.argument)!r}); }}")
    except Exception as exc:  # Playwright's errors may only be named in perception.browser
        raise DatasetError(f"action {action.verb} {action.argument!r} failed: {first_line(exc)}") from exc


async def _capture(tab: Tab, deadline: Deadline, *, with_pixels: bool) -> Capture:
    return await tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=with_pixels, reveal=True, deadline=deadline
    )


async def _time(look: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await look()
    return (time.perf_counter() - start) * 1000


def _without_pixels(capture: Capture) -> Capture:
    return replace(capture, screenshot=None)
