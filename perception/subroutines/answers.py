"""Checks a site's response to a request against the recorded one. A refusal is reported in the site's own words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import msgspec

from perception.errors import DriftError, NotLoggedInError, RefusedError
from perception.page_words import MAX_ADDRESS, page_words
from perception.subroutines.page_words import complaints_in, readable_words
from perception.subroutines.path_patterns import url_fits

MAX_REASON = 500
"""Maximum length of a site's own reason, characters."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of the page's `fetch`.

    Attributes:
        status: HTTP status.
        url: URL after redirects.
        redirected: whether there were redirects.
        mime: content type.
        text: body.
    """

    status: int
    url: str
    redirected: bool
    mime: str
    text: str

    @property
    def json(self) -> Any:
        return parse_json(self.text) if "json" in self.mime or self.text[:1] in ("{", "[") else None


_LOGIN = re.compile(r"(log|sign)[-_]?(in|on)|sso|authenticate")
"""Start of a path segment of a login page."""


def looks_like_login(url: str) -> bool:
    """Whether a URL looks like that of a login page.

    >>> looks_like_login("/accounts/login/?next=/x"), looks_like_login("/admin/auth/user/")
    (True, False)
    """
    return any(_LOGIN.match(word) for word in urlsplit(url).path.lower().split("/"))


def shown_url(url: str) -> str:
    """A URL without query and fragment, which may contain secrets."""
    return urlsplit(url)._replace(query="", fragment="").geturl()[:200]


def check_reply(method: str, path: str, reply: Reply, expected: Mapping[str, Any], known: Collection[str] = ()) -> None:
    """Checks a response, after redirects, against the recorded one.

    Args:
        method: method of the request.
        path: path of the request.
        reply: the response.
        expected: `status` and, for a redirect, `location` of the recorded response.
        known: texts of the page before, which are not a reason.

    Raises:
        NotLoggedInError: the site asks for a login.
        RefusedError: the site refused the request and gave a reason.
        DriftError: the response differs, without a reason.
    """
    if reply.redirected and looks_like_login(reply.url) and not looks_like_login(path):
        raise not_logged_in(method, path, page_words(shown_url(reply.url), MAX_ADDRESS))
    wanted = int(expected.get("status", 200))
    if 300 <= wanted < 400 and reply.status < 400:
        landed = urlsplit(reply.url).path
        wanted_path = str(expected.get("location", ""))
        if not reply.redirected or (wanted_path and not url_fits(wanted_path, reply.url)):
            reason = complaint_of(reply, known)
            if reason:
                raise RefusedError(page_words(reason, MAX_REASON))
            led = (
                f"led to {page_words(landed)} and not to"
                if reply.redirected
                else "was answered with a page and not with"
            )
            wanted_page = wanted_path or "another page"
            raise DriftError(
                f"{method} {path} {led} {wanted_page if reply.redirected else f'a redirect to {wanted_page}'}: whether "
                "it had an effect is not known",
                before=f"a redirect to {expected.get('location', '')}",
                after=f"{landed}, status {reply.status}",
            )
        return
    check_status(method, path, reply, wanted, "", known)


def reason_in(reply: Reply) -> str:
    """A site's reason for a refusal: the error in its JSON or on its page; "" for none."""
    answer = reply.json
    if isinstance(answer, dict):
        return _json_reason(answer)
    return _page_reason(reply.text) if "html" in reply.mime else ""


def complaint_of(reply: Reply, known: Collection[str] = ()) -> str:
    """A site's reason for a refusal, else the words of a readable response: of an error page, a validation page or a
    plain text; "" for none.

    Args:
        reply: the response.
        known: texts of the page before.
    """
    if reason := reason_in(reply):
        return reason
    if "html" in reply.mime:
        if reply.status >= 400:
            return readable_words(reply.text, is_html=True)[:MAX_REASON]
        return "; ".join(complaints_in(reply.text, known))[:MAX_REASON]
    is_text = reply.mime.startswith("text/plain") and reply.status >= 400
    return readable_words(reply.text[: 2 * MAX_REASON], is_html=False)[:MAX_REASON] if is_text else ""


def check_status(method: str, path: str, reply: Reply, wanted: int, news: str, known: Collection[str] = ()) -> None:
    """Checks a status against the recorded one.

    Another class of status is a refusal if the site, or `news` of its page, gives a reason. Raises as `check_reply`.
    """
    reason = reason_in(reply)
    if reply.status == 401:
        raise not_logged_in(method, path, f"status 401{f' ({page_words(reason, MAX_REASON)})' if reason else ''}")
    if reply.status // 100 != wanted // 100:
        complaint = reason or news or complaint_of(reply, known)
        if complaint:
            said = page_words(complaint, MAX_REASON)
            raise RefusedError(f"{method} {path} answers {reply.status}: {said}" if reply.status >= 400 else said)
        raise DriftError(
            f"{method} {path} answers {reply.status} and not {wanted}: the site gives no reason",
            before=f"status {wanted}",
            after=f"status {reply.status}",
        )
    if isinstance(reply.json, dict) and _is_refusal(reply.json):
        said = page_words(reason or reply.text, MAX_REASON)
        raise RefusedError(said if reason else f"{method} {path} answers {said}")


def _is_refusal(answer: Mapping[str, Any]) -> bool:
    """Whether a JSON response with status 200 is a refusal, as in GraphQL and many APIs."""
    refused = any(answer.get(key) is False for key in ("success", "ok", "succeeded"))
    return refused or bool(answer.get("errors")) or bool(answer.get("error"))


def _json_reason(answer: Mapping[str, Any]) -> str:
    for key in ("errors", "error", "detail", "message", "error_description", "title", "reason"):
        if answer.get(key):
            return _words(answer[key])[:MAX_REASON]
    return ""


def _words(value: Any) -> str:
    """The message in a JSON value, in one line."""
    if isinstance(value, dict):
        message = value.get("message") or value.get("detail") or value.get("msg")
        return _words(message) if message else "; ".join(f"{key}: {_words(each)}" for key, each in value.items())
    if isinstance(value, list):
        return "; ".join(_words(each) for each in value)
    return str(value)


class _Reader(HTMLParser):
    """Collects the text of elements that are marked as errors."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self.messages: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = re.split(r"[\s_-]+", (given.get("class") or "").lower())
        words = _ERROR_WORDS | ({"errors"} if tag in _SMALL else set())
        words = words if tag not in _CONTROLS else frozenset()
        if tag not in _VOID:
            self._open.append((tag, given.get("role") == "alert" or bool(words & set(classes))))

    def handle_endtag(self, tag: str) -> None:
        while any(known == tag for known, _ in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        hidden = any(tag in ("script", "style", "template") for tag, _ in self._open)
        if data.strip() and not hidden and any(marked for _, marked in self._open):
            self.messages.append(" ".join(data.split()))


def _page_reason(html: str) -> str:
    """Text that a page marks as an error."""
    reader = _Reader()
    reader.feed(html)
    return "; ".join(dict.fromkeys(reader.messages))[:MAX_REASON]


_SMALL = frozenset(("ul", "ol", "li", "p", "span", "small"))
"""Tags in which the class `errors` marks a message; on a larger tag it also covers the field."""

_CONTROLS = frozenset(("a", "button"))
"""Their class `danger` says what they do, such as deleting."""

_ERROR_WORDS = frozenset("error errorlist errornote invalid danger alert".split())
"""Classes of error messages in Django, Rails, Bootstrap, Laravel and WTForms."""

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def not_logged_in(method: str, path: str, where: str) -> NotLoggedInError:
    """The error for a request that led to a login page, or was answered with status 401."""
    return NotLoggedInError(f"{method} {path} came to {where}: log in in this session, then run it again")


def parse_json(text: str) -> Any:
    """Parses JSON; None if it is invalid."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
