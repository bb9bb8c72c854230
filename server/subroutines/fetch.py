"""What a subroutine sends: requests by the page's own fetch, and what answers to them mean.

Rule 1: a request that was handed to the page counts as sent, regardless of its outcome; it is never sent again.
Rule 2: why a site refused a request is reported in its own words.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from perception.browser.browser_session import Tab
from perception.browser.evaluate.evaluator import EvaluateEngine, Evaluator, Script
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.deadline import Deadline
from perception.errors import BadInputError, DriftError, RefusedError, UnverifiedError
from perception.page_words import MAX_ADDRESS, page_words
from perception.subroutines.answer_shape import CONFIRMING, confirm_answer, contradictions, other_message, plain_success
from perception.subroutines.answers import (
    MAX_REASON,
    Reply,
    check_reply,
    check_status,
    looks_like_login,
    not_logged_in,
    parse_json,
    reason_in,
    shown_url,
)
from perception.subroutines.hosts import origin_of
from perception.subroutines.path_patterns import url_fits
from perception.subroutines.phrases import given_texts, is_complaint
from perception.subroutines.ranking import MUTATING, operation_of

MAX_BODY_BYTES = 2**20
"""Limit of a request: as much as gRPC clients send in one message with room to spare. Files go by a file field."""

MAX_ANSWER = 2**20
"""Characters of an answer that are handed to the script."""

ANSWER_SECONDS = 10.0
"""How long an answer is waited for after what caused its request: as a person would wait before trying again."""

_WELL_KNOWN = {
    "meta": ("csrf-token", "csrf", "_csrf", "csrfToken", "x-csrf-token", "X-CSRF-TOKEN"),
    "input": (
        "csrfmiddlewaretoken",
        "authenticity_token",
        "_token",
        "__RequestVerificationToken",
        "_csrf",
        "csrf_token",
    ),
    "cookie": ("csrftoken", "XSRF-TOKEN", "_xsrf", "csrf_token"),
}
"""Where Django, Rails, Laravel, ASP.NET, Express, Flask, Angular and Tornado keep theirs."""


class SubroutineRequests:
    """Sends for one run on one tab.

    Attributes:
        sent: whether anything that may have changed something was sent.
        reply: the answer to the last request; None before.
        confirmed: what of the last answer says by itself that it was done; "" for nothing.
    """

    def __init__(
        self,
        tab: Tab,
        evaluator: Evaluator,
        log: NetworkLog,
        origin: str,
        deadline: Deadline,
        arguments: Mapping[str, Any],
    ) -> None:
        self._tab = tab
        self._evaluator = evaluator
        self._log = log
        self._origin = origin
        self._deadline = deadline
        self._arguments = arguments
        self.sent = False
        self.reply: Reply | None = None
        self.confirmed = ""

    async def request(self, method: str, path: str, options: Mapping[str, Any], known: Collection[str] = ()) -> Any:
        """Sends one request and checks its answer.

        Args:
            method: HTTP method.
            path: path and query.
            options: headers, body, and what to expect.
            known: texts of the page before, which are not a reason for a refusal.

        Returns:
            The answer's JSON, else its status and path.

        Raises:
            BadInputError: it leads to another origin, or its body is over the limit; nothing was sent.
            NotLoggedInError, RefusedError, DriftError, UnverifiedError
        """
        url = urljoin(f"{self._origin}/", path)
        if origin_of(url) != self._origin:
            raise BadInputError(f"{path[:120]!r} leads to another origin than {self._origin}: a subroutine stays there")
        given = msgspec.json.encode(dict(options))
        if len(given) > MAX_BODY_BYTES:
            raise BadInputError(
                f"the request has {len(given)} bytes, the limit is {MAX_BODY_BYTES}: give shorter parameters; nothing "
                "was sent"
            )
        expression = (
            # Parsed as JSON: a literal with a key `__proto__` would set the prototype.
            f"({_fetch_source()})({json.dumps(method.upper())}, {json.dumps(url)}, "
            f"JSON.parse({json.dumps(given.decode())}), {MAX_ANSWER})"
        )
        self._deadline.check("sending the request")
        self.sent = self.sent or method.upper() in MUTATING
        script = Script(expression, await_promise=True, engine=EvaluateEngine.CDP)
        done = await self._evaluator.run(self._tab, script, self._deadline)
        if done.exception:
            raise RefusedError(f"{method} {urlsplit(url).path} was not answered: {done.exception[:MAX_REASON]}")
        reply = Reply(**done.value)
        self.reply, self.confirmed = reply, ""
        expected = options.get("expect", {})
        check_reply(method, urlsplit(url).path, reply, expected, known)
        self.confirmed = confirmed_by(method.upper(), reply, expected, self._arguments)
        answer = reply.json
        return answer if answer is not None else {"status": reply.status, "path": urlsplit(reply.url).path}

    async def read_token(self, place: Mapping[str, str] | None) -> str:
        """A token that the page holds now: `{meta: name}`, `{input: name}` or `{attribute: name}`; without a place,
        where frameworks commonly keep it.

        Raises:
            DriftError: it is not there.
        """
        pairs = (
            list(place.items()) if place else [(kind, name) for kind, names in _WELL_KNOWN.items() for name in names]
        )
        for kind, name in pairs:
            value = await self._cookie(name) if kind == "cookie" else await self._held(kind, name)
            if value:
                return value
        listed = ", ".join(f"{kind} {name!r}" for kind, name in (place or {"any": "usual place"}).items())
        raise DriftError(f"the page holds no token any more ({listed}): nothing was sent", before=listed, after="none")

    async def read_cookie(self, name: str) -> str:
        """A cookie that scripts can read.

        Raises:
            DriftError: there is none.
        """
        value = await self._cookie(name)
        if not value:
            raise DriftError(f"the page has no cookie {name[:60]!r}: nothing was sent", before=name, after="none")
        return value

    def answer_share(self, expected: Mapping[str, Any]) -> Deadline:
        """How long the answer to an expected request is waited for."""
        delay = expected.get("delay", 0)
        return self._deadline.share(ANSWER_SECONDS + (2 * delay if isinstance(delay, int | float) else 0))

    async def wait_for_answer(self, mark: int, expected: Mapping[str, Any], share: Deadline) -> Exchange | None:
        """The first request since `mark` that is the one expected, once it was answered; None where none came."""
        found: list[Exchange] = []

        def is_answered() -> bool:
            found[:] = [each for each in self._log.exchanges[mark:] if is_expected(each, expected)][:1]
            return bool(found) and found[0].done

        await self._log.wait_for(is_answered, share.remaining())
        return found[0] if found else None

    async def check_answer(self, exchange: Exchange, expected: Mapping[str, Any], news: str) -> Any:
        """What the page's own request came to, held against the recorded one.

        Args:
            news: what the page says since.

        Returns:
            The answer's JSON, else its status and path.
        """
        path = urlsplit(exchange.url).path
        text = "" if exchange.location else await self._log.body_of(exchange, self._deadline)
        reply = Reply(exchange.status, exchange.url, False, exchange.mime, text[:MAX_ANSWER])
        if exchange.failed and not exchange.status:
            raise RefusedError(f"{exchange.method} {path} was not answered: {exchange.failed}")
        if exchange.location and looks_like_login(exchange.location) and not looks_like_login(exchange.url):
            raise not_logged_in(exchange.method, path, page_words(shown_url(exchange.location), MAX_ADDRESS))
        check_status(exchange.method, path, reply, wanted_status(exchange, expected), news)
        self.confirmed = confirmed_by(exchange.method, reply, expected, self._arguments)
        answer = reply.json
        return answer if answer is not None else {"status": exchange.status, "path": path}

    async def _held(self, kind: str, name: str) -> str:
        selector = {"meta": f"meta[name={json.dumps(name)}]", "input": f"input[name={json.dumps(name)}]"}.get(kind)
        attribute = {"meta": "content", "input": "value"}.get(kind, name)
        selector = selector or f"[{name}]"
        read = (
            f"((found) => found ? found.value ?? found.getAttribute({json.dumps(attribute)}) ?? '' : '')"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        return await self._evaluate(read)

    async def _cookie(self, name: str) -> str:
        read = (
            "(document.cookie.split('; ').find((pair) => pair.startsWith("
            f"{json.dumps(name + '=')})) || '').slice({len(name) + 1})"
        )
        return await self._evaluate(read)

    async def _evaluate(self, expression: str) -> str:
        link = self._tab.link
        reply = await link.evaluate(
            link.main_frame, expression, self._deadline, "reading the page's token", returnByValue=True
        )
        return str(reply.get("value") or "")


def confirmed_by(method: str, reply: Reply, expected: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """What of an answer says by itself that it was done, in words; "" for nothing.

    Raises:
        RefusedError: its message is another one than the recorded one, with words of a refusal.
        UnverifiedError: its message, or a constant of it, such as `ok: true`, differs from the recorded one.
    """
    shape, answer = expected.get("answer", {}), reply.json
    differ = contradictions(answer, shape) if isinstance(shape, dict) else ()
    if differ:
        reason = reason_in(reply)
        said = f" ({page_words(reason, MAX_REASON)})" if reason else ""
        raise UnverifiedError(
            f"the answer has {', '.join(differ)}, another value than when it was recorded{said}: look whether it was "
            "done before it is run again"
        )
    if isinstance(shape, dict) and (other := other_message(answer, shape, arguments)):
        if is_complaint(other, given_texts(arguments)):
            raise RefusedError(f"the answer says: {page_words(other, MAX_REASON)}")
        raise UnverifiedError(
            f"the answer says {page_words(other, MAX_REASON)}, something else than when it was recorded: look whether "
            "it was done before it is run again"
        )
    if said := confirm_answer(answer, shape) if shape else plain_success(answer):
        return said
    if reply.status in CONFIRMING and int(expected.get("status", 0)) == reply.status:
        return f"the answer's status is {reply.status}"
    if method == "GET" and answer is not None and 200 <= reply.status < 300 and not shape:
        return "the answer is JSON"
    return ""


def wanted_status(exchange: Exchange, expected: Mapping[str, Any]) -> int:
    """The recorded status of a request; where none was recorded, any is right that is not an error."""
    return int(expected.get("status", exchange.status if exchange.status < 400 else 200))


def is_expected(exchange: Exchange, expected: Mapping[str, Any]) -> bool:
    """Whether a request is the one that a recording has: its method, its path up to what differs, its operation."""
    if exchange.kind == "Preflight" or exchange.method != expected.get("method", exchange.method):
        return False
    fits = "path" not in expected or url_fits(str(expected["path"]), exchange.url)
    operation = expected.get("operation")
    if not fits or not operation:
        return fits
    return operation_of(exchange.method, parse_json(exchange.body)) == str(operation)


@cache
def _fetch_source() -> str:
    text = files("perception.browser.recording").joinpath("request.js").read_text("utf-8")
    return text[text.index("async (method") :].strip().rstrip(";")
