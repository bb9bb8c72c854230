"""Cookies in the forms in which people have them: Netscape files, JSON exports of browser extensions, cURL commands.
Pure.

Rule 1: an error names the line or the entry, and shows no value.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from perception.browser.storage.curl_words import split_words
from perception.browser.storage.state import Cookie, SameSite
from perception.errors import StateInvalidError

NETSCAPE_FIELDS = 7
HTTP_ONLY = "#HttpOnly_"

_SAME_SITES: dict[str, SameSite] = {"no_restriction": "None", "none": "None", "lax": "Lax", "strict": "Strict"}

_FLAGS_WITH_VALUE = frozenset(
    """-A -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -T -u -U -w -x -X -y -Y -z --aws-sigv4 --cacert --capath --cert
    --ciphers --connect-timeout --connect-to --cookie-jar --data --data-ascii --data-binary --data-raw --data-urlencode
    --dump-header --form --form-string --header --interface --json --key --limit-rate --max-redirs --max-time --noproxy
    --output --pass --proxy --proxy-header --proxy-user --range --referer --request --resolve --retry --retry-delay
    --retry-max-time --unix-socket --upload-file --user --user-agent --write-out""".split()
)
"""Options of curl that take a value, beside --cookie and --url (curl's manual)."""


def read_netscape(text: str) -> list[Cookie]:
    """Cookies of a `cookies.txt`: seven fields between tabs on each line, as curl and yt-dlp write it.

    Raises:
        StateInvalidError: a line has other fields.
    """
    return [_netscape_cookie(line, number) for number, line in enumerate(text.splitlines(), 1) if _is_entry(line)]


def _is_entry(line: str) -> bool:
    return bool(line.strip()) and (not line.startswith("#") or line.startswith(HTTP_ONLY))


def _netscape_cookie(line: str, number: int) -> Cookie:
    fields = line.removeprefix(HTTP_ONLY).split("\t")
    if len(fields) == NETSCAPE_FIELDS - 1:  # some writers drop the tab before an empty value
        fields.append("")
    if len(fields) != NETSCAPE_FIELDS:
        raise StateInvalidError(
            f"line {number} of the cookie file has {len(fields)} fields between tabs, not {NETSCAPE_FIELDS}: domain, "
            "TRUE or FALSE for subdomains, path, TRUE or FALSE for https only, expiry, name, value"
        )
    domain, below, path, secure, expires, name, value = fields
    try:
        ends = float(expires or 0)
    except ValueError as exc:
        raise StateInvalidError(
            f"line {number} of the cookie file has no number as its expiry: give seconds since 1970, or 0 for a "
            "cookie of the browser session"
        ) from exc
    return Cookie(
        name=name,
        value=value,
        domain=_dotted(domain, below.upper() == "TRUE"),
        path=path,
        expires=ends if ends > 0 else -1,
        http_only=line.startswith(HTTP_ONLY),
        secure=secure.upper() == "TRUE",
    )


def read_cookie_list(entries: Iterable[Any]) -> list[Cookie]:
    """Cookies of a JSON list, as Cookie-Editor, EditThisCookie, Puppeteer and Selenium write it.

    Raises:
        StateInvalidError: an entry has no name, value or domain, or one of another type.
    """
    return [_listed_cookie(entry, index) for index, entry in enumerate(entries)]


def _listed_cookie(entry: Any, index: int) -> Cookie:
    where = f"entry {index} of the list of cookies"
    if not isinstance(entry, Mapping):
        raise StateInvalidError(f"{where} is not a JSON object: each needs name, value and domain")
    for field in ("name", "value", "domain"):
        if not isinstance(entry.get(field), str):
            raise StateInvalidError(f"{where} has no text as its {field}: each needs name, value and domain")
    domain = str(entry["domain"])
    partition, ancestor = _partition(entry.get("partitionKey"))
    secure = bool(entry.get("secure"))
    return Cookie(
        name=entry["name"],
        value=entry["value"],
        domain=_dotted(domain, not entry["hostOnly"]) if isinstance(entry.get("hostOnly"), bool) else domain,
        path=str(entry.get("path") or "/"),
        expires=_expiry(entry, where),
        http_only=bool(entry.get("httpOnly")),
        secure=secure,
        same_site=_same_site(entry.get("sameSite"), secure),
        partition_key=partition,
        cross_site_ancestor=ancestor,
    )


def _same_site(given: Any, secure: bool) -> SameSite | None:
    """Chromium refuses None without Secure. Exports from Firefox have it where the site said nothing."""
    known = _SAME_SITES.get(given.lower()) if isinstance(given, str) else None
    return None if known == "None" and not secure else known


def _expiry(entry: Mapping[str, Any], where: str) -> float:
    """Seconds since 1970 from the names that exports have for it."""
    given = next((entry[name] for name in ("expirationDate", "expires", "expiry") if entry.get(name)), None)
    if given is None or entry.get("session") is True:
        return -1
    if isinstance(given, str):
        with contextlib.suppress(ValueError):
            return datetime.fromisoformat(given).timestamp()
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) if given > 0 else -1
    raise StateInvalidError(f"{where} has no time as its expiry: give seconds since 1970, or a date as in 2027-01-31")


def _partition(given: Any) -> tuple[str | None, bool | None]:
    if isinstance(given, Mapping):
        ancestor = given.get("hasCrossSiteAncestor")
        return str(given.get("topLevelSite") or "") or None, ancestor if isinstance(ancestor, bool) else None
    return (given, None) if isinstance(given, str) and given else (None, None)


def read_curl(text: str) -> tuple[list[Cookie], list[str]]:
    """The cookies that a cURL command sends, for the host of its URL, and what of the command is not kept.

    Raises:
        StateInvalidError: it has no URL, no cookies, or quotes that do not end.
    """
    url, pairs, omitted = "", [], []
    words = iter(split_words(text)[1:])
    for word in words:
        option, joined, value = _option(word)
        if option in ("-b", "--cookie", "-H", "--header", "--url") or option in _FLAGS_WITH_VALUE:
            value = value if joined else next(words, "")
        if option in ("-b", "--cookie"):
            pairs += _pairs(value)
        elif option in ("-H", "--header"):
            name, _, content = value.partition(":")
            if name.strip().lower() == "cookie":
                pairs += _pairs(content)
            elif name.strip().lower() == "authorization":
                omitted.append("the header Authorization: a state holds cookies, no headers")
        elif option in ("-u", "--user"):
            omitted.append("the user and password of -u: a state holds cookies, no headers")
        elif option == "--url" or not option:
            url = url or (value if option else word)
    return _cookies_of(url, pairs), omitted


def _option(word: str) -> tuple[str, bool, str]:
    """The option of a word, whether its value is joined to it, and that value; "" for a word that is not an option."""
    if word.startswith("--"):
        name, found, value = word.partition("=")
        return name, bool(found), value
    if word.startswith("-") and len(word) > 1:
        return word[:2], len(word) > 2 and word[:2] in {"-b", "-H", *_FLAGS_WITH_VALUE}, word[2:]
    return "", False, ""


def _pairs(text: str) -> list[tuple[str, str]]:
    if "=" not in text:
        raise StateInvalidError(
            "the cURL command names a cookie file with -b: pass that file itself, it is in Netscape's form"
        )
    parts = [part.partition("=") for part in text.split(";") if part.strip()]
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _cookies_of(url: str, pairs: list[tuple[str, str]]) -> list[Cookie]:
    host, secure = "", False
    with contextlib.suppress(ValueError):  # it is not a URL
        place = urlsplit(url if "://" in url else f"http://{url}")
        host, secure = place.hostname or "", place.scheme == "https"
    if not host:
        raise StateInvalidError("the cURL command has no URL: copy all of it, with the address that it calls")
    if not pairs:
        raise StateInvalidError(
            "the cURL command sends no cookies (-b, or -H 'Cookie: …'): copy a request that a logged-in page makes"
        )
    return [Cookie(name=name, value=value, domain=host, secure=secure) for name, value in pairs]


def _dotted(domain: str, below: bool) -> str:
    """The domain with a leading dot if the cookie is also for names below it."""
    bare = domain.removeprefix(".")
    return f".{bare}" if below else bare
