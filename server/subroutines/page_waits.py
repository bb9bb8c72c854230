"""What a run waits for: an element, an address, the answer to a request of the page.

Rule: what does not come is refused in the site's words, or not known where something was sent, or the page differs from
the recorded one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from perception.browser.recording.network_log import Exchange
from perception.deadline import Deadline
from perception.errors import DriftError, PerceptionError, RefusedError, UnverifiedError, marked_line
from perception.page_words import page_words
from perception.server.actions.effects import follow
from perception.server.subroutines.confirm import Confirmation
from perception.server.subroutines.fetch import wanted_status
from perception.server.subroutines.run_requests import RunRequests
from perception.server.subroutines.run_tabs import RunTabs
from perception.subroutines.path_patterns import url_fits
from perception.subroutines.phrases import given_texts, is_complaint
from perception.subroutines.recording import Target

URL_SECONDS = 10.0
"""How long an address is waited for."""

POLL_SECONDS = 0.05

REFUSAL_SECONDS = 1.0
"""How long a page shows a complaint before a wait ends by it: one of a field may go as the next one is left. Chosen by
hand."""

MAX_NEWS = 500
"""Characters of a page's own words in an error."""


class PageWaits:
    """Waits of one run, on the tab that it is on. Each raises RefusedError, UnverifiedError or DriftError for what does
    not come, as the rule above says."""

    def __init__(
        self,
        tabs: RunTabs,
        sent: RunRequests,
        confirmation: Confirmation,
        arguments: Mapping[str, Any],
        deadline: Deadline,
    ) -> None:
        self._tabs = tabs
        self._sent = sent
        self._confirmation = confirmation
        self._arguments = arguments
        self._deadline = deadline

    async def wait_for(self, target: Target) -> None:
        """Waits until an element is there."""
        try:
            await self._tabs.here.steps.wait_for(target)
            self._confirmation.note_shown(target)
        except DriftError as exc:
            raise await self._missing(marked_line(exc), exc.before, exc.after) from exc

    async def wait_for_url(self, pattern: str) -> str:
        """Waits URL_SECONDS at most until the page's address fits; returns it."""
        share = self._deadline.share(URL_SECONDS)
        refusal = _Refusal(self._deadline)
        while not url_fits(pattern, self._tabs.here.action.tab.link.url):
            if share.spent() or await self._is_refused(refusal):
                raise await self._missing(f"the address {pattern} did not come", pattern)
            await asyncio.sleep(POLL_SECONDS)
        self._confirmation.note_url(pattern, self._tabs.here.action.tab.link.url)
        return self._tabs.here.action.tab.link.url

    async def wait_for_request(self, expected: Mapping[str, Any]) -> Any:
        """Waits for the answer to a request that the page sends, and returns what `expected` asks of it."""
        exchange = await self._exchange(expected)
        wanted = f"{expected.get('method', '')} {expected.get('path', '')}"
        if exchange is not None:
            self._sent.awaited.add(id(exchange))
        if exchange is None or not exchange.done:
            said = "was not answered" if exchange is not None else "was not sent"
            raise await self._missing(f"{wanted} {said}", wanted, is_late="delay" in expected)
        await self._settle(exchange.location)
        differs = exchange.status // 100 != wanted_status(exchange, expected) // 100
        news = await self._tabs.here.steps.news() if differs else ()
        answer = await self._tabs.here.requests.check_answer(exchange, expected, "; ".join(news)[:MAX_NEWS])
        self._confirmation.note_answer(self._tabs.here.requests.confirmed)
        return answer

    async def _exchange(self, expected: Mapping[str, Any]) -> Exchange | None:
        """The request that is waited for; None where none comes, or the page says meanwhile that it sends none."""
        requests, mark = self._tabs.here.requests, self._tabs.here.mark
        share = requests.answer_share(expected)
        refusal = _Refusal(self._deadline)
        while True:
            waited = share if "delay" in expected else share.at_most(REFUSAL_SECONDS / 2)
            exchange = await requests.wait_for_answer(mark, expected, waited)
            if share.spent() or (exchange is not None and exchange.done):
                return exchange
            if exchange is None and await self._is_refused(refusal):
                return None

    async def _is_refused(self, refusal: _Refusal) -> bool:
        """Whether the page has shown the same complaint for a while, and nothing is under way that it may be about."""
        if not refusal.is_due() or self._tabs.here.action.tab.link.navigating:
            return False
        values = given_texts(self._arguments)
        news = await self._tabs.here.steps.news()
        said = frozenset(each for each in news if is_complaint(each, values))
        is_over = self._sent.was_refused() or not self._sent.has_sent()
        return refusal.lasts(said if is_over else frozenset())

    async def _settle(self, location: str) -> None:
        """The document that a form leads to is followed by the next step; what it says is there once it has come."""
        if location or self._tabs.here.action.tab.link.navigating:
            await follow(self._tabs.here.action.begin_next())

    async def _missing(
        self, what: str, before: str, after: str = "nothing", *, is_late: bool = False
    ) -> PerceptionError:
        """The end of a step whose effect did not come: refused in the site's words, or not known where something was
        sent, or may yet be."""
        news = await self._tabs.here.steps.news()
        said = f"; the page says: {page_words('; '.join(news), MAX_NEWS)}" if news else ""
        values = given_texts(self._arguments)
        if any(is_complaint(each, values) for each in news) or (news and self._sent.was_refused()):
            return RefusedError(f"{what}{said}")
        if is_late or self._sent.has_sent():
            return UnverifiedError(f"{what}{said}: look whether it was done before it is run again")
        if news:
            return RefusedError(f"{what}{said}")
        return DriftError(f"{what}, and the page says nothing", before=before, after=after)


class _Refusal:
    """What a page complains of while something is waited for."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._said: frozenset[str] = frozenset()
        self._next = deadline.share(REFUSAL_SECONDS / 2)
        self._since = deadline.share(REFUSAL_SECONDS)

    def is_due(self) -> bool:
        """Whether the page is to be looked at again."""
        return self._next.spent()

    def lasts(self, said: frozenset[str]) -> bool:
        """Whether one of these complaints has been there for REFUSAL_SECONDS."""
        self._next = self._deadline.share(REFUSAL_SECONDS / 2)
        if said & self._said:
            self._said &= said
            return self._since.spent()
        self._said = said
        self._since = self._deadline.share(REFUSAL_SECONDS)
        return False
