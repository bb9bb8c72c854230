"""Confirms that a run had its effect: by signs that its recording shows, unless the page says that it was refused.

Rule 1: a sign counts only where no look before the request was sent showed it as often.
Rule 2: a new complaint of the page defeats every sign.
Rule 3: without a sign that was seen the run is UNVERIFIED: it is neither a success, nor done again in another way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from perception.browser.recording.network_log import NetworkLog
from perception.errors import RefusedError, SubroutineBrokenError, UnverifiedError
from perception.page_words import page_words
from perception.server.actions.action_context import ActionContext
from perception.server.subroutines.steps import SubroutineSteps
from perception.server.subroutines.target_finder import APPEAR_SECONDS, POLL_SECONDS
from perception.subroutines.answers import Reply
from perception.subroutines.context_text import describe_target
from perception.subroutines.looks import FIELDS, MESSAGES, Look, Seen, look_of, widest
from perception.subroutines.page_words import complaints_in, html_texts
from perception.subroutines.path_patterns import url_fits
from perception.subroutines.phrases import given_texts, is_complaint, phrase_pattern
from perception.subroutines.recording import Target
from perception.subroutines.result_rows import NO_RESULTS
from perception.types import Capture

MAX_WORDS = 500
"""Characters of a page's own words in an error."""

_MARKED = """JSON.stringify([...document.querySelectorAll('.error, .errorlist, .errornote, .invalid-feedback,'
+ '.alert-danger, .alert-error, .has-error, .field-error, .form-error, .help-block.error, .text-danger, .is-danger,'
+ '.error-message, .validation-error, .flash-error, .message-error, .errors li')]
.filter((each) => each.getClientRects().length && getComputedStyle(each).visibility === 'visible')
.slice(0, 20).map((each) => each.innerText.trim().slice(0, 300)).filter(Boolean))"""
"""What a page shows in elements that Bootstrap, Django, Rails, Laravel, Bulma and others mark as errors."""


class Confirmation:
    """What confirms one run. `seen` are the signs so far, in words."""

    def __init__(
        self,
        action: ActionContext,
        steps: SubroutineSteps,
        log: NetworkLog,
        arguments: Mapping[str, Any],
        is_sent: Callable[[], bool],
    ) -> None:
        self._action = action
        self._steps = steps
        self._log = log
        self._arguments = arguments
        self._is_sent = is_sent
        self._before: Look = Look()
        self._urls: set[str] = set()
        self._entered: dict[tuple[str, str], str] = {}
        self._checked = 0
        self.seen: list[str] = []
        self.is_answered = False

    def note_look(self, capture: Capture) -> None:
        """Remembers what a page shows as long as nothing has been sent."""
        if not self._is_sent():
            self._before = widest(self._before, look_of(capture.elements))
            self._urls.add(self._action.tab.link.url)

    def note_entered(self, role: str, name: str, value: str) -> None:
        self._entered[role, name] = value

    def note_checked(self) -> None:
        self._checked += 1

    def note_answer(self, said: str) -> None:
        """An answer that says by itself that it was done."""
        if said:
            self.is_answered = True
            self._add(said)

    def note_url(self, pattern: str, url: str) -> None:
        """An address that was reached; the one of the form says nothing."""
        if not any(url_fits(pattern, each) for each in self._urls):
            self._add(f"the address is {urlsplit(url).path}")

    def note_shown(self, target: Target) -> None:
        """An element that was waited for."""
        if not any((each.role, each.name) == (target.role, target.name) for each in self._before):
            self._add(f"{describe_target(target)} appeared")

    def note_found(self, said: str) -> None:
        """Results, or the page's words that there are none."""
        self._add(said)

    @property
    def known(self) -> frozenset[str]:
        """Texts that were shown before anything was sent."""
        return frozenset(each.name for each in self._before)

    async def look_before(self) -> None:
        """Looks at the page before a request."""
        capture = await self._steps.capture()
        if capture is not None:
            self.note_look(capture)

    async def confirm(
        self, expected: Mapping[str, Any], reply: Reply | None, goto: Callable[[str], Awaitable[None]]
    ) -> None:
        """Looks for the signs of success.

        Args:
            expected: signs, as `SuccessCondition.script` has them, and `page`, the page to open after a request.
            reply: the answer to the last request of the script; None where the page sent it.
            goto: opens a page with GET.

        Raises:
            RefusedError: the page complains.
            UnverifiedError: none of the signs was seen.
        """
        if reply is not None:
            if self.is_answered or self._is_in_reply(expected, reply):
                return
            page = urlsplit(reply.url if reply.redirected else str(expected.get("page", "")))
            await goto(page._replace(scheme="", netloc="").geturl() or "/")
        look, signs = await self._wait_for_signs(expected)
        await self._require_page(expected)
        said = await self._complaints(expected, look, has_signs=bool(signs))
        for each in signs:
            self._add(each)
        if said and (signs or self.is_answered):
            raise UnverifiedError(
                f"the page complains: {page_words('; '.join(said), MAX_WORDS)}; yet {self.seen[0]}: look whether it "
                "was done before it is run again"
            )
        if said:
            raise RefusedError(page_words("; ".join(said), MAX_WORDS))
        if self._is_same_form(expected, look):
            raise UnverifiedError(
                "the form is shown again with what was entered, and no word of why: look whether it was done before it "
                "is run again"
            )
        if _wants_page(expected) and not signs:
            raise await self._unverified(expected)

    async def _require_page(self, expected: Mapping[str, Any]) -> None:
        """Raises RefusedError or UnverifiedError where the last page is an error page, and was none when it was
        recorded. What came of a request whose redirect led to a broken page is not known."""
        method, status = self._last_page()
        if status < 400 or status == expected.get("pageStatus"):
            return
        news = "; ".join(await self._steps.news())
        path = page_words(urlsplit(self._action.tab.link.url).path)
        said = f"{path} answers {status}{f': {page_words(news, MAX_WORDS)}' if news else ''}"
        raise UnverifiedError(said) if method == "GET" and status >= 500 else RefusedError(said)

    def require_seen(self) -> None:
        """Raises UnverifiedError where nothing confirmed the run."""
        if not self.seen:
            raise UnverifiedError(
                "everything was done, and nothing shows that it had an effect: look at the page or the data, and "
                "record the task again up to the message or the row that it leads to"
            )

    async def _wait_for_signs(self, expected: Mapping[str, Any]) -> tuple[Look, list[str]]:
        share = self._action.deadline.share(APPEAR_SECONDS)
        while True:
            capture = await self._steps.capture()
            look = look_of(capture.elements) if capture is not None else Look()
            signs = self._signs(expected, look) if capture is not None else []
            is_over = signs or not _wants_page(expected) or self._alerts(look)
            if (capture is not None and is_over) or share.spent():
                return look, signs
            await asyncio.sleep(POLL_SECONDS)

    def _signs(self, expected: Mapping[str, Any], look: Look) -> list[str]:
        found = []
        for sign in _items(expected, "appears"):
            shown = self._shown(sign, look)
            # Beside an answer that confirms it, what a step before has shown counts, too.
            least = 0 if self.is_answered else sum(self._shown(sign, self._before).values())
            if sum(shown.values()) > least:
                found.append(f"{_words(next(iter(shown - self._before), next(iter(shown))))} appeared")
        for sign in _items(expected, "gone"):
            before = self._shown(sign, self._before)
            if sum(self._shown(sign, look).values()) < sum(before.values()):
                found.append(f"{_words(next(iter(before)))} is gone")
        url = str(expected.get("url", ""))
        if url and self._is_at(url):
            found.append(f"the address is {self._action.tab.link.url.partition('#')[0][:200]}")
        if self._last_page()[0] == "GET":
            found += [
                f"{_words(each)} was kept" for sign in _items(expected, "kept") for each in self._held(sign, look)
            ]
        if expected.get("entered") and self._holds_entered(look):
            found.append("the fields hold what was entered")
        return found

    def _shown(self, sign: Mapping[str, Any], look: Look) -> Look:
        """The elements of a look that a sign means."""
        pattern = phrase_pattern(str(sign.get("name", "")), self._arguments)
        if pattern is None:
            return Look()
        role, state = str(sign.get("role", "")), str(sign.get("state", ""))
        return Look(
            {
                each: count
                for each, count in look.items()
                if (not role or each.role == role) and _has(each, state) and pattern.fullmatch(each.name)
            }
        )

    def _held(self, sign: Mapping[str, Any], look: Look) -> list[Seen]:
        pattern = phrase_pattern(str(sign.get("value", "")), self._arguments)
        shown = self._shown(sign, look)
        return [each for each in shown if pattern is not None and pattern.fullmatch(" ".join(each.value.split()))]

    def _is_at(self, pattern: str) -> bool:
        path, _, query = pattern.partition("?")
        here = self._action.tab.link.url
        asked = dict(parse_qsl(urlsplit(here).query))
        wanted = [(key, phrase_pattern(value, self._arguments)) for key, value in parse_qsl(query)]
        fits = all(value is not None and value.fullmatch(asked.get(key, "")) for key, value in wanted)
        return fits and url_fits(path, here) and here not in self._urls

    def _last_page(self) -> tuple[str, int]:
        """Method and status of the last document; that of a redirect is a document of its own."""
        frame = self._action.tab.link.main_frame
        pages = [each for each in self._log.exchanges if each.kind == "Document" and each.frame == frame]
        return (pages[-1].method, pages[-1].status) if pages else ("", 0)

    def _holds_entered(self, look: Look) -> bool:
        if not self._entered:
            return self._checked > 0
        return all(_has_value(look, role, name, value) for (role, name), value in self._entered.items())

    def _is_in_reply(self, expected: Mapping[str, Any], reply: Reply) -> bool:
        """Looks for the signs in the answer itself. Raises RefusedError where its page complains."""
        if "html" not in reply.mime:
            return False
        texts = html_texts(reply.text)
        found = [
            f'{sign.get("role", "")} "{text[:120]}" appeared'
            for sign in _items(expected, "appears")
            if not self._shown(sign, self._before) and not sign.get("state")
            for text in self._matching(sign, texts)[:1]
        ]
        said = complaints_in(reply.text, {each.name for each in self._before}, given_texts(self._arguments))
        if said:
            raise RefusedError(page_words("; ".join(said), MAX_WORDS))
        for each in found:
            self._add(each)
        return bool(found)

    def _matching(self, sign: Mapping[str, Any], texts: Sequence[str]) -> list[str]:
        pattern = phrase_pattern(str(sign.get("name", "")), self._arguments)
        return [text for text in texts if pattern is not None and pattern.fullmatch(text)]

    async def _complaints(self, expected: Mapping[str, Any], look: Look, *, has_signs: bool) -> list[str]:
        """What the page complains about since the request, best first."""
        known = {each.name for each in self._before}
        marked = [text for text in await self._steps.texts(_MARKED) if text not in known]
        said = [*self._alerts(look), *marked]
        invalid = [each for each in look if "invalid" in each.states and not _was_invalid(each, self._before)]
        if not said and (not has_signs or invalid or self._is_same_form(expected, look)):
            said += [each.name for each in look if self._is_new_complaint(each)]
        if not said:
            said += [f"{each.role} {each.name} is marked as invalid" for each in invalid[:3]]
        return list(dict.fromkeys(" ".join(each.split()) for each in said))

    def _alerts(self, look: Look) -> list[str]:
        return [each.name for each in look if each.role in MESSAGES and self._is_new_complaint(each)]

    def _is_new_complaint(self, seen: Seen) -> bool:
        if not self._is_sent() and NO_RESULTS.search(seen.name):
            return False
        is_new = sum(1 for each in self._before if (each.role, each.name) == (seen.role, seen.name)) == 0
        return (
            is_new
            and not seen.listed
            and seen.role not in FIELDS
            and is_complaint(seen.name, given_texts(self._arguments))
        )

    def _is_same_form(self, expected: Mapping[str, Any], look: Look) -> bool:
        return not expected.get("filled") and not expected.get("kept") and self._is_form_again(look)

    def _is_form_again(self, look: Look) -> bool:
        """Whether a form that was sent as a document came back with what was entered."""
        if self._last_page()[0] != "POST" or not self._entered:
            return False
        now = [(each, value) for each in look for key, value in self._entered.items() if (each.role, each.name) == key]
        held = [bool(each.value) and _letters(each.value) == _letters(value) for each, value in now]
        return any(held) and all(kept or not each.value for kept, (each, _) in zip(held, now, strict=True))

    async def _unverified(self, expected: Mapping[str, Any]) -> UnverifiedError:
        wanted = [_described(each) + " appears" for each in _items(expected, "appears")]
        wanted += [_described(each) + " is gone" for each in _items(expected, "gone")]
        wanted += [_described(each) + " keeps its value" for each in _items(expected, "kept")]
        wanted += [f"the address is {expected['url']}"] if expected.get("url") else []
        wanted += ["the fields hold what was entered"] if expected.get("entered") else []
        news = "; ".join(await self._steps.news())[:MAX_WORDS]
        said = f"; the page says: {page_words(news, MAX_WORDS)}" if news else ""
        return UnverifiedError(
            f"everything was done, and nothing confirms it: expected that {' or '.join(wanted)[:MAX_WORDS]}{said}: "
            "look whether it was done before it is run again"
        )

    def _add(self, said: str) -> None:
        if said not in self.seen:
            self.seen.append(said[:200])


def _wants_page(expected: Mapping[str, Any]) -> bool:
    return any(expected.get(key) for key in ("appears", "gone", "kept", "url", "entered"))


def _items(expected: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Raises SubroutineBrokenError: a part of the condition is not a list of elements."""
    items = expected.get(key, [])
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise SubroutineBrokenError(f"`{key}` of confirm is not a list of elements: write [{{ role, name }}, …]")
    return items


def _has(seen: Seen, state: str) -> bool:
    if not state:
        return True
    return state.removeprefix("not ") not in seen.states if state.startswith("not ") else state in seen.states


def _has_value(look: Look, role: str, name: str, value: str) -> bool:
    wanted = _letters(value)
    return any((each.role, each.name) == (role, name) and _letters(each.value) == wanted for each in look)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _was_invalid(seen: Seen, before: Look) -> bool:
    return any((each.role, each.name) == (seen.role, seen.name) and "invalid" in each.states for each in before)


def _words(seen: Seen) -> str:
    states = f" [{', '.join(seen.states)}]" if seen.states else ""
    return f'{seen.role} "{seen.name[:120]}"{states}'


def _described(sign: Mapping[str, Any]) -> str:
    state = f" [{sign['state']}]" if sign.get("state") else ""
    return f'{sign.get("role", "")} "{str(sign.get("name", ""))[:120]}"{state}'.strip()
