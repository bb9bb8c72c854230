"""Which requests of a tab the recorded actions caused, and which of these have not ended.

Rule: what the page also sends without an action is not waited for: polls, telemetry, and what a new document loads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from urllib.parse import urlsplit

from perception.browser.recording.network_log import Exchange
from perception.subroutines.hosts import is_telemetry
from perception.subroutines.ranking import LATER_MS

CAUSED_SECONDS = LATER_MS / 1000
"""A request is that of an action for this time after it, as in the ranking."""

EARLY_SECONDS = 0.5
"""How much earlier than its action a request may be dated: pages and DevTools have clocks of their own. Chosen by
hand."""

CHAINED_SECONDS = 0.5
"""How soon after an answer a page sends the next request of the same action. Chosen by hand."""

MAX_ANSWERED = 50
"""Answers that a request may come of: the last ones. Chosen by hand."""

ANSWERED = frozenset({"Document", "XHR", "Fetch"})
"""Types of requests that a page waits for."""


def open_requests(exchanges: Sequence[Exchange], acted_s: Sequence[float], loader: str) -> list[Exchange]:
    """The requests that actions caused and that have not ended, in the order in which they were sent.

    Args:
        exchanges: all requests, in the order in which they were sent.
        acted_s: times of the actions, seconds since 1970.
        loader: of the document that the tab shows: requests of documents before it have ended without a word.
    """
    acted = sorted(acted_s)
    answered: deque[float] = deque(maxlen=MAX_ANSWERED)
    background: set[tuple[str, str]] = set()
    document_s = 0.0
    found: list[Exchange] = []
    for each in exchanges:
        if each.kind not in ANSWERED or is_telemetry(each.url):
            continue
        key = (each.method, urlsplit(each.url)._replace(query="").geturl())
        before = _last_action(acted, each.at_s)
        is_caused = each.at_s - before <= CAUSED_SECONDS
        is_chained = any(0 <= each.at_s - ended <= CHAINED_SECONDS for ended in answered)
        # A new document's own scripts read what it shows.
        is_loaded = each.kind != "Document" and each.method == "GET" and document_s > before
        if not is_caused and not is_chained:
            background.add(key)
        elif key not in background and not is_loaded:
            if each.done:
                answered.append(each.ended_s)
            elif each.kind == "Document" or each.loader in ("", loader):
                found.append(each)
        if each.kind == "Document":
            document_s = each.at_s
    return found


def _last_action(acted: Sequence[float], at_s: float) -> float:
    """When the last action before a request was; long ago for none."""
    count = bisect_right(acted, at_s + EARLY_SECONDS)
    return acted[count - 1] if count else float("-inf")
