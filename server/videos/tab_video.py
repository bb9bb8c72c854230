"""One video: takes what a tab shows, and writes it, until it is stopped or reaches a limit.

Rule 1: the next picture is taken when the last one is written: a machine that is slow gets fewer pictures, never a
queue of them.
Rule 2: encoding has a thread of its own, which makes way for everything else.
Rule 3: whatever ends it, the file is finished, and says why it ended.
Rule 4: while a person controls the session, no picture is taken.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import msgspec
import structlog

from perception.browser.live.hub import ScreencastHub
from perception.browser.live.picture import LiveFrame, Wish
from perception.browser.live.tab_watch import Subscription
from perception.browser.tab import Tab
from perception.deadline import loop_time
from perception.errors import BadImageError, PerceptionError, SessionLostError, UnknownTabError
from perception.server.videos.store import KeptVideo, OpenVideo, VideoRecord, VideoStore
from perception.types import Viewport
from perception.video import Chapter, VideoEncoder, VideoEnd, VideoFacts, VideoOptions
from perception.video.encoder import end_of_error
from perception.video.pictures import card, decode_picture, sized, video_size

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

QUALITY = 85
"""Quality of the JPEGs between Chromium and the encoder. Chosen by hand."""

CHECK_SECONDS = 0.25
"""How often it is checked whether another tab is selected, a person controls the session, or time is up."""

HOLD_SECONDS = 2.0
"""After so long without a picture the last one is written again, which brings it to the disk; then every tenfold."""

FIRST_SECONDS = 2.0
"""How long the beginning of a video waits for a first picture: 0.05 s as a rule, longer where the page is busy."""

LAST_SECONDS = 0.3
"""How long the end of a video waits for what the page has painted last. Chosen by hand."""

NICENESS = 10
"""Niceness of the encoder's thread (Linux)."""

CRASHED = "The page crashed"
PRIVATE = "A person has control: not shown"


@dataclass(frozen=True, slots=True)
class VideoSource:
    """What a video is made of, in one session.

    Attributes:
        hub: of its tabs' pictures.
        find_tab: returns a tab by id, the selected one for "". Raises UnknownTabError or SessionLostError.
        is_private: whether a person has control of the session.
        turns: how often a person has had it, with this time.
        chapters: the session's calls since a time, seconds since 1970, as chapters from then on.
    """

    hub: ScreencastHub
    find_tab: Callable[[str], Tab]
    is_private: Callable[[], bool]
    turns: Callable[[], int]
    chapters: Callable[[float], Sequence[Chapter]]


@dataclass(frozen=True, slots=True)
class FinishedVideo:
    """What came of a video.

    Attributes:
        kept: its file; None where there is none, as it has no picture.
        error: why there is none.
    """

    kept: KeptVideo | None
    facts: VideoFacts
    error: PerceptionError | None = None


@dataclass(slots=True, eq=False)
class TabVideo:
    """A video that is being made. Made by `begin`.

    Attributes:
        tab_id: empty for one that follows the selected tab.
    """

    source: VideoSource
    store: VideoStore
    options: VideoOptions
    opened: OpenVideo
    tab_id: str
    encoder: VideoEncoder
    _thread: ThreadPoolExecutor = field(init=False)
    _task: asyncio.Task[FinishedVideo] = field(init=False)
    _stop: asyncio.Future[VideoEnd] = field(init=False)
    _asked_s: float = field(default_factory=time.time)
    _has_picture: asyncio.Event = field(default_factory=asyncio.Event)
    _begin_s: float = 0.0
    _card: str = ""
    _turns: int = 0
    _written_s: float = 0.0
    _pause_s: float = HOLD_SECONDS

    def begin(self, on_end: Callable[[object], None]) -> None:
        """Begins to film; `on_end` is called when the file is complete."""
        self._thread = ThreadPoolExecutor(1, "video", initializer=_make_way)
        self._stop = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._make(), name="make-video")
        self._task.add_done_callback(on_end)

    @property
    def video_id(self) -> str:
        return self.opened.record.video_id

    @property
    def is_running(self) -> bool:
        return not self._task.done()

    @property
    def record(self) -> VideoRecord:
        """What is known of it so far."""
        width, height = self.encoder.size
        return msgspec.structs.replace(
            self.opened.record,
            start_s=self._begin_s or self._asked_s,
            duration_s=self.encoder.last_s,
            frames=self.encoder.pictures,
            width=width,
            height=height,
        )

    async def first_picture(self) -> None:
        """Waits for the first picture, but not for long: a page may have none yet."""
        waiting = asyncio.create_task(self._has_picture.wait())
        try:
            await asyncio.wait((waiting, self._task), timeout=FIRST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def stop(self, end: VideoEnd = VideoEnd.STOPPED) -> FinishedVideo:
        """Ends it, and waits for its file. One that has ended is answered as it ended."""
        if not self._stop.done():
            self._stop.set_result(end)
        return await asyncio.shield(self._task)

    async def _make(self) -> FinishedVideo:
        try:
            end = await self._film()
        except UnknownTabError:
            end = VideoEnd.TAB_CLOSED
        except SessionLostError:
            end = VideoEnd.SESSION_ENDED
        except OSError as exc:
            log.warning("a video ended early", video=self.video_id, error=exc.strerror or str(exc))
            end = end_of_error(exc)
        except Exception as exc:
            log.error("a video ended early", video=self.video_id, exc_info=exc)
            end = VideoEnd.FAILED
        try:
            return await self._finish(end)
        finally:
            self._thread.shutdown(wait=False)

    async def _finish(self, end: VideoEnd) -> FinishedVideo:
        last_s, chapters = time.time(), self.source.chapters(self._begin_s or self._asked_s)
        before = self.record
        try:
            facts = await self._run(partial(self.encoder.finish, last_s, chapters))
        except OSError as exc:
            end = end_of_error(exc) if end is VideoEnd.STOPPED else end
            facts = VideoFacts(before.width, before.height, before.duration_s or 0.0, before.frames, ())
        record = msgspec.structs.replace(before, end=end.name, duration_s=facts.duration_s)
        try:
            return FinishedVideo(await self._run(partial(self.store.finish, self.opened, record)), facts)
        except PerceptionError as exc:
            return FinishedVideo(None, facts, exc)

    async def _film(self) -> VideoEnd:
        """Films until it ends: one tab, or one after the other."""
        wish = Wish(self.options.max_width, self.options.max_height, QUALITY, self.options.max_fps)
        while True:
            tab = self.source.find_tab(self.tab_id)
            watching = self.source.hub.subscribe(tab, wish)
            self._turns = self.source.turns() - self.source.is_private()  # one that is under way has begun before
            try:
                end = await self._film_tab(tab, watching)
            except UnknownTabError:
                if self.tab_id:
                    raise
                await asyncio.sleep(CHECK_SECONDS)  # until another one is selected
                end = self._stop.result() if self._stop.done() else None
            finally:
                watching.close()
            if end is not None:
                return end

    async def _film_tab(self, tab: Tab, watching: Subscription) -> VideoEnd | None:
        """Films a tab. None where another one is selected, or may be shown again after a person had control."""
        taking: asyncio.Task[LiveFrame] | None = None
        try:
            while not self._stop.done():
                if self._must_leave(tab):
                    return None
                taking = taking or asyncio.create_task(watching.next(), name="next-picture")
                await asyncio.wait((taking, self._stop), timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                end = await self._show_why(tab) or await self._keep_time()
                if end is None and taking.done():
                    frame, taking = taking.result(), None
                    end = await self._write(frame, watching.wish)
                if end is not None:
                    return end
            await self._write_last(taking, watching.wish)
            return self._stop.result()
        finally:
            if taking is not None:
                taking.cancel()
                with suppress(asyncio.CancelledError, PerceptionError):
                    await taking

    def _must_leave(self, tab: Tab) -> bool:
        """Whether the tab is to be watched again, or another one."""
        if self.source.is_private():
            return False
        if self._turns != self.source.turns():  # what it shows is asked for again
            self._card = ""
            return True
        return not self.tab_id and self.source.find_tab("") is not tab

    async def _show_why(self, tab: Tab) -> VideoEnd | None:
        """Shows a card while the tab cannot be shown."""
        if self.source.is_private():
            return await self._show_card(PRIVATE)
        return await self._show_card(CRASHED) if tab.link.crashed else None

    async def _write_last(self, taking: asyncio.Task[LiveFrame] | None, wish: Wish) -> None:
        """Writes what the page has painted last, if that comes soon."""
        if taking is None:
            return
        await asyncio.wait((taking,), timeout=LAST_SECONDS)
        if taking.done() and taking.exception() is None:
            await self._write(taking.result(), wish)

    @property
    def _had_person(self) -> bool:
        """Whether a person has had control since the tab was last subscribed to."""
        return self.source.is_private() or self._turns != self.source.turns()

    async def _write(self, frame: LiveFrame, wish: Wish) -> VideoEnd | None:
        """Writes a frame; none that may show what a person did who has had control meanwhile."""
        if frame.note or self._had_person:
            return None
        picture = await frame.picture(wish)
        if self._had_person:
            return None
        self._card = ""
        at_s = max(frame.time_s, self._asked_s)
        shown = frame.place.viewport if frame.place is not None else None
        size = self._size_of(shown) if shown is not None else (picture.width, picture.height)
        return await self._added(partial(self._encode, picture.jpeg, size, at_s), at_s)

    def _size_of(self, viewport: Viewport) -> tuple[int, int]:
        """The size of the picture of a viewport. One that another watcher wanted smaller is enlarged, until the next
        one."""
        return video_size(
            round(viewport.width), round(viewport.height), self.options.max_width, self.options.max_height
        )

    def _encode(self, jpeg: bytes, size: tuple[int, int], at_s: float) -> VideoEnd | None:
        try:
            return self.encoder.add(sized(decode_picture(jpeg), *size), at_s)
        except BadImageError:  # the next one is not
            return None

    async def _show_card(self, words: str) -> VideoEnd | None:
        """Shows words in place of the tab, once."""
        if self._card == words:
            return None
        self._card = words
        width, height = self.encoder.size
        drawn = card(words, width or self.options.max_width, height or self.options.max_height * 5 // 8)
        now_s = time.time()
        return await self._added(partial(self.encoder.add, drawn, now_s), now_s)

    async def _added(self, add: Callable[[], VideoEnd | None], at_s: float) -> VideoEnd | None:
        end = await self._run(add)
        self._begin_s = self._begin_s or at_s
        self._has_picture.set()
        self._written_s, self._pause_s = loop_time(), HOLD_SECONDS
        return end

    async def _keep_time(self) -> VideoEnd | None:
        """Ends it at its longest duration; writes the last picture again now and then."""
        if not self._begin_s:
            return None
        if time.time() - self._begin_s > self.options.max_duration_s:
            return VideoEnd.MAX_DURATION
        if loop_time() - self._written_s < self._pause_s:
            return None
        self._written_s, self._pause_s = loop_time(), 10 * HOLD_SECONDS
        return await self._run(partial(self.encoder.hold, time.time()))

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Runs in the encoder's thread, and waits for it even when cancelled: the encoder does one thing at a time."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise


def _make_way() -> None:
    """Lowers the priority of this thread alone, where the system knows such."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
