"""Whether a tab still shows the picture that was last taken of it, told by Chromium without another picture.

A watch compares the tab's surface with the picture once, and is lost with the first new frame after that. Two reports
tell of frames: the compositor's (a screencast), of whatever is shown, some milliseconds later; and each document's own
(`LayerTree`), of what it paints, in order with what is asked of it.

Rule 1: in doubt the watch is lost. What may be shown without a frame of its document is never watched.
Rule 2: a watch costs nothing while nothing is painted, ends with the first frame, and after a time without looks.
Rule 3: watching paints nothing, and the page cannot notice it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import PerceptionError

WATCH_AFTER_SECONDS = 0.1
"""A tab is watched once it was left alone for so long: an agent's model thinks for longer, a script does not. Chosen by
hand."""

WATCH_SECONDS = 60.0
"""A watch ends after so long without a look. Chosen by hand."""

START_SECONDS = 1.0
"""Limit for starting one, which takes 20 to 50 ms. Chosen by hand."""

MAX_LOST = 2
"""After so many watches in a row that were lost before a look used them, only a page that shows the same twice is
watched. Chosen by hand."""

_PHASE = "looking for new frames"


@dataclass(frozen=True, slots=True)
class Watched:
    """What is to be watched.

    Attributes:
        data: the picture, a PNG file in base64.
        size: its width and height, px.
        frames: the frames that it shows, the top one first.
        loaders: the documents that were shown then.
    """

    data: str
    size: tuple[int, int]
    frames: tuple[str, ...]
    loaders: frozenset[str]


class _PaintState(msgspec.Struct):
    """The walker's reply (`paintAll`): a frame has passed; something may be shown without one."""

    framed: bool
    alone: bool


class _Watch:
    """One watch, from its start to its end.

    Attributes:
        is_true: nothing was painted since the picture was found to be true.
        used_s: when it was last asked.
    """

    def __init__(self, page: PageLink, watched: Watched) -> None:
        self.watched = watched
        self.is_true = False
        self.used_s = time.monotonic()
        self._page = page
        self._first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sessions = _processes(page, watched.frames)
        self._handlers: list[tuple[CdpSession, str, Callable[[dict[str, Any]], None]]] = []

    async def start(self, deadline: Deadline) -> bool:
        """Begins to watch, and compares the picture; whether it is true.

        Raises:
            PerceptionError: the page does not answer, or is gone.
        """
        for session in self._sessions:
            self._listen(session, "LayerTree.layerTreeDidChange", self._on_painted)
            session.start("LayerTree.enable").add_done_callback(consume)
        # Reporting itself has each document painted once: that is over after the second frame.
        for _ in range(2):
            if not await _paint_all(self._page, self.watched.frames, deadline):
                return False
        self._listen(self._page.session, "Page.screencastFrame", self._on_frame)
        width, height = self.watched.size
        async with deadline.phase(_PHASE):
            await self._page.session.start(
                "Page.startScreencast", format="png", maxWidth=width, maxHeight=height, everyNthFrame=1
            )
            self.is_true = True
            if await self._first != self.watched.data:
                self.is_true = False
        return self.is_true

    async def holds(self, deadline: Deadline) -> bool:
        """Whether the picture is true now. Raises as `start`."""
        self.used_s = time.monotonic()
        if not self.is_true or self.watched.loaders != self._page.loaders:
            return False
        return await _paint_all(self._page, self.watched.frames, deadline) and self.is_true

    def stop(self) -> None:
        """Ends it. Safe to call twice."""
        self.is_true = False
        if not self._handlers:
            return
        for session, event, handler in self._handlers:
            with contextlib.suppress(ValueError):  # a session that is gone has no handlers
                session.off(event, handler)
        self._handlers = []
        for session in self._sessions:
            session.start("LayerTree.disable").add_done_callback(consume)
        self._page.session.start("Page.stopScreencast").add_done_callback(consume)

    def _listen(self, session: CdpSession, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        session.on(event, handler)
        self._handlers.append((session, event, handler))

    def _on_painted(self, _: dict[str, Any]) -> None:
        if self.is_true:
            self.stop()

    def _on_frame(self, params: dict[str, Any]) -> None:
        if not self._first.done():
            self._first.set_result(params["data"])
        elif self.is_true:
            self.stop()


class FrameWatch:
    """The watch over one tab; there is one at a time, or none."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._watch: _Watch | None = None
        self._starting: asyncio.Task[None] | None = None
        self._lost = 0
        self._loaders: frozenset[str] = frozenset()

    @property
    def is_on(self) -> bool:
        """Whether the picture may still be true: nothing was reported since."""
        return self._watch is not None and self._watch.is_true

    async def holds(self, deadline: Deadline) -> bool:
        """Whether the tab shows the watched picture now. False in doubt."""
        watch = self._watch
        if watch is None:
            return False
        try:
            is_true = await watch.holds(deadline)
        except (CdpCallError, PerceptionError):
            is_true = False
        if is_true:
            self._lost = 0
        else:
            self.end()
        return is_true

    def begin(self, watched: Watched, *, is_repeated: bool) -> None:
        """Has a picture watched that was taken just now, once the tab was left alone for a while.

        Args:
            is_repeated: the picture before showed the same.
        """
        if watched.loaders != self._loaders:
            self._loaders, self._lost = watched.loaders, 0
        if self.is_on or not (is_repeated or self._lost < MAX_LOST):
            return
        self.end()
        self._starting = self._page.start_task(self._start(watched), "frame-watch")

    def end(self) -> None:
        """Ends the watch, and one that is about to begin."""
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    async def _start(self, watched: Watched) -> None:
        """Watches until the time is up or somebody ends it."""
        await asyncio.sleep(WATCH_AFTER_SECONDS)
        watch = _Watch(self._page, watched)
        self._lost += 1
        try:
            if await watch.start(Deadline.of(START_SECONDS)):
                self._watch = watch
                while watch.is_true and (left := watch.used_s + WATCH_SECONDS - time.monotonic()) > 0:
                    await asyncio.sleep(left)
        except PerceptionError:
            return
        finally:
            watch.stop()


def _processes(page: PageLink, frames: Sequence[str]) -> list[CdpSession]:
    """The DevTools sessions of the processes that show these frames."""
    return list({page.session_of(frame).session_id: page.session_of(frame) for frame in frames}.values())


async def _paint_all(page: PageLink, frames: Sequence[str], deadline: Deadline) -> bool:
    """Waits until all documents have painted what they had to; whether all that they show is reported."""
    options = {"returnByValue": True, "awaitPromise": True}
    asked = (page.evaluate(frame, "perceptionWalker.paintAll()", deadline, _PHASE, **options) for frame in frames)
    states = [msgspec.json.decode(each["value"], type=_PaintState) for each in await asyncio.gather(*asked)]
    return all(each.framed and not each.alone for each in states)
