"""Small pictures of the tab before and after each call, while somebody wants them.

Rule 1: no call waits for a picture. Before a call, a tab looked as its newest frame; after it, as the newest frame a
moment later, and again some seconds later, but no later than the next call of the tab begins.
Rule 2: at most MAX_TABS tabs are watched for it, those of the last calls, and none when nobody wants pictures.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from perception.browser.browser_session import BrowserSession
from perception.browser.live.hub import ScreencastHub
from perception.browser.live.picture import LiveFrame, Picture, Wish
from perception.errors import PerceptionError
from perception.server.live.call_log import CallLog, LoggedCall

SMALL = Wish(max_width=480, max_height=480, quality=60, max_fps=5.0)
"""What is enough to recognize a page by. Chosen by hand."""

AFTER_SECONDS = (0.3, 2.0, 8.0)
"""How long after a call the tab is pictured, and how much later again: a frame comes every 0.2 s, and a busy machine
paints late what the call did. Chosen by hand."""

FIRST_SECONDS = 10.0
"""How long a tab's first frame may take on a busy machine. Chosen by hand."""

MAX_TABS = 4
"""Chosen by hand: an agent works in one or two."""


@dataclass(slots=True, eq=False)
class _TabFrames:
    """The newest frame of a tab.

    Attributes:
        following: the task that follows the tab.
        newest: None before the first one.
        came: set with the first one.
        due: calls that ended, and want a picture of after: set to take it now.
    """

    following: asyncio.Task[None]
    newest: LiveFrame | None = None
    came: asyncio.Event = field(default_factory=asyncio.Event)
    due: asyncio.Event | None = None


class CallPictures:
    """The pictures of the calls of one session.

    Args:
        keeps: they are wanted whoever watches.
        is_private: whether a person acts in the tabs now: what they type is in no picture that is kept.
    """

    def __init__(
        self,
        browser: BrowserSession,
        hub: ScreencastHub,
        calls: CallLog,
        *,
        keeps: bool,
        is_private: Callable[[], bool],
    ) -> None:
        self._is_private = is_private
        self._browser = browser
        self._hub = hub
        self._calls = calls
        self._keeps = keeps
        self._watchers = 0
        self._tabs: OrderedDict[str, _TabFrames] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def are_wanted(self) -> bool:
        return self._keeps or self._watchers > 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Somebody wants pictures inside."""
        self._watchers += 1
        self._follow(self._browser.selected)
        try:
            yield
        finally:
            self._watchers -= 1
            if not self.are_wanted:
                for tab_id in list(self._tabs):
                    self._leave(tab_id)

    def begin(self, call: LoggedCall) -> None:
        """A call begins: notes how its tab looks."""
        if not self.are_wanted or not call.tab_id or self._is_private():
            return
        self._follow(call.tab_id)
        known = self._tabs.get(call.tab_id)
        if known is None:
            return
        if known.due is not None:
            known.due.set()
            known.due = None
        if known.newest is not None:
            self._start(self._picture(call, known.newest, is_before=True))

    def end(self, call: LoggedCall) -> None:
        """A call has ended: notes a moment later how its tab looks."""
        if not self.are_wanted or not call.tab_id or self._is_private():
            return
        self._follow(call.tab_id)
        if (known := self._tabs.get(call.tab_id)) is not None:
            known.due = known.due or asyncio.Event()
            self._start(self._after(call, known, known.due))

    async def _after(self, call: LoggedCall, known: _TabFrames, due: asyncio.Event) -> None:
        first_s, *later_s = AFTER_SECONDS
        await _happens(due, first_s)
        if known.newest is None and not due.is_set():  # the tab has only now begun to be followed
            await _happens(known.came, FIRST_SECONDS)
            if due.is_set():
                return  # the next call has begun: the frame may show what that did
        shown = await self._picture_after(call, known, None)
        for seconds in later_s:
            if shown is None or due.is_set():
                break
            await _happens(due, seconds)
            shown = await self._picture_after(call, known, shown)
        if known.due is due:
            known.due = None

    async def _picture_after(self, call: LoggedCall, known: _TabFrames, shown: LiveFrame | None) -> LiveFrame | None:
        """Pictures how the tab looks now, where that is another frame than the one shown last; None: no more of it."""
        if (newest := known.newest) is None or self._is_private():
            return None
        if newest is not shown:
            await self._picture(call, newest, is_before=False)
        return newest

    async def _picture(self, call: LoggedCall, frame: LiveFrame, *, is_before: bool) -> None:
        picture: Picture = await frame.picture(SMALL)
        if is_before:
            call.before = picture
        else:
            call.after = picture
        self._calls.note_change(call)

    def _follow(self, tab_id: str) -> None:
        """Watches a tab from now on."""
        if tab_id in self._tabs:
            self._tabs.move_to_end(tab_id)
            return
        while len(self._tabs) >= MAX_TABS:
            self._leave(next(iter(self._tabs)))
        following = self._start(self._watch(tab_id))
        self._tabs[tab_id] = _TabFrames(following)

    def _leave(self, tab_id: str) -> None:
        self._tabs.pop(tab_id).following.cancel()

    async def _watch(self, tab_id: str) -> None:
        try:
            subscription = self._hub.subscribe(self._browser.tab(tab_id), SMALL)
        except PerceptionError:  # the tab is gone
            self._tabs.pop(tab_id, None)
            return
        try:
            while True:
                frame = await subscription.next()
                if not frame.note:
                    known = self._tabs[tab_id]
                    known.newest = frame
                    known.came.set()
        except PerceptionError:  # the tab is gone
            self._tabs.pop(tab_id, None)
        finally:
            subscription.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name="call-pictures")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _happens(event: asyncio.Event, seconds: float) -> None:
    """Waits for an event, so many seconds at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
