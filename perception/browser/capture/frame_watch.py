"""Whether a tab still shows the screenshot that was last taken of it, by what Chromium reports, without another one.

Two reports tell of new frames. Each document's own (`LayerTree`) says what it paints, in order with the answers to
what is asked of it. The compositor's (a screencast) says what is shown, whoever painted it, some milliseconds later.
The first one is on before the screenshot is taken: what a document paints after that is known. The second one begins
with a picture of the tab, which has to equal the screenshot: what is shown after that is known.

Rule 1: in doubt the screenshot is not true. What may be shown without a frame of its document is never watched.
Rule 2: reports cost nothing while nothing is painted, end with the first new frame, and after a time without looks.
Rule 3: watching paints nothing that the page can notice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline, loop_time
from perception.errors import PerceptionError

ALONE_SECONDS = 0.1
"""A new screenshot is compared after so long, or with the next look: an agent's model thinks for longer, a script does
not. Chosen by hand."""

WATCH_SECONDS = 60.0
"""A watch ends after so long without a look. Chosen by hand."""

COMPARE_SECONDS, PATIENCE_SECONDS = 1.0, 0.1
"""Limits for the compositor's first picture, which takes 5 to 20 ms: in all, and for a look that waits for it."""

FRAME_MS = 100
"""A document that has no frame in this time is not shown, or is busy. Chosen by hand."""

MAX_UNUSED, MAX_UNUSED_STILL = 2, 6
"""After so many watches in a row that no look has used, a document is watched only if it shows the same twice; after
so many more, no longer. Chosen by hand."""

OWN_PAINTS = 1
"""Taking a screenshot has the top document painted once (Chromium 156)."""

_PHASE = "looking for new frames"


@dataclass(frozen=True, slots=True)
class Taken:
    """A screenshot.

    Attributes:
        data: a PNG file in base64.
        size: its width and height, px.
        frames: the frames that it shows.
        loaders: the documents that it shows.
    """

    data: str
    size: tuple[int, int]
    frames: frozenset[str]
    loaders: frozenset[str]


class _PaintState(msgspec.Struct):
    """The walker's reply (`paintAll`): a frame has passed; something may be shown without one."""

    framed: bool
    alone: bool


class _Watch:
    """One watch, from before a screenshot to the next new frame.

    Attributes:
        frames: the frames that are watched.
        taken: the screenshot; None before it was taken.
        lost: set once something may have been painted since.
        asked: set once a look wants to know.
        used_s: when that was.
        is_taking: Chromium was asked for the screenshot.
        painted: done once the top document was painted for it, or the watch has ended.
    """

    def __init__(self, page: PageLink, frames: frozenset[str]) -> None:
        self.frames = frames
        self.taken: Taken | None = None
        self.lost = asyncio.Event()
        self.asked = asyncio.Event()
        self.used_s = loop_time()
        self.is_taking = False
        self.painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._page = page
        self._paints: Counter[str] = Counter()
        self._first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._handlers: list[tuple[CdpSession, str, Callable[[dict[str, Any]], None]]] = []
        self._sessions = {page.session_of(frame).session_id: page.session_of(frame) for frame in frames}
        for session_id, session in self._sessions.items():
            self._listen(session, "LayerTree.layerTreeDidChange", partial(self._on_painted, session_id))
            session.start("LayerTree.enable").add_done_callback(consume)

    @property
    def is_lost(self) -> bool:
        return self.lost.is_set()

    def keep(self, taken: Taken) -> bool:
        """Watches a screenshot that was taken just now, if nothing else was painted meanwhile."""
        top = self._page.session.session_id
        others = sum(count for session_id, count in self._paints.items() if session_id != top)
        if others or self._paints[top] != OWN_PAINTS or taken.frames != self.frames:
            self.stop()
            return False
        self.taken = taken
        return True

    async def compare(self, deadline: Deadline) -> None:
        """Compares the screenshot with the compositor's picture, and has new frames reported from then on.

        Raises:
            PerceptionError: the page is gone.
        """
        assert self.taken is not None
        width, height = self.taken.size
        self._listen(self._page.session, "Page.screencastFrame", self._on_frame)
        async with deadline.phase(_PHASE):
            await self._page.session.start(
                "Page.startScreencast", format="png", maxWidth=width, maxHeight=height, everyNthFrame=1
            )
            await asyncio.wait([self._first])

    async def holds(self, deadline: Deadline) -> bool:
        """Whether the tab shows the screenshot now. Waits until the compositor's picture is there.

        Raises:
            PerceptionError: a document does not answer, or is gone.
        """
        self.asked.set()
        self.used_s = loop_time()
        if self._page.halted.is_on:  # its scripts tell nobody of its frames
            return False
        painted = asyncio.gather(*(self._paint_all(frame, deadline) for frame in self.frames))
        async with deadline.phase(_PHASE):
            await asyncio.wait([self._first], timeout=PATIENCE_SECONDS)
        states = await painted
        is_reported = all(each.framed and not each.alone for each in states) and self._first.done()
        return is_reported and not self.is_lost and self.taken is not None and self.taken.loaders == self._page.loaders

    def stop(self) -> None:
        """Ends it. Safe to call twice."""
        if self.is_lost:
            return
        self.lost.set()
        self._end_painting()
        if not self._first.done():
            self._first.set_result("")
        for session, event, handler in self._handlers:
            with contextlib.suppress(ValueError):  # a session that is gone has no handlers
                session.off(event, handler)
        for session in self._sessions.values():
            session.start("LayerTree.disable").add_done_callback(consume)
        if any(event == "Page.screencastFrame" for _, event, _ in self._handlers):
            self._page.session.start("Page.stopScreencast").add_done_callback(consume)

    async def _paint_all(self, frame: str, deadline: Deadline) -> _PaintState:
        """Waits until a document has painted what it had to."""
        reply = await self._page.evaluate(
            frame, f"perceptionWalker.paintAll({FRAME_MS})", deadline, _PHASE, returnByValue=True, awaitPromise=True
        )
        return msgspec.json.decode(reply["value"], type=_PaintState)

    def _listen(self, session: CdpSession, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        session.on(event, handler)
        self._handlers.append((session, event, handler))

    def _end_painting(self) -> None:
        if not self.painted.done():
            self.painted.set_result(None)

    def _on_painted(self, session_id: str, _: dict[str, Any]) -> None:
        self._paints[session_id] += 1
        if self.is_taking and session_id == self._page.session.session_id:
            self._end_painting()
        if self.taken is not None:
            self.stop()

    def _on_frame(self, params: dict[str, Any]) -> None:
        assert self.taken is not None
        if self._first.done() or params["data"] != self.taken.data:
            self.stop()
        else:
            self._first.set_result(params["data"])


class FrameWatch:
    """The watch over one tab; there is one at a time, or none."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._watch: _Watch | None = None
        self._running: asyncio.Task[None] | None = None
        self._unused = 0
        self._loaders: frozenset[str] = frozenset()

    @property
    def is_on(self) -> bool:
        """Whether a screenshot may still be true: nothing was reported since."""
        return self._running is not None and self._watch is not None and not self._watch.is_lost

    async def holds(self, deadline: Deadline) -> bool:
        """Whether the tab shows the watched screenshot now. False in doubt."""
        if self._watch is None or not self.is_on:
            return False
        try:
            is_true = await self._watch.holds(deadline)
        except (CdpCallError, PerceptionError):
            is_true = False
        if is_true:
            self._unused = 0
        else:
            self.end()
        return is_true

    def prepare(self, frames: frozenset[str], *, is_still: bool) -> None:
        """Has what is painted reported, just before a screenshot is taken.

        Args:
            frames: that it will show.
            is_still: the last screenshot showed what the one before it showed.
        """
        self.end()
        if self._page.loaders != self._loaders:
            self._loaders, self._unused = self._page.loaders, 0
        if self._unused < MAX_UNUSED + (MAX_UNUSED_STILL if is_still else 0):
            self._unused += 1
            self._watch = _Watch(self._page, frames)

    def note_asked(self) -> None:
        """Chromium is asked for the screenshot that was prepared for."""
        if self._watch is not None:
            self._watch.is_taking = True

    async def wait_painted(self, shot: asyncio.Task[Any]) -> None:
        """Returns once the top document was painted for a screenshot that was prepared for, if that is reported, or the
        screenshot was taken. What a document is asked before that delays its screenshot."""
        if self._watch is not None:
            await asyncio.wait([shot, self._watch.painted], return_when=asyncio.FIRST_COMPLETED)

    def begin(self, taken: Taken, *, is_still: bool) -> None:
        """Watches the screenshot that was prepared for. `is_still`: as for `prepare`, of this screenshot."""
        watch = self._watch
        if watch is None or watch.is_lost or not watch.keep(taken):
            self.end()
            return
        self._running = self._page.start_task(_run(watch, 0.0 if is_still else ALONE_SECONDS), "frame-watch")

    def end(self) -> None:
        """Ends the watch."""
        if self._running is not None:
            self._running.cancel()
            self._running = None
        if self._watch is not None:
            self._watch.stop()
            self._watch = None


async def _run(watch: _Watch, after_s: float) -> None:
    """Watches until the time is up, or somebody cancels it."""
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(after_s):
                await watch.asked.wait()
        if watch.is_lost:
            return
        await watch.compare(Deadline.of(COMPARE_SECONDS))
        while not watch.is_lost and (left := watch.used_s + WATCH_SECONDS - loop_time()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await watch.lost.wait()
    except PerceptionError:  # the page is gone, or has no frames
        return
    finally:
        watch.stop()
