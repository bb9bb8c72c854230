"""How far a tab has navigated: commits, the shown URL, each document's lifecycle events, a navigation under way."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.page.tab_state import TabEvent, TabState

KEPT_DOCUMENTS = 8
"""Documents whose lifecycle is remembered: those in Chromium's back/forward cache, and some more. Chosen by hand."""

RESTLESS_DOCUMENTS, RESTLESS_SECONDS = 3, 2.0
"""So many documents within so long: the page goes away by itself again and again. Chosen by hand."""


class NavigationTracker:
    """Navigations of the top frame of one tab, from its events.

    Attributes:
        commits: navigations that were completed so far, those within a document included.
        documents: those of them that brought another document.
        loaders: LoaderIds of the last of these documents.
        frame_moves: navigations of other frames that were completed so far, those within a document included.
        url: of the document that is shown.
        mime_type: of that document, such as `application/pdf`; empty where it is not known.
        unreachable: the URL that could not be opened, while Chromium's error page is shown; else empty.
        lifecycle: names of the lifecycle events seen so far, by LoaderId.
        replaced: ids of the history's entries of documents that hung and were opened again by another entry.
        due_s: when the document goes to another one by itself (a refresh), monotonic seconds; inf where it does not.
    """

    def __init__(self, session: CdpSession, state: TabState) -> None:
        self._session = session
        self._state = state
        self._stopping: asyncio.Future[dict[str, Any]] | None = None
        self.commits = 0
        self.documents = 0
        self.loaders: deque[str] = deque(maxlen=KEPT_DOCUMENTS)
        self.frame_moves = 0
        self.url = ""
        self.mime_type = ""
        self.unreachable = ""
        self.replaced: set[int] = set()
        self.due_s = float("inf")
        self.lifecycle: dict[str, set[str]] = defaultdict(set)
        self._came_s: deque[float] = deque(maxlen=RESTLESS_DOCUMENTS)

    @property
    def is_restless(self) -> bool:
        """One document takes the other's place, and nobody asked for the last ones."""
        return len(self._came_s) == RESTLESS_DOCUMENTS and time.monotonic() - self._came_s[0] < RESTLESS_SECONDS

    def forget_documents(self) -> None:
        """Somebody asks for another document."""
        self._came_s.clear()

    def begin_at(self, url: str, mime_type: str = "") -> None:
        """What the tab shows when it is attached to: a pop-up may have its page already."""
        self.url = url if url.startswith(("http:", "https:")) else ""
        self.mime_type = mime_type

    def commit(self, frame: dict[str, Any]) -> None:
        """The top frame shows another document; `frame` is CDP's `Page.Frame`."""
        self._state.apply(TabEvent.COMMITTED)
        self.commits += 1
        self.due_s = float("inf")
        self.documents += 1
        self.loaders.append(frame["loaderId"])
        self._came_s.append(time.monotonic())
        self.url = frame["url"]
        self.mime_type = frame.get("mimeType", "")
        self.unreachable = frame.get("unreachableUrl", "")
        for old in list(self.lifecycle)[:-KEPT_DOCUMENTS]:
            del self.lifecycle[old]

    def move_within_document(self, url: str) -> None:
        """The document changed its URL by a fragment or the history API."""
        self.commits += 1
        self.url = url

    def record_lifecycle(self, loader: str, name: str) -> None:
        self.lifecycle[loader].add(name)

    def begin(self, *, has_started: bool) -> None:
        """Another document is asked for, or (`has_started`) on its way."""
        self._state.apply(TabEvent.NAVIGATION_STARTED if has_started else TabEvent.NAVIGATION_REQUESTED)

    def end_loading(self) -> None:
        """The load ended, or the navigation was cancelled."""
        self._state.apply(TabEvent.LOADING_STOPPED)

    def forget(self) -> None:
        """No later action waits for a navigation that is under way now: an earlier, cancelled action began it."""
        self._state.apply(TabEvent.NAVIGATION_FORGOTTEN)

    def stop_loading(self) -> None:
        """Cancels a navigation. The next one has to wait by `wait_until_stopped`, or it would be cancelled too."""
        self._stopping = self._session.start("Page.stopLoading")
        self._stopping.add_done_callback(consume)

    async def wait_until_stopped(self, timeout_s: float) -> None:
        """Waits until the last `stop_loading` is answered, at most so long; a hung page does not answer it."""
        if self._stopping is not None and not self._stopping.done():
            await asyncio.wait([self._stopping], timeout=timeout_s)
