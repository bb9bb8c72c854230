"""Our own link to Chromium: the DevTools protocol over one WebSocket, apart from Playwright's queue.

One `CdpLink` is one browser; a `CdpSession` is one target on it (flattened sessions). Commands are pipelined:
`start` sends without waiting, `call` waits within a budget. A closed link or a detached target fails what is
pending at once, so that nobody waits for an answer that cannot come.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.frames import CloseCode

from perception.budget import Budget
from perception.errors import BrowserUnavailableError, PageCrashedError, PerceptionError, SessionLostError

log = structlog.get_logger(__name__)

Handler = Callable[[dict[str, Any]], None]

MAX_MESSAGE_BYTES = 256 * 2**20
"""A 100-megapixel screenshot as base64 PNG stays below this."""

CLOSE_SECONDS = 1.0
"""For the browser's goodbye; the library's own ten seconds are what a browser that hangs would cost."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
"""An escape in JSON; the group is half of a surrogate pair."""


class CdpCallError(PerceptionError):
    """Chromium refused a command. Callers that expect one catch it; anywhere else it is a defect of ours."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.code = code


class _Straight(connect):
    """Follows no redirect: the address that was given is the one that was checked."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


class CdpLink:
    """The connection to one browser. `overflowed`: we closed it, for a message that was too large."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last_id = 0
        self._pending: dict[int, tuple[str, str, asyncio.Future[dict[str, Any]]]] = {}
        self._handlers: dict[tuple[str, str], list[Handler]] = defaultdict(list)
        self._reader = asyncio.create_task(self._read(), name="cdp-reader")
        self.closed = asyncio.Event()
        self.overflowed = False

    @classmethod
    async def connect(cls, url: str, budget: Budget, *, max_bytes: int = MAX_MESSAGE_BYTES) -> CdpLink:
        """Opens the link to a browser's `webSocketDebuggerUrl`.

        Args:
            max_bytes: a larger message from the browser closes the link.

        Raises:
            BrowserUnavailableError: nothing that speaks CDP answers there.
        """
        try:
            async with budget.phase("connecting to the browser"):
                socket = await _Straight(
                    url,
                    max_size=max_bytes,
                    compression=None,
                    ping_interval=None,
                    proxy=None,
                    close_timeout=CLOSE_SECONDS,
                )
        except (OSError, InvalidHandshake, InvalidURI) as exc:
            raise BrowserUnavailableError(
                "the browser's CDP endpoint does not answer: check that it runs and that the address is right"
            ) from exc
        return cls(socket)

    def session(self, session_id: str = "") -> CdpSession:
        return CdpSession(self, session_id)

    def start(self, session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Sends a command and returns its answer to come."""
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
        sending.add_done_callback(consume)  # the reader tells every caller of a link that closes
        number = self._last_id
        future.add_done_callback(lambda _: self._pending.pop(number, None))
        return future

    def on(self, session_id: str, event: str, handler: Handler) -> None:
        self._handlers[session_id, event].append(handler)

    def off(self, session_id: str, event: str, handler: Handler) -> None:
        """The handler must be one that listens."""
        self._handlers[session_id, event].remove(handler)

    def forget(self, session_id: str, error: PerceptionError) -> None:
        """Fails what a session still waits for, and drops its handlers."""
        for waiting, _, future in list(self._pending.values()):
            if waiting == session_id and not future.done():
                future.set_exception(error)
        for key in [key for key in self._handlers if key[0] == session_id]:
            del self._handlers[key]

    async def close(self) -> None:
        await self._socket.close()
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader
        self._fail_all()

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                message = _read_message(frame)
                if message is None:
                    log.warning("not a DevTools message", bytes=len(frame))
                else:
                    self._dispatch(message)
        except ConnectionClosed as exc:  # else the browser went away: what is pending fails below
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
            return  # its caller's time was up
        error, result = message.get("error"), message.get("result", {})
        if error is not None:
            said = error if isinstance(error, dict) else {}
            code = said.get("code")
            future.set_exception(
                CdpCallError(method, code if isinstance(code, int) else 0, str(said.get("message") or ""))
            )
        elif isinstance(result, dict):
            future.set_result(result)
        else:
            future.set_exception(CdpCallError(method, 0, "the answer is no object"))

    def _dispatch_event(self, message: dict[str, Any]) -> None:
        session_id, method, params = message.get("sessionId", ""), message.get("method"), message.get("params", {})
        if not (isinstance(session_id, str) and isinstance(method, str) and isinstance(params, dict)):
            log.warning("not a DevTools event")
            return
        if method == "Inspector.targetCrashed":
            self._fail_session(session_id, PageCrashedError("the page crashed: open it again or close its tab"))
        for handler in list(self._handlers.get((session_id, method), ())):
            try:
                handler(params)
            except Exception as exc:  # one event must not end the link, and with it every session of the browser
                log.error("handler failed", event_name=method, kind=type(exc).__name__, exc_info=exc)
        if method == "Target.detachedFromTarget" and isinstance(detached := params.get("sessionId"), str):
            self.forget(detached, SessionLostError("the tab or frame was closed meanwhile"))

    def _fail_session(self, session_id: str, error: PerceptionError) -> None:
        for waiting, _, future in list(self._pending.values()):
            if waiting == session_id and not future.done():
                future.set_exception(error)


class CdpSession:
    """Commands and events of one target; `session_id` is empty for the browser itself."""

    __slots__ = ("link", "session_id")

    def __init__(self, link: CdpLink, session_id: str) -> None:
        self.link = link
        self.session_id = session_id

    def start(self, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        return self.link.start(self.session_id, method, params)

    async def call(self, method: str, budget: Budget, phase: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer.

        Raises:
            CdpCallError: Chromium refused it.
            DeadlineError: no answer within the budget; names the phase.
            SessionLostError, PageCrashedError: no answer can come any more.
        """
        async with budget.phase(phase):
            return await self.start(method, **params)

    def on(self, event: str, handler: Handler) -> None:
        self.link.on(self.session_id, event, handler)

    def off(self, event: str, handler: Handler) -> None:
        self.link.off(self.session_id, event, handler)


def _read_message(frame: str | bytes) -> dict[str, Any] | None:
    """A message out of a frame; None for what is none.

    Chromium hands on halves of surrogate pairs as a page makes them, which are no text (RFC 8259, 8.2): they become the
    sign for what cannot be read.
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
    """For what nobody waits for: its failure is no news."""
    if not future.cancelled():
        future.exception()
