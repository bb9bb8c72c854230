"""Finds volatile identifiers: values that change with each deployment of a site. A script that repeats one breaks
then."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import msgspec

from perception.subroutines.answers import parse_json
from perception.subroutines.recording import Body, RecordedRequest

VOLATILE = "«volatile»"

KEYS = frozenset(
    "queryid query_id queryhash query_hash doc_id docid document_id documentid operationhash operation_hash operationid"
    " operation_id sha256hash persistedquery buildid build_id build buildhash revision rev client_revision bundlehash"
    " __rev __hsi chunkhash".split()
)
"""Names of volatile identifiers: GraphQL clients (Relay `doc_id`, Apollo `persistedQuery`/`sha256Hash`, Twitter
`queryId`), and frameworks' builds (Next.js `buildId`)."""

_AFTER = frozenset({"_next", "data", "graphql", "gql", "build", "builds", "static", "assets", "persisted"})
"""Path segments before a volatile identifier."""

_HASH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$", re.I)
"""MD5, SHA-1 and SHA-256 in hexadecimal. 24 digits are an id in MongoDB, and a UUID is the id of a record: both
stay."""

_BUILD = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{16,64}$|[0-9a-f]{8,64}$|[\w-]{20,24}$")
"""Generated ids at the place of a build's: Next.js has 21 characters, Twitter 22."""

_IN_NAME = re.compile(r"[.-][0-9a-f]{8,32}\.(?:js|mjs|json|css|wasm)$", re.I)


def find_volatile(request: RecordedRequest) -> tuple[str, ...]:
    """Places of volatile identifiers in a request, such as `body.extensions.sha256Hash`; never the values."""
    return (*_in_url(request.url), *(f"body.{path}" for path in _in_body(request.body)))


def without_volatile(request: RecordedRequest) -> RecordedRequest:
    """The request with volatile identifiers masked."""
    body = request.body
    masked = msgspec.structs.replace(
        body,
        json=_masked(body.json),
        fields=tuple((key, _masked_field(key, value)) for key, value in body.fields),
    )
    return msgspec.structs.replace(request, url=_masked_url(request.url), body=masked)


def _in_url(url: str) -> list[str]:
    parts = urlsplit(url)
    found = [f"path segment {index + 1}" for index in _volatile_segments(parts.path)]
    for key, value in parse_qsl(parts.query, keep_blank_values=True):
        if _is_volatile(key, value):
            found.append(f"query.{key}")
        elif value[:1] in "{[":
            found += [f"query.{key}.{path}" for path in _paths(parse_json(value))]
    return found


def _volatile_segments(path: str) -> list[int]:
    segments = path.strip("/").split("/")
    return [
        index
        for index, segment in enumerate(segments)
        if _HASH.fullmatch(segment)
        or _IN_NAME.search(segment)
        or (index and segments[index - 1].lower() in _AFTER and _BUILD.fullmatch(segment))
    ]


def _in_body(body: Body) -> list[str]:
    found = _paths(body.json)
    for key, value in body.fields:
        if _is_volatile(key, value):
            found.append(key)
        elif value[:1] in ("{", "["):
            found += [f"{key}.{path}" for path in _paths(parse_json(value))]
    return found


def _paths(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        return [
            found
            for key, each in value.items()
            for found in (
                [f"{path}{key}"]
                if not isinstance(each, dict | list) and _is_volatile(key, each)
                else _paths(each, f"{path}{key}.")
            )
        ]
    if isinstance(value, list):
        return [found for index, each in enumerate(value) for found in _paths(each, f"{path}{index}.")]
    return []


def _is_volatile(key: str, value: object) -> bool:
    """Whether a value is a volatile identifier. A named one has a digit: `build=release` is a choice, not a build
    id."""
    text = str(value)
    named = key.lower() in KEYS and any(character.isdigit() for character in text)
    return named or (isinstance(value, str) and _HASH.fullmatch(text) is not None)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: VOLATILE if not isinstance(each, dict | list) and _is_volatile(key, each) else _masked(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return value


def _masked_field(key: str, value: str) -> str:
    if _is_volatile(key, value):
        return VOLATILE
    parsed = parse_json(value) if value[:1] in ("{", "[") else None
    return value if parsed is None else msgspec.json.encode(_masked(parsed)).decode()


def _masked_url(url: str) -> str:
    parts = urlsplit(url)
    segments = parts.path.split("/")
    lead = 1 if parts.path.startswith("/") else 0
    for index in _volatile_segments(parts.path):
        segments[index + lead] = VOLATILE
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = "&".join(f"{key}={_masked_field(key, value)}" for key, value in pairs)
    return urlunsplit((parts.scheme, parts.netloc, "/".join(segments), query, ""))
