"""What of a request must not be shown: credentials in headers and addresses, and secrets in bodies, by name.

Secrets that the operator names are masked elsewhere, in every answer. Pure.
"""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl, urlsplit

from perception.browser.traffic.request_facts import Headers
from perception.subroutines.masking import SECRET, RecordingMasker, is_masked, mask_answer, sounds_secret

_SECRET_HEADERS = frozenset({"x-amz-security-token", "www-authenticate", "proxy-authenticate", "sec-websocket-key"})

_PUBLIC_HEADERS = frozenset({"clear-site-data"})

_SCHEME = re.compile(r"(?i)(basic|bearer|digest|negotiate|token)\s+(?=\S)")

_PART = re.compile(
    r'(content-disposition:\s*form-data;[^\r\n]*?\bname="([^"\r\n]*)"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)(.*?)(?=\r?\n--)',
    re.IGNORECASE | re.DOTALL,
)
"""A part of a form: its head, its name, its value."""

_FORM_TYPE = "application/x-www-form-urlencoded"


def mask_headers(headers: Headers) -> Headers:
    """Headers without credentials: cookies keep their names, an `Authorization` its scheme."""
    return tuple((name, _mask_header(name.lower(), value)) for name, value in headers)


def _mask_header(name: str, value: str) -> str:
    if name == "cookie":
        return "; ".join(_mask_cookie(each.strip()) for each in value.split(";"))
    if name == "set-cookie":
        first, *attributes = value.split(";")
        return ";".join([_mask_cookie(first), *attributes])
    if name in ("authorization", "proxy-authorization"):
        scheme = _SCHEME.match(value)
        return f"{scheme[1] if scheme else ''} {SECRET}".strip()
    if name in _PUBLIC_HEADERS:
        return value
    if name in _SECRET_HEADERS or sounds_secret(name):
        return SECRET
    if name in ("location", "referer", "content-location", ":path"):
        return mask_url(value)
    return value


def _mask_cookie(pair: str) -> str:
    name, found, _ = pair.partition("=")
    return f"{name}={SECRET}" if found else SECRET


def mask_url(url: str) -> str:
    """An address without the values of parameters that have the name of a secret, and without user and password; the
    same text where it has none."""
    try:
        parts = urlsplit(url)
        has_secret = "@" in parts.netloc or any(
            sounds_secret(key) for part in (parts.query, parts.fragment) for key, _ in parse_qsl(part)
        )
        return RecordingMasker().mask_url(url) if has_secret else url
    except ValueError:
        return url.partition("?")[0]


def mask_body(text: str, content_type: str) -> str:
    """A body without the values of fields that have the name of a secret; the same text where it has none."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _FORM_TYPE:
        return _mask_form(text)
    if kind.startswith("multipart/"):
        return _PART.sub(lambda part: part[1] + SECRET if sounds_secret(part[2]) else part[0], text)
    if kind.endswith("json") or text.lstrip()[:1] in ("{", "["):
        return _mask_json(text)
    return text


def _mask_form(text: str) -> str:
    pairs = []
    for pair in text.split("&"):
        name, found, _ = pair.partition("=")
        key = parse_qsl(pair, keep_blank_values=True)
        is_secret = bool(found) and bool(key) and sounds_secret(key[0][0])
        pairs.append(f"{name}={SECRET}" if is_secret else pair)
    return "&".join(pairs)


def _mask_json(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    masked = mask_answer(value)
    return text if masked == value and not is_masked(text) else json.dumps(masked, ensure_ascii=False)
