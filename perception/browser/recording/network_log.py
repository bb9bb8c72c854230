"""Network events of one tab: every request of its pages, frames and workers while the log is attached.

It uses separate DevTools sessions, so that what it enables ends with them. Targets that wait for a debugger are resumed
at once.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.opening import attach_to_target, detach_from_target
from perception.browser.page.awaited import STREAM_SECONDS, UNREAD_SECONDS
from perception.browser.page.page_link import PageLink
from perception.browser.page.short_answers import is_short_answer
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.subroutines.recording import SOCKET

MAX_LOGGED_BODY_BYTES = 64 * 2**10
"""How much of a request's body Chromium reports and the log keeps: a long form has some KiB. Chosen by hand."""

MAX_EXCHANGES = 2000
"""Requests that are kept. Chosen by hand."""

NETWORK_LOG_ATTACH_SECONDS = 5.0
"""Limit for attaching to a frame or worker, which happens in the background. Chosen by hand."""

PHASE = "listening to the network"

SENT = frozenset({"Document", "XHR", "Fetch", "Ping", "Preflight", "Prefetch", "EventSource"})
"""Types of requests that send something; images, styles and scripts are only loaded."""


TEXT_FRAME, BINARY_FRAME = 1, 2
"""Opcodes of messages (RFC 6455, 5.6)."""


@dataclass(slots=True, eq=False)
class Exchange:
    """A request and its response, as far as it has come, or a message over a WebSocket and the next one that came over
    it. Not redacted: it must not leave this process.

    Attributes:
        request_id: CDP's, unique in its session.
        session: the DevTools session that reported it.
        method: HTTP method, or SOCKET.
        url: as requested.
        kind: CDP's ResourceType.
        at_s: when it was sent, seconds since 1970.
        frame: id of the frame that sent it; empty for a worker.
        headers: of the request.
        body: of the request, as far as it is known; may be empty although `has_body`.
        has_body: the request has a body.
        status: HTTP status; 0 before the response.
        mime: of the response.
        size: bytes of the response's body so far.
        location: where a redirect led; a redirect is an exchange of its own. Empty for others.
        failed: Chromium's error; empty where there is none.
        done: nothing more comes; for the document of a frame, that its response came; for an answer whose end is not
            reported, that nothing more of it came for a while.
        ended_s: when it was done, seconds since 1970; 0 before.
        loader: of the document that sent it; empty for a worker.
        scripts: CDP's ids of the scripts that sent it, unique in its session.
    """

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
    ended_s: float = 0.0
    loader: str = ""
    scripts: frozenset[str] = frozenset()


class NetworkLog:
    """Listens from `attach` to `detach`.

    Attributes:
        exchanges: in the order in which they were sent.
        dropped: requests beyond MAX_EXCHANGES.
        session: the log's own DevTools session of the tab.
    """

    def __init__(
        self,
        page: PageLink,
        prepare: Callable[[CdpSession, str], Awaitable[None]] | None = None,
        on_sent: Callable[[Exchange], None] | None = None,
        on_end: Callable[[NetworkLog, Exchange], None] | None = None,
    ) -> None:
        self.exchanges: list[Exchange] = []
        self.dropped = 0
        self.session = page.session
        self._page = page
        self._prepare = prepare
        self._note_sent = on_sent
        self._note_end = on_end
        self._live: dict[tuple[str, str], Exchange] = {}
        self._sockets: dict[str, str] = {}
        self._unanswered: dict[str, list[Exchange]] = {}
        self._messages: dict[Exchange, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._event = asyncio.Event()

    @classmethod
    async def attach(
        cls,
        page: PageLink,
        deadline: Deadline,
        *,
        prepare: Callable[[CdpSession, str], Awaitable[None]] | None = None,
        on_sent: Callable[[Exchange], None] | None = None,
        on_end: Callable[[NetworkLog, Exchange], None] | None = None,
    ) -> NetworkLog:
        """Begins to listen.

        Args:
            prepare: called with each session and its target's type before the target is resumed.
            on_sent: called with each exchange when it is sent.
            on_end: called with each exchange that has ended.
        """
        log = cls(page, prepare, on_sent, on_end)
        log.session = await attach_to_target(page.link.session(), page.target_id, deadline, PHASE)
        try:
            async with deadline.phase(PHASE):
                await log._listen(log.session, "page")
        except BaseException:
            log.detach()
            raise
        return log

    def detach(self) -> None:
        """Stops listening; what its sessions enabled ends with them."""
        for task in self._tasks:
            task.cancel()
        detach_from_target(self.session)

    async def wait_for(self, is_done: Callable[[], bool], timeout_s: float) -> bool:
        """Waits until a condition holds, checked at each event. False when it did not hold in time."""
        try:
            async with asyncio.timeout(timeout_s):
                while not is_done():
                    self._event.clear()
                    await self._event.wait()
        except TimeoutError:
            return False
        return True

    async def body_of(self, exchange: Exchange, deadline: Deadline) -> str:
        """The response's body as text; empty where the browser no longer has it."""
        if exchange.method == SOCKET:
            return self._messages.get(exchange, "")
        try:
            reply = await exchange.session.call(
                "Network.getResponseBody", deadline, "reading the response", requestId=exchange.request_id
            )
        except CdpCallError:
            return ""
        text = str(reply["body"])
        return base64.b64decode(text).decode("utf-8", "replace") if reply.get("base64Encoded") else text

    async def _listen(self, session: CdpSession, kind: str) -> None:
        for event, handler in (
            ("Network.requestWillBeSent", lambda params: self._on_sent(session, params)),
            ("Network.responseReceived", lambda params: self._on_response(session, params)),
            ("Network.dataReceived", lambda params: self._on_data(session, params)),
            ("Network.loadingFinished", lambda params: self._on_end(session, params)),
            ("Network.loadingFailed", lambda params: self._on_end(session, params)),
            ("Network.webSocketCreated", self._on_socket),
            ("Network.webSocketFrameSent", lambda params: self._on_message_sent(session, params)),
            ("Network.webSocketFrameReceived", self._on_message),
            ("Network.webSocketClosed", self._on_socket_closed),
            ("Target.attachedToTarget", self._on_attached),
        ):
            session.on(event, handler)
        await asyncio.gather(
            session.start("Network.enable", maxPostDataSize=MAX_LOGGED_BODY_BYTES),
            # Frames of other processes and workers wait until the log listens to them.
            session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True),
        )
        if self._prepare is not None:
            await self._prepare(session, kind)

    def _on_attached(self, params: dict[str, Any]) -> None:
        session = self._page.link.session(params["sessionId"])
        self._start(self._adopt(session, params["targetInfo"]["type"]))

    async def _adopt(self, session: CdpSession, kind: str) -> None:
        try:
            async with asyncio.timeout(NETWORK_LOG_ATTACH_SECONDS):
                await self._listen(session, kind)
        except (PerceptionError, TimeoutError):
            return  # it is gone, or has no network domain (a worklet)
        finally:
            session.start("Runtime.runIfWaitingForDebugger").add_done_callback(consume)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="network-log")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_sent(self, session: CdpSession, params: dict[str, Any]) -> None:
        key = (session.session_id, params["requestId"])
        request = params["request"]
        before = self._live.get(key)
        if before is not None and "redirectResponse" in params:
            self._take_response(before, params["redirectResponse"])
            before.location, before.done, before.ended_s = request["url"], True, time.time()
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
            loader=str(params.get("loaderId", "")),
            scripts=frozenset(_scripts_in(params.get("initiator", {}).get("stack"))),
        )
        self._live[key] = exchange
        self.exchanges.append(exchange)
        self._event.set()
        if self._note_sent is not None:
            self._note_sent(exchange)

    def _on_response(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.get((session.session_id, params["requestId"]))
        if exchange is not None:
            self._take_response(exchange, params["response"])
            if exchange.kind == "Document" and exchange.frame != self._page.main_frame:
                # In another process its end is not reported to this session.
                exchange.done, exchange.ended_s = True, time.time()
            if exchange.kind == "Fetch":
                quiet_s = UNREAD_SECONDS if is_short_answer(params["response"]) else STREAM_SECONDS
                self._start(self._end_unread(exchange, quiet_s))
            self._event.set()

    async def _end_unread(self, exchange: Exchange, quiet_s: float) -> None:
        """Ends an answer of which nothing more comes. Chromium 156 reports no end where the page does not read a body
        with `Cache-Control: no-store`."""
        size = -1
        while not exchange.done and exchange.size != size:
            size = exchange.size
            await asyncio.sleep(quiet_s)
        if not exchange.done:
            self._end(exchange)

    def _on_data(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.get((session.session_id, params["requestId"]))
        if exchange is not None:
            exchange.size += int(params["dataLength"])

    def _on_end(self, session: CdpSession, params: dict[str, Any]) -> None:
        exchange = self._live.pop((session.session_id, params["requestId"]), None)
        if exchange is not None and not (exchange.kind == "Fetch" and exchange.done and "errorText" in params):
            exchange.failed = str(params.get("errorText", ""))
            self._end(exchange)

    def _on_socket(self, params: dict[str, Any]) -> None:
        self._sockets[params["requestId"]] = str(params["url"])

    def _on_message_sent(self, session: CdpSession, params: dict[str, Any]) -> None:
        frame, socket = params["response"], params["requestId"]
        if frame["opcode"] not in (TEXT_FRAME, BINARY_FRAME) or len(self.exchanges) >= MAX_EXCHANGES:
            return
        text = frame["payloadData"][:MAX_LOGGED_BODY_BYTES] if frame["opcode"] == TEXT_FRAME else ""
        headers = {"content-type": _mime_of(frame)}
        url = self._url_of(socket)
        exchange = Exchange(socket, session, SOCKET, url, "WebSocket", time.time(), "", headers, text, True)
        self._unanswered.setdefault(socket, []).append(exchange)
        self.exchanges.append(exchange)
        self._event.set()
        if self._note_sent is not None:
            self._note_sent(exchange)

    def _on_message(self, params: dict[str, Any]) -> None:
        frame, waiting = params["response"], self._unanswered.get(params["requestId"])
        if not waiting or frame["opcode"] not in (TEXT_FRAME, BINARY_FRAME):
            return
        exchange = waiting.pop(0)
        exchange.status, exchange.mime, exchange.size = 200, _mime_of(frame), len(frame["payloadData"])
        if frame["opcode"] == TEXT_FRAME:
            self._messages[exchange] = frame["payloadData"]
        self._end(exchange)

    def _on_socket_closed(self, params: dict[str, Any]) -> None:
        for exchange in self._unanswered.pop(params["requestId"], ()):
            exchange.failed = "the WebSocket was closed"
            self._end(exchange)

    def _end(self, exchange: Exchange) -> None:
        exchange.done, exchange.ended_s = True, time.time()
        self._event.set()
        if self._note_end is not None:
            self._note_end(self, exchange)

    def _url_of(self, socket: str) -> str:
        """The address of a WebSocket, with HTTP's scheme; of one that was opened before, as the tab knows it."""
        known = (each.url for (_, request_id), each in self._page.requests.sockets.items() if request_id == socket)
        url = self._sockets.get(socket) or next(known, "") or self._page.url
        return url.replace("ws", "http", 1) if url.startswith(("ws:", "wss:")) else url

    @staticmethod
    def _take_response(exchange: Exchange, response: dict[str, Any]) -> None:
        exchange.status, exchange.mime = int(response["status"]), str(response.get("mimeType", ""))


def _mime_of(frame: dict[str, Any]) -> str:
    if frame["opcode"] == BINARY_FRAME:
        return "application/octet-stream"
    return "application/json" if frame["payloadData"][:1] in ("{", "[") else "text/plain"


def _scripts_in(stack: dict[str, Any] | None) -> Iterator[str]:
    """The scripts of a call stack, and of what it was started by."""
    while stack:
        for frame in stack.get("callFrames", ()):
            yield str(frame["scriptId"])
        stack = stack.get("parent")
