"""Requests as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as Chromium's DevTools writes it.

Rule: credentials are masked as in every answer. Pure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from perception.browser.traffic.bodies import Body
from perception.browser.traffic.request_entry import EntryState
from perception.browser.traffic.request_facts import Headers, RequestFacts
from perception.browser.traffic.traffic_masking import mask_body, mask_headers, mask_url

END = "\n]}}\n"
"""What follows the last entry."""

_URI_CHARACTERS = "!#$%&'()*+,-./:;=?@[]_~"

_PROTOCOLS = {"http/1.0": "HTTP/1.0", "http/1.1": "HTTP/1.1", "": ""}


@dataclass(frozen=True, slots=True)
class HarPage:
    """A document that a tab has shown.

    Attributes:
        page_id: by which entries name it.
        target_id: of the tab.
        first: number of the request for it.
        url: its address, as asked for first.
        started_s: when that was, seconds since 1970.
    """

    page_id: str
    target_id: str
    first: int
    url: str
    started_s: float


def find_pages(requests: Iterable[RequestFacts]) -> list[HarPage]:
    """The documents that requests were made for, in order."""
    pages: list[HarPage] = []
    loaders: set[str] = set()
    for each in requests:
        if each.is_top and each.loader not in loaders:
            loaders.add(each.loader)
            entry = each.entry
            pages.append(
                HarPage(f"page_{len(pages) + 1}", entry.target_id, entry.number, _uri(each.url), each.started_s)
            )
    return pages


def write_head(version: str, browser: str, pages: Sequence[HarPage]) -> str:
    """Everything before the first entry.

    Args:
        version: of this program.
        browser: name and version.
        pages: as of `find_pages`.
    """
    name, _, number = browser.partition(" ")
    log = {
        "version": "1.2",
        "creator": {"name": "Perception", "version": version},
        "browser": {"name": name, "version": number},
        "pages": [
            {
                "startedDateTime": _time(each.started_s),
                "id": each.page_id,
                "title": each.url,
                "pageTimings": {"onContentLoad": -1, "onLoad": -1},
            }
            for each in pages
        ],
    }
    return f'{{"log": {json.dumps(log, ensure_ascii=False)[:-1]}, "entries": [\n'


def write_entry(
    facts: RequestFacts,
    sent: Body | None,
    came: Body | None,
    pages: Sequence[HarPage],
    mask: Callable[[str], str],
    limit: int,
) -> str:
    """One entry as JSON.

    Args:
        facts: the request.
        sent, came: its bodies; None for none, and where they are left out.
        pages: as of `find_pages`.
        mask: masks the secrets that no answer may show.
        limit: bytes of a body; a longer one is cut, which its comment says.
    """
    page = next(
        (
            each
            for each in reversed(pages)
            if each.target_id == facts.entry.target_id and each.first <= facts.entry.number
        ),
        None,
    )
    entry = {
        **({"pageref": page.page_id} if page else {}),
        "startedDateTime": _time(facts.started_s),
        **_timings(facts),
        "request": _request(facts, sent, limit),
        "response": _response(facts, came, limit),
        "cache": {},
        "_requestId": facts.entry.request_id,
        "_resourceType": facts.kind.lower(),
        "_initiator": {
            "type": facts.initiator.kind,
            "url": mask_url(facts.initiator.url),
            "lineNumber": facts.initiator.line,
        },
        **({"_fromCache": facts.cache} if facts.cache else {}),
    }
    return json.dumps(_masked(entry, mask), ensure_ascii=False)


def _request(facts: RequestFacts, body: Body | None, limit: int) -> dict[str, Any]:
    url = _uri(facts.url)
    request: dict[str, Any] = {
        "method": facts.method,
        "url": url,
        "httpVersion": _protocol(facts),
        "cookies": _cookies(facts.request_headers, "cookie"),
        "headers": _headers(facts.request_headers),
        "queryString": [
            {"name": name, "value": value} for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": body.total_bytes if body else 0,
    }
    if body is not None:
        kind = _value(facts.request_headers, "content-type")
        text, comment = _cut(body, kind, limit)
        request["postData"] = {"mimeType": kind, "text": text} | ({"comment": comment} if comment else {})
    return request


def _response(facts: RequestFacts, body: Body | None, limit: int) -> dict[str, Any]:
    entry = facts.entry
    content: dict[str, Any] = {"size": facts.body_bytes, "mimeType": facts.mime or "x-unknown"}
    if body is not None:
        content |= _content(body, facts.mime, limit)
    response = {
        "status": facts.status,
        "statusText": facts.status_text,
        "httpVersion": _protocol(facts),
        "cookies": _cookies(facts.response_headers, "set-cookie"),
        "headers": _headers(facts.response_headers),
        "content": content,
        "redirectURL": _uri(facts.redirect_url) if facts.redirect_url else "",
        "headersSize": -1,
        "bodySize": -1,
        "_transferSize": 0 if facts.cache else entry.transferred_bytes,
    }
    if facts.state is not EntryState.FINISHED and (entry.failure or entry.blocked_reason):
        response["_error"] = entry.failure
        response["comment"] = entry.blocked_reason
    elif facts.state is EntryState.PENDING:
        response["comment"] = "the request had not ended"
    return response


def _content(body: Body, mime: str, limit: int) -> dict[str, Any]:
    if isinstance(body.content, bytes):
        data = base64.b64encode(body.content[:limit]).decode()
        cut = {"comment": f"the first {limit} of {len(body.content)} bytes"} if len(body.content) > limit else {}
        return {"text": data, "encoding": "base64", **cut}
    text, comment = _cut(body, mime, limit)
    return ({"text": text} if body.content is not None else {}) | ({"comment": comment} if comment else {})


def _cut(body: Body, kind: str, limit: int) -> tuple[str, str]:
    """The text of a body, masked, and a comment where it is not all of it."""
    if not isinstance(body.content, str):
        return "", body.missing or "no text"
    data = mask_body(body.content, kind).encode("utf-8", "replace")
    cut = data[:limit].decode("utf-8", "ignore")
    return cut, f"the first {limit} of {len(data)} bytes" if len(data) > limit else ""


def _timings(facts: RequestFacts) -> dict[str, Any]:
    times = facts.times
    if times is None:
        return {
            "time": 0,
            "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0},
        }
    return {
        "time": round(times.total, 3),
        "timings": {
            "blocked": round(times.blocked, 3),
            "dns": -1,
            "connect": round(times.connect, 3) if times.connect else -1,
            "ssl": round(times.tls, 3) if times.tls else -1,
            "send": round(times.send, 3),
            "wait": round(times.wait, 3),
            "receive": round(times.receive, 3),
        },
    }


def _headers(headers: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in mask_headers(headers)]


def _cookies(headers: Headers, name: str) -> list[dict[str, str]]:
    """The cookies of headers; their values are masked."""
    separator = ";" if name == "cookie" else None
    values = [value for key, value in mask_headers(headers) if key.lower() == name]
    pairs = [pair for value in values for pair in (value.split(separator) if separator else [value.split(";")[0]])]
    return [
        {"name": key.strip(), "value": value} for key, found, value in (pair.partition("=") for pair in pairs) if found
    ]


def _value(headers: Headers, name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")


def _protocol(facts: RequestFacts) -> str:
    return _PROTOCOLS.get(facts.protocol, facts.protocol)


def _uri(url: str) -> str:
    """An address without credentials, in the characters of a URI (RFC 3986)."""
    return quote(mask_url(url), safe=_URI_CHARACTERS)


def _time(seconds: float) -> str:
    """ISO 8601, in milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    """A JSON value with each of its texts masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(each, mask) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(each, mask) for each in value]
    return value
