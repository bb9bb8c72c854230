"""Which requests of a session a client asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from perception.browser.traffic.request_entry import EntryState, RequestEntry
from perception.browser.traffic.request_facts import RequestFacts, read_facts
from perception.browser.traffic.request_log import RequestLog
from perception.browser.traffic.rules import fits_pattern
from perception.errors import NetworkNotRecordedError, RequestNotFoundError
from perception.server.sessions.session import Session

FAILED = frozenset({EntryState.FAILED, EntryState.BLOCKED})


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """Which requests are meant; all that is set has to apply.

    Attributes:
        tab_id: of this tab; of all for an empty one.
        url_pattern: see `matches_url`; any for an empty one.
        kinds: CDP's ResourceTypes; any for none.
        methods: in capitals; any for none.
        min_status, max_status: lowest and highest status; any when both are 0.
        only_failed: failed or blocked.
        since: number of the request after which they were sent.
    """

    tab_id: str = ""
    url_pattern: str = ""
    kinds: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    min_status: int = 0
    max_status: int = 0
    only_failed: bool = False
    since: int = 0

    def takes(self, facts: RequestFacts) -> bool:
        """Whether a request is meant, apart from its tab and number."""
        in_range = self.min_status <= facts.status <= (self.max_status or 999)
        return (
            (not self.url_pattern or matches_url(facts.url, self.url_pattern))
            and (not self.kinds or facts.kind in self.kinds)
            and (not self.methods or facts.method in self.methods)
            and (in_range or not (self.min_status or self.max_status))
            and (not self.only_failed or facts.state in FAILED)
        )


@dataclass(frozen=True, slots=True)
class RequestPage:
    """A page of requests.

    Attributes:
        found: in the order in which they were sent.
        next: number after which the next page begins; 0 where there is none.
    """

    found: list[RequestFacts] = field(default_factory=list)
    next: int = 0


def request_log(session: Session) -> RequestLog:
    """The requests of a session. Raises NetworkNotRecordedError where it records none."""
    log = session.browser.request_log
    if log is None:
        raise NetworkNotRecordedError(
            "this session does not record what its pages ask of the network: create one with options.record_network"
        )
    return log


def matches_url(url: str, pattern: str) -> bool:
    """Whether a URL fits a pattern (see `fits_pattern`), in any case."""
    return fits_pattern(url.casefold(), pattern.casefold())


def list_requests(entries: Iterable[RequestEntry], wanted: RequestFilter, limit: int) -> RequestPage:
    """The first requests that a filter takes."""
    found: list[RequestFacts] = []
    for facts in map(read_facts, entries):
        if not wanted.takes(facts):
            continue
        if len(found) == limit:
            return RequestPage(found, found[-1].entry.number)
        found.append(facts)
    return RequestPage(found)


def choose_requests(entries: Iterable[RequestEntry], wanted: RequestFilter) -> list[RequestFacts]:
    """All requests that a filter takes."""
    return [facts for facts in map(read_facts, entries) if wanted.takes(facts)]


def entries_of(session: Session, log: RequestLog, wanted: RequestFilter, after: int = 0) -> list[RequestEntry]:
    """The requests of a filter's tab that were sent after its own number and another one.

    Raises:
        UnknownTabError: the session never had the tab.
    """
    tab_id = session.browser.tab_list.id_of(wanted.tab_id)
    targets = log.targets_of(tab_id) if tab_id else None
    if targets is not None and not targets:
        session.browser.tab(tab_id)
    first = max(after, wanted.since)
    return [
        entry
        for number, entry in log.entries.items()
        if number > first and (targets is None or entry.target_id in targets)
    ]


def find_request(log: RequestLog, request_id: str) -> RequestEntry:
    """A request by its id.

    Raises:
        RequestNotFoundError: there is none, or it is no longer kept.
    """
    number = number_of(log, request_id)
    entry = log.entries.get(number)
    if entry is None:
        oldest = next(iter(log.entries), 0)
        raise RequestNotFoundError(
            f"request {request_id} is no longer kept: the oldest is r{oldest}; call ListRequests sooner, or more often",
            request=request_id[:40],
        )
    return entry


def number_of(log: RequestLog, request_id: str) -> int:
    """Number of a request that was sent. Raises RequestNotFoundError for an id that names none."""
    digits = request_id.removeprefix("r")
    number = int(digits[:12]) if digits.isdecimal() and digits.isascii() else 0
    if not request_id.startswith("r") or not 0 < number <= log.last_number:
        last = f"the last one is r{log.last_number}" if log.last_number else "it has sent none yet"
        raise RequestNotFoundError(
            f"no request {request_id[:40]!r} in this session: {last}; call ListRequests for those that there are",
            request=request_id[:40],
        )
    return number
