"""Paths of addresses as patterns: what of them differs between runs of a task."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import unquote, urlsplit

from perception.subroutines.masking import is_masked, local_address
from perception.subroutines.parameter import slug
from perception.subroutines.recording import RecordedRequest, Recording
from perception.subroutines.routes import parts_of

MADE_UP = (
    (
        "an id made up for this request",
        re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I),
    ),
    ("a time", re.compile(r"1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?")),
    ("a time", re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d.*")),
    ("a hash or a signature", re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{16,}", re.I)),
    ("a hash or a signature", re.compile(r"(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[\w+/-]{27,}={0,2}")),
)
"""Values that scripts generate for one request: UUIDs, seconds or milliseconds since 1970 (from 2017 to 2033), ISO
times, hexadecimal of 64 bits or more, base64 of 160 bits or more."""

_COUNTED = re.compile(r"([A-Za-z]+)[-_]?\d+")
"""`issue29`: a word and a number."""


def decoded_segments(url: str) -> list[str]:
    """The decoded segments of a URL's path; one with a slash in it stays encoded."""
    each_plain = ((each, unquote(each)) for each in urlsplit(url).path.split("/"))
    return [each if "/" in plain else plain for each, plain in each_plain]


def url_fits(pattern: str, url: str) -> bool:
    """Whether a URL's path matches a pattern in which `*` is any segment."""
    ours, theirs = decoded_segments(pattern), decoded_segments(url)
    return len(ours) == len(theirs) and all(one in ("*", other) for one, other in zip(ours, theirs, strict=True))


def path_pattern(url: str, examples: Sequence[str] = ()) -> str:
    """The path of a URL, decoded, with `*` for each variable segment: a number, an id, a hash, or an entered value.

    >>> path_pattern("https://a.org/users/17/change/?x=1"), path_pattern("/files/a%20report", ["a report"])
    ('/users/*/change/', '/files/*')
    """
    segments = decoded_segments(url)
    slugs = {slug(each) for each in examples if slug(each)}
    return "/".join("*" if _is_variable(each, examples, slugs) else each for each in segments)


def objects_of(url: str) -> tuple[str, ...]:
    """The values of an address that identify objects."""
    return tuple(part.value for part in parts_of(local_address(url)) if part.is_object)


def landing_of(request: RecordedRequest, recording: Recording) -> str:
    """Where the redirects after a request led; "" for none."""
    landed = request.location
    for each in recording.requests:
        if each.at_ms >= request.at_ms and each.location and each.url == landed and each.tab == request.tab:
            landed = each.location
    return landed


def landing_pattern(
    requests: Sequence[RecordedRequest], recordings: Sequence[Recording], examples: Sequence[str]
) -> str:
    """The path that the redirects after a request led to: `*` also for ids of what the request made, such as
    `issue29` of `/issue`, and for what differs between recordings."""
    landed = [path_pattern(landing_of(*each), examples) for each in zip(requests, recordings, strict=True)]
    if not all(landed):
        return landed[0]
    sent = {each for each in urlsplit(requests[0].url).path.split("/") if each}
    paths = [each.split("/") for each in landed]
    if len({len(each) for each in paths}) > 1:
        return landed[0]
    return "/".join(
        "*" if any(_is_made(each, sent) for each in column) or len(set(column)) > 1 else column[0]
        for column in zip(*paths, strict=True)
    )


def _is_made(segment: str, sent: Collection[str]) -> bool:
    """Whether a segment is that of a new object: a word of the request's own path with a number."""
    counted = _COUNTED.fullmatch(segment)
    return counted is not None and (counted[1] in sent or segment in sent)


def _is_variable(segment: str, examples: Sequence[str], slugs: set[str]) -> bool:
    if not segment:
        return False
    made = any(pattern.fullmatch(segment) for _, pattern in MADE_UP)
    entered = segment in examples or (slug(segment) in slugs and slug(segment) != "")
    return segment.isdecimal() or made or entered or is_masked(segment) or "«" in segment
