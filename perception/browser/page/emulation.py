"""What a tab is made to be: its screen, and the conditions that its pages meet.

DevTools emulates for each target: the tab itself, and each frame in a process of its own. What is set here is set in
all of them, also in those that come later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.deadline import Deadline
from perception.geometry import Box
from perception.imaging.zoomed import PicturedView
from perception.types import Viewport


@dataclass(frozen=True, slots=True)
class Screen:
    """The screen that a session's tabs are shown on.

    Attributes:
        viewport: size in CSS px of a page that fits it, and device px per CSS px.
        mobile: pages are laid out as on a phone: their viewport meta tag counts, and scroll bars take no room.
        touch: it takes touches.
    """

    viewport: Viewport
    mobile: bool = False
    touch: bool = False

    @property
    def metrics(self) -> dict[str, Any]:
        """Parameters of `Emulation.setDeviceMetricsOverride`, as Playwright (1.65) sets them."""
        width, height = self.viewport.width, self.viewport.height
        wide = {"angle": 90 if self.mobile else 0, "type": "landscapePrimary"}
        tall = {"angle": 0, "type": "portraitPrimary"}
        return {
            "width": width,
            "height": height,
            "screenWidth": width,
            "screenHeight": height,
            "deviceScaleFactor": self.viewport.scale,
            "mobile": self.mobile,
            "screenOrientation": wide if width > height else tall,
        }


NO_FRAME = "Unable to capture screenshot"
"""What Chromium (156) says where it has no frame of a page."""

PICTURE = "Page.captureScreenshot"


class Emulation:
    """The emulation of one tab.

    Rule 1: pictures are taken here, one at a time. While Chromium (156) takes one it emulates another screen, and then
    the one that it found: a second picture, or a new screen, that comes in between would leave the tab scaled, with all
    input in the wrong place.
    Rule 2: a document that commits meanwhile loses the picture, and its screen stays: the tab's own is set again.

    Args:
        session: the tab's own DevTools session.
        targets: returns the sessions of all its targets, its own among them.

    Attributes:
        screen: what the tab is shown on; None where nothing is emulated.
    """

    def __init__(self, session: CdpSession, targets: Callable[[], Iterable[CdpSession]]) -> None:
        self._session = session
        self._targets = targets
        self._everywhere: dict[str, Mapping[str, Any]] = {}
        self._taking: asyncio.Future[dict[str, Any]] | None = None
        self.screen: Screen | None = None
        session.on("Page.frameNavigated", self._on_navigated)

    async def take_picture(self, deadline: Deadline, **options: Any) -> dict[str, Any]:
        """Calls `Page.captureScreenshot`, once the picture before it has been taken; also one that nobody waits for.

        Raises:
            CdpCallError: Chromium has no frame of the page (`NO_FRAME`), or another document came.
            DeadlineError, SessionLostError, PageCrashedError
        """
        await self._picture_taken(deadline)
        self._taking = self._session.start(PICTURE, **options)
        self._taking.add_done_callback(consume)
        async with deadline.phase("taking a screenshot"):
            return await asyncio.shield(self._taking)

    async def _picture_taken(self, deadline: Deadline) -> None:
        async with deadline.phase("waiting for the screenshot before"):
            while self._taking is not None and not self._taking.done():
                await asyncio.wait([self._taking])

    def _on_navigated(self, params: dict[str, Any]) -> None:
        taking = self._taking
        if taking is None or "parentId" in params["frame"]:
            return
        self._taking = None
        if not taking.done():  # it is never answered
            taking.set_exception(CdpCallError(PICTURE, 0, NO_FRAME))
        elif taking.exception() is None:
            return
        if self.screen is None:
            restored = self._session.start("Emulation.clearDeviceMetricsOverride")
        else:
            restored = self._session.start("Emulation.setDeviceMetricsOverride", **self.screen.metrics)
        restored.add_done_callback(consume)

    async def show_on(self, screen: Screen, deadline: Deadline) -> None:
        """Shows the tab on a screen. Raises CdpCallError where the tab is gone."""
        await self._picture_taken(deadline)
        self.screen = screen
        await self._session.call(
            "Emulation.setDeviceMetricsOverride", deadline, "setting the viewport", **screen.metrics
        )
        known = "Emulation.setTouchEmulationEnabled" in self._everywhere
        if screen.touch or known:
            await self.set_everywhere("Emulation.setTouchEmulationEnabled", deadline, enabled=screen.touch)

    async def set_everywhere(self, command: str, deadline: Deadline, **parameters: Any) -> None:
        """Sends a command to all targets, and to those that come.

        Raises:
            CdpCallError: the tab's own target refuses it.
        """
        self._everywhere[command] = parameters
        tasks = [each.start(command, **parameters) for each in self._targets() if each is not self._session]
        for task in tasks:
            task.add_done_callback(consume)
        await self._session.call(command, deadline, "setting the conditions of the tab", **parameters)
        if tasks:  # a frame that is gone, or hangs, is not a reason to fail
            await asyncio.wait(tasks, timeout=min(deadline.remaining(), FRAME_SECONDS))

    def apply_to(self, session: CdpSession) -> None:
        """Sends what is set everywhere to a target that has come."""
        for command, parameters in self._everywhere.items():
            session.start(command, **parameters).add_done_callback(consume)

    def viewport_of(self, width: float, height: float, ratio: float) -> Viewport:
        """The viewport of a page with the scale of its pictures.

        Args:
            width, height: the page's own, CSS px: on a phone, of a page that is zoomed out until it fits.
            ratio: its `devicePixelRatio`, which does not tell of that (Chromium 156).
        """
        shrunk = self.screen.viewport.width / width if self.screen is not None and self.screen.mobile and width else 1
        return Viewport(round(width), round(height), ratio * min(shrunk, 1))

    def pictured_view(
        self, viewport: tuple[float, float], shown: tuple[float, float, float, float, float]
    ) -> PicturedView:
        """What a picture shows of a page.

        Args:
            viewport: its width and height, CSS px.
            shown: as of the walker's `shownArea`.
        """
        (width, height), (left, top, shown_width, shown_height, zoom) = viewport, shown
        if self.screen is None or not self.screen.mobile:  # scroll bars take room, and are in pictures
            shown_width, shown_height = width / zoom, height / zoom
        return PicturedView(width, height, Box(left, top, left + shown_width, top + shown_height))


FRAME_SECONDS = 1.0
"""How long a frame may take to answer before the tab counts as set. Chosen by hand."""
