"""What a run sent: by its script, and by the page since something was done by input."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from perception.browser.recording.network_log import Exchange
from perception.deadline import Deadline
from perception.page_words import MAX_ADDRESS, page_words
from perception.server.subroutines.fetch import ANSWER_SECONDS
from perception.server.subroutines.run_tabs import RunTabs
from perception.subroutines.hosts import is_first_party, is_telemetry
from perception.subroutines.ranking import MUTATING
from perception.subroutines.recording import SOCKET
from perception.subroutines.stored import Stored

MAX_LINES = 300
"""Requests that an answer lists."""

MAX_NAMED = 3
"""Requests that an error names."""


class RunRequests:
    """The requests of one run.

    Attributes:
        acted_at: how many requests the first tab had sent when something was first done by input; None before.
        asked: requests of the script, as `METHOD /path`.
        awaited: `id` of the page's requests that the script waited for.
    """

    def __init__(self, stored: Stored, tabs: RunTabs) -> None:
        self._stored = stored
        self._tabs = tabs
        self.acted_at: int | None = None
        self.asked: set[str] = set()
        self.awaited: set[int] = set()

    def has_sent(self) -> bool:
        """Whether a request that may change something left: ours, or one of the page's since the first thing was done
        by hand."""
        by_script = self._tabs.has_posted or any(each.requests.sent for each in self._tabs.all)
        return by_script or any(self._may_change(each) for each in self._by_page())

    async def wait_for_answers(self, deadline: Deadline) -> None:
        """Waits until what may change something is answered: leaving the page would end it."""
        log, share = self._tabs.first.log, deadline.share(ANSWER_SECONDS)
        await log.wait_for(
            # Not to every message over a WebSocket there is an answer.
            lambda: all(each.done or each.method == SOCKET for each in self._by_page() if self._may_change(each)),
            share.remaining(),
        )

    def was_refused(self) -> bool:
        """Whether the last answer to what may change something is an error."""
        statuses = [each.status for each in self._by_page() if self._may_change(each) and each.done]
        return bool(statuses) and statuses[-1] >= 400

    def describe_sent(self) -> str:
        """What left, in words for the end of an error."""
        if self.has_sent():
            return "a request that may have changed something had been sent"
        others = [each for each in self._since_input() if self._may_report(each)]
        if not others:
            return "nothing had been sent"
        lines = dict.fromkeys(self._line_of(each) for each in others)
        more = f" and {len(lines) - MAX_NAMED} more" if len(lines) > MAX_NAMED else ""
        return (
            f"the page had sent only beacons or requests to other sites ({', '.join(list(lines)[:MAX_NAMED])}{more}): "
            "look whether they changed something"
        )

    def _line_of(self, exchange: Exchange) -> str:
        address = exchange.url.partition("?")[0].partition("#")[0].removeprefix(self._stored.origin)
        what = " by sendBeacon" if exchange.kind == "Ping" else ""
        return f"{exchange.method} {page_words(address, MAX_ADDRESS)}{what}"

    def _since_input(self) -> list[Exchange]:
        """What the page sent since something was first done by input."""
        first, *popups = self._tabs.all
        since = len(first.log.exchanges) if self.acted_at is None else self.acted_at
        return [*first.log.exchanges[since:], *(each for popup in popups for each in popup.log.exchanges)]

    def _by_page(self) -> list[Exchange]:
        """What the page sent to its own site since something was first done by input: its API may have another host."""
        return [each for each in self._since_input() if is_first_party(each.url, self._stored.origin)]

    def lines(self, *, all_of_them: bool) -> list[tuple[str, str, int]]:
        """What the page sent to its own origin meanwhile: method, address without its query, status."""
        return [
            (each.method, each.url.partition("?")[0].partition("#")[0], each.status)
            for tab in self._tabs.all
            for each in self._first_party(tab.log.exchanges)
            if each.kind in ("Document", "XHR", "Fetch", "WebSocket") and (all_of_them or self._matters(each))
        ][:MAX_LINES]

    def _may_change(self, exchange: Exchange) -> bool:
        """Whether it counts as sent by the task: no beacon does, as most of them only report."""
        return exchange.kind != "Ping" and self._is_news(exchange)

    def _may_report(self, exchange: Exchange) -> bool:
        """Whether it may have changed something although it does not count: a beacon, or one to another site."""
        return self._is_news(exchange) and not is_telemetry(exchange.url)

    def _is_news(self, exchange: Exchange) -> bool:
        """What the page sent by itself when the task was recorded, it sends now, too."""
        line = f"{exchange.method} {urlsplit(exchange.url).path}"
        return exchange.method in MUTATING and line not in self._stored.background

    def _first_party(self, exchanges: Sequence[Exchange]) -> list[Exchange]:
        return [each for each in exchanges if each.url.startswith(f"{self._stored.origin}/")]

    def _matters(self, exchange: Exchange) -> bool:
        """Whether it says something of the task: it may have changed something, shows a page, failed, or the script
        asked for it."""
        if self._may_change(exchange) or exchange.kind == "Document" or id(exchange) in self.awaited:
            return True
        line = f"{exchange.method} {urlsplit(exchange.url).path}"
        return line in self.asked or (
            line not in self._stored.background and (exchange.status >= 400 or bool(exchange.failed))
        )
