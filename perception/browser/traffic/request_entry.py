"""One request as Chromium reported it: its events as bytes, which are read when somebody asks.

Rule 1: nothing here is decoded while a page loads. Rule 2: nothing here is masked: entries must not leave this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.traffic.person_typing import PersonTyping

MAX_EVENT_BYTES = 64 * 2**10
"""Limit of one event that is kept. Larger ones lose their call stack and body, then all but the first part of the
address. Chosen by hand."""

MAX_KEPT_URL = 16 * 2**10
"""Characters of an address in such an event."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class BlockedBy(Enum):
    """Who did not let a request out."""

    EGRESS = "egress"
    RULE = "rule"
    BROWSER = "browser"


class EntryState(Enum):
    """How far a request has come."""

    PENDING = "pending"
    FINISHED = "finished"
    FAILED = "failed"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"


@dataclass(slots=True, eq=False)
class RequestEntry:
    """One request and its response, as far as it has come. Events are in JSON; empty before they came.

    Attributes:
        number: its place among the requests of the session, from 1.
        target_id: of the tab.
        cdp_id: Chromium's id, the same for a request and the redirects before it.
        session: the DevTools session that reported it.
        sent, sent_headers: `requestWillBeSent` (of a WebSocket `webSocketCreated`), and the headers on the wire.
        response, response_headers: `responseReceived`, and the headers on the wire.
        redirect_url: where it led, of a redirect.
        ended_s: when it ended, in Chromium's own clock; 0 before.
        ended_by: the DevTools session that reported the end.
        body_bytes: of the response's body so far, decompressed.
        packed_bytes: of it so far, as they came over the network.
        transferred_bytes: all of it as it came over the network, with headers; 0 before the end.
        from_memory: the browser's memory had the response.
        state: how far it has come.
        failure: Chromium's error; empty for none.
        blocked_by, blocked_reason: who did not let it out, and why.
        rule: which rule of the session blocked or answered it; empty for none.
        typing: what the person typed who had control when it was sent: no client may see that; None where nobody had.
    """

    number: int
    target_id: str
    cdp_id: str
    session: CdpSession
    sent: bytes
    sent_headers: bytes = b""
    response: bytes = b""
    response_headers: bytes = b""
    redirect_url: str = ""
    ended_s: float = 0.0
    ended_by: CdpSession | None = None
    body_bytes: int = 0
    packed_bytes: int = 0
    transferred_bytes: int = 0
    from_memory: bool = False
    state: EntryState = EntryState.PENDING
    failure: str = ""
    blocked_by: BlockedBy | None = None
    blocked_reason: str = ""
    rule: str = ""
    typing: PersonTyping | None = None

    @property
    def request_id(self) -> str:
        """Its id on the wire."""
        return f"r{self.number}"

    @property
    def kept_bytes(self) -> int:
        """Memory that it takes, about."""
        return len(self.sent) + len(self.sent_headers) + len(self.response) + len(self.response_headers) + 512


def pack_event(params: Mapping[str, Any]) -> bytes:
    """An event as JSON, of MAX_EVENT_BYTES at most, about."""
    packed = _encode(params)
    return packed if len(packed) <= MAX_EVENT_BYTES else _encode(_shrunk(params))


def read_event(packed: bytes) -> dict[str, Any]:
    """An event that `pack_event` has packed; empty for none."""
    return _decode(packed) if packed else {}


def _shrunk(params: Mapping[str, Any]) -> dict[str, Any]:
    """An event without what may be long."""
    kept = {key: value for key, value in params.items() if not isinstance(value, dict | list | str)}
    kept |= {key: value[:MAX_KEPT_URL] for key, value in params.items() if isinstance(value, str)}
    for part in ("request", "response"):
        if isinstance(whole := params.get(part), dict):
            kept[part] = {key: value for key, value in whole.items() if isinstance(value, bool | int | float)}
            kept[part] |= {
                key: value[:MAX_KEPT_URL]
                for key, value in whole.items()
                if isinstance(value, str) and key not in ("postData", "headersText", "requestHeadersText")
            }
    return kept
