"""What a subroutine sends: requests by the page's own fetch, and what answers to them mean.

Rule 1: a request that was handed to the page counts as sent, whatever became of it; it is never handed over again.
Rule 2: what a site says against a request is told in its own words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from perception.browser.evaluate import EvaluateEngine, Evaluator, Script
from perception.browser.netlog import Exchange, NetworkLog
from perception.browser.session import Tab
from perception.budget import Budget
from perception.errors import BadInputError, DriftError, NotLoggedInError, PerceptionError, RefusedError
from perception.server.subroutine_hands import looks_like_login, shown_url
from perception.subroutines.hosts import origin_of
from perception.subroutines.ranking import MUTATING

MAX_BODY_BYTES = 2**20
"""Of a request: as much as gRPC clients send in one message with room to spare. Files go by a file field."""

MAX_ANSWER = 2**20
"""Characters of an answer that are handed to the script."""

MAX_REASON = 500
"""Characters of a site's own reason."""

ANSWER_SECONDS = 10.0
"""How long an answer is waited for after what caused its request: as a person would wait before trying anew."""

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


@dataclass(frozen=True, slots=True)
class Reply:
    """A response as the page's fetch had it."""

    status: int
    url: str
    redirected: bool
    mime: str
    text: str

    @property
    def json(self) -> Any:
        return _parsed(self.text) if "json" in self.mime or self.text[:1] in ("{", "[") else None


class SubroutineRequests:
    """Sends for one run on one tab. `sent` is whether anything that may have changed something was sent."""

    def __init__(self, tab: Tab, evaluator: Evaluator, log: NetworkLog, origin: str, budget: Budget) -> None:
        self._tab = tab
        self._evaluator = evaluator
        self._log = log
        self._origin = origin
        self._budget = budget
        self.sent = False

    async def request(self, method: str, path: str, options: Mapping[str, Any]) -> Any:
        """Sends one request and checks its answer.

        Returns:
            The answer's JSON, else its status and path.

        Raises:
            BadInputError: it leads to another origin, or its body is over the limit; nothing was sent.
            NotLoggedInError, RefusedError, DriftError
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
            f"({_fetch_source()})({json.dumps(method.upper())}, {json.dumps(url)}, {given.decode()}, {MAX_ANSWER})"
        )
        self._budget.check("sending the request")
        self.sent = self.sent or method.upper() in MUTATING
        script = Script(expression, await_promise=True, engine=EvaluateEngine.CDP)
        done = await self._evaluator.run(self._tab, script, self._budget)
        if done.exception:
            raise RefusedError(f"{method} {urlsplit(url).path} was not answered: {done.exception[:MAX_REASON]}")
        reply = Reply(**done.value)
        check_reply(method, urlsplit(url).path, reply, options.get("expect", {}))
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
        told = ", ".join(f"{kind} {name!r}" for kind, name in (place or {"any": "usual place"}).items())
        raise DriftError(f"the page holds no token any more ({told}): nothing was sent", before=told, after="none")

    async def read_cookie(self, name: str) -> str:
        """A cookie that scripts can read.

        Raises:
            DriftError: there is none.
        """
        value = await self._cookie(name)
        if not value:
            raise DriftError(f"the page has no cookie {name[:60]!r}: nothing was sent", before=name, after="none")
        return value

    async def wait_for_answer(self, mark: int, expected: Mapping[str, Any]) -> Exchange | None:
        """The first request since `mark` that is the one expected, once it was answered; None where none came."""
        found: list[Exchange] = []

        def is_answered() -> bool:
            found[:] = [each for each in self._log.exchanges[mark:] if is_expected(each, expected)][:1]
            return bool(found) and found[0].done

        share = self._budget.share(ANSWER_SECONDS)
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
        text = "" if exchange.location else await self._log.body_of(exchange, self._budget)
        reply = Reply(exchange.status, exchange.url, False, exchange.mime, text[:MAX_ANSWER])
        if exchange.failed and not exchange.status:
            raise RefusedError(f"{exchange.method} {path} was not answered: {exchange.failed}")
        if exchange.location and looks_like_login(exchange.location) and not looks_like_login(exchange.url):
            raise _not_logged_in(exchange.method, path, shown_url(exchange.location))
        _check_status(exchange.method, path, reply, int(expected.get("status", exchange.status)), news)
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
            link.main_frame, expression, self._budget, "reading the page's token", returnByValue=True
        )
        return str(reply.get("value") or "")


def is_expected(exchange: Exchange, expected: Mapping[str, Any]) -> bool:
    """Whether a request is the one that a recording has: its method, its path up to what differs, its operation."""
    if exchange.kind == "Preflight" or exchange.method != expected.get("method", exchange.method):
        return False
    fits = "path" not in expected or url_fits(str(expected["path"]), exchange.url)
    operation = expected.get("operation")
    if not fits or not operation:
        return fits
    body = _parsed(exchange.body)
    return isinstance(body, dict) and body.get("operationName") == operation


def url_fits(pattern: str, url: str) -> bool:
    """Whether an address has a path like a pattern's, where `*` is any segment."""
    ours, theirs = pattern.split("/"), urlsplit(url).path.split("/")
    return len(ours) == len(theirs) and all(one in ("*", other) for one, other in zip(ours, theirs, strict=True))


def check_reply(method: str, path: str, reply: Reply, expected: Mapping[str, Any]) -> None:
    """Holds an answer of the page's fetch, which has followed redirects, against the recorded one.

    Raises:
        NotLoggedInError, RefusedError, DriftError
    """
    if reply.redirected and looks_like_login(reply.url) and not looks_like_login(path):
        raise _not_logged_in(method, path, shown_url(reply.url))
    wanted = int(expected.get("status", 200))
    if 300 <= wanted < 400 and reply.status < 400:
        landed = urlsplit(reply.url).path
        wanted_path = str(expected.get("location", ""))
        if not reply.redirected or (wanted_path and not url_fits(wanted_path, reply.url)):
            reason = reason_in(reply)
            if reason:
                raise RefusedError(reason)
            raise DriftError(
                f"{method} {path} led to {landed} and not to {expected.get('location', 'another page')}: what it came "
                "to is not known",
                before=f"a redirect to {expected.get('location', '')}",
                after=f"{landed}, status {reply.status}",
            )
        return
    _check_status(method, path, reply, wanted, "")


def reason_in(reply: Reply) -> str:
    """A site's own reason for refusing: what its JSON calls an error, or its page marks as one; else empty."""
    answer = reply.json
    if isinstance(answer, dict):
        return _json_reason(answer)
    return _page_reason(reply.text) if "html" in reply.mime else ""


def _check_status(method: str, path: str, reply: Reply, wanted: int, news: str) -> None:
    reason = reason_in(reply)
    if reply.status == 401:
        raise _not_logged_in(method, path, f"status 401{f' ({reason})' if reason else ''}")
    if reply.status // 100 != wanted // 100:
        told = reason or news
        if told:
            raise RefusedError(told[:MAX_REASON])
        raise DriftError(
            f"{method} {path} answers {reply.status} and not {wanted}: the site gives no reason",
            before=f"status {wanted}",
            after=f"status {reply.status}",
        )
    if reason and isinstance(reply.json, dict) and _is_refusal(reply.json):
        raise RefusedError(reason[:MAX_REASON])


def _is_refusal(answer: Mapping[str, Any]) -> bool:
    """GraphQL's way of refusing with a 200, and that of many APIs."""
    return bool(answer.get("errors")) or answer.get("success") is False or answer.get("ok") is False


def _json_reason(answer: Mapping[str, Any]) -> str:
    for key in ("errors", "error", "detail", "message", "error_description", "title", "reason"):
        if answer.get(key):
            return _words(answer[key])[:MAX_REASON]
    return ""


def _words(value: Any) -> str:
    """What a value says, in one line."""
    if isinstance(value, dict):
        told = value.get("message") or value.get("detail") or value.get("msg")
        return _words(told) if told else "; ".join(f"{key}: {_words(each)}" for key, each in value.items())
    if isinstance(value, list):
        return "; ".join(_words(each) for each in value)
    return str(value)


def _page_reason(html: str) -> str:
    """What an answer's page marks as an error."""
    from html.parser import HTMLParser

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[tuple[str, bool]] = []
            self.told: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            classes = (given.get("class") or "").lower().replace("-", " ").replace("_", " ").split()
            words = _ERROR_WORDS | ({"errors"} if tag in _SMALL else set())
            marks = given.get("role") == "alert" or bool(words & set(classes))
            if tag not in _VOID:
                self.open.append((tag, marks))

        def handle_endtag(self, tag: str) -> None:
            while self.open and any(known == tag for known, _ in self.open):
                if self.open.pop()[0] == tag:
                    break

        def handle_data(self, data: str) -> None:
            hidden = any(tag in ("script", "style", "template") for tag, _ in self.open)
            if data.strip() and not hidden and any(marked for _, marked in self.open):
                self.told.append(" ".join(data.split()))

    reader = Reader()
    reader.feed(html)
    return "; ".join(dict.fromkeys(reader.told))[:MAX_REASON]


_SMALL = frozenset(("ul", "ol", "li", "p", "span", "small"))
"""What holds a complaint alone: a larger element that is marked holds the field, too."""

_ERROR_WORDS = frozenset("error errorlist errornote invalid danger alert".split())
"""Classes that frameworks give to what they complain of: Django, Rails, Bootstrap, Laravel, WTForms."""

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def _not_logged_in(method: str, path: str, where: str) -> PerceptionError:
    return NotLoggedInError(f"{method} {path} came to {where}: log in in this session, then run it again")


def _parsed(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


@cache
def _fetch_source() -> str:
    text = files("perception.browser").joinpath("request.js").read_text("utf-8")
    return text[text.index("async (method") :].strip().rstrip(";")
