"""What listens for clicks in a top document, learned when it has loaded: a first capture then need not ask.

Rule 1: what was learned counts while Chromium counts as many listeners and nodes as it did before they were asked for:
as many listeners may have come as have gone, with what listened.
Rule 2: one asks at a time. A capture waits for what was begun at the load: it needs that itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

import msgspec

from perception.browser.capture.listeners import PHASE, ListenerTracker
from perception.browser.capture.probe import Counters, ask_counted, count_all
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

LISTENERS_OF_A_WORLD = 1
"""The walker's own listeners in a frame that it has not walked: for printing (`ownListeners` in tree/changes.js)."""


def listeners_elsewhere(page: PageLink, session_id: str, walked: Collection[str]) -> int:
    """The walker's own listeners in the frames of a process that were not walked."""
    others = (each for each in page.worlds.made if each not in walked)
    return LISTENERS_OF_A_WORLD * sum(page.session_of(each).session_id == session_id for each in others)


class EarlyListeners:
    """The listeners of a tab's top document, before its first capture."""

    def __init__(self, page: PageLink, tracker: ListenerTracker) -> None:
        self._page = page
        self._tracker = tracker
        self._learned: tuple[str, int, int, int] | None = None
        self._asking = asyncio.Lock()
        page.events.when_loaded(self.learn_loaded)

    async def learn_loaded(self, deadline: Deadline) -> None:
        """Learns them ahead of time, if no capture has."""
        async with self._asking:
            if not self._tracker.has_learned(self._page.loader):
                await self._learn(deadline)

    async def learn(self, deadline: Deadline) -> dict[str, Counters]:
        """Has the walker know them. Returns the counters of the document's process from before, by CDP session id.

        Raises:
            CdpCallError: the document is gone.
            DeadlineError, PageCrashedError, SessionLostError
        """
        async with deadline.phase(PHASE):
            await self._asking.acquire()
        try:
            return await self._learn(deadline)
        finally:
            self._asking.release()

    async def _learn(self, deadline: Deadline) -> dict[str, Counters]:
        page, frame, loader = self._page, self._page.main_frame, self._page.loader
        key = page.session.session_id
        answer, told = await ask_counted(page, frame, "ownListeners", deadline, PHASE)
        own, collections = msgspec.json.decode(answer, type=tuple[int, int])
        counters = told if told is not None else (await count_all(page, [frame], deadline))[key]
        counters = replace(counters, own=own + listeners_elsewhere(page, key, [frame]), collections=collections)
        learned = (loader, counters.theirs, collections, counters.nodes)
        if learned != self._learned:
            await self._tracker.learn(page.session, [frame], None, deadline)
            self._learned = learned
        return {key: counters}
