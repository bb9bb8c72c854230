"""Listens to the console of one tab: for a moment, or for as long as the tab lives.

Chromium keeps the last 1000 messages of each document and repeats them to whoever enables its runtime domain. So a
console costs nothing until somebody asks. Who wants the messages of documents that are gone has the tab listened to all
the time; then a page that writes too many is not listened to for a while, after which Chromium repeats the last ones.

Rule: DevTools sessions of its own, so that nothing that it enables stays when it is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink, CdpSession, consume
from perception.browser.console.console_log import ConsoleLog
from perception.browser.console.console_message import ConsoleMessage, read_call, read_entry, read_exception
from perception.browser.opening import attach_to_target, detach_from_target
from perception.deadline import Deadline, loop_time
from perception.errors import PerceptionError

MAX_PER_SECOND = 200
"""Messages of a tab that are heard in a second. Each costs the event loop about 0.1 ms. Chosen by hand."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 30.0
"""How long a tab that writes more is not listened to: at first, and at most. It doubles while the tab goes on."""

RELEASED_AFTER = 200
"""Messages after which the page's objects in them are released: they would stay in its memory."""

BACKGROUND_SECONDS = 10.0
"""Limit for a frame or worker that nobody waits for. Chosen by hand."""

_PHASE = "listening to the console"

_TYPES = frozenset({"iframe", "worker", "shared_worker"})


@dataclass(slots=True, eq=False)
class _Heard:
    """One target that is listened to.

    Attributes:
        session: its DevTools session.
        target_id: its id.
        kept: what Chromium repeats, by source, while it does; None afterwards.
        children: frames and workers in it that have just been found.
    """

    session: CdpSession
    target_id: str
    kept: dict[str, list[ConsoleMessage]] | None = None
    children: list[_Heard] = field(default_factory=list)


class ConsoleListener:
    """Listens to the console of one tab's page.

    Args:
        log: where messages go; it outlives the page.
        link: the connection to the browser.
        target_id: of the page.
    """

    def __init__(self, log: ConsoleLog, link: CdpLink, target_id: str, clock: Callable[[], float] = loop_time) -> None:
        self._log = log
        self._link = link
        self._target_id = target_id
        self._clock = clock
        self._root: _Heard | None = None
        self._targets: list[_Heard] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._second, self._count, self._unreleased = 0.0, 0, 0
        self._paused, self._pause_s, self._resumed_s = False, FIRST_PAUSE_SECONDS, 0.0

    @property
    def is_listening(self) -> bool:
        """Whether it listens all the time."""
        return self._root is not None

    @property
    def trouble(self) -> str:
        """Why messages are missing just now; empty where none are."""
        return (
            f"the page writes more than {MAX_PER_SECOND} messages a second: only some are kept" if self._paused else ""
        )

    async def collect(self, deadline: Deadline) -> None:
        """Takes what Chromium keeps of the documents that are shown.

        Raises:
            DeadlineError, CdpCallError, SessionLostError, PageCrashedError
        """
        if self._root is not None:
            return
        root = await self._attach(deadline)
        try:
            self._log.take(await self._enter(root, deadline, stays=False))
        finally:
            self._detach(root)

    async def start(self, deadline: Deadline) -> None:
        """Listens until `close`. Raises as `collect`."""
        root = await self._attach(deadline)
        try:
            self._log.take(await self._enter(root, deadline, stays=True))
        except BaseException:
            self._detach(root)
            raise
        self._root = root

    def close(self) -> None:
        """Stops listening."""
        for task in self._tasks:
            task.cancel()
        if self._root is not None:
            self._detach(self._root)
            self._root = None

    async def _attach(self, deadline: Deadline) -> _Heard:
        session = await attach_to_target(self._link.session(), self._target_id, deadline, _PHASE)
        return _Heard(session, self._target_id)

    def _detach(self, root: _Heard) -> None:
        detach_from_target(root.session)

    async def _enter(self, heard: _Heard, deadline: Deadline, *, stays: bool) -> dict[str, list[ConsoleMessage]]:
        """Begins to listen to a target and to all in it. Returns what Chromium keeps of them."""
        heard.kept = {}
        session = heard.session
        for event, read in (
            ("Runtime.consoleAPICalled", read_call),
            ("Runtime.exceptionThrown", read_exception),
            ("Log.entryAdded", read_entry),
        ):
            session.on(event, self._handler(heard, event.partition(".")[0], read))
        session.on("Target.attachedToTarget", lambda params: self._on_attached(heard, params))
        session.on("Target.detachedFromTarget", lambda params: self._on_detached(params["sessionId"]))
        enabling = [
            session.start("Runtime.enable"),
            session.start("Log.enable"),
            session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True),
        ]
        async with deadline.phase(_PHASE):
            await asyncio.gather(*enabling, return_exceptions=heard.target_id != self._target_id)
        kept, heard.kept = heard.kept, None
        children, heard.children = heard.children, []
        if stays:
            self._targets.append(heard)
        for more in await asyncio.gather(*(self._enter(each, deadline, stays=stays) for each in children)):
            kept |= more
        return kept

    def _handler(
        self, heard: _Heard, domain: str, read: Callable[[dict[str, Any]], ConsoleMessage | None]
    ) -> Callable[[dict[str, Any]], None]:
        source = f"{heard.target_id} {domain}"

        def handle(params: dict[str, Any]) -> None:
            if heard.kept is not None:
                if (message := read(params)) is not None:
                    heard.kept.setdefault(source, []).append(message)
            elif self._may_hear():
                if (message := read(params)) is not None:
                    self._log.hear(message, source)
            else:
                self._log.dropped += 1

        return handle

    def _may_hear(self) -> bool:
        if self._paused:
            return False
        now = self._clock()
        if now - self._second >= 1:
            self._second, self._count = now, 0
        self._count += 1
        self._unreleased += 1
        if self._unreleased >= RELEASED_AFTER:
            self._unreleased = 0
            self._tell("Runtime.releaseObjectGroup", objectGroup="console")
        if self._count <= MAX_PER_SECOND:
            return True
        self._pause(now)
        return False

    def _pause(self, now: float) -> None:
        """Does not listen to a page that writes too much, for a while."""
        goes_on = now - self._resumed_s < 2 * self._pause_s
        self._pause_s = min(LONGEST_PAUSE_SECONDS, 2 * self._pause_s) if goes_on else FIRST_PAUSE_SECONDS
        self._paused = True
        self._tell("Runtime.disable")
        self._tell("Log.disable")
        self._start(self._resume())

    async def _resume(self) -> None:
        await asyncio.sleep(self._pause_s)
        kept: dict[str, list[ConsoleMessage]] = {}
        deadline = Deadline.of(BACKGROUND_SECONDS)
        for heard in list(self._targets):
            heard.kept = {}
            try:
                async with deadline.phase(_PHASE):
                    await asyncio.gather(heard.session.start("Runtime.enable"), heard.session.start("Log.enable"))
            except (PerceptionError, CdpCallError):
                pass  # its page is gone, or hangs
            finally:
                kept |= heard.kept
                heard.kept = None
        self._log.take(kept)
        self._paused, self._resumed_s = False, self._clock()

    def _tell(self, method: str, **params: Any) -> None:
        for heard in self._targets:
            heard.session.start(method, **params).add_done_callback(consume)

    def _on_attached(self, parent: _Heard, params: dict[str, Any]) -> None:
        target = params["targetInfo"]
        if target["type"] not in _TYPES:
            return
        child = _Heard(self._link.session(params["sessionId"]), target["targetId"])
        if parent.kept is not None:  # whoever enters the parent enters it, too
            parent.children.append(child)
        elif parent in self._targets:
            self._start(self._adopt(child))

    def _on_detached(self, session_id: str) -> None:
        self._targets = [each for each in self._targets if each.session.session_id != session_id]

    async def _adopt(self, child: _Heard) -> None:
        try:
            self._log.take(await self._enter(child, Deadline.of(BACKGROUND_SECONDS), stays=True))
        except PerceptionError:
            return  # it is gone already

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="console")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
