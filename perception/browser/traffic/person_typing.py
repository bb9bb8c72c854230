"""What a person types while they have control, and requests without it. Pure.

A page may send what is typed letter by letter, or after it has changed it. So values of parameters, fragments and
headers of its own are masked whole; a part of a path where it is a part of what was typed, or has such a part.
Rule: what was typed stays in this process's memory, for as long as requests of that time are kept.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit, urlunsplit

from perception.secrets import base64_forms

TYPED = "«typed»"
"""Mask of what a person may have typed."""

MAX_TYPED = 20_000
"""Characters of one turn that are kept; the oldest go first. Chosen by hand."""

MIN_IN_PATH = 3
"""Characters: fewer occur in parts of paths by chance."""

_SHOWN_HEADERS = frozenset(
    "accept accept-encoding accept-language accept-ranges access-control-allow-credentials access-control-allow-headers"
    " access-control-allow-methods access-control-allow-origin access-control-expose-headers access-control-max-age"
    " access-control-request-headers access-control-request-method age allow alt-svc authorization cache-control"
    " connection content-encoding content-language content-length content-security-policy content-type cookie"
    " cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy date dnt expires host"
    " if-modified-since keep-alive last-modified origin permissions-policy pragma priority proxy-authenticate range"
    " referrer-policy retry-after sec-websocket-accept sec-websocket-extensions sec-websocket-key"
    " sec-websocket-version server set-cookie strict-transport-security te timing-allow-origin transfer-encoding"
    " upgrade upgrade-insecure-requests user-agent vary www-authenticate x-content-type-options x-frame-options"
    " x-xss-protection :authority :method :scheme :status".split()
)
"""Headers that hold nothing that was typed, and those whose values are masked anyway; as well as all `sec-…` that the
browser sets."""

_BROWSERS_OWN = ("sec-fetch-", "sec-ch-", "sec-gpc", "sec-purpose")

_ADDRESSES = frozenset({"location", "referer", "content-location", ":path"})

_VALUE = re.compile(r"(?<==)[^&;]+|(?<![^&;])[^=&;]+(?![^&;])")
"""In a query: a value, or what has no name."""


class PersonTyping:
    """The text of one turn, in runs: what was typed without leaving the field."""

    def __init__(self) -> None:
        self._runs: list[str] = [""]

    def add(self, text: str) -> None:
        """Text that was typed or pasted."""
        self._runs[-1] += text
        while sum(map(len, self._runs)) > MAX_TYPED:
            if len(self._runs) > 1:
                self._runs.pop(0)
            else:
                self._runs[0] = self._runs[0][-MAX_TYPED:]

    def remove_last(self) -> None:
        """The last character was taken back; what was sent before may have it."""
        if run := self._runs[-1]:
            self._runs.append(run[:-1])

    def end_run(self) -> None:
        """What comes is for another field."""
        if self._runs[-1]:
            self._runs.append("")

    def has(self, part: str) -> bool:
        """Whether a part of a path is of what was typed, or has such a text in it, plain or in base64."""
        plain = unquote(part).strip()
        told = [each.casefold() for each in (plain, PurePosixPath(plain).stem) if each]
        for run in filter(None, map(str.strip, self._runs)):
            folded = run.casefold()
            if any(each in folded for each in told):
                return True
            if len(run) >= MIN_IN_PATH and any(folded in each for each in told):
                return True
            if any(form in plain for form in base64_forms(run)):
                return True
        return False


def mask_typed_url(url: str, typing: PersonTyping) -> str:
    """An address without what a person may have typed."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return TYPED
    path = "/".join(TYPED if part and typing.has(part) else part for part in parts.path.split("/"))
    fragment = TYPED if parts.fragment else ""
    return urlunsplit((parts.scheme, parts.netloc, path, _VALUE.sub(TYPED, parts.query), fragment))


def mask_typed_headers(headers: tuple[tuple[str, str], ...], typing: PersonTyping) -> tuple[tuple[str, str], ...]:
    """Headers without what a person may have typed."""
    return tuple((name, _mask_header(name.lower(), value, typing)) for name, value in headers)


def _mask_header(name: str, value: str, typing: PersonTyping) -> str:
    if name in _ADDRESSES:
        return mask_typed_url(value, typing)
    return value if name in _SHOWN_HEADERS or name.startswith(_BROWSERS_OWN) else TYPED
