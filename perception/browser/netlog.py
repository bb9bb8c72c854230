"""The network of one tab as DevTools tells it: every request of its pages, frames and workers, while it is listened to.

It has DevTools sessions of its own, so that what it turns on goes with it. What waits for a debugger is let go at once.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from perception.browser.cdp import CdpCallError, CdpSession, consume
from perception.browser.page import PageLink
from perception.budget import Budget
from perception.errors import PerceptionError

MAX_BODY_BYTES = 64 * 2**10
"""Of a request's body that is kept: a long form has some KiB. Chromium tells no more than this of one."""

MAX_EXCHANGES = 2000

ATTACH_SECONDS = 5.0
"""Nobody waits for a frame or worker to be listened to."""

PHASE = "listening to the network"

SENT = frozenset({"Document", "XHR", "Fetch", "Ping", "Preflight", "Prefetch", "EventSource"})
"""What scripts and people send; pictures, styles and scripts only come."""


@dataclass(slots=True, eq=False)
class Exchange:
    """A request and what came of it, so far. `at_s` is seconds since 1970. A redirect is an exchange of its own, whose
    `location` is where it led. Not masked: it is for this process's memory alone."""

    request_id: str
    session: CdpSession
    method: str
    url: str
    kind: str
    at_s: float
    frame: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    has_body: bool = False
    status: int = 0
    mime: str = ""
    size: int = 0
    location: str = ""
    failed: str = ""
    done: bool = False


class NetworkLog:
    """Listens from `attach` to `detach`. `dropped` counts what was more than is kept."""

    def __init__(self, page: PageLink, prepare: Callable[[CdpSession, str], Awaitable[None]] | None = None) -> None:
        self.exchanges: list[Exchange] = []
        self.dropped = 0
        self.session = page.session
        self._page = page
        self._prepare = prepare
        self._live: dict[tuple[str, str], Exchange] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    @classmethod
    async def attach(
        cls, page: PageLink, budget: Budget, prepare: Callable[[CdpSession, str], Awaitable[None]] | None = None
    ) -> NetworkLog:
        """Begins to listen.

        Args:
            prepare: called with each session and its target's type before what waits for it goes on.
        """
        log = cls(page, prepare)
        browser = page.link.session()
        reply = await browser.call("Target.attachToTarget", budget, PHASE, targetId=page.target_id, flatten=True)
        log.session = page.link.session(reply["sessionId"])
        async with budget.phase(PHASE):
            await log._listen(log.session, "page")
        return log

    def detach(self) -> None:
        """Ends it; what its sessions had turned on goes with them."""
        for task in self._tasks:
            task.cancel()
        detached = self._page.link.session().start("Target.detachFromTarget", sessionId=self.session.session_id)
        detached.add_done_callback(consume)

    async def wait_for(self, is_done: Callable[[], bool], timeout_s: float) -> bool:
        """Waits for news until something is so. False when the time is up."""
        try:
            async with asyncio.timeout(timeout_s):
                while not is_done():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def body_of(self, exchange: Exchange, budget: Budget) -> str:
        """The response's body as text; empty where the browser has it no more."""
        try:
            reply = await exchange.session.call(
                "Network.getResponseBody", budget, "reading the answer", requestId=exchange.request_id
            )
        except CdpCallError:
            return ""
        text = str(reply["body"])
        return base64.b64decode(text).decode("utf-8", "replace") if reply.get("base64Encoded") else text

    async def _listen(self, session: CdpSession, kind: str) -> None:
        for event, handler in (
            ("Network.requestWillBeSent", lambda params: self._sent(session, params)),
            ("Network.responseReceived", lambda params: self._answered(session, params)),
            ("Network.dataReceived", lambda params: self._received(session, params)),
            ("Network.loadingFinished", lambda params: self._ended(session, params)),
            ("Network.loadingFailed", lambda params: self._ended(session, params)),
            ("Target.attachedToTarget", self._attached),
        ):
            session.on(event, handler)
        await asyncio.gather(
            session.start("Network.enable", maxPostDataSize=MAX_BODY_BYTES),
            # A frame of another process waits until it is listened to.
            session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True),
        )
        if self._prepare is not None:
            await self._prepare(session, kind)

    def _attached(self, params: dict[str, Any]) -> None:
        session = self._page.link.session(params["sessionId"])
        self._start(self._adopt(session, params["targetInfo"]["type"]))

    async def _adopt(self, session: CdpSession, kind: str) -> None:
        try:
            async with asyncio.timeout(ATTACH_SECONDS):
                await self._listen(session, kind)
        except (PerceptionError, TimeoutError):
            return  # it is gone again, or knows no network (a worklet)
        finally:
            session.start("Runtime.runIfWaitingForDebugger").add_done_callback(consume)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="network-log")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _sent(self, session: CdpSession, params: dict[str, Any]) -> None:
        key = (session.session_id, params["requestId"])
        request = params["request"]
        before = self._live.get(key)
        if before is not None and "redirectResponse" in params:
            self._take_response(before, params["redirectResponse"])
            before.location, before.done = request["url"], True
        if params.get("type", "Other") not in SENT:
            return
        if len(self.exchanges) >= MAX_EXCHANGES:
            self.dropped += 1
            return
        exchange = Exchange(
            params["requestId"],
            session,
            request["method"],
            request["url"],
            params.get("type", "Other"),
            float(params["wallTime"]),
            str(params.get("frameId", "")),
            dict(request["headers"]),
            str(request.get("postData", "")),
            bool(request.get("hasPostData")),
        )
        self._live[key] = exchange
        self.exchanges.append(exchange)
        self._news.set()

    def _answered(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.get((session.session_id, params["requestId"]))
        if exchange is not None:
            self._take_response(exchange, params["response"])
            self._news.set()

    def _received(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.get((session.session_id, params["requestId"]))
        if exchange is not None:
            exchange.size += int(params["dataLength"])

    def _ended(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.pop((session.session_id, params["requestId"]), None)
        if exchange is not None:
            exchange.failed, exchange.done = str(params.get("errorText", "")), True
            self._news.set()

    @staticmethod
    def _take_response(exchange: Exchange, response: dict[str, Any]) -> None:
        exchange.status, exchange.mime = int(response["status"]), str(response.get("mimeType", ""))
