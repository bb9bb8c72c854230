"""Watching one tab: one screencast, one search for what is sensitive, any number of watchers.

Rule 1: the next frame is asked for only when a watcher waits for one. Each watcher gets the newest; one that is slow
delays nobody and has nothing kept for it.
Rule 2: what is sensitive is found before a frame leaves. A page that does not answer is not shown.
Rule 3: looking costs the page at most SHARE of its time.
Rule 4: nothing outlives the last watcher.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

from perception.browser.live.picture import LiveFrame, PagePlace, Wish
from perception.browser.live.screencast import POLL_SECONDS, CastFrame, CastSize, Screencast
from perception.browser.live.secret_places import SecretPlaces
from perception.browser.tab import Tab
from perception.deadline import Deadline, loop_time
from perception.errors import DeadlineError, PageCrashedError, PerceptionError, SessionLostError, UnknownTabError

ANSWER_SECONDS = 1.0
"""A page that takes longer to say what is sensitive in it does not answer, as one that hangs. Chosen by hand."""

FOLLOW_SECONDS = 0.05
"""Time between two looks at fields that flicker. Chosen by hand."""

SHARE = 0.25
"""Share of the page's time that the search may take. Chosen by hand."""

NO_ANSWER = "the page does not answer: it is shown again when it does"
LEAVING = "the tab goes to another page: it is shown when that is there"
MISSED_SECONDS = 1.0
"""After so long without a frame that can be shown, watchers are told why. Chosen by hand."""

FLICKER = "sensitive fields move, or come and go, too fast to cover them: the page is shown when they stay"
CRASHED = "the page crashed: open it again or close its tab"


class Subscription:
    """A watcher of a tab. Close it at the end.

    Attributes:
        wish: what it wants.
        is_waiting: it waits for a frame.
    """

    def __init__(self, watch: TabWatch, wish: Wish) -> None:
        self.wish = wish
        self.is_waiting = False
        self._watch = watch
        self._seen = 0
        self._since_s = -math.inf

    async def next(self) -> LiveFrame:
        """The newest frame that this watcher has not had; waits for one, and for its turn by `max_fps`.

        Raises:
            UnknownTabError: the tab was closed.
            SessionLostError: the browser is gone.
        """
        await asyncio.sleep(max(0.0, self._since_s + 1 / self.wish.max_fps - loop_time()))
        frame = await self._watch.newer_than(self._seen, self)
        self._seen, self._since_s = frame.number, loop_time()
        return frame

    def change(self, wish: Wish) -> None:
        """Wants something else from now on. The newest frame is the next one again, if that makes a difference."""
        if wish == self.wish:
            return
        self.wish, self._seen = wish, 0
        self._watch.note_change()

    def close(self) -> None:
        """Ends it. Safe to call twice."""
        self._watch.drop(self)


class TabWatch:
    """Watches one tab, for as long as somebody watches it."""

    def __init__(
        self, tab: Tab, permit: Callable[[Tab, Deadline], Awaitable[None]], on_end: Callable[[TabWatch], None]
    ) -> None:
        self.tab = tab
        self._permit = permit
        self._on_end = on_end
        self._watchers: list[Subscription] = []
        self._wanted = asyncio.Event()
        self._news = asyncio.Condition()
        self._newest = LiveFrame(0, 0.0)
        self._error: PerceptionError | None = None
        self._cast = Screencast(tab.link)
        self._places = SecretPlaces(tab.link)
        self._task: asyncio.Task[None] | None = None
        self._missed_since_s: float | None = None

    def subscribe(self, wish: Wish) -> Subscription:
        """Adds a watcher."""
        watcher = Subscription(self, wish)
        self._watchers.append(watcher)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="watch-tab")
        self.note_change()
        return watcher

    def drop(self, watcher: Subscription) -> None:
        """Removes a watcher; the last one ends the watch."""
        if watcher not in self._watchers:
            return
        self._watchers.remove(watcher)
        if not self._watchers and self._task is not None:
            self._on_end(self)
            self._task.cancel()

    def end(self) -> None:
        """The tab's session ends. Those who wait are told by the look that is under way."""
        if self._task is not None and not any(each.is_waiting for each in self._watchers):
            self._task.cancel()

    def note_change(self) -> None:
        """Watchers want something else than before."""
        self._wanted.set()
        self._cast.interrupt()

    async def newer_than(self, number: int, watcher: Subscription) -> LiveFrame:
        """Waits for a newer frame than that one. Raises as `Subscription.next`."""
        watcher.is_waiting = True
        self._wanted.set()
        try:
            async with self._news:
                await self._news.wait_for(lambda: self._error is not None or self._is_new(number, watcher))
            if self._error is not None:
                raise self._error
            return self._newest
        finally:
            watcher.is_waiting = False

    def _is_new(self, number: int, watcher: Subscription) -> bool:
        newest = self._newest
        return newest.number > number and (bool(newest.note) or watcher.wish.reveals in newest.secrets)

    async def _run(self) -> None:
        """Takes frames for as long as there are watchers and the tab."""
        error: PerceptionError = UnknownTabError(
            f"tab {self.tab.tab_id} was closed: watch another one", tab=self.tab.tab_id
        )
        try:
            while self._watchers:
                await self._someone_waiting()
                took_s = await self._look()
                await asyncio.sleep(took_s * (1 / SHARE - 1))
        except (UnknownTabError, SessionLostError) as exc:
            error = exc
        finally:
            self._on_end(self)
            self._cast.end()
            self._error = error
            await self._tell()

    async def _someone_waiting(self) -> None:
        while not any(each.is_waiting for each in self._watchers):
            self._wanted.clear()
            await self._wanted.wait()

    async def _look(self) -> float:
        """Publishes what there is to see. Returns how long the page was asked, s.

        Raises:
            UnknownTabError: the tab is closed.
            SessionLostError: the browser is gone.
        """
        try:
            if (why := self._why_not_shown()) is not None:
                return await self._withhold(why)
            deadline = Deadline.of(ANSWER_SECONDS)
            await self._permit(self.tab, deadline)
            await self._prepare(deadline)
            frame = await self._cast.next_frame(Deadline.of(ANSWER_SECONDS))
            return await self._show(frame) if frame is not None else 0.0
        except DeadlineError:
            return await self._withhold(self._why_not_shown() or NO_ANSWER)
        except PageCrashedError:
            return await self._withhold(CRASHED)
        except UnknownTabError:
            raise
        except SessionLostError:
            if self.tab.link.link.closed.is_set():
                raise
            return 0.0  # the page is gone: the next look says how
        except PerceptionError as exc:
            return await self._withhold(str(exc))

    def _why_not_shown(self) -> str | None:
        """Why the tab cannot be shown now. Raises as `_look`."""
        link = self.tab.link
        if link.link.closed.is_set():
            raise SessionLostError.of_browser()
        if link.crashed:
            return CRASHED
        if link.gone:
            raise UnknownTabError(f"tab {self.tab.tab_id} was closed: watch another one", tab=self.tab.tab_id)
        if link.dialogs.open is not None:
            return "a dialog is open, and the page waits: answer it with HandleDialog first"
        return LEAVING if link.is_leaving else None

    async def _prepare(self, deadline: Deadline) -> None:
        """Has a screencast run of the page that the tab has, in the size that watchers want."""
        size, audiences = self._wanted_size(), self._audiences()
        if self._cast.page is not self.tab.link:
            self._cast.end()
            self._cast, self._places = Screencast(self.tab.link), SecretPlaces(self.tab.link)
        is_shown = not self._newest.note and all(each in self._newest.secrets for each in audiences)
        if self._cast.size != size or not is_shown:
            await self._places.sample(audiences, deadline)
            await self._cast.begin(size, deadline)

    def _wanted_size(self) -> CastSize:
        wishes = [each.wish for each in self._watchers]
        return CastSize(
            max(each.max_width for each in wishes),
            max(each.max_height for each in wishes),
            max(each.quality for each in wishes),
        )

    def _audiences(self) -> list[bool]:
        return sorted({each.wish.reveals for each in self._watchers})

    async def _show(self, frame: CastFrame) -> float:
        """Publishes a frame once it is known what is sensitive in it."""
        started_s = loop_time()
        audiences, deadline = self._audiences(), Deadline.of(ANSWER_SECONDS)
        found, place = await asyncio.gather(self._places.sample(audiences, deadline), self.tab.capturer.place(deadline))
        if self._places.flicker():
            return await self._wait_for_rest()
        covered = {each: self._places.covering(frame.captured_s, each) for each in audiences}
        secrets = {each: boxes for each, boxes in covered.items() if boxes is not None}
        if len(secrets) < len(audiences):
            return await self._miss()
        self._missed_since_s = None
        assert self._cast.size is not None
        shown = LiveFrame(
            number=self._newest.number + 1,
            time_s=frame.time_s,
            place=PagePlace(place.url, place.title, place.viewport, place.scroll),
            jpeg=frame.jpeg,
            quality=self._cast.size.quality,
            view=found.view,
            secrets=secrets,
        )
        if not _is_same(shown, self._newest):
            await self._publish(shown)
        return loop_time() - started_s

    async def _miss(self) -> float:
        """Leaves a frame out: it is not known what is sensitive in it. The next one is what is shown then."""
        now_s = loop_time()
        self._missed_since_s = self._missed_since_s or now_s
        self._cast.size = None
        if now_s > self._missed_since_s + MISSED_SECONDS:
            await self._withhold(FLICKER, 0.0)
        await asyncio.sleep(FOLLOW_SECONDS)
        await self._places.sample(self._audiences(), Deadline.of(ANSWER_SECONDS))
        return 0.0

    async def _wait_for_rest(self) -> float:
        """Says that fields flicker, and follows them for a moment."""
        started_s = loop_time()
        await self._withhold(FLICKER, 0.0)
        while loop_time() < started_s + POLL_SECONDS:
            await asyncio.sleep(FOLLOW_SECONDS)
            await self._places.sample(self._audiences(), Deadline.of(ANSWER_SECONDS))
        return 0.0

    async def _withhold(self, why: str, pause_s: float = POLL_SECONDS) -> float:
        """Says why there is no picture, and waits a little."""
        if self._newest.note != why:
            await self._publish(LiveFrame(self._newest.number + 1, time.time(), note=why))
        await asyncio.sleep(pause_s)
        return 0.0

    async def _publish(self, frame: LiveFrame) -> None:
        self._newest = frame
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


def _is_same(one: LiveFrame, other: LiveFrame) -> bool:
    """Whether two frames show the same."""
    return (one.jpeg, one.secrets, one.place, one.note) == (other.jpeg, other.secrets, other.place, other.note)
