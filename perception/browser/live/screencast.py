"""The screencast of one tab, in a DevTools session of its own: frames as Chromium paints them, one at a time.

Rule 1: Chromium sends a frame only when one is wanted. It lets FLIGHT frames be unacknowledged and drops what is
painted beyond them, the last frame too. So one acknowledgement is held back, given when a frame is wanted, and where
nothing is painted after it, the screencast is begun again: it begins with what is shown.
Rule 2: a tab of which Chromium sends no frame, as one in the background of a browser with windows, is photographed.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from dataclasses import dataclass
from typing import Any

from perception.browser.capture.redaction import screenshot_bytes
from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.opening import attach_to_target, detach_from_target
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline, loop_time
from perception.errors import SessionLostError

FLIGHT = 3
"""Frames of a screencast that may be unacknowledged (Chromium 156): it sends no others."""

FRESH_SECONDS = 0.05
"""How long a frame is waited for that is newer than one which lies ready: a page that paints 60 times a second sends
one 15 to 20 ms after an acknowledgement."""

QUIET_SECONDS = 0.15
"""After so long without a frame the page counts as still: what was dropped is asked for. Chosen by hand."""

FIRST_SECONDS = 0.5
"""A screencast begins with a frame 10 to 20 ms after it was asked for, 150 ms the first time; a tab that is later is
photographed."""

HIDDEN_SECONDS = 1.0
"""Time between photographs of such a tab. Chosen by hand."""

POLL_SECONDS = 0.5
"""How often a tab that paints nothing is checked for whether it is still there. Chosen by hand."""

_PHASE = "watching the tab"


@dataclass(frozen=True, slots=True)
class CastSize:
    """What is asked of a screencast.

    Attributes:
        width, height: at most, px. No frame has more than one px for each CSS px.
        quality: of the JPEGs, 1 to 100.
    """

    width: int
    height: int
    quality: int


@dataclass(frozen=True, slots=True)
class CastFrame:
    """A frame as Chromium sent it.

    Attributes:
        jpeg: the file.
        captured_s: when Chromium captured it from what was painted, monotonic.
        time_s: the same in seconds since 1970.
    """

    jpeg: bytes
    captured_s: float
    time_s: float


class Screencast:
    """The screencast of one page. Begin it, ask for frames, end it."""

    def __init__(self, page: PageLink) -> None:
        self.page = page
        self.size: CastSize | None = None
        self._session: CdpSession | None = None
        self._in_flight: list[int] = []
        self._newest: CastFrame | None = None
        self._arrived = asyncio.Event()
        self._is_unheard = True
        self._is_photographed = False
        self._may_have_dropped = False

    async def begin(self, size: CastSize, deadline: Deadline) -> None:
        """Begins, or begins again: the next frame is what is shown now.

        Raises:
            CdpCallError, DeadlineError, SessionLostError, PageCrashedError
        """
        session = self._session or await self._attach(deadline)
        session.start("Page.stopScreencast").add_done_callback(consume)
        self.size, self._in_flight, self._newest = size, [], None
        self._is_unheard, self._is_photographed, self._may_have_dropped = True, False, False
        options = {"quality": size.quality, "maxWidth": size.width, "maxHeight": size.height}
        await session.call("Page.startScreencast", deadline, _PHASE, format="jpeg", **options)

    async def next_frame(self, deadline: Deadline) -> CastFrame | None:
        """The next frame, as new as can be; None where there is none yet: ask again.

        Raises:
            CdpCallError, DeadlineError, SessionLostError, PageCrashedError
        """
        assert self.size is not None
        ready = self._take()
        if len(self._in_flight) >= FLIGHT:
            self._acknowledge()
            self._may_have_dropped = True
        elif ready is not None:
            return ready
        await self._wait(self._patience_s(ready))
        if (newer := self._take()) is not None:
            self._may_have_dropped = False
            return newer
        if ready is not None or self._arrived.is_set():
            return ready
        if self._is_unheard:
            return await self._photograph(deadline)
        if self._may_have_dropped:
            await self.begin(self.size, deadline)
        return None

    def interrupt(self) -> None:
        """Has `next_frame` return."""
        self._arrived.set()

    def end(self) -> None:
        """Ends it."""
        if self._session is None:
            return
        session, self._session = self._session, None
        link = self.page.link
        detach_from_target(session)
        link.forget(session.session_id, SessionLostError("the tab is not watched any more"))

    async def _attach(self, deadline: Deadline) -> CdpSession:
        link = self.page.link
        self._session = session = await attach_to_target(link.session(), self.page.target_id, deadline, _PHASE)
        session.on("Page.screencastFrame", self._on_frame)
        return session

    def _patience_s(self, ready: CastFrame | None) -> float:
        if ready is not None:
            return FRESH_SECONDS
        if self._is_unheard:
            return HIDDEN_SECONDS if self._is_photographed else FIRST_SECONDS
        return QUIET_SECONDS if self._may_have_dropped else POLL_SECONDS

    async def _wait(self, seconds: float) -> None:
        self._arrived.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # until Python 3.12, `wait_for` may swallow a cancellation
                await self._arrived.wait()

    def _take(self) -> CastFrame | None:
        taken, self._newest = self._newest, None
        return taken

    def _acknowledge(self) -> None:
        if self._session is not None:
            number = self._in_flight.pop()
            self._session.start("Page.screencastFrameAck", sessionId=number).add_done_callback(consume)

    def _on_frame(self, params: dict[str, Any]) -> None:
        self._in_flight.append(params["sessionId"])
        now_s = time.time()
        time_s = params["metadata"].get("timestamp", now_s)
        captured_s = loop_time() - max(0.0, now_s - time_s)
        self._newest = CastFrame(base64.b64decode(params["data"]), captured_s, time_s)
        self._is_unheard = False
        self._arrived.set()

    async def _photograph(self, deadline: Deadline) -> CastFrame:
        assert self.size is not None
        started_s, time_s = loop_time(), time.time()
        data = await screenshot_bytes(self.page, deadline, format="jpeg", quality=self.size.quality)
        self._is_photographed = True
        return CastFrame(data, started_s, time_s)
