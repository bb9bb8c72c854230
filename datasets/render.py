"""Pages → samples: each page is opened, brought to its state, and everything that is known of it taken at one moment.

Rule 1: what is taken is of one state: a page that draws while it is looked at is looked at again, and if it never
rests its sample says so (`made["still"]`).
Rule 2: nothing outside this machine is reached: pages that ask other hosts for fonts get none.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.browser.navigate import WaitUntil, navigate
from perception.browser.session import SessionOptions, Tab
from perception.budget import Budget
from perception.datasets.actions import Action, ActionVerb
from perception.datasets.arrival import arrive
from perception.datasets.manifest import Page
from perception.datasets.peers import Peer, PeerError, witness
from perception.datasets.sample import DatasetError, PeerView, Stratum, TruthElement
from perception.datasets.shapes import Shape
from perception.datasets.truth import Truth, read_truth
from perception.errors import first_line
from perception.images import encode_png
from perception.types import Capture, Engine, Pixels, Scope

VISIT_SECONDS = 60.0
"""A page that has not been looked at by then fails alone. The slowest of the corpus takes 12 s on two busy cores."""

ATTEMPTS = 4
"""Looks at a page until two screenshots around one are alike."""

MAX_MOVED = 0.0005
"""Share of pixels that may differ between those two: a blinking caret is 1 × 16 px of a million."""

WARM_LOOKS = 3

ACTION_SECONDS = 10.0
"""For one action: a click waits so long for what it is to hit."""

SWITCHES = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)


@dataclass(frozen=True, slots=True)
class Visit:
    """One page in one shape, at its address."""

    page: Page
    shape: Shape
    url: str

    @property
    def name(self) -> str:
        return f"{self.page.id}@{self.shape.name}"

    @property
    def options(self) -> SessionOptions:
        """What its tab is made with."""
        return SessionOptions(
            viewport=self.shape.viewport, locale=self.page.locale, color_scheme=self.shape.color_scheme
        )


async def bring(tab: Tab, visit: Visit, budget: Budget) -> None:
    """Opens a page in a tab and brings it to its state.

    Raises:
        PerceptionError: it cannot be opened in time.
        DatasetError: one of its actions fails.
    """
    await navigate(tab.link, visit.url, WaitUntil.SETTLED, budget)
    await asyncio.sleep(visit.page.wait_ms / 1000)
    await arrive(tab, budget)
    for action in visit.page.actions:
        await act_on(tab.page, action, min(budget.remaining(), ACTION_SECONDS))


@dataclass(frozen=True, slots=True)
class Look:
    """What was taken at one moment. `peer_errors`: which peers could not look, and why."""

    capture: Capture
    png: bytes
    truth: Truth
    still: bool
    milliseconds: Mapping[str, float]
    peers: tuple[PeerView, ...] = ()
    peer_errors: Mapping[str, str] = field(default_factory=dict)


class Renderer:
    """A browser that pages are looked at in. A browser that dies is replaced at the next visit."""

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
        """The browser's."""
        assert self._host is not None
        return self._host.version

    async def visit(self, visit: Visit) -> Look:
        """Opens a page, brings it to its state and looks.

        Raises:
            PerceptionError: it cannot be opened or looked at in time.
            DatasetError: one of its actions fails.
        """
        budget = Budget.of(VISIT_SECONDS)
        return await self.look(visit.options, lambda tab: bring(tab, visit, budget), budget)

    async def look(self, options: SessionOptions, prepare: Callable[[Tab], Awaitable[None]], budget: Budget) -> Look:
        """Looks at what `prepare` makes of a new tab."""
        host = await self._alive()
        session = await host.new_session(options, lambda _: None, budget)
        try:
            tab = session.tab()
            await prepare(tab)
            return await self._look(host, tab, budget)
        finally:
            await session.close()

    async def _look(self, host: BrowserHost, tab: Tab, budget: Budget) -> Look:
        milliseconds = {"text_first": await _time(lambda: _capture(tab, budget, with_pixels=False))}
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(0.25 * attempt)
            capture = await _capture(tab, budget, with_pixels=True)
            truth = await read_truth(tab.link, capture.viewport, budget)
            assert capture.screenshot is not None
            pixels = capture.screenshot.pixels
            again = await tab.looker.capture_pixels(budget, reveal=True)
            assert again.screenshot is not None
            still = is_still(pixels, again.screenshot.pixels)
            if still:
                break
        peers, peer_errors = await self._witness(host, tab, budget)
        for name, with_pixels in (("text_warm", False), ("fused_warm", True)):
            milliseconds[name] = statistics.median(
                [await _time(lambda: _capture(tab, budget, with_pixels=with_pixels)) for _ in range(WARM_LOOKS)]  # noqa: B023
            )
        # The models' own first look is not in this: only taking the picture is.
        milliseconds["fused_first"] = milliseconds["text_first"] + max(
            0.0, milliseconds["fused_warm"] - milliseconds["text_warm"]
        )
        png = encode_png(pixels)
        return Look(_without_pixels(capture), png, truth, still, milliseconds, tuple(peers), peer_errors)

    async def _witness(self, host: BrowserHost, tab: Tab, budget: Budget) -> tuple[list[PeerView], dict[str, str]]:
        views, errors = [], {}
        for peer in self._peers:
            try:
                views.append(await witness(peer, tab, host.endpoint, budget))
            except PeerError as exc:
                errors[peer.name] = str(exc)
        return views, errors

    async def _alive(self) -> BrowserHost:
        async with self._starting:
            if self._host is None or not self._host.alive:
                if self._host is not None:
                    await self._host.close()
                self._host = await BrowserHost.start(LaunchOptions(switches=SWITCHES), Budget.of(VISIT_SECONDS))
            return self._host


def is_still(before: Pixels, after: Pixels) -> bool:
    """Whether two screenshots are alike, but for a caret."""
    if before.shape != after.shape:
        return False
    return float(np.mean(np.any(before != after, axis=2))) <= MAX_MOVED


def stratum_of(elements: Sequence[TruthElement], opaque_share: float) -> Stratum:
    """How much the accessibility tree explains, by what a person could act on and by the pixels.

    `accessible`: nine of ten reachable controls have a role and a name there, and pictures cover less than a tenth of
    the viewport. `ax-poor`: less than six of ten have, or pictures cover two fifths. A page without controls is judged
    by its pixels.
    """
    reachable = [each for each in elements if each.reachable]
    explained = sum(bool(each.name) and "role" in each.evidence for each in reachable)
    share = explained / len(reachable) if reachable else 1.0
    if share < 0.6 or opaque_share >= 0.4:
        return Stratum.AX_POOR
    return Stratum.ACCESSIBLE if share >= 0.9 and opaque_share < 0.1 else Stratum.MIXED


async def act_on(page: Any, action: Action, seconds: float) -> None:
    """Does one of a page's actions in its Playwright page.

    Raises:
        DatasetError: it fails, or takes longer.
    """
    timeout = seconds * 1000
    try:
        match action.verb:
            case ActionVerb.CLICK:
                await page.click(str(action.argument), timeout=timeout)
            case ActionVerb.TYPE:
                await page.keyboard.type(str(action.argument))
            case ActionVerb.PRESS:
                await page.keyboard.press(str(action.argument))
            case ActionVerb.WAIT:
                await asyncio.sleep(float(action.argument) / 1000)
            case ActionVerb.EVAL:
                # Not `evaluate`: what it gives may be anything, and is not wanted.
                await page.evaluate(f"() => {{ (0, eval)({str(action.argument)!r}); }}")
    except Exception as exc:  # Playwright's errors may only be named in perception.browser
        raise DatasetError(f"action {action.verb} {action.argument!r} failed: {first_line(exc)}") from exc


async def _capture(tab: Tab, budget: Budget, *, with_pixels: bool) -> Capture:
    return await tab.looker.capture(
        engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=with_pixels, reveal=True, budget=budget
    )


async def _time(look: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await look()
    return (time.perf_counter() - start) * 1000


def _without_pixels(capture: Capture) -> Capture:
    return replace(capture, screenshot=None)
