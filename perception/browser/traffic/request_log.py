"""The requests of one session's tabs, from the events of the network domain that their links receive anyway.

Rule 1: everything is bounded: entries, their bytes, and how many of one tab are taken in a second.
Rule 2: an event costs a lookup and its encoding. What it says is read in `request_facts`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from math import inf
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.network.proxy import EgressProxy
from perception.browser.traffic.person_typing import PersonTyping
from perception.browser.traffic.request_entry import BlockedBy, EntryState, RequestEntry, pack_event, read_event
from perception.deadline import loop_time
from perception.errors import OriginBlockedError

MAX_ENTRIES = 5000
MAX_KEPT_BYTES = 32 * 2**20
"""Limit of one session: a request takes 6 to 10 KiB. Chosen by hand."""

MAX_PER_SECOND = 500
"""Requests of one tab that are taken in a second: a large page sends 300 while it loads. Chosen by hand."""

AFTER_TURN_S = 1.0
"""Seconds after a person's turn in which pages still send what they typed: they wait until nobody types any more."""

MAX_EARLY = 200
"""Headers that are kept until their request is reported. Chosen by hand."""

BODY_BUFFER_BYTES = 16 * 2**20
MAX_BODY_BYTES = 4 * 2**20
"""Bodies that Chromium keeps for each tab, all together and each. Chosen by hand."""

KEEP_BODIES = {
    "maxTotalBufferSize": BODY_BUFFER_BYTES,
    "maxResourceBufferSize": MAX_BODY_BYTES,
    "maxPostDataSize": 64 * 2**10,
}
"""Parameters of `Network.enable`, for tabs whose requests are kept."""

KEEP_AFTER_NAVIGATION = {"maxTotalBufferSize": BODY_BUFFER_BYTES, "maxResourceBufferSize": MAX_BODY_BYTES}
"""Parameters of `Network.configureDurableMessages`: bodies survive the document that asked for them (Chromium 156)."""

_SCHEMES = ("http:", "https:", "ws:", "wss:")

_PROXY_ERRORS = ("net::ERR_SOCKS_CONNECTION", "net::ERR_PROXY_CONNECTION", "net::ERR_TUNNEL_CONNECTION")


class RequestLog:
    """The requests of one session.

    Args:
        egress: the session's proxy, which knows why a connection was refused; None where there is none.

    Attributes:
        entries: the requests that are kept, by number, the oldest first.
        last_number: of the last request that was sent; 0 before the first.
        dropped: requests that were not kept.
        acted: by tab, the last request that was sent before its last action or navigation began.
    """

    def __init__(self, egress: EgressProxy | None, clock: Callable[[], float] = loop_time) -> None:
        self.entries: OrderedDict[int, RequestEntry] = OrderedDict()
        self.last_number = 0
        self.dropped = 0
        self._typing: PersonTyping | None = None
        self._typing_until_s = inf
        self.acted: dict[str, int] = {}
        self._egress = egress
        self._clock = clock
        self._bytes = 0
        self._by_id: dict[tuple[str, str], list[RequestEntry]] = {}
        self._early: OrderedDict[tuple[str, str], list[tuple[str, bytes]]] = OrderedDict()
        self._decided: OrderedDict[tuple[str, str], tuple[BlockedBy, str]] = OrderedDict()
        self._taken: dict[str, tuple[float, int]] = {}
        self._tab_ids: dict[str, str] = {}

    def begin_turn(self, typing: PersonTyping) -> None:
        """A person has control, and types: requests from now on are theirs."""
        self._typing, self._typing_until_s = typing, inf

    def end_turn(self) -> None:
        """The agent has control again. Events of the person's requests may still come."""
        self._typing_until_s = time.time() + AFTER_TURN_S

    def note_agent(self) -> None:
        """An action begins: unless it is the person's, requests that are sent from now on are the agent's."""
        if self._typing_until_s < inf:
            self._typing_until_s = min(self._typing_until_s, time.time())

    def name_tab(self, target_id: str, tab_id: str) -> None:
        """Says which tab a target is; one that took a crashed page's place has the tab's id, too."""
        self._tab_ids[target_id] = tab_id

    def tab_id_of(self, entry: RequestEntry) -> str:
        """Id of the tab that sent a request; empty for one that closed before it was listed."""
        return self._tab_ids.get(entry.target_id, "")

    def targets_of(self, tab_id: str) -> frozenset[str]:
        """The targets that a tab has had."""
        return frozenset(target for target, known in self._tab_ids.items() if known == tab_id)

    def listen(self, session: CdpSession, target_id: str) -> None:
        """Follows the requests of a tab, of a frame of it or of a worker; its network domain is enabled by the
        caller."""
        for event, handle in (
            ("Network.requestWillBeSent", self._on_sent),
            ("Network.requestWillBeSentExtraInfo", self._on_sent_headers),
            ("Network.responseReceived", self._on_response),
            ("Network.responseReceivedExtraInfo", self._on_response_headers),
            ("Network.requestServedFromCache", self._on_memory),
            ("Network.dataReceived", self._on_data),
            ("Network.loadingFinished", self._on_finished),
            ("Network.loadingFailed", self._on_failed),
            ("Network.webSocketCreated", self._on_socket),
            ("Network.webSocketWillSendHandshakeRequest", self._on_socket_sent),
            ("Network.webSocketHandshakeResponseReceived", self._on_socket_response),
            ("Network.webSocketClosed", self._on_finished),
        ):
            session.on(event, lambda params, handle=handle: handle(session, target_id, params))  # type: ignore[misc]

    def find(self, target_id: str, cdp_id: str) -> RequestEntry | None:
        """The last request of an id of Chromium's; None where none is kept."""
        known = self._by_id.get((target_id, cdp_id))
        return known[-1] if known else None

    def note_decision(self, target_id: str, cdp_id: str, decided_by: BlockedBy, reason: str) -> None:
        """A request that was paused is not sent. It may be reported later.

        Args:
            target_id: of the tab.
            cdp_id: Chromium's id of the request.
            decided_by: a rule of the session, or its egress policy.
            reason: which rule, or why.
        """
        entry = self.find(target_id, cdp_id)
        if entry is not None and decided_by is BlockedBy.RULE:
            entry.rule = reason
        self._decided[target_id, cdp_id] = (decided_by, reason)
        while len(self._decided) > MAX_EARLY:
            self._decided.popitem(last=False)

    def _on_sent(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if not params["request"]["url"].startswith(_SCHEMES):  # made in the page
            return
        before = self.find(target_id, params["requestId"])
        if before is not None and "redirectResponse" in params:
            self._redirect(before, params)
        self._add(session, target_id, params)

    def _redirect(self, entry: RequestEntry, params: dict[str, Any]) -> None:
        answered = {"response": params["redirectResponse"], "timestamp": params["timestamp"]}
        self._keep(entry, "response", pack_event(answered))
        entry.redirect_url = params["request"]["url"]
        entry.transferred_bytes = int(params["redirectResponse"].get("encodedDataLength", 0))
        entry.ended_s, entry.state = params["timestamp"], EntryState.FINISHED

    def _add(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> RequestEntry | None:
        if not self._may_take(target_id):
            self.dropped += 1
            return None
        self.last_number += 1
        key = (target_id, params["requestId"])
        entry = RequestEntry(self.last_number, target_id, params["requestId"], session, pack_event(params))
        if float(params.get("wallTime", time.time())) <= self._typing_until_s:
            entry.typing = self._typing
        elif "redirectResponse" in params and key in self._by_id:
            entry.typing = self._by_id[key][-1].typing
        self.entries[entry.number] = entry
        self._by_id.setdefault(key, []).append(entry)
        self._bytes += entry.kept_bytes
        if (decided := self._decided.get(key)) is not None and decided[0] is BlockedBy.RULE:
            entry.rule = decided[1]
        for name, packed in self._early.pop(key, ()):
            self._keep(entry, name, packed)
        while len(self.entries) > MAX_ENTRIES or self._bytes > MAX_KEPT_BYTES:
            self._drop_oldest()
        return entry

    def _may_take(self, target_id: str) -> bool:
        now = self._clock()
        since, count = self._taken.get(target_id, (now, 0))
        if now - since >= 1:
            since, count = now, 0
        self._taken[target_id] = (since, count + 1)
        return count < MAX_PER_SECOND

    def _drop_oldest(self) -> None:
        _, entry = self.entries.popitem(last=False)
        self._bytes -= entry.kept_bytes
        self.dropped += 1
        known = self._by_id[entry.target_id, entry.cdp_id]
        known.remove(entry)
        if not known:
            del self._by_id[entry.target_id, entry.cdp_id]

    def _keep(self, entry: RequestEntry, name: str, packed: bytes) -> None:
        if entry.number in self.entries:
            self._bytes += len(packed) - len(getattr(entry, name))
        setattr(entry, name, packed)

    def _on_sent_headers(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        self._keep_headers(target_id, params, "sent_headers")

    def _on_response_headers(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        self._keep_headers(target_id, params, "response_headers")

    def _keep_headers(self, target_id: str, params: dict[str, Any], name: str) -> None:
        """Headers on the wire come in the order of the redirects, before or after the event that they belong to."""
        key = (target_id, params["requestId"])
        packed = pack_event({"headers": params.get("headers", {}), "statusCode": params.get("statusCode", 0)})
        waiting = next((each for each in self._by_id.get(key, ()) if not getattr(each, name)), None)
        if waiting is not None:
            self._keep(waiting, name, packed)
            return
        self._early.setdefault(key, []).append((name, packed))
        while len(self._early) > MAX_EARLY:
            self._early.popitem(last=False)

    def _on_response(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            self._keep(entry, "response", pack_event(params))

    def _on_memory(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            entry.from_memory = True

    def _on_data(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            entry.body_bytes += int(params["dataLength"])
            entry.packed_bytes += int(params.get("encodedDataLength", 0))

    def _on_finished(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            entry.ended_s, entry.ended_by, entry.state = params["timestamp"], session, EntryState.FINISHED
            entry.transferred_bytes = int(params.get("encodedDataLength", 0))

    def _on_failed(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        entry = self.find(target_id, params["requestId"])
        if entry is None:
            return
        entry.ended_s, entry.ended_by = params["timestamp"], session
        entry.failure = str(params.get("errorText", ""))
        entry.state = EntryState.CANCELLED if params.get("canceled") else EntryState.FAILED
        if params.get("blockedReason") == "inspector":
            self._block(entry, *self._decided.get((target_id, entry.cdp_id), (BlockedBy.BROWSER, "inspector")))
        elif why := params.get("blockedReason") or _cors_reason(params):
            self._block(entry, BlockedBy.BROWSER, str(why))
        elif entry.failure.startswith(_PROXY_ERRORS):
            self._explain(entry)

    def _explain(self, entry: RequestEntry) -> None:
        """Says what the proxy knows: Chromium knows only that it failed."""
        reason = self._egress.error_of(_url_of(entry)) if self._egress is not None else None
        if isinstance(reason, OriginBlockedError):
            self._block(entry, BlockedBy.EGRESS, str(reason))
        elif reason is not None:
            entry.failure = reason.metadata.get("error", entry.failure)

    @staticmethod
    def _block(entry: RequestEntry, blocked_by: BlockedBy, reason: str) -> None:
        entry.state, entry.blocked_by, entry.blocked_reason = EntryState.BLOCKED, blocked_by, reason

    def _on_socket(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        self._add(session, target_id, params)

    def _on_socket_sent(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            self._keep(entry, "sent_headers", pack_event({**params, "headers": params["request"].get("headers", {})}))

    def _on_socket_response(self, _: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        if (entry := self.find(target_id, params["requestId"])) is not None:
            self._keep(entry, "response", pack_event(params))


def _cors_reason(params: dict[str, Any]) -> str:
    status = params.get("corsErrorStatus")
    return f"CORS: {status['corsError']}" if isinstance(status, dict) and "corsError" in status else ""


def _url_of(entry: RequestEntry) -> str:
    sent = read_event(entry.sent)
    return str(sent.get("request", sent).get("url", ""))
