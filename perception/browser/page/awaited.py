"""What a page is waited for, and how long: requests, load, changes, animations, signs of work.

Rule 1: pure. Times are seconds of one monotonic clock.
Rule 2: whatever may never end (a poll, a stream, an endless animation) is waited for only until some moment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perception.browser.page.requests import RETRY_SECONDS, Cause, OpenSocket, PageRequest, PageRequests
from perception.subroutines.hosts import is_telemetry

QUIET_SECONDS = 0.1
"""A page without a change for so long counts as still: six frames at 60 Hz, and longer than a script task should take
(50 ms, W3C Long Tasks)."""

BRIEFLY_QUIET_SECONDS = 0.05
"""The same where nothing can come late: three frames, within which what a frame, a message or a promise brings is seen.
Chosen by hand."""

LOAD_PATIENCE_SECONDS = 1.0
"""How long a page has to be still before `load` no longer counts: an image may never come."""

STARTED_SECONDS = 20.0
"""How long a request counts that input caused: servers and gateways give up by then or soon after. Chosen by hand."""

LOADING_SECONDS = {"XHR": 4.0, "Fetch": 4.0, "EventSource": 1.0, "Image": 1.0}
LOADING_OTHER_SECONDS = 6.0
"""How long a request counts that a document sent while it loaded, by CDP's ResourceType: one that is answered later may
be held by the server until there is news. On a page that shows nothing yet, or that it is loading, it counts for
STARTED_SECONDS. Chosen by hand."""

SHORT_STARTED_SECONDS = {"Image": 3.0, "EventSource": 2.0}
"""As STARTED_SECONDS, for what may be a beacon or have nothing to say. Chosen by hand."""

UNCAUSED_SECONDS = 1.0
"""How long a request counts that comes of no input and no load. Chosen by hand."""

STREAM_SECONDS = 2.0
"""An answer that has begun and brings nothing more for so long is a stream. Chosen by hand."""

UNREAD_SECONDS = 0.3
"""A short answer whose end is not reported by then is one that the page does not read. Chosen by hand."""

SIGN_SECONDS = {"aria-busy": 6.0, "progressbar": 6.0}
SIGN_OTHER_SECONDS = 3.0
"""How long a sign of work counts: one that stays is decoration, or was forgotten. Chosen by hand."""

ENDLESS_SECONDS = 3.0
"""How long an endless animation that began after input counts, as a spinner. Chosen by hand."""

LAG_SECONDS = 0.03
"""How much later than its page we may hear of an answer. Chosen by hand."""

_HELD_BY_NAME = re.compile(
    r"(?:^|[/._-])(?:long-?poll(?:ing)?|poll(?:ing)?|comet|bayeux|cometd|message-bus|signalr|socket\.io|sockjs|heartbeat|"
    r"keep-?alive)(?:$|[/._-])",
    re.IGNORECASE,
)
"""Transports that hold requests, by their names in addresses."""

MAX_NAMES = 6
"""Names of an answer. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Something that the page is waited for.

    Attributes:
        name: what it is called in an answer.
        until_s: until when.
        goes_on: it is still there when it is no longer waited for; False for what only might have come.
    """

    name: str
    until_s: float = math.inf
    goes_on: bool = True


@dataclass(frozen=True, slots=True)
class PageActivity:
    """What is known of a page at one moment of a wait.

    Attributes:
        now_s: the moment.
        timeout_s: how long the wait may take in all.
        quiet_since_s: when it last changed.
        made_s: when a script last changed its content; -inf for never.
        ready: the top document's `readyState`.
        is_load_late: its `load` event was waited for before, and did not come.
        moving: how many of its running animations end.
        signs: for how many seconds there has been a sign of work, by name.
        endless_s: for how many seconds the newest endless animation runs in view; inf for none.
        is_bare: it has scripts and shows nothing.
        is_switching: a view transition is under way.
        listens: it has event listeners.
        may_come_late: scripts may have set a timer since the page was at rest, or work unseen.
        scripts_run: its scripts are running again and again.
        is_leaving: another document takes its place by itself while it is waited for.
        is_asked_to_leave: a script or input has asked for another document.
    """

    now_s: float
    timeout_s: float
    quiet_since_s: float
    made_s: float = -math.inf
    ready: str = "complete"
    is_load_late: bool = False
    moving: int = 0
    signs: dict[str, float] = field(default_factory=dict)
    endless_s: float = math.inf
    is_bare: bool = False
    is_switching: bool = False
    listens: bool = False
    may_come_late: bool = True
    scripts_run: bool = False
    is_leaving: bool = False
    is_asked_to_leave: bool = False

    @property
    def quiet_s(self) -> float:
        """How long it has to be without a change."""
        return QUIET_SECONDS if self.may_come_late else BRIEFLY_QUIET_SECONDS


def awaited(activity: PageActivity, requests: PageRequests) -> list[Awaited]:
    """All that the page is waited for, or was."""
    signs = list(_signs(activity, requests.input_s))
    is_loading = activity.is_bare or any(activity.now_s < each.until_s for each in signs)
    return [
        *_document(activity),
        *signs,
        *awaited_requests(requests, is_loading=is_loading),
        *_reactions(activity, requests),
    ]


def awaited_requests(requests: PageRequests, *, is_loading: bool = False) -> list[Awaited]:
    """The open requests and sockets that the page is waited for, or was.

    Args:
        is_loading: the page shows nothing yet, or shows that it is loading.
    """
    open_now = [
        Awaited(each.name, _limit(each, requests, is_loading), goes_on=not each.is_short)
        for each in requests.open.values()
    ]
    sockets = [Awaited(each.name, _socket_limit(each)) for each in requests.sockets.values() if not each.is_mute]
    return [*open_now, *(each for each in sockets if each.until_s > -math.inf)]


def names_of(awaited_now: Iterable[Awaited]) -> tuple[str, ...]:
    """Their names, each once; those over MAX_NAMES are counted."""
    names = list(dict.fromkeys(each.name for each in awaited_now))
    more = len(names) - MAX_NAMES
    return (*names[:MAX_NAMES], *((f"{more} more",) if more > 0 else ()))


def _document(activity: PageActivity) -> Iterator[Awaited]:
    if activity.ready == "loading":
        yield Awaited("DOMContentLoaded")
    if activity.ready != "complete":
        waits = not activity.is_load_late
        yield Awaited("load", activity.quiet_since_s + (LOAD_PATIENCE_SECONDS if waits else 0.0))
    if activity.moving or activity.is_switching:
        yield Awaited("animations")
    if activity.is_leaving:
        yield Awaited("navigation")
    if activity.is_asked_to_leave:  # which may come to nothing: a download, a blocked address
        yield _possible("navigation", activity.quiet_since_s + LOAD_PATIENCE_SECONDS)
    if activity.now_s < activity.quiet_since_s + activity.quiet_s:
        yield Awaited("changes", activity.quiet_since_s + activity.quiet_s)


def _signs(activity: PageActivity, input_s: float) -> Iterator[Awaited]:
    for name, age_s in activity.signs.items():
        yield Awaited(name, activity.now_s - age_s + SIGN_SECONDS.get(name, SIGN_OTHER_SECONDS))
    if activity.now_s - activity.endless_s >= input_s > -math.inf:
        yield Awaited("loading indicator", activity.now_s - activity.endless_s + ENDLESS_SECONDS)


def _limit(request: PageRequest, requests: PageRequests, is_loading: bool) -> float:
    """Until when an open request counts."""
    if is_telemetry(request.url):
        return -math.inf
    if requests.is_poll(request):
        return request.sent_s
    if request.kind == "EventSource" and request.has_news:
        return -math.inf
    limit = _limit_by_cause(request, is_loading)
    if request.status and request.kind not in ("Script", "Stylesheet"):
        return min(limit, request.moved_s + (UNREAD_SECONDS if request.is_short else STREAM_SECONDS))
    return limit


def _limit_by_cause(request: PageRequest, is_loading: bool) -> float:
    if request.cause is Cause.INPUT:
        return request.sent_s + SHORT_STARTED_SECONDS.get(request.kind, STARTED_SECONDS)
    if request.cause is Cause.NOTHING:
        return request.sent_s + (0.0 if request.kind in ("Image", "EventSource") else UNCAUSED_SECONDS)
    if request.kind in ("XHR", "Fetch") and _HELD_BY_NAME.search(request.route):
        return request.sent_s + UNCAUSED_SECONDS
    if is_loading and request.kind not in ("Image", "EventSource"):
        return request.sent_s + STARTED_SECONDS
    return request.sent_s + LOADING_SECONDS.get(request.kind, LOADING_OTHER_SECONDS)


def _socket_limit(socket: OpenSocket) -> float:
    """Until when the answer on a socket counts."""
    return socket.asked_s + STREAM_SECONDS if socket.asked_s > socket.received_s else -math.inf


def _reactions(activity: PageActivity, requests: PageRequests) -> Iterator[Awaited]:
    """What may still come of input, or of an answer, without a trace of it yet, because timers cannot be seen. The more
    time the caller gives, the longer it is waited for; with half a second it is not."""
    timeout_s, made_s = activity.timeout_s, activity.made_s
    if activity.listens and requests.input_s > -math.inf:
        is_answered = made_s >= requests.input_s
        part, most_s = (0.06, 0.5) if is_answered else (0.125, 1.0)
        most_s = most_s if activity.may_come_late else BRIEFLY_QUIET_SECONDS
        yield _possible("changes", requests.input_end_s + _share(timeout_s, part, most_s))
        if activity.scripts_run and not is_answered:
            yield _possible("scripts", requests.input_end_s + _share(timeout_s, 0.25, 2.0))
    if activity.is_bare:
        start = min(requests.loaded_s, activity.now_s)
        yield _possible("content", max(start, _last_end(requests.ended)) + _share(timeout_s, 0.25, 2.0))
    for each in requests.answers():
        if each.cause is Cause.NOTHING or requests.is_poll(each) or not _is_used(each):
            continue
        if each.failed:
            yield _possible(f"retry of {each.name}", each.moved_s + _share(timeout_s, 0.2, RETRY_SECONDS))
        elif made_s < each.moved_s - LAG_SECONDS:
            most_s = 1.0 if each.cause is Cause.INPUT else 0.3
            yield _possible("changes", each.moved_s + _share(timeout_s, 0.125, most_s))
        else:
            yield _possible("changes", each.moved_s + _share(timeout_s, 0.03, 0.25))


def _is_used(request: PageRequest) -> bool:
    """Whether a script waits for the answer; what a document loads acts at once."""
    return request.kind in ("XHR", "Fetch", "EventSource") or (
        request.kind == "Script" and request.cause is Cause.INPUT
    )


def _possible(name: str, until_s: float) -> Awaited:
    """What may come until then, or not at all."""
    return Awaited(name, until_s, goes_on=False)


def _share(timeout_s: float, part: float, most_s: float) -> float:
    return min(part * timeout_s, most_s)


def _last_end(ended: Sequence[PageRequest]) -> float:
    return ended[-1].ended_s if ended else -math.inf
