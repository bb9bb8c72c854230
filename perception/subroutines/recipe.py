"""Makes a recipe of a recorded request: a template to send it again, or the obstacles to that.

Rule 1: each value is a parameter, a token that the page stores, or a constant of the task. A request with another
value, such as a signature, a time or an id generated for this request, can only be sent by the page itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from perception.subroutines.body_writing import with_crlf
from perception.subroutines.hosts import origin_of
from perception.subroutines.infer import Parameter, slug
from perception.subroutines.masking import SECRET, is_masked, local_address, token_in
from perception.subroutines.recording import Event, RecordedRequest, Recording
from perception.subroutines.request_values import Path, as_text, body_leaves

MIN_CONTAINED = 3
"""Characters: a shorter text is in others by chance."""

_MADE_UP = (
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


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter's value in a request.

    Attributes:
        parameter: name of the parameter.
        form: `text`, `lines` (with the line ends of forms), `number`, `boolean` or `choice`.
        values: for a choice, label and form value of each option.
    """

    parameter: str
    form: str = "text"
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PageToken:
    """A token that is read from the page before the request is sent.

    Attributes:
        kind: kind of the place, such as `cookie` or `meta`.
        name: name of the place.
    """

    kind: str
    name: str


Template = Any
"""JSON with `Given` and `PageToken` leaves."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Template of a request.

    Attributes:
        method: HTTP method.
        path: templates of the path segments.
        kind: kind of the body.
        query: name and template of query parameters.
        headers: name and template of headers.
        json: template of a JSON body; None for another body.
        fields: name and template of form fields; None for a file field without a file.
        style: how a form body is written, as in `write_urlencoded`.
        text: text of another body.
        status: recorded status.
        location: recorded redirect, a path with `*` for variable segments; "" for none.
        page: path, query and fragment of the page that sent the request.
    """

    method: str
    path: tuple[Template, ...]
    kind: str
    query: tuple[tuple[str, Template], ...] = ()
    headers: tuple[tuple[str, Template], ...] = ()
    json: Template = None
    fields: tuple[tuple[str, Template], ...] = ()
    style: str = ""
    text: Template = ""
    status: int = 200
    location: str = ""
    page: str = ""

    @property
    def tokens(self) -> tuple[PageToken, ...]:
        """All tokens that have to be read from the page, without duplicates."""
        parts = (self.path, dict(self.query), dict(self.headers), self.json, [each for _, each in self.fields])
        return tuple(dict.fromkeys(each for part in parts for each in _leaves(part) if isinstance(each, PageToken)))


@dataclass(slots=True)
class _Work:
    """State while a recipe is made."""

    parameters: Sequence[Parameter]
    known: Mapping[str, tuple[Parameter, Given]]
    addresses: str
    obstacles: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


def make_recipe(
    request: RecordedRequest,
    recording: Recording,
    parameters: Sequence[Parameter],
    others: Sequence[RecordedRequest] = (),
) -> tuple[Recipe, tuple[str, ...]]:
    """Makes the recipe of a request, and lists the obstacles to sending it (none: it can be sent again).

    Args:
        request: the recorded request.
        recording: its recording.
        parameters: inferred parameters.
        others: the same request in other recordings of the task; every difference has to be explained.
    """
    work = _Work(parameters, _known(parameters, recording.events), f"{recording.start_url} {recording.end_url}")
    work.obstacles += _unfit(request, recording)
    body = request.body
    parts = urlsplit(request.url)
    recipe = Recipe(
        method=request.method,
        path=tuple(_bind(work, "its path", "", each) for each in parts.path.split("/")[1:]),
        kind=body.kind,
        query=tuple((key, _bind(work, f"query.{key}", key, value)) for key, value in parse_qsl(parts.query, True)),
        headers=_headers(work, request),
        json=_template(work, body.json) if body.kind == "json" else None,
        fields=tuple(
            (key, None if index in body.blank_files else _bind(work, key, key, value))
            for index, (key, value) in enumerate(body.fields)
        ),
        style=body.style,
        text=body.text,
        status=request.status,
        location=path_pattern(request.location, _examples(parameters)) if request.location else "",
        page=page_of(request, recording),
    )
    for other in others:
        _compare(work, request, other)
    unused = [each.name for each in parameters if each.name not in work.used]
    if unused:
        work.obstacles.append(f"{', '.join(unused)} is not in it as it was given")
    return recipe, tuple(dict.fromkeys(work.obstacles))


def path_pattern(url: str, examples: Sequence[str] = ()) -> str:
    """The path of a URL with `*` for each variable segment: a number, an id, a hash, or an entered value.

    >>> path_pattern("https://a.org/users/17/change/?x=1"), path_pattern("/files/report", ["report"])
    ('/users/*/change/', '/files/*')
    """
    segments = urlsplit(url).path.split("/")
    slugs = {slug(each) for each in examples if slug(each)}
    return "/".join("*" if _differs(each, examples, slugs) else each for each in segments)


def page_of(request: RecordedRequest, recording: Recording) -> str:
    """Address of the page that sent a request: that of the last event before it, with its fragment, which may select
    what the page shows."""
    before = [event.url for event in recording.events if event.at_ms <= request.at_ms]
    return local_address(before[-1] if before else recording.start_url)


def _differs(segment: str, examples: Sequence[str], slugs: set[str]) -> bool:
    if not segment:
        return False
    made = any(pattern.fullmatch(segment) for _, pattern in _MADE_UP)
    entered = segment in examples or (slug(segment) in slugs and slug(segment) != "")
    return segment.isdecimal() or made or entered or is_masked(segment) or "«" in segment


def _unfit(request: RecordedRequest, recording: Recording) -> list[str]:
    """Obstacles that do not depend on the request's values."""
    found = []
    if origin_of(request.url) != origin_of(recording.start_url):
        found.append(f"it goes to another origin ({origin_of(request.url)})")
    if request.kind == "document" and request.method == "GET":
        found.append("it opens a page")
    if request.body.kind in ("bytes", "blob", "stream", "other", "text"):
        found.append(f"its body is no form and no JSON ({request.body.kind})")
    if request.body.cut:
        found.append("its body is too large to be kept")
    if request.body.inexact:
        found.append("its body is not written as browsers write it, so that other bytes would be sent")
    if request.body.files:
        found.append("it sends files")
    if request.open:
        found.append("it had not ended when the recording was stopped: record the task again and wait for the answer")
    elif request.status == 0 or request.status >= 400:
        found.append(f"it failed when it was recorded (status {request.status or 'none'})")
    return found


def _known(parameters: Sequence[Parameter], events: Sequence[Event]) -> dict[str, tuple[Parameter, Given]]:
    """Parameters by their recorded text in a request."""
    known: dict[str, tuple[Parameter, Given]] = {}
    for parameter in parameters:
        for step in parameter.steps:
            event = events[step]
            if event.kind == "select" and not event.multiple and event.values:
                known[event.values[0]] = (parameter, Given(parameter.name, "choice", parameter.values))
                known.setdefault(str(event.value[0]), (parameter, Given(parameter.name)))
            elif isinstance(event.value, str) and event.value:
                known.setdefault(event.value, (parameter, Given(parameter.name)))
                known.setdefault(with_crlf(event.value), (parameter, Given(parameter.name, "lines")))
    return known


def _examples(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    return tuple(str(each.example) for each in parameters if isinstance(each.example, str | int | float))


def _template(work: _Work, value: Any, path: Path = ()) -> Template:
    if isinstance(value, dict):
        return {key: _template(work, each, (*path, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [_template(work, each, (*path, index)) for index, each in enumerate(value)]
    name = next((str(each) for each in reversed(path) if isinstance(each, str)), "")
    return _bind(work, ".".join(map(str, path)), name, value)


def _bind(work: _Work, where: str, name: str, value: Any) -> Template:
    """The template of a leaf; adds an obstacle if its origin is unknown."""
    text = as_text(value)
    token = token_in(text)
    if token is not None:
        return PageToken(*token)
    switch = next((each for each in work.parameters if each.type == "boolean" and each.name == slug(name)), None)
    if switch is not None and isinstance(value, bool):
        work.used.add(switch.name)
        return Given(switch.name, "boolean")
    if text in work.known and value is not None and not isinstance(value, bool):
        parameter, given = work.known[text]
        # A single character occurs in many places: the name has to match, too.
        if len(text) > 1 or slug(name) == parameter.name:
            work.used.add(parameter.name)
            return Given(given.parameter, "number") if isinstance(value, int | float) else given
    if text == SECRET:
        work.obstacles.append(f"{where} is secret, and nothing on the page says what it is")
    elif is_masked(text):
        work.obstacles.append(f"{where} holds a secret together with something else")
    elif text not in work.addresses or len(text) < 8:
        made = next((what for what, pattern in _MADE_UP if pattern.fullmatch(text)), "")
        if made:
            work.obstacles.append(f"{where} is {made}")
        contained = _contained(work, text)
        if contained:
            work.obstacles.append(f"{where} holds {contained} together with something else")
    return value


def _contained(work: _Work, text: str) -> str:
    """The parameter of which a line is written within a text, as in the HTML that editors send; "" for none."""
    for parameter in work.parameters:
        is_text = isinstance(parameter.example, str) and not parameter.enum
        lines = str(parameter.example).splitlines() if is_text else ()
        for line in filter(lambda line: len(line) >= MIN_CONTAINED, map(str.strip, lines)):
            before, found, after = text.partition(line)
            if found and text != line and not before[-1:].isalnum() and not after[:1].isalnum():
                return parameter.name
    return ""


def _headers(work: _Work, request: RecordedRequest) -> tuple[tuple[str, Template], ...]:
    """Templates of headers that the page's scripts set. If the page has wrapped `fetch`, unexplained headers are
    dropped: the wrapper adds them again."""
    kept = []
    for name, value in request.headers:
        before = list(work.obstacles)
        template = _bind(work, f"header {name}", name, value)
        if request.wrapped and work.obstacles != before:
            work.obstacles[:] = before
            continue
        kept.append((name, template))
    return tuple(kept)


def _compare(work: _Work, request: RecordedRequest, other: RecordedRequest) -> None:
    """Adds an obstacle for each difference between two recordings that is neither a parameter nor a token."""
    one, two = (dict(body_leaves(each.body)) for each in (request, other))
    if set(one) != set(two) or request.body.kind != other.body.kind:
        work.obstacles.append("its body has another form in the other recording")
        return
    for path, value in one.items():
        text = as_text(value)
        if two[path] != value and text not in work.known and token_in(text) is None and not isinstance(value, bool):
            where = request.body.fields[int(path[0])][0] if request.body.fields else ".".join(map(str, path))
            work.obstacles.append(f"{where} is another one each time")
    headers = dict(other.headers)
    for name, value in request.headers:
        if headers.get(name) != value and token_in(value) is None and not request.wrapped:
            work.obstacles.append(f"header {name} is another one each time")


def _leaves(value: Template) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]
