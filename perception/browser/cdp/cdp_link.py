"""Our own link to Chromium: the DevTools protocol over one WebSocket, apart from Playwright's queue.

One `CdpLink` is one browser; a `CdpSession` is one target on it (flattened sessions). Commands are pipelined:
`start` sends without waiting, `call` waits within a deadline. When the link closes or a target is detached, its pending
commands fail at once.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.frames import CloseCode

from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, PageCrashedError, PerceptionError, SessionLostError

log = structlog.get_logger(__name__)

Handler = Callable[[dict[str, Any]], None]

MAX_MESSAGE_BYTES = 256 * 2**20
"""A 100-megapixel screenshot as base64 PNG stays below this."""

LINK_CLOSE_SECONDS = 1.0
"""For the closing handshake, which a hung browser does not answer; the library's default is ten seconds. Chosen by
hand."""

RECEIVING_SECONDS = 40e-6
"""What a message takes before it is read here (websockets 15)."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
"""An escape in JSON; the group is half of a surrogate pair."""


class CdpCallError(PerceptionError):
    """Chromium refused a command. Callers that expect that catch it; elsewhere it is a defect of ours."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.code = code


class _ConnectWithoutRedirects(connect):
    """Follows no redirect: only the given address was checked."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


class CdpLink:
    """The connection to one browser.

    Attributes:
        closed: set when the connection is closed, by either side.
        overflowed: we closed it because a message was too large.
        events_s: processor time that was spent on the browser's events so far, s.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last_id = 0
        self._pending: dict[int, tuple[str, str, asyncio.Future[dict[str, Any]]]] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._handlers: dict[tuple[str, str], list[Handler]] = defaultdict(list)
        self._reader = asyncio.create_task(self._read(), name="cdp-reader")
        self.closed = asyncio.Event()
        self.overflowed = False
        self.events_s = 0.0

    @classmethod
    async def connect(cls, url: str, deadline: Deadline, *, max_bytes: int = MAX_MESSAGE_BYTES) -> CdpLink:
        """Opens the link to a browser's `webSocketDebuggerUrl`.

        Args:
            max_bytes: a larger message from the browser closes the link.

        Raises:
            BrowserUnavailableError: no CDP endpoint answers there.
        """
        try:
            async with deadline.phase("connecting to the browser"):
                socket = await _ConnectWithoutRedirects(
                    url,
                    max_size=max_bytes,
                    compression=None,
                    ping_interval=None,
                    proxy=None,
                    close_timeout=LINK_CLOSE_SECONDS,
                )
        except (OSError, InvalidHandshake, InvalidURI) as exc:
            raise BrowserUnavailableError(
                "the browser's CDP endpoint does not answer: check that it runs and that the address is right"
            ) from exc
        return cls(socket)

    def session(self, session_id: str = "") -> CdpSession:
        """The session of a target; the browser's own for an empty id."""
        return CdpSession(self, session_id)

    def start(self, session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Sends a command and returns a future for its result."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self.closed.is_set():
            future.set_exception(_lost())
            return future
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params}
        if session_id:
            message["sessionId"] = session_id
        self._pending[self._last_id] = (session_id, method, future)
        sending = asyncio.create_task(self._socket.send(_encode(message).decode()))
        self._sending.add(sending)  # the event loop itself holds only weak references to tasks
        sending.add_done_callback(self._sending.discard)
        sending.add_done_callback(consume)  # the reader fails the commands of a link that closes
        number = self._last_id
        future.add_done_callback(lambda _: self._pending.pop(number, None))
        return future

    def on(self, session_id: str, event: str, handler: Handler) -> None:
        """Has a handler called with the parameters of each such event."""
        self._handlers[session_id, event].append(handler)

    def off(self, session_id: str, event: str, handler: Handler) -> None:
        """Removes a handler that was added by `on`."""
        self._handlers[session_id, event].remove(handler)

    def fail(self, session_id: str, error: PerceptionError) -> None:
        """Fails the pending commands of a session."""
        for waiting, _, future in list(self._pending.values()):
            if waiting == session_id and not future.done():
                future.set_exception(error)

    def forget(self, session_id: str, error: PerceptionError) -> None:
        """Fails the pending commands of a session, and drops its handlers."""
        self.fail(session_id, error)
        for key in [key for key in self._handlers if key[0] == session_id]:
            del self._handlers[key]

    async def close(self) -> None:
        """Closes the connection and fails all pending commands."""
        await self._socket.close()
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader
        self._fail_all()

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                start_s = time.thread_time()
                message = _read_message(frame)
                if message is None:
                    log.warning("not a CDP message", bytes=len(frame))
                else:
                    self._dispatch(message)
                    if "id" not in message:
                        self.events_s += time.thread_time() - start_s + RECEIVING_SECONDS
        except ConnectionClosed as exc:  # else the browser is gone: pending commands fail below
            self.overflowed = exc.sent is not None and exc.sent.code == CloseCode.MESSAGE_TOO_BIG
        finally:
            self._fail_all()

    def _fail_all(self) -> None:
        self.closed.set()
        for _, _, future in list(self._pending.values()):
            if not future.done():
                future.set_exception(_lost())
        self._pending.clear()

    def _dispatch(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is None:
            self._dispatch_event(message)
            return
        _, method, future = self._pending.get(number, ("", "", None)) if isinstance(number, int) else ("", "", None)
        if future is None or future.done():
            return  # its caller no longer waits
        error, result = message.get("error"), message.get("result", {})
        if error is not None:
            details = error if isinstance(error, dict) else {}
            code = details.get("code")
            future.set_exception(
                CdpCallError(method, code if isinstance(code, int) else 0, str(details.get("message") or ""))
            )
        elif isinstance(result, dict):
            future.set_result(result)
        else:
            future.set_exception(CdpCallError(method, 0, "the result is not an object"))

    def _dispatch_event(self, message: dict[str, Any]) -> None:
        session_id, method, params = message.get("sessionId", ""), message.get("method"), message.get("params", {})
        if not (isinstance(session_id, str) and isinstance(method, str) and isinstance(params, dict)):
            log.warning("not a CDP event")
            return
        if method == "Inspector.targetCrashed":
            self.fail(session_id, PageCrashedError("the page crashed: open it again or close its tab"))
        for handler in list(self._handlers.get((session_id, method), ())):
            try:
                handler(params)
            except Exception as exc:  # one event must not close the link, which all sessions of the browser use
                log.error("handler failed", event_name=method, kind=type(exc).__name__, exc_info=exc)
        if method == "Target.detachedFromTarget" and isinstance(detached := params.get("sessionId"), str):
            self.forget(detached, SessionLostError("the tab or frame was closed"))


class CdpSession:
    """Commands and events of one target; `session_id` is empty for the browser itself."""

    __slots__ = ("link", "session_id")

    def __init__(self, link: CdpLink, session_id: str) -> None:
        self.link = link
        self.session_id = session_id

    def start(self, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        return self.link.start(self.session_id, method, params)

    async def call(self, method: str, deadline: Deadline, phase: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its result.

        Raises:
            CdpCallError: Chromium refused it.
            DeadlineError: no answer within the deadline; names the phase.
            SessionLostError, PageCrashedError: the target or the browser is gone.
        """
        async with deadline.phase(phase):
            return await self.start(method, **params)

    def on(self, event: str, handler: Handler) -> None:
        self.link.on(self.session_id, event, handler)

    def off(self, event: str, handler: Handler) -> None:
        self.link.off(self.session_id, event, handler)


def _read_message(frame: str | bytes) -> dict[str, Any] | None:
    """The CDP message in a WebSocket frame; None where there is none.

    Chromium passes on unpaired surrogates of pages, which are not valid text (RFC 8259, 8.2): they become U+FFFD.
    """
    try:
        message = _decode(frame)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        try:
            text = frame if isinstance(frame, str) else frame.decode()
            message = _decode(_ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None
    return message if isinstance(message, dict) else None


def _lost() -> SessionLostError:
    return SessionLostError("the browser is gone: create a new session")


def consume(future: asyncio.Future[Any]) -> None:
    """Ignores the failure of a future that nothing waits for."""
    if not future.cancelled():
        future.exception()
