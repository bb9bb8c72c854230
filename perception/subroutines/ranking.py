"""Ranks the requests of a recording: which of them does the task.

A request's score is the sum of the WEIGHTS that apply to it. A telemetry host adds -80.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from perception.subroutines.hosts import is_first_party, is_telemetry
from perception.subroutines.recording import ENTERED, SOCKET, Event, RecordedRequest, Recording
from perception.subroutines.request_values import leaves_of
from perception.subroutines.volatile import find_volatile

WEIGHTS = {
    "first party": 20,
    "third party": -15,
    "telemetry host": -80,
    "within 800 ms of an event": 28,
    "within 2.5 s of an event": 16,
    "mutating method": 35,
    "GET": 5,
    "body": 8,
    "OPTIONS, HEAD or performance": -40,
    "2xx": 12,
    "400 or above": -25,
    "non-empty response": 4,
    "volatile identifier": -18,
    "holds what was entered": 25,
    "sent without an event, too": -30,
    "beacon": -25,
    "called like telemetry": -25,
}
"""Chosen by hand; guarded by `tests/unit/subroutines/test_ranking.py`. Without the last four, polls and telemetry right
after a click would score as high as the request of the click."""

_TELEMETRY_WORDS = re.compile(
    r"(^|[/._-])(analytics|beacons?|collect|heartbeat|impressions?|metrics|pageviews?|ping|pixel|rum|stats|telemetry"
    r"|track(ing|er)?|vitals)([/._-]|$)",
    re.I,
)
"""Names of telemetry in paths; not `log` and `events`, which may also be records of users."""

SOON_MS, LATER_MS = 800.0, 2500.0
MUTATING = frozenset({"POST", "PUT", "PATCH", "DELETE", SOCKET})
"""Methods that may change something."""

_OPERATION = ("type", "event", "action", "op", "cmd", "command", "method", "kind")
"""Keys by which messages over a WebSocket say what they are."""

SURVIVORS = 5

MIN_ENTERED = 2
"""Characters: a single character occurs in many bodies by chance."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A request with its score.

    Attributes:
        request: the request.
        score: sum of the weights of `reasons`.
        reasons: keys of WEIGHTS that apply.
        volatile: places of identifiers that change with each deployment.
        event_ms: milliseconds since the last event; None for none within LATER_MS.
    """

    request: RecordedRequest
    score: int
    reasons: tuple[str, ...]
    volatile: tuple[str, ...] = ()
    event_ms: float | None = None


def rank_requests(recording: Recording, telemetry: Collection[str] = ()) -> tuple[Ranked, ...]:
    """Ranks all requests, best first; of equal scores the one sooner after an event comes first.

    Args:
        recording: a masked recording.
        telemetry: additional hosts that count as telemetry.
    """
    polled = _polled(recording)
    entered = entered_values(recording.events)
    ranked = [
        score_request(
            request,
            recording.events,
            page_url=recording.start_url,
            telemetry=telemetry,
            polled=_key(request) in polled,
            entered=entered,
        )
        for request in recording.requests
    ]
    return tuple(sorted(ranked, key=lambda each: (-each.score, LATER_MS if each.event_ms is None else each.event_ms)))


def pick_candidates(recording: Recording, telemetry: Collection[str] = ()) -> tuple[Ranked, ...]:
    """The best five, each of a different endpoint or operation, so that a poll takes only one place."""
    kept: dict[tuple[str, str, str], Ranked] = {}
    for each in rank_requests(recording, telemetry):
        kept.setdefault(_key(each.request), each)
    return tuple(kept.values())[:SURVIVORS]


def score_request(
    request: RecordedRequest,
    events: Sequence[Event],
    *,
    page_url: str,
    telemetry: Collection[str] = (),
    polled: bool = False,
    entered: Collection[str] = (),
) -> Ranked:
    """Scores one request.

    Args:
        request: the request.
        events: events of the recording.
        page_url: URL at the start of the recording.
        telemetry: additional hosts that count as telemetry.
        polled: whether the same request is also sent without an event.
        entered: values that were typed or chosen.
    """
    if is_telemetry(request.url, telemetry):
        return Ranked(request, WEIGHTS["telemetry host"], ("telemetry host",))
    since = _since_event(request, events)
    volatile = find_volatile(request)
    holds = {
        "first party": is_first_party(request.url, page_url),
        "third party": not is_first_party(request.url, page_url),
        "within 800 ms of an event": since is not None and since <= SOON_MS,
        "within 2.5 s of an event": since is not None and SOON_MS < since <= LATER_MS,
        "mutating method": request.method in MUTATING,
        "GET": request.method == "GET",
        "body": request.body.kind != "none",
        "OPTIONS, HEAD or performance": request.method in ("OPTIONS", "HEAD") or request.kind == "performance",
        "2xx": 200 <= request.status < 300,
        "400 or above": request.status >= 400,
        "non-empty response": request.size > 0,
        "volatile identifier": bool(volatile),
        "holds what was entered": any(leaf in entered for leaf in leaves_of(request)),
        "sent without an event, too": polled,
        "beacon": request.kind == "beacon",
        "called like telemetry": _TELEMETRY_WORDS.search(urlsplit(request.url).path) is not None,
    }
    reasons = tuple(name for name, true in holds.items() if true)
    return Ranked(request, sum(WEIGHTS[name] for name in reasons), reasons, volatile, since)


def entered_values(events: Sequence[Event]) -> frozenset[str]:
    """Values that were typed or chosen, as text, including masks of secrets."""
    found: set[str] = set()
    for event in events:
        if event.kind in ENTERED:
            given = event.value if isinstance(event.value, list | tuple) else [event.value]
            found |= {str(each) for each in (*given, *event.values) if not isinstance(each, bool)}
    return frozenset(each for each in found if len(each) >= MIN_ENTERED)


def operation_of(method: str, body: Any) -> str:
    """What a request asks for, beside its address: a GraphQL operation, or the kind of a message; "" for nothing."""
    if not isinstance(body, dict):
        return ""
    keys = _OPERATION if method == SOCKET else ("operationName",)
    return next((value for key in keys if isinstance(value := body.get(key), str)), "")


def _since_event(request: RecordedRequest, events: Sequence[Event]) -> float | None:
    """Milliseconds since the last event before a request; None if there is none within 2.5 s."""
    done = (event.at_ms for event in events if event.kind != "goto")
    return min((request.at_ms - at for at in done if 0 <= request.at_ms - at <= LATER_MS), default=None)


def _key(request: RecordedRequest) -> tuple[str, str, str]:
    """Key of equal requests: method, URL without query, and the operation of a GraphQL request."""
    address = urlsplit(request.url)._replace(query="", fragment="").geturl()
    return request.method, address, operation_of(request.method, request.body.json)


def _polled(recording: Recording) -> frozenset[tuple[str, str, str]]:
    """Keys of requests that are sent repeatedly: also without an event in the 2.5 s before, or always with equal
    bodies."""
    entered = entered_values(recording.events)
    sent: dict[tuple[str, str, str], list[RecordedRequest]] = {}
    for request in recording.requests:
        sent.setdefault(_key(request), []).append(request)
    return frozenset(
        key
        for key, alike in sent.items()
        if len(alike) > 1
        and (
            any(_since_event(each, recording.events) is None for each in alike)
            or (
                all(each.body == alike[0].body for each in alike)
                and not any(leaf in entered for leaf in leaves_of(alike[0]))
            )
        )
    )
