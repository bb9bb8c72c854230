"""Which values of a request are constants of the application: its scripts write them, and nobody sent them to the page.

A page also sends back what it received, such as the other fields of the object that a person edits. Sent later, that
overwrites what others changed since. In the request both look alike, so that a constant has to be shown to be one.

Rule 1: a value is a constant only where every object of the scripts that fits the request writes it, as a literal.
Rule 2: a value that the page received before the request is none, whatever the scripts write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from perception.subroutines.masking import is_masked
from perception.subroutines.ranking import MUTATING
from perception.subroutines.received import Received
from perception.subroutines.recording import Body, RecordedRequest
from perception.subroutines.request_values import Path, as_text, body_leaves, json_leaves, key_of_path, place_of
from perception.subroutines.script_literals import COMPUTED, UNDEFINED
from perception.subroutines.written_objects import (
    GRAPHQL,
    Script,
    Written,
    data_objects,
    graphql_texts,
    written_objects,
)

MAX_PARSED = 2**21
"""Characters of scripts that are parsed for one recording: about a second. Chosen by hand."""

MAX_REQUESTS = 20
"""Requests of a recording whose values are looked for in scripts: the last ones. Chosen by hand."""

_INLINE_VALUE = re.compile(r":\s*(?:\"|-?\d|true\b|false\b|(?!ID\b)[A-Z][A-Z_]+\b)")
"""A value that stands in a GraphQL document in place of a variable."""


@dataclass(frozen=True, slots=True)
class _Code:
    """What the scripts write: objects, and GraphQL documents without white space."""

    written: Sequence[Written]
    documents: Collection[str]


@dataclass(frozen=True, slots=True)
class _SentObject:
    """An object of a body, with the paths of the leaves below each key."""

    entries: Mapping[str, Any]
    leaves: Mapping[str, tuple[Path, ...]]
    is_form: bool = False


def with_origins(
    requests: Sequence[RecordedRequest],
    scripts: Collection[Script],
    answers: Sequence[tuple[float, Any]],
    data: Received,
) -> tuple[RecordedRequest, ...]:
    """The requests, with the origins of the values that scripts sent.

    Args:
        requests: all requests of a recording.
        scripts: the scripts of its pages.
        answers: when a JSON answer had come, milliseconds since the recording started, and the answer.
        data: what stood in the documents.
    """
    chosen = [index for index, each in enumerate(requests) if _is_sent_by_script(each)][-MAX_REQUESTS:]
    objects = {index: tuple(_sent_objects(requests[index].body)) for index in chosen}
    keys = {key for sent in objects.values() for each in sent for key in each.entries}
    used = _with_keys(scripts, keys)
    written = [(each, script.inline) for script in used for each in written_objects(script, keys)]
    for entries in data_objects(each for each, is_inline in written if is_inline):
        data.add_json({key: value for key, value in entries.items() if value is not UNDEFINED})
    code = _Code([each for each, _ in written], {_folded(each) for script in used for each in graphql_texts(script)})
    made = list(requests)
    for index, sent in objects.items():
        before = Received()
        for at_ms, answer in answers:
            if at_ms < requests[index].at_ms:
                before.add_json(answer)
        made[index] = _with_origins(requests[index], sent, code, (before, data))
    return tuple(made)


def _with_origins(
    request: RecordedRequest, sent: Sequence[_SentObject], code: _Code, received: Sequence[Received]
) -> RecordedRequest:
    body = request.body
    shown = {path for each in sent for path in _shown(each, code.written)}
    operation = {path for each in sent for path in _operation(each, code.documents)}
    had = {path for path, leaf in body_leaves(body) if any(each.has(_name_of(body, path), leaf) for each in received)}
    constants, given = (shown - had) | operation, had - operation
    return msgspec.structs.replace(request, constants=_places(constants), received=_places(given))


def _places(paths: Collection[Path]) -> tuple[str, ...]:
    return tuple(sorted(map(place_of, paths)))


def _is_sent_by_script(request: RecordedRequest) -> bool:
    return request.kind in ("fetch", "xhr", "beacon") and request.method in MUTATING and any(body_leaves(request.body))


def _with_keys(scripts: Collection[Script], keys: Collection[str]) -> list[Script]:
    """The scripts that name a key, those with most of them first, up to MAX_PARSED."""
    names = [each for each in keys if each]
    counted = [(sum(each in script.source for each in names), script) for script in scripts]
    chosen, left = [], MAX_PARSED
    for count, script in sorted(counted, key=lambda each: (-each[0], len(each[1].source))):
        if count and len(script.source) <= left:
            chosen.append(script)
            left -= len(script.source)
    return chosen


def _sent_objects(body: Body) -> Iterator[_SentObject]:
    if body.kind == "json":
        yield from _json_objects(body.json, ())
    elif body.fields:
        names = [name for name, _ in body.fields]
        once = {name: value for name, value in body.fields if names.count(name) == 1}
        leaves = {name: ((index,),) for index, name in enumerate(names) if name in once}
        yield _SentObject({name: once.get(name, COMPUTED) for name in names}, leaves, is_form=True)


def _json_objects(value: Any, path: Path) -> Iterator[_SentObject]:
    if isinstance(value, dict):
        leaves = {key: tuple(below for below, _ in json_leaves(each, (*path, key))) for key, each in value.items()}
        yield _SentObject(value, leaves)
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in parts:
        yield from _json_objects(each, (*path, key))


def _shown(sent: _SentObject, written: Sequence[Written]) -> Iterator[Path]:
    """Leaves that every fitting object of the scripts writes as a literal."""
    keys = sent.entries.keys()
    fitting = [each for each in written if _fits(each, sent)]
    whole = [each for each in fitting if not each.part and keys <= each.entries.keys() and _writes(each, sent)]
    parts = [each for each in fitting if each.sends and (each.part or each.is_data) and _names(each) <= keys]
    copies = [each for each in parts if each.copies]
    for key in keys:
        makers = [*(whole or (each for each in parts if key in each.entries)), *copies]
        if makers and all(each.entries.get(key, COMPUTED) is not COMPUTED for each in makers):
            yield from (path for path in sent.leaves.get(key, ()) if not is_masked(sent.entries[key]))


def _writes(written: Written, sent: _SentObject) -> bool:
    """Whether an object is written to be sent: something in it is computed, or it stands where something is sent."""
    return written.sends or any(written.entries[key] is COMPUTED for key in sent.entries)


def _names(written: Written) -> set[str]:
    return {key for key, value in written.entries.items() if value is not UNDEFINED}


def _fits(written: Written, sent: _SentObject) -> bool:
    """Whether an object has a key of what was sent, and no literal that differs from it."""
    common = sent.entries.keys() & written.entries.keys()
    return bool(common) and all(_agrees(written.entries[key], sent.entries[key], sent.is_form) for key in common)


def _agrees(literal: Any, value: Any, is_form: bool) -> bool:
    if literal is COMPUTED or value is COMPUTED or is_masked(value):
        return True
    if is_form:
        return not isinstance(literal, list | dict) and literal is not UNDEFINED and as_text(literal) == value
    return bool(literal == value) and isinstance(literal, bool) == isinstance(value, bool)


def _operation(sent: _SentObject, documents: Collection[str]) -> Iterator[Path]:
    """The document of a GraphQL request, and its name: code, unless the page has written values into it."""
    query, name = sent.entries.get("query"), sent.entries.get("operationName")
    if not isinstance(query, str) or not GRAPHQL.match(query):
        return
    if _INLINE_VALUE.search(query) is None or _folded(query) in documents:
        yield from sent.leaves.get("query", ())
    if isinstance(name, str) and re.search(rf"\b(?:query|mutation|subscription)\s+{re.escape(name)}\b", query):
        yield from sent.leaves.get("operationName", ())


def _folded(text: str) -> str:
    return "".join(text.split())


def _name_of(body: Body, path: Path) -> str:
    """The key of a leaf, or the name of a field."""
    return body.fields[int(path[0])][0] if body.kind != "json" else key_of_path(path)
