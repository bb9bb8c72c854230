"""The requests of one tab that are open, and what each of them comes of: the load of a document, input, or neither.

Rule 1: nothing here waits, and nothing is kept of what requests carry: addresses, kinds and times alone.
Rule 2: what a page sends again and again on its own is a poll. Polls are known by their route, for the life of the tab.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.short_answers import is_short_answer
from perception.deadline import loop_time

CAUSED_SECONDS = 1.0
"""A request comes of input, or of a load, for this time after it: longer than pages usually wait for more input (0.15
to 0.5 s). Chosen by hand."""

CHAINED_SECONDS = 0.5
"""How soon after an answer a page sends the next request of the same cause. Chosen by hand."""

CHAIN_SECONDS = 10.0
"""How long after its cause the last request of a chain may be sent. Chosen by hand."""

RETRY_SECONDS = 1.5
"""When programs send a failed request again, after a second for the most part."""

REPEATS = 3
"""The same address again after so many answers is a poll, not a chain. Chosen by hand."""

HELD_SECONDS = 3.0
"""A server that answers so late without input may hold the request until there is news. Chosen by hand."""

POLLS = 2
"""Requests of a route without a cause that make it a poll; one is enough for a route that was held."""

MAX_OPEN = 1000
MAX_ENDED = 50
MAX_ROUTES = 300
"""Bounds of what is kept. Chosen by hand."""

MAX_NAME = 80
"""Characters of a request's name. Chosen by hand."""

_NAMES = {
    "Document": "frame",
    "Stylesheet": "style",
    "Script": "script",
    "Font": "font",
    "Image": "image",
    "XHR": "xhr",
    "Fetch": "fetch",
    "EventSource": "event stream",
    "WebSocket": "websocket",
}
"""What is tracked, by CDP's ResourceType, and how it is called. Media plays while it loads; a ping, a prefetch, a
manifest or an icon changes nothing that a person sees."""

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which programs commonly send a request again."""


class Cause(Enum):
    """What a request comes of."""

    NOTHING = "nothing"
    """A timer, or a connection that is kept up."""
    LOAD = "load"
    INPUT = "input"


_CHANGING = ("POST ", "PUT ", "PATCH ", "DELETE ")


@dataclass(slots=True, eq=False)
class PageRequest:
    """One request. Times are seconds of the tracker's clock.

    Attributes:
        kind: CDP's ResourceType.
        route: method, origin and path, with the numbers in the path left out.
        url: as requested; it must not leave this process.
        name: what it is called in an answer: kind and path, without the query.
        frame, loader: of the frame and document that sent it; empty for a worker.
        cause: what it comes of.
        root_s: when that was.
        sent_s: when it was sent.
        moved_s: when something came of it last.
        status: HTTP status; 0 before the response.
        ended_s: when it ended; 0 before.
        failed: it ended without an answer, or with a status after which programs try again.
        cancelled: the page itself ended it.
        is_short: its answer announces a length that comes in one piece.
        has_news: an event stream has brought an event.
    """

    kind: str
    url: str
    route: str
    name: str
    frame: str
    loader: str
    cause: Cause
    root_s: float
    sent_s: float
    moved_s: float
    status: int = 0
    ended_s: float = 0.0
    failed: bool = False
    cancelled: bool = False
    is_short: bool = False
    has_news: bool = False


@dataclass(slots=True, eq=False)
class OpenSocket:
    """One WebSocket.

    Attributes:
        name: as that of a request.
        url: its address.
        asked_s: when it last sent something because of input, or was opened by it; 0 for never.
        received_s: when it last received something.
        is_mute: it was waited for once, and did not answer.
    """

    name: str
    url: str
    asked_s: float = 0.0
    received_s: float = 0.0
    is_mute: bool = False


@dataclass(slots=True)
class _Route:
    uncaused: int = 0
    was_held: bool = False

    @property
    def is_poll(self) -> bool:
        return self.uncaused >= (1 if self.was_held else POLLS)


@dataclass(slots=True, eq=False)
class PageRequests:
    """What a tab has asked of the network.

    Attributes:
        open: by DevTools session and request.
        ended: the last ones that had a cause.
        sockets: open WebSockets.
        input_s: when input was last begun to be sent to the tab; -inf for never.
        input_end_s: when all of it had been sent.
        loaded_s: when the top document's `load` event came; inf until then.
    """

    clock: Callable[[], float] = loop_time
    open: dict[tuple[str, str], PageRequest] = field(default_factory=dict)
    ended: deque[PageRequest] = field(default_factory=lambda: deque(maxlen=MAX_ENDED))
    sockets: dict[tuple[str, str], OpenSocket] = field(default_factory=dict)
    input_s: float = float("-inf")
    input_end_s: float = float("-inf")
    loaded_s: float = float("inf")
    _committed_s: float = 0.0
    _routes: dict[str, _Route] = field(default_factory=dict)

    def listen(self, session: CdpSession, main_frame: str) -> None:
        """Follows the requests of a target; its network domain is enabled by the caller.

        Args:
            main_frame: its document is not a request of the page: a navigation is followed elsewhere.
        """
        of = session.session_id
        for event, handler in (
            ("Network.requestWillBeSent", lambda params: self._on_sent(of, params, main_frame)),
            ("Network.responseReceived", lambda params: self._on_response(of, params)),
            ("Network.dataReceived", lambda params: self._on_data(of, params)),
            ("Network.eventSourceMessageReceived", lambda params: self._on_event(of, params)),
            ("Network.loadingFinished", lambda params: self._end(of, params)),
            ("Network.loadingFailed", lambda params: self._on_failed(of, params)),
            ("Network.webSocketCreated", lambda params: self._on_socket(of, params)),
            ("Network.webSocketFrameSent", lambda params: self._on_socket_sent(of, params)),
            ("Network.webSocketFrameReceived", lambda params: self._on_socket_received(of, params)),
            ("Network.webSocketClosed", lambda params: self._on_socket_closed(of, params)),
        ):
            session.on(event, handler)

    def note_input(self) -> None:
        """Input is about to be sent to the tab."""
        self.input_s = self.input_end_s = self.clock()

    def note_input_end(self) -> None:
        """Input has been sent: its last key is answered later than its first one."""
        if self.input_s > float("-inf"):  # else another document has come
            self.input_end_s = self.clock()

    @property
    def arrived_s(self) -> float:
        """When the top document came, or had loaded: what its scripts do then takes a moment."""
        return max(self._committed_s, self.loaded_s if self.loaded_s < float("inf") else 0.0)

    @property
    def changes(self) -> bool:
        """Whether something that input has sent, and that may change something, has no answer yet."""
        return any(
            each.cause is Cause.INPUT and not each.status and each.route.startswith(_CHANGING)
            for each in self.open.values()
        )

    def note_commit(self, loader: str) -> None:
        """The top frame shows another document: what earlier ones asked for no longer counts."""
        self._committed_s, self.loaded_s, self.input_s = self.clock(), float("inf"), float("-inf")
        self.input_end_s = float("-inf")
        self.open = {key: each for key, each in self.open.items() if each.loader == loader}
        self.ended.clear()
        self.sockets.clear()

    def note_load(self) -> None:
        """The top document has loaded."""
        self.loaded_s = self.clock()

    def drop_frame(self, frame: str, loader: str = "") -> None:
        """A frame is gone, or shows another document."""
        self.open = {key: each for key, each in self.open.items() if each.frame != frame or each.loader == loader != ""}

    def drop_session(self, session_id: str) -> None:
        """A process of a frame, or a worker, is gone."""
        self.open = {key: each for key, each in self.open.items() if key[0] != session_id}
        self.sockets = {key: each for key, each in self.sockets.items() if key[0] != session_id}

    def mute_silent_sockets(self, before_s: float) -> None:
        """Sockets that have not answered what they sent before then are not waited for again."""
        for socket in self.sockets.values():
            socket.is_mute = socket.is_mute or socket.received_s < socket.asked_s < before_s

    def answers(self) -> list[PageRequest]:
        """The requests that were answered, the last ones last; also those whose answer the page does not read, so that
        their end is not reported."""
        unread = [
            each for each in self.open.values() if each.status and each.is_short and each.cause is not Cause.NOTHING
        ]
        return [*self.ended, *unread]

    def is_poll(self, request: PageRequest) -> bool:
        """The page repeats it on its own."""
        route = self._routes.get(request.route)
        return route is not None and route.is_poll

    def _on_sent(self, session_id: str, params: dict[str, Any], main_frame: str) -> None:
        kind, frame, key = params.get("type", "Other"), params.get("frameId", ""), (session_id, params["requestId"])
        now, request = self.clock(), params["request"]
        if kind not in _NAMES or (kind == "Document" and frame == main_frame) or len(self.open) >= MAX_OPEN:
            return
        if not request["url"].startswith(("http:", "https:")):  # made in the page
            return
        if (redirected := self.open.get(key)) is not None:
            redirected.moved_s, redirected.status = now, 0
            return
        route = _route_of(request)
        cause, root_s = self._cause_of(request["url"], route, now)
        if cause is Cause.NOTHING:
            self._route(route).uncaused += 1
        self.open[key] = PageRequest(
            kind=kind,
            url=request["url"],
            route=route,
            name=name_of(kind, request["url"], params.get("documentURL", "")),
            frame=frame,
            loader=params.get("loaderId", ""),
            cause=cause,
            root_s=root_s,
            sent_s=now,
            moved_s=now,
        )

    def _cause_of(self, url: str, route: str, now: float) -> tuple[Cause, float]:
        """What a request that is sent now comes of, and when that was."""
        if self._continues_poll(route):
            return Cause.NOTHING, now
        if now - self.input_s <= CAUSED_SECONDS:
            return Cause.INPUT, self.input_s
        answers = self.answers()
        if sum(each.url == url for each in answers) >= REPEATS:
            return Cause.NOTHING, now
        recent = [
            each for each in answers if now - each.moved_s <= _pause_after(each) and now - each.root_s <= CHAIN_SECONDS
        ]
        for cause in (Cause.INPUT, Cause.LOAD):
            if last := next((each for each in reversed(recent) if each.cause is cause), None):
                return cause, last.root_s
        if now - self.loaded_s <= CAUSED_SECONDS:
            return Cause.LOAD, self._committed_s
        return Cause.NOTHING, now

    def _continues_poll(self, route: str) -> bool:
        """Whether a request of the same route was open already when the last input came, and was answered: whoever is
        notified by held requests sends the next one at once."""
        last = next((each for each in reversed(self.ended) if each.route == route), None)
        return last is not None and last.sent_s < self.input_s - CAUSED_SECONDS and last.ended_s >= self.input_s

    def _on_response(self, session_id: str, params: dict[str, Any]) -> None:
        request = self.open.get((session_id, params["requestId"]))
        if request is None:
            return
        response = params["response"]
        request.status, request.moved_s = int(response["status"]), self.clock()
        request.failed = request.status in RETRIED
        request.is_short = is_short_answer(response)
        if request.kind == "Document":  # in another process its end is not reported to this session
            self._end(session_id, params)

    def _on_data(self, session_id: str, params: dict[str, Any]) -> None:
        if (request := self.open.get((session_id, params["requestId"]))) is not None:
            request.moved_s = self.clock()

    def _on_event(self, session_id: str, params: dict[str, Any]) -> None:
        if (request := self.open.get((session_id, params["requestId"]))) is not None:
            request.moved_s, request.has_news = self.clock(), True

    def _on_failed(self, session_id: str, params: dict[str, Any]) -> None:
        if (request := self.open.get((session_id, params["requestId"]))) is not None:
            request.cancelled = bool(params.get("canceled"))
            request.failed = not request.cancelled
        self._end(session_id, params)

    def _end(self, session_id: str, params: dict[str, Any]) -> None:
        request = self.open.pop((session_id, params["requestId"]), None)
        if request is None:
            return
        request.ended_s = request.moved_s = self.clock()
        if request.cause is not Cause.INPUT and request.ended_s - request.sent_s >= HELD_SECONDS:
            self._route(request.route).was_held = True
        if not request.cancelled:
            self.ended.append(request)

    def _on_socket(self, session_id: str, params: dict[str, Any]) -> None:
        socket = OpenSocket(name_of("WebSocket", params["url"], ""), params["url"])
        if self._is_after_input():
            socket.asked_s = self.clock()
        self.sockets[session_id, params["requestId"]] = socket

    def _on_socket_sent(self, session_id: str, params: dict[str, Any]) -> None:
        socket = self.sockets.get((session_id, params["requestId"]))
        if socket is not None and self._is_after_input():
            socket.asked_s = self.clock()

    def _on_socket_received(self, session_id: str, params: dict[str, Any]) -> None:
        if (socket := self.sockets.get((session_id, params["requestId"]))) is not None:
            socket.received_s = self.clock()

    def _on_socket_closed(self, session_id: str, params: dict[str, Any]) -> None:
        self.sockets.pop((session_id, params["requestId"]), None)

    def _is_after_input(self) -> bool:
        return self.clock() - self.input_s <= CAUSED_SECONDS

    def _route(self, route: str) -> _Route:
        if route not in self._routes and len(self._routes) >= MAX_ROUTES:
            del self._routes[next(iter(self._routes))]
        return self._routes.setdefault(route, _Route())


def _pause_after(request: PageRequest) -> float:
    """How long after an answer a page sends the next request because of it."""
    return RETRY_SECONDS if request.failed else CHAINED_SECONDS


def name_of(kind: str, url: str, page_url: str) -> str:
    """What a request is called: `fetch /api/orders`, with the host where that is not the page's. The query may hold
    secrets and is left out."""
    scheme, host, path = _parts(url)
    if host == _parts(page_url)[1]:
        host = ""
    where = f"{host}{path}" if scheme in ("http", "https", "ws", "wss") else f"{scheme}:"
    return f"{_NAMES[kind]} {where}"[:MAX_NAME]


def _route_of(request: dict[str, Any]) -> str:
    _, host, path = _parts(request["url"])
    return f"{request['method']} {host}{re.sub(r'[0-9]+', '0', path)}"


def _parts(url: str) -> tuple[str, str, str]:
    """Scheme, host with port, and path; the whole text as the path where it is not an address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "http", "", url.partition("?")[0]
    return parts.scheme, parts.netloc.rpartition("@")[2], parts.path
