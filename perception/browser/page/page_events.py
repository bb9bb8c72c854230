"""What the browser says of the page of one tab: documents, frames, navigations, windows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.page.page_parts import PageParts
from perception.deadline import Deadline
from perception.errors import PerceptionError

BACKGROUND_SECONDS = 10.0
"""Limit of work that no caller waits for: adopting a frame, making a world ahead of time. It only bounds what a dead
page keeps alive. Chosen by hand."""


class PageEvents:
    """Keeps what the events of a tab say.

    Args:
        parts: where it is kept.
        tell: wakes those who wait for something of the page to change.
        start_task: starts what no caller waits for; it ends with the tab.

    Attributes:
        windows_opened: windows that its pages have opened so far.
        windows_unasked: those of them that no input of a user called for: Chromium's popup blocker lets none of them
            through.
    """

    def __init__(
        self,
        parts: PageParts,
        tell: Callable[[], None],
        start_task: Callable[[Coroutine[Any, Any, None], str], object],
    ) -> None:
        self._tree = parts.tree
        self._navigation = parts.navigation
        self._dialogs = parts.dialogs
        self._file_choosers = parts.file_choosers
        self._watchdog = parts.watchdog
        self._worlds = parts.worlds
        self._requests = parts.requests
        self._rest = parts.rest
        self._tell = tell
        self._start_task = start_task
        self._load_listener: Callable[[Deadline], Awaitable[None]] | None = None
        self.windows_opened = 0
        self.windows_unasked = 0

    def when_loaded(self, listener: Callable[[Deadline], Awaitable[None]]) -> None:
        """Has a listener called in the background when a document has loaded: it prepares what is needed to look. It
        takes the place of an earlier one."""
        self._load_listener = listener

    def listen(self, session: CdpSession) -> None:
        """Listens to a target: the tab itself, or one of its out-of-process frames."""
        for event, handler in (
            ("Page.frameNavigated", lambda params: self._on_navigated(session, **params)),
            ("Page.frameAttached", lambda params: self._on_frame_attached(session, params)),
            ("Page.frameDetached", self._on_frame_detached),
            ("Page.lifecycleEvent", self._on_lifecycle),
            ("Page.frameStartedNavigating", self._on_navigation_begun),
            ("Page.frameRequestedNavigation", self._on_navigation_begun),
            ("Page.navigatedWithinDocument", self._on_navigated_within_document),
            ("Page.frameStoppedLoading", self._on_stopped_loading),
            ("Page.frameScheduledNavigation", self._on_navigation_scheduled),
            ("Page.frameClearedScheduledNavigation", self._on_schedule_cleared),
            ("Page.windowOpen", self._on_window_opened),
        ):
            session.on(event, handler)

    @property
    def _loader(self) -> str:
        """LoaderId of the top document."""
        return self._tree.loader_of(self._tree.main_frame)

    def _on_navigated(self, session: CdpSession, frame: dict[str, Any], type: str = "") -> None:  # noqa: A002 (CDP's own)
        if frame["id"] == self._tree.main_frame:
            self._navigation.commit(frame)
            self._watchdog.forget()
            self._dialogs.forget()
            self._file_choosers.forget()
            self._worlds.drop_all()
            self._requests.note_commit(frame["loaderId"])
            self._rest.forget()
        else:
            self._navigation.frame_moves += 1
            self._file_choosers.forget(frame["id"])
            self._requests.drop_frame(frame["id"], frame["loaderId"])
        self._tree.commit(session, frame)
        self._worlds.drop(frame["id"])
        if type == "BackForwardCacheRestore":
            self._list_frames_again(frame["loaderId"])
        self._tell()

    def _list_frames_again(self, loader: str) -> None:
        """For a document that came back from the back/forward cache: no event tells of the frames in it, and those of
        other processes may have been attached before it came. What is asked of them later is answered later."""
        for session in self._tree.sessions:
            listed = session.start("Page.getFrameTree")
            listed.add_done_callback(partial(self._add_listed, session, loader))

    def _add_listed(self, session: CdpSession, loader: str, reply: asyncio.Future[dict[str, Any]]) -> None:
        consume(reply)  # a process that is gone
        if not reply.cancelled() and reply.exception() is None and self._loader == loader:
            self._tree.add_tree(session, reply.result()["frameTree"])
            self._tell()

    def _on_frame_attached(self, session: CdpSession, params: dict[str, Any]) -> None:
        self._tree.attach(session, params["frameId"], params["parentFrameId"])

    def _on_frame_detached(self, params: dict[str, Any]) -> None:
        self._worlds.drop(params["frameId"])
        if params.get("reason") == "swap":  # a frame that moves to another process stays
            self._navigation.frame_moves += 1
            self._tell()
        else:
            self._tree.remove(params["frameId"])
            self._file_choosers.forget(params["frameId"])
            self._requests.drop_frame(params["frameId"])

    def _on_lifecycle(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame:
            self._navigation.record_lifecycle(params["loaderId"], params["name"])
            self._tell()
            if params["loaderId"] == self._loader:
                self._prepare(params["name"])

    def _prepare(self, event: str) -> None:
        """Loads the walker into the top document while the rest of the page loads, and has it compiled afterwards."""
        deadline = Deadline.of(BACKGROUND_SECONDS)
        if event == "DOMContentLoaded":
            self._start_task(self._load_walker(deadline), "load-walker")
        elif event == "load":
            self._requests.note_load()
            self._start_task(self._warm(deadline), "warm")

    async def _load_walker(self, deadline: Deadline) -> None:
        """Ahead of time: its errors surface on the next call."""
        with contextlib.suppress(PerceptionError):
            await self._worlds.world(self._tree.main_frame, deadline)

    async def _warm(self, deadline: Deadline) -> None:
        """As `_load_walker`."""
        with contextlib.suppress(PerceptionError):
            await self._worlds.warm(deadline)
            if self._load_listener is not None:
                await self._load_listener(deadline)

    def _on_navigation_begun(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame and params.get("navigationType", "") != "sameDocument":
            self._navigation.begin(has_started="loaderId" in params)  # a requested navigation has no loader yet
            self._tell()

    def _on_navigated_within_document(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame:
            self._navigation.move_within_document(params["url"])
        else:
            self._navigation.frame_moves += 1
        self._tell()

    def _on_stopped_loading(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame:
            self._navigation.end_loading()
            self._tell()

    def _on_navigation_scheduled(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame:
            self._navigation.due_s = self._requests.clock() + float(params["delay"])

    def _on_schedule_cleared(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._tree.main_frame:
            self._navigation.due_s = float("inf")

    def _on_window_opened(self, params: dict[str, Any]) -> None:
        self.windows_opened += 1
        self.windows_unasked += not params["userGesture"]
