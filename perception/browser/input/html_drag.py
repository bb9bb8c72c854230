"""HTML's own drag and drop under a person's mouse, in the order of the mouse's events.

While a button is down, Chromium decides asynchronously whether a drag begins. A release that comes before that ends in
no drop, and Chromium's own events of a drag overtake each other. So Chromium hands drags over
(`Input.setInterceptDrags`), and each event of one waits for the one before it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.deadline import Deadline
from perception.geometry import Point

PATIENCE_SECONDS = 1.0
"""How long an event waits for the page to take the one before it. Chosen by hand."""

NEAREST_PX, FARTHEST_PX = 3, 40
"""How far from where it was pressed the mouse is when Chromium (156) begins a drag: text at 3 CSS px, links at 40."""


class HtmlDrag:
    """Drags of one tab.

    Args:
        session: the tab's own DevTools session.
    """

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._pressed: Point | None = None
        self._data: dict[str, Any] | None = None
        self._has_entered = False
        self._point = Point(0, 0)
        self._modifiers = 0

    @property
    def is_on(self) -> bool:
        """Something is being dragged: the mouse's events are not mouse events of the page."""
        return self._data is not None

    def press(self, point: Point) -> None:
        """The left button goes down next: a drag may begin."""
        self.end()
        self._pressed = point
        self._session.on("Input.dragIntercepted", self._intercept)
        self._intercepting(enabled=True)

    async def begin(
        self, moved: asyncio.Future[dict[str, Any]], point: Point, modifiers: int, deadline: Deadline
    ) -> None:
        """Waits until it is known whether a move with the button down begins a drag.

        Args:
            moved: done when the page has the move.
        """
        if self._pressed is None:
            return
        distance = max(abs(point.x - self._pressed.x), abs(point.y - self._pressed.y))
        if distance <= NEAREST_PX:
            return
        share = deadline.share(PATIENCE_SECONDS)
        # What Chromium does with the move is reported before the answer to a command that comes after it.
        if await _is_taken(moved, share):
            await _is_taken(self._session.start("Runtime.evaluate", expression="0"), share)
        if distance > FARTHEST_PX and not self.is_on:
            self.end()
        if self.is_on:
            await self.move(point, modifiers, share)

    async def move(self, point: Point, modifiers: int, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        """Drags on. Returns when the page has it."""
        taken = self._send("dragOver" if self._has_entered else "dragEnter", point, modifiers)
        self._has_entered = True
        await _is_taken(taken, deadline.share(PATIENCE_SECONDS))
        return taken

    def drop(self, point: Point, modifiers: int) -> asyncio.Future[dict[str, Any]]:
        """Drops what is dragged."""
        dropped = self._send("drop", point, modifiers)
        self.end()
        return dropped

    def cancel(self) -> asyncio.Future[dict[str, Any]]:
        """Drops nothing."""
        cancelled = self._send("dragCancel", self._point, self._modifiers)
        self.end()
        return cancelled

    def end(self) -> None:
        """No drag begins any more until the next press."""
        if self._pressed is not None:
            self._pressed, self._data, self._has_entered = None, None, False
            self._session.off("Input.dragIntercepted", self._intercept)
            self._intercepting(enabled=False)

    def _intercept(self, event: dict[str, Any]) -> None:
        self._data = event["data"]

    def _intercepting(self, *, enabled: bool) -> None:
        self._session.start("Input.setInterceptDrags", enabled=enabled).add_done_callback(consume)

    def _send(self, kind: str, point: Point, modifiers: int) -> asyncio.Future[dict[str, Any]]:
        self._point, self._modifiers = point, modifiers
        return self._session.start(
            "Input.dispatchDragEvent", type=kind, x=point.x, y=point.y, data=self._data, modifiers=modifiers
        )


async def _is_taken(sent: asyncio.Future[dict[str, Any]], share: Deadline) -> bool:
    """Waits until the page has an event; False where it takes too long. How it ended is said where it is awaited."""
    sent.add_done_callback(consume)
    await asyncio.wait([sent], timeout=share.remaining())
    return sent.done()
