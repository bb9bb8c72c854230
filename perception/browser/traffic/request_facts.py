"""What is kept of a request, read as values for whoever asks. Not masked: see `traffic_masking`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from perception.browser.traffic.person_typing import mask_typed_headers, mask_typed_url
from perception.browser.traffic.request_entry import EntryState, RequestEntry, read_event

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """Where the time of a request went, milliseconds; 0 for what did not occur. Their sum is the whole time; `tls` is a
    part of `connect`."""

    blocked: float = 0.0
    connect: float = 0.0
    tls: float = 0.0
    send: float = 0.0
    wait: float = 0.0
    receive: float = 0.0

    @property
    def total(self) -> float:
        return self.blocked + self.connect + self.send + self.wait + self.receive


@dataclass(frozen=True, slots=True)
class Initiator:
    """What a request comes of; the place is from 1, and 0 where it is unknown."""

    kind: str
    url: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """One request, without what a person typed who had control.

    Attributes:
        entry: what it was read from.
        method, url: of the request.
        redirect_url: where it led, of a redirect.
        kind: CDP's ResourceType.
        started_s: when it was sent, seconds since 1970.
        document_url, loader: of the document that sent it; empty for a worker.
        frame: id of the frame that sent it; empty for a worker.
        initiator: what it comes of.
        post_data: of the request, as far as Chromium reported it.
        has_post_data: it has a body.
        request_headers, response_headers: as they were on the wire, where that is known.
        status, status_text, mime, protocol: of the response; 0 or empty without one.
        cache: `memory`, `disk`, `prefetch` or `service-worker`; empty where the server answered.
        times: where its time went; None before the response.
    """

    entry: RequestEntry
    method: str
    url: str
    redirect_url: str
    kind: str
    started_s: float
    document_url: str
    loader: str
    frame: str
    initiator: Initiator
    post_data: str
    has_post_data: bool
    request_headers: Headers
    response_headers: Headers
    status: int
    status_text: str
    mime: str
    protocol: str
    cache: str
    times: RequestTimes | None

    @property
    def is_top(self) -> bool:
        """Whether it is for the document of a tab."""
        return self.kind == "Document" and self.frame == self.entry.target_id

    @property
    def is_static(self) -> bool:
        """Whether it is for a part of the page that is the same for everybody, as a rule."""
        return self.method == "GET" and self.kind in ("Stylesheet", "Script", "Image", "Font", "Media", "Manifest")

    @property
    def state(self) -> EntryState:
        """How far it has come. A fetch whose whole body came is finished: where the page does not read it, Chromium 156
        reports no end, or that an empty one was cancelled."""
        entry, announced = self.entry, content_length(self.response_headers)
        is_open = entry.state in (EntryState.PENDING, EntryState.CANCELLED)
        came = entry.packed_bytes if self._is_packed else entry.body_bytes
        is_whole = announced is not None and came >= announced
        return EntryState.FINISHED if is_open and is_whole and self.kind == "Fetch" and self.status else entry.state

    @property
    def _announced(self) -> int | None:
        """The size of the response's body that its headers say; None where they do not, or say that of its compressed
        form."""
        return None if self._is_packed else content_length(self.response_headers)

    @property
    def _is_packed(self) -> bool:
        return any(name.lower() == "content-encoding" for name, _ in self.response_headers)

    @property
    def body_bytes(self) -> int:
        """The size of the response's body, decompressed: what came; what was announced, or came over the network, where
        the page took it as a blob, which Chromium does not count; 0 where nothing is known."""
        entry = self.entry
        if entry.body_bytes or not (entry.transferred_bytes or entry.from_memory):
            return entry.body_bytes
        announced = self._announced
        return (0 if entry.redirect_url else entry.transferred_bytes) if announced is None else announced


def content_length(headers: Headers) -> int | None:
    """The length that headers announce; None where they do not."""
    given = next((value for name, value in headers if name.lower() == "content-length"), "")
    return int(given[:15]) if given.isdecimal() else None


def read_facts(entry: RequestEntry) -> RequestFacts:
    """What is known of a request so far."""
    sent, answered = read_event(entry.sent), read_event(entry.response)
    handshake = read_event(entry.sent_headers)
    request = sent.get("request", sent)
    response = answered.get("response", {})
    initiator = _initiator(sent.get("initiator", {}))
    wire_status = read_event(entry.response_headers).get("statusCode", 0)
    return RequestFacts(
        entry=entry,
        method=str(request.get("method", "GET")),
        url=_shown(str(request.get("url", "")) + str(request.get("urlFragment", "")), entry),
        redirect_url=_shown(entry.redirect_url, entry),
        kind=str(sent.get("type", "WebSocket" if "request" not in sent else "Other")),
        started_s=float(sent.get("wallTime", handshake.get("wallTime", 0.0))),
        document_url=_shown(str(sent.get("documentURL", "")), entry),
        loader=str(sent.get("loaderId", "")),
        frame=str(sent.get("frameId", "")),
        initiator=replace(initiator, url=_shown(initiator.url, entry)),
        post_data=str(request.get("postData", "")),
        has_post_data=bool(request.get("hasPostData")),
        request_headers=_shown_headers(_headers(handshake) or _headers(request), entry),
        response_headers=_shown_headers(_headers(read_event(entry.response_headers)) or _headers(response), entry),
        status=int(response.get("status", 0) or wire_status),
        status_text=str(response.get("statusText", "")),
        mime=str(response.get("mimeType", "")),
        protocol=str(response.get("protocol", "")),
        cache=_cache_of(entry, response),
        times=_times(entry, sent, answered),
    )


def _shown(url: str, entry: RequestEntry) -> str:
    return url if entry.typing is None else mask_typed_url(url, entry.typing)


def _shown_headers(headers: Headers, entry: RequestEntry) -> Headers:
    return headers if entry.typing is None else mask_typed_headers(headers, entry.typing)


def _headers(holder: Mapping[str, Any]) -> Headers:
    """Headers as pairs: Chromium joins those of one name by line ends."""
    given = holder.get("headers", {})
    return tuple((str(name), each) for name, value in given.items() for each in str(value).split("\n"))


def _initiator(given: Mapping[str, Any]) -> Initiator:
    kind, stack = str(given.get("type", "other")), given.get("stack")
    while stack:
        if frames := stack.get("callFrames"):
            top = next((frame for frame in frames if frame.get("url")), frames[0])
            return Initiator(kind, str(top["url"]), int(top["lineNumber"]) + 1, int(top["columnNumber"]) + 1)
        stack = stack.get("parent")
    line = given.get("lineNumber")
    column = given.get("columnNumber")
    return Initiator(
        kind,
        str(given.get("url", "")),
        int(line) + 1 if line is not None else 0,
        int(column) + 1 if column is not None else 0,
    )


def _cache_of(entry: RequestEntry, response: Mapping[str, Any]) -> str:
    if response.get("fromServiceWorker"):
        return "service-worker"
    if response.get("fromPrefetchCache"):
        return "prefetch"
    if response.get("fromDiskCache"):
        return "disk"
    return "memory" if entry.from_memory else ""


def _times(entry: RequestEntry, sent: Mapping[str, Any], answered: Mapping[str, Any]) -> RequestTimes | None:
    """By Chromium's definitions: milliseconds after `requestTime`, -1 for what did not occur."""
    response, sent_s = answered.get("response", {}), float(sent.get("timestamp", 0.0))
    if not response or not sent_s:
        return None
    came_s = float(answered.get("timestamp", sent_s))
    ended_s = entry.ended_s if entry.state is not EntryState.PENDING else came_s
    timing = response.get("timing")
    if not timing or entry.from_memory:
        return RequestTimes(wait=_span(sent_s, came_s), receive=_span(came_s, ended_s))
    begun_s = float(timing["requestTime"])
    first = next((timing[name] for name in ("connectStart", "sendStart") if timing.get(name, -1) >= 0), 0.0)
    headers_ms = float(timing["receiveHeadersEnd"])
    connected = timing.get("connectStart", -1) >= 0
    return RequestTimes(
        blocked=_span(sent_s, begun_s) + max(0.0, first),
        connect=max(0.0, timing["connectEnd"] - timing["connectStart"]) if connected else 0.0,
        tls=max(0.0, timing["sslEnd"] - timing["sslStart"]) if timing.get("sslStart", -1) >= 0 else 0.0,
        send=max(0.0, timing["sendEnd"] - timing["sendStart"]),
        wait=max(0.0, headers_ms - timing["sendEnd"]),
        receive=max(0.0, _span(begun_s, ended_s) - headers_ms),
    )


def _span(start_s: float, end_s: float) -> float:
    """Milliseconds between two times in seconds; 0 where the second is earlier."""
    return max(0.0, (end_s - start_s) * 1000)
