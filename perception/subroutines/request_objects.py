"""The objects in a recorded request: where each of them comes from.

Rule: an object in a request's address is computed from what the script knows. One whose origin is not known, or that
the page made during the task, cannot be sent again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from perception.subroutines.recording import RecordedRequest
from perception.subroutines.routes import is_same_route, parts_of
from perception.subroutines.values import Value, address_code, find_value

ANY_STEP = 10**6
"""A step after all others: a request is sent again when everything is known."""

MIN_TELLING = 6
"""Characters: a shorter id occurs in a body by chance, unless its field is called like it."""

_ID_NAMES = frozenset("id pk key uuid guid identifier".split())

_BOOKKEEPING = re.compile(
    r"(?:^|_)(?:start_?time|view_?time|edit_?time|rev|revision|rev_?id|etag|row_?version|version|lock|lock_?version"
    r"|last_?modified|modified|updated|updated_?at|changed|checksum|timestamp|base_?rev|parent_?rev)(?:$|_)"
)


def is_bookkeeping(name: str) -> bool:
    """Whether a field has the name of what a server keeps of a state, such as a revision.

    >>> is_bookkeeping("rowVersion"), is_bookkeeping("start_time"), is_bookkeeping("title")
    (True, True, False)
    """
    return _BOOKKEEPING.search(snake_case(name)) is not None


def names_object(name: str) -> bool:
    """Whether a field has the name of an id.

    >>> names_object("ticketId"), names_object("uuid"), names_object("paid")
    (True, True, False)
    """
    return snake_case(name).rpartition("_")[2] in _ID_NAMES - {"key", "identifier"}


def sent_address(request: RecordedRequest) -> str:
    """Path and query of a request, with masks."""
    parts = urlsplit(request.url)
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"


def bind_parts(
    requests: Sequence[RecordedRequest], values: Sequence[Value]
) -> tuple[dict[int, Value], tuple[str, ...]]:
    """What the objects in a request's address are computed from.

    Args:
        requests: the request in each recording.
        values: what the script knows.

    Returns:
        The value of each object by its index in `parts_of`, and the obstacles.
    """
    each_parts = [parts_of(sent_address(each)) for each in requests]
    if not all(is_same_route(each_parts[0], each) for each in each_parts):
        return {}, ("its address is of another kind in the other recording",)
    bound: dict[int, Value] = {}
    obstacles = []
    for index, part in enumerate(each_parts[0]):
        recorded = tuple(parts[index].value for parts in each_parts)
        where = f"query.{part.key}" if part.key else "its path"
        value = find_value(values, recorded, ANY_STEP, part.name) if part.value else None
        if value is not None and value.place == "page":
            obstacles.append(f"{where} holds {part.value[:40]}, which the page gives during the task")
        elif value is not None and (part.is_object or len(set(recorded)) > 1):
            bound[index] = value
        elif part.is_object or len(set(recorded)) > 1:
            obstacles.append(f"{where} holds {part.value[:40]}, and nothing that is given says so")
    return bound, tuple(obstacles)


def find_in_body(name: str, recorded: tuple[str, ...], values: Sequence[Value]) -> Value | None:
    """The object that a leaf of a body is; None where it is none, or may equal one by chance.

    Args:
        name: name of the field, or key.
        recorded: the leaf in each recording, as text.
        values: what the script knows.
    """
    called = snake_case(name)
    for value in values:
        if value.recorded != recorded or value.place not in ("start", "address", "page"):
            continue
        noun = value.name.removesuffix("_id")
        is_named = called in (value.name, noun, *_ID_NAMES) or called.removesuffix("_id").endswith(noun)
        if is_named or len(set(recorded)) > 1 or len(recorded[0]) >= MIN_TELLING:
            return value
    return None


def address_in_body(recorded: Sequence[str], values: Sequence[Value]) -> tuple[str, tuple[Value, ...]] | None:
    """A leaf that is an address with known objects, as the inner text of a template; None for another leaf."""
    if not all(re.match(r"/[^/\s]", each) and " " not in each for each in recorded):
        return None
    each_parts = [parts_of(each) for each in recorded]
    if not all(is_same_route(each_parts[0], each) for each in each_parts):
        return None
    template, used, unknown = address_code(recorded, values, ANY_STEP)
    return (template, used) if used and not unknown else None


def snake_case(name: str) -> str:
    """A field's name in snake case, such as `row_version` for `rowVersion`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
