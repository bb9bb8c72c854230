"""From a file's bytes in any form that is taken to a checked state. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from perception.browser.storage.cookie_formats import HTTP_ONLY, read_cookie_list, read_curl, read_netscape
from perception.browser.storage.state import (
    MAX_COOKIES,
    MAX_STATE_BYTES,
    MAX_STATE_ORIGINS,
    BrowserState,
    Cookie,
    OriginStorage,
    convert_state,
    read_json,
)
from perception.errors import StateInvalidError
from perception.page_words import quoted_words

MAX_COOKIE_CHARACTERS = 4096
"""Limit of a cookie's name and value together (RFC 6265bis, 5.7)."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DOMAIN = re.compile(r"\.?[A-Za-z0-9_\[\]:.\-]{1,253}")


class StateFormat(Enum):
    """The form of a state that a client gives."""

    PLAYWRIGHT = "Playwright's storage state"
    NETSCAPE = "a cookie file in Netscape's form"
    COOKIES_JSON = "a JSON list of cookies"
    CURL = "a cURL command"


@dataclass(frozen=True, slots=True)
class ParsedState:
    """A state that was given.

    Attributes:
        omitted: what of it is not kept, one sentence each.
    """

    format: StateFormat
    state: BrowserState
    omitted: tuple[str, ...] = ()


def parse_state(data: bytes, form: StateFormat | None = None) -> ParsedState:
    """The state in a file's bytes.

    Args:
        form: None to find it by the content.

    Raises:
        StateInvalidError: it is in no known form, incomplete, too large, or has a cookie that no browser takes.
    """
    if len(data) > MAX_STATE_BYTES:
        raise StateInvalidError(
            f"the state has {len(data) / 2**20:.1f} MiB, the limit is {MAX_STATE_BYTES // 2**20}: leave databases or "
            "origins out of it"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise StateInvalidError("the state is not UTF-8 text: pass the file's bytes as they are") from exc
    if not text.strip():
        raise StateInvalidError("the state is empty: pass a storage state, a cookie file or a cURL command")
    form = form or _form_of(text)
    state, omitted = _READERS[form](text)
    check_state(state)
    return ParsedState(form, state, tuple(omitted))


def _form_of(text: str) -> StateFormat:
    start = text.lstrip()
    if start.startswith("{"):
        return StateFormat.PLAYWRIGHT
    if start.startswith("["):
        return StateFormat.COOKIES_JSON
    if re.match(r"curl(\.exe)?\s", start):
        return StateFormat.CURL
    lines = [line for line in text.splitlines() if line.strip()]
    if any(line.count("\t") >= 5 for line in lines) or lines[0].startswith((HTTP_ONLY, "# Netscape", "# HTTP Cookie")):
        return StateFormat.NETSCAPE
    raise StateInvalidError(
        "the state is in no form that is known: pass Playwright's storage state, a Netscape cookie file (cookies.txt), "
        "a JSON list of cookies, or a cURL command"
    )


def _read_playwright(text: str) -> tuple[BrowserState, list[str]]:
    content = read_json(text.encode())
    if not isinstance(content, dict):
        raise StateInvalidError("the state is not a JSON object with cookies and origins: give another format, or none")
    if "cookies" not in content and "origins" not in content:
        if "name" in content and "domain" in content:
            return BrowserState(read_cookie_list([content])), []
        raise StateInvalidError(
            "the state is a JSON object without cookies and origins: it is not a storage state of Playwright"
        )
    if _is_export(content.get("cookies")) and not content.get("origins"):
        return BrowserState(read_cookie_list(content["cookies"])), []
    return convert_state(content)


def _is_export(cookies: Any) -> bool:
    """Whether these are cookies as extensions or Puppeteer write them, in an object."""
    theirs = ("expirationDate", "hostOnly", "storeId", "session")
    return isinstance(cookies, list) and any(
        isinstance(each, dict) and any(map(each.__contains__, theirs)) for each in cookies
    )


def _read_list(text: str) -> tuple[BrowserState, list[str]]:
    content = read_json(text.encode())
    if not isinstance(content, list):
        raise StateInvalidError("the state is not a JSON list of cookies: give another format, or none")
    return BrowserState(read_cookie_list(content)), []


def _read_netscape(text: str) -> tuple[BrowserState, list[str]]:
    return BrowserState(read_netscape(text)), []


def _read_curl(text: str) -> tuple[BrowserState, list[str]]:
    cookies, omitted = read_curl(text)
    return BrowserState(cookies), omitted


_READERS: dict[StateFormat, Callable[[str], tuple[BrowserState, list[str]]]] = {
    StateFormat.PLAYWRIGHT: _read_playwright,
    StateFormat.COOKIES_JSON: _read_list,
    StateFormat.NETSCAPE: _read_netscape,
    StateFormat.CURL: _read_curl,
}


def check_state(state: BrowserState) -> None:
    """Raises StateInvalidError for a state that no browser takes."""
    if len(state.cookies) > MAX_COOKIES:
        raise StateInvalidError(
            f"the state has {len(state.cookies)} cookies, the limit is {MAX_COOKIES}: leave some out"
        )
    if len(state.origins) > MAX_STATE_ORIGINS:
        raise StateInvalidError(
            f"the state has {len(state.origins)} origins, the limit is {MAX_STATE_ORIGINS}: leave some out"
        )
    for index, cookie in enumerate(state.cookies):
        if why := _fault_of(cookie):
            raise StateInvalidError(f"cookie {index} of the state, {quoted_words(cookie.name)}, {why}")
    for index, origin in enumerate(state.origins):
        _check_origin(origin, index)


def _fault_of(cookie: Cookie) -> str:
    if not _DOMAIN.fullmatch(cookie.domain):
        return "has no host as its domain: give one as in shop.example, or .shop.example for all names below it"
    if not cookie.path.startswith("/"):
        return "has a path that does not begin with /"
    if _CONTROL.search(cookie.name + cookie.value + cookie.path):
        return "has a control character in its name, value or path"
    if not isfinite(cookie.expires):
        return "has no time as its expiry: give seconds since 1970, or -1 for a cookie of the browser session"
    if len(cookie.name) + len(cookie.value) > MAX_COOKIE_CHARACTERS:
        return f"has more than the {MAX_COOKIE_CHARACTERS} characters that browsers take"
    return "" if cookie.name or cookie.value else "has neither name nor value"


def _check_origin(origin: OriginStorage, index: int) -> None:
    where = f"origin {index} of the state, {quoted_words(origin.origin)},"
    try:
        parts = urlsplit(origin.origin)
        is_origin = parts.scheme in ("http", "https") and parts.hostname and not parts.path.strip("/")
        _ = parts.port
    except ValueError:
        is_origin = False
    if not is_origin:
        raise StateInvalidError(f"{where} is not an http or https origin, as in https://shop.example:8443")
    for database in origin.databases:
        twice = [name for name, count in Counter(store.name for store in database.stores).items() if count > 1]
        if database.version < 1 or twice:
            raise StateInvalidError(f"{where} has a database with no version, or with two stores of one name")
