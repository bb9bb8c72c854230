"""Waiting for a condition: an element, a text or an address is shown, an element is gone, the page has settled, a
response has come."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from perception.browser.capture.settle import settle
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TargetNode
from perception.browser.page.navigation import Settled
from perception.browser.traffic.bodies import read_response_body
from perception.browser.traffic.request_entry import EntryState
from perception.browser.traffic.request_facts import RequestFacts, read_facts
from perception.engine.request import Target
from perception.errors import (
    AmbiguousTargetError,
    DeadlineError,
    NoMatchError,
    PageChangingError,
    PageCrashedError,
    StaleRefError,
    UnknownRefError,
)
from perception.invisible import comparable
from perception.server.actions.action_context import ActionContext
from perception.server.actions.resolve import find_now
from perception.server.network.request_list import matches_url, request_log
from perception.types import Engine, Scope

POLL_SECONDS = 0.1
"""Between two looks for something: a page that has not changed costs a round trip of 2 ms."""

LAST_SECONDS = 0.02
"""With less than this left no further check is made."""


@dataclass(frozen=True, slots=True)
class ElementShown:
    """An element is on the page, and a person could see it."""

    target: Target


@dataclass(frozen=True, slots=True)
class ElementGone:
    """An element is no longer on the page, or no person could see it."""

    target: Target


LETTERS = "a-z\u00df-\u024f\u0370-\u052f"
"""Lower-case Latin, Greek and Cyrillic, with spaces between their words; other scripts write words into each other, or
their prepositions."""


@dataclass(frozen=True, slots=True)
class TextShown:
    """Whether a text is in the visible text of the page, from the beginning of a word on, ignoring case and spaces."""

    text: str


@dataclass(frozen=True, slots=True)
class UrlShown:
    """The tab is at an address; `*` in the pattern stands for any characters."""

    pattern: str


@dataclass(frozen=True, slots=True)
class PageSettled:
    """The page has come to rest."""


@dataclass(frozen=True, slots=True)
class ResponseSeen:
    """A response has come; all that is set has to apply.

    Attributes:
        url_pattern: see `matches_url`; any for an empty one.
        status: any for 0.
        body_contains: a part of the body; empty for any.
        method: in capitals; any for an empty one.
        since: number of the request after which its request was sent; None for the last one before the last action.
    """

    url_pattern: str
    status: int = 0
    body_contains: str = ""
    method: str = ""
    since: int | None = None


Shown = ElementShown | ElementGone | TextShown | UrlShown

Condition = Shown | PageSettled | ResponseSeen


async def wait_for(action: ActionContext, condition: Condition) -> Settled | RequestFacts | None:
    """Waits for a condition as long as the deadline allows.

    Returns:
        How a page came to rest, or the response, if one of these was waited for.

    Raises:
        DeadlineError: the condition was not met; names it.
        UnknownTabError, SessionLostError, PageCrashedError: there is no page any more that could meet it.
    """
    if isinstance(condition, PageSettled):
        return await settle(action.tab.link, action.deadline.remaining(), action.deadline)
    phase = _phase(condition)
    sought = _ResponseSearch(action, condition) if isinstance(condition, ResponseSeen) else None
    while True:
        _require_page(action)
        try:
            if sought is not None:
                if (found := await sought.find()) is not None:
                    return found
            elif not isinstance(condition, ResponseSeen) and await _is_met(action, condition):
                return None
        except (CdpCallError, PageChangingError):
            pass  # the tab goes to another document, which may meet it
        except DeadlineError as exc:
            raise action.deadline.error(phase) from exc
        remaining = action.deadline.remaining()
        if remaining <= LAST_SECONDS:
            raise action.deadline.error(phase)
        await asyncio.sleep(min(POLL_SECONDS, remaining / 2))


def _phase(condition: Shown | ResponseSeen) -> str:
    match condition:
        case ElementShown():
            return "waiting for the element"
        case ElementGone():
            return "waiting for the element to vanish"
        case TextShown(text):
            return f"waiting for the text {text[:60]!r}"
        case UrlShown(pattern):
            return f"waiting for the address {pattern[:80]!r}"
        case ResponseSeen():
            parts = (
                condition.method,
                repr(condition.url_pattern[:80]) if condition.url_pattern else "",
                f"with status {condition.status}" if condition.status else "",
                f"with {condition.body_contains[:60]!r} in its body" if condition.body_contains else "",
            )
            return f"waiting for a response {' '.join(filter(None, parts))}"


class _ResponseSearch:
    """Looks for a response again and again; each body is read once."""

    def __init__(self, action: ActionContext, condition: ResponseSeen) -> None:
        self._log = request_log(action.session)
        self._condition = condition
        self._deadline = action.deadline
        self._tab_id = action.tab.tab_id
        last = self._log.acted.get(self._tab_id, 0)
        self._since = last if condition.since is None else condition.since
        self._read: set[int] = set()

    async def find(self) -> RequestFacts | None:
        """The first response that meets the condition; None while there is none."""
        wanted, targets = self._condition, self._log.targets_of(self._tab_id)
        for number, entry in list(self._log.entries.items()):
            if number <= self._since or entry.target_id not in targets or not entry.response or number in self._read:
                continue
            facts = read_facts(entry)
            if (
                (wanted.status and facts.status != wanted.status)
                or (wanted.method and facts.method != wanted.method)
                or (wanted.url_pattern and not matches_url(facts.url, wanted.url_pattern))
            ):
                self._read.add(number)
            elif not wanted.body_contains:
                return facts
            elif entry.state is not EntryState.PENDING:
                self._read.add(number)
                if await self._is_in_body(facts):
                    return facts
        return None

    async def _is_in_body(self, facts: RequestFacts) -> bool:
        body = await read_response_body(facts, self._deadline)
        content = body.content if body is not None else None
        sought = self._condition.body_contains
        return sought in content if isinstance(content, str) else sought.encode() in (content or b"")


async def _is_met(action: ActionContext, condition: Shown) -> bool:
    match condition:
        case ElementShown(target):
            return await _is_shown(action, target)
        case ElementGone(target):
            return await _is_gone(action, target)
        case TextShown(text):
            return await _is_read(action, text)
        case UrlShown(pattern):
            return _is_at(action.tab.link.url, pattern)


def _require_page(action: ActionContext) -> None:
    action.session.browser.tab(action.tab.tab_id)
    if action.tab.link.crashed:
        raise PageCrashedError("the page crashed or hangs: open it again or close its tab")


async def _is_shown(action: ActionContext, target: Target) -> bool:
    try:
        found = await find_now(action, target)
    except (NoMatchError, UnknownRefError):
        return False
    except AmbiguousTargetError:
        return True  # several came at once
    if not isinstance(found, TargetNode):
        return True
    try:
        facts = await action.targets.look_at(found, action.deadline)
    except StaleRefError:
        return False
    left, top, right, bottom = facts.box
    return facts.seen and right > left and bottom > top


async def _is_gone(action: ActionContext, target: Target) -> bool:
    try:
        return not await _is_shown(action, target)
    except StaleRefError:
        return True


async def _is_read(action: ActionContext, text: str) -> bool:
    capture = await action.tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=action.deadline
    )
    wanted = _pattern_of(text)
    shown = (each for each in capture.elements if each.visible)
    return any(
        wanted.search(comparable(words.replace("~~", "")))
        for each in shown
        for words in (each.name, each.value, each.text)
    )


def _pattern_of(text: str) -> re.Pattern[str]:
    """What finds a text where it begins a word, and numbers at its ends where they are whole: no `saved` in `unsaved`,
    no `3 items` in `13 items`."""
    wanted = comparable(text)
    begin = rf"(?<![\d{LETTERS}])" if re.match(rf"[\d{LETTERS}]", wanted) else ""
    end = r"(?!\d)" if wanted[-1:].isdecimal() else ""
    return re.compile(begin + re.escape(wanted) + end)


def _is_at(url: str, pattern: str) -> bool:
    return url == pattern or fnmatchcase(url, pattern)
