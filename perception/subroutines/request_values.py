"""The values of a request: leaves of its body, with the path to each, and of its URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from perception.subroutines.recording import Body, RecordedRequest

Path = tuple[str | int, ...]


def leaves_of(request: RecordedRequest) -> list[str]:
    """All values in a request's query, path and body, as text."""
    parts = urlsplit(request.url)
    in_url = [value for _, value in parse_qsl(parts.query, keep_blank_values=True)]
    return [*in_url, *parts.path.strip("/").split("/"), *(as_text(value) for _, value in body_leaves(request.body))]


def body_leaves(body: Body) -> Iterator[tuple[Path, Any]]:
    """Yields path and value of each leaf of a JSON or form body; nothing for another body."""
    if body.kind == "json":
        yield from json_leaves(body.json)
    for index, (_, value) in enumerate(body.fields):
        yield (index,), value


def json_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yields path and value of each leaf of a JSON value, in order; an empty object or list is a leaf."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from json_leaves(each, (*path, key))
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from json_leaves(each, (*path, index))
    else:
        yield path, value


def place_of(path: Path) -> str:
    """A leaf's path in one text, as `user.active`."""
    return ".".join(map(str, path))


def key_of_path(path: Path) -> str:
    """The last key of a path; "" for none."""
    return next((str(each) for each in reversed(path) if isinstance(each, str)), "")


def as_text(value: Any) -> str:
    """A leaf as a form sends it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
