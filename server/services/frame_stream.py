"""The pictures that one watcher is sent: of one tab, or of the selected one; each when the last one was shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from perception.browser.live.picture import LiveFrame, Picture, Wish
from perception.browser.live.tab_watch import Subscription
from perception.deadline import Deadline
from perception.errors import BadInputError, PerceptionError, SessionLostError, ShuttingDownError, UnknownTabError
from perception.server.convert.live import wish_of
from perception.server.sessions.session import Session
from perception.v1 import live_service_pb2 as pb

Waited = TypeVar("Waited")

CHECK_SECONDS = 0.25
"""How often a watcher that waits checks that the session is there, and which tab is selected. Chosen by hand."""


class FrameStream:
    """The frames of one watcher.

    Args:
        find: the watched session; raises why it is gone.
        first: the first message.
        closing: set when the service is about to end.
        whole: the deadline of the watch; None where it has no end.
    """

    def __init__(
        self,
        find: Callable[[], Session],
        first: pb.WatchFramesRequest,
        closing: asyncio.Event,
        whole: Deadline | None,
    ) -> None:
        self._find = find
        self._closing = closing
        self._whole = whole
        self._lease_id = first.lease_id
        self._named = first.tab_id
        self._wish = wish_of(first, Wish())
        self._sent = 0
        self._shown = asyncio.Event()
        self._shown.set()
        self._is_over = False
        self._error: PerceptionError | None = None
        self._tab_id = ""
        self._subscription: Subscription | None = None

    async def pictures(
        self, rest: AsyncIterator[pb.WatchFramesRequest]
    ) -> AsyncGenerator[tuple[int, LiveFrame, Picture | None, str], None]:
        """Number, frame, picture and tab of each. Ends when the watcher says that it sends nothing more.

        Args:
            rest: the watcher's later messages.

        Raises:
            PerceptionError: the session or the tab is gone, or a message is wrong.
        """
        reading = asyncio.create_task(self._read(rest), name="read-watcher")
        try:
            self._select()
            while await self._until_shown():
                frame = await self._next_frame()
                picture = await frame.picture(self._wish) if not frame.note else None
                self._sent += 1
                self._shown.clear()
                yield self._sent, frame, picture, self._tab_id
        finally:
            reading.cancel()
            self._drop()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, rest: AsyncIterator[pb.WatchFramesRequest]) -> None:
        """Follows what the watcher says."""
        try:
            async for request in rest:
                self._follow(request)
        except PerceptionError as exc:
            self._error = exc
        self._is_over = True
        self._shown.set()

    def _follow(self, request: pb.WatchFramesRequest) -> None:
        if request.session_id or request.tab_id:
            raise BadInputError(
                "a later message of the stream names a session or a tab: watch another one by another stream",
                field="session_id" if request.session_id else "tab_id",
            )
        self._wish = wish_of(request, self._wish)
        self._lease_id = request.lease_id or self._lease_id
        if request.acknowledged > self._sent:
            raise BadInputError(
                f"picture {request.acknowledged} is acknowledged, but the last one sent is {self._sent}: acknowledge "
                "the number of the picture that is shown",
                field="acknowledged",
            )
        if request.acknowledged == self._sent:
            self._shown.set()

    async def _until_shown(self) -> bool:
        """Waits until the last picture is shown. False when the watcher sends nothing more."""
        while not self._shown.is_set() and not self._is_over:
            await self._pause(self._shown.wait())
        if self._error is not None:
            raise self._error
        return not self._is_over or not self._sent

    async def _next_frame(self) -> LiveFrame:
        while True:
            self._select()
            assert self._subscription is not None
            try:
                frame = await self._pause(self._subscription.next())
            except UnknownTabError:
                if self._named:
                    raise
                self._drop()
                continue
            except SessionLostError:
                self._find()  # raises why, where the session ended with it
                raise
            if frame is not None and (frame.note or self._is_allowed(frame)):
                return frame

    def _select(self) -> None:
        """Subscribes to the tab that is to be shown, as it is wanted now. Raises why there is none."""
        session = self._find()
        tab = session.browser.tab(self._named)
        self._wish = replace(self._wish, reveals=session.control.holds(self._lease_id))
        if self._subscription is None or tab.tab_id != self._tab_id:
            self._drop()
            self._subscription, self._tab_id = session.screencasts.subscribe(tab, self._wish), tab.tab_id
        self._subscription.change(self._wish)

    def _is_allowed(self, frame: LiveFrame) -> bool:
        """Whether it may be sent as it is wanted: a lease may have ended meanwhile."""
        is_held = self._find().control.holds(self._lease_id)
        return self._wish.reveals == is_held and is_held in frame.secrets

    def _drop(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    async def _pause(self, waiting: Coroutine[Any, Any, Waited]) -> Waited | None:
        """Waits for it, but not for long: what it returns, or None. Raises why the watch is over."""
        task = asyncio.create_task(waiting)
        try:
            await asyncio.wait((task,), timeout=CHECK_SECONDS)
            if self._error is not None:
                raise self._error
            if self._closing.is_set():
                raise ShuttingDownError(
                    "the service is shutting down: watch again at another one, or after its restart"
                )
            if self._whole is not None:
                self._whole.check("watching the page")
            self._find()
            return task.result() if task.done() else None
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
