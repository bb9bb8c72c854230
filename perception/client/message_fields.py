"""Messages from plain Python values, by the wire's own descriptors.

A value takes the form that a Python programmer would write: an enum's short name (`"digest"`), seconds, a tuple for a
viewport, a ref or selector for a target.

Rule 1: what cannot be sent is a BadInputError that names the parameter, what was given, and what it takes.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import Struct

from perception.errors import BadInputError
from perception.v1 import types_pb2 as pb

M = TypeVar("M", bound=Message)

TargetLike = str | tuple[float, float] | pb.Element | pb.Point | pb.NamedElement | pb.Target
"""A ref (`e3`), a role and name as a snapshot writes them (`button "Save"`), `text=WORDS` for `text "WORDS"`, `node=ID`
for CDP's backend node id, a CSS selector (anything else that is a string), a coordinate (x, y) or Point, an element of
a snapshot (its ref), a NamedElement, or a whole Target."""

_NTH = r"(?:\s*\[nth=(\d{1,6})\])?"

_NAMED = re.compile(r'(?:([a-z]+)\s+)?("(?:[^"\\]|\\.)*")' + _NTH)
"""`button "Save"`, `"Save"` for any role, `button "Save" [nth=1]`: no CSS selector has a string there."""

_NODE = re.compile(r"node=(\d{1,9})")

_TEXT = re.compile(r"text=(.*?)" + _NTH, re.DOTALL)

SHOWN = 60
"""Characters of a value that an error quotes."""


INNER = frozenset({"session_id", "action_options", "options"})
"""Fields that the client fills in itself: no parameters of its methods."""


def message_of(kind: type[M], fields: Mapping[str, Any], also: Iterable[str] = ()) -> M:
    """A message by its fields; those that are None are left out.

    Args:
        kind: of the message.
        fields: values by name.
        also: parameters that the caller has taken already, for the error that lists what there is.

    Raises:
        BadInputError: a field that it does not have, or a value that the field does not take.
    """
    known: Mapping[str, Any] = kind.DESCRIPTOR.fields_by_name
    built = kind()
    for name, value in fields.items():
        if name not in known:
            there = sorted({*known, *also} - INNER)
            message = f"there is no parameter {name!r}{suggestion(name, there)}; there are {', '.join(there)}"
            raise BadInputError(message, field=name)
        if value is not None:
            _check_alone(built, known[name])
            _set(built, known[name], value)
    return built


def target_of(target: TargetLike, name: str = "target") -> pb.Target:
    """The wire's target; see `TargetLike`.

    Args:
        target: a TargetLike.
        name: of the parameter, for the error.

    Raises:
        BadInputError: it is something else.
    """
    if isinstance(target, pb.Target):
        return target
    if isinstance(target, str):
        is_ref = target[:1] in ("e", "v") and target[1:].isdecimal() and target.isascii()
        if found := _NAMED.fullmatch(target.strip()):
            return _target_named(found[1] or "", _unquoted(found[2], name), found[3])
        if node := _NODE.fullmatch(target.strip()):
            return pb.Target(backend_node_id=int(node[1]))
        if words := _TEXT.fullmatch(target):
            return _target_named("text", words[1], words[2])
        return pb.Target(ref=target) if is_ref else pb.Target(selector=target)
    if isinstance(target, pb.Element):
        if not target.ref:
            raise BadInputError(f"{name} is a {target.role} without a ref: there is nothing to act on", field=name)
        return pb.Target(ref=target.ref)
    if isinstance(target, pb.NamedElement):
        return pb.Target(named=target)
    if isinstance(target, pb.Point):
        target = target.x, target.y
    x, y = numbers_of(target, (2,), name, "a ref such as 'e3', a CSS selector, a coordinate (x, y), or an element")
    return pb.Target(coordinate=pb.Coordinate(x=x, y=y))


def _target_named(role: str, name: str, nth: str | None) -> pb.Target:
    return pb.Target(named=pb.NamedElement(role=role, name=name, nth=None if nth is None else int(nth)))


def _unquoted(text: str, name: str) -> str:
    """The words of a name in quotes, with JSON's escapes. Raises BadInputError for other ones."""
    try:
        return str(json.loads(text, strict=False))
    except ValueError as exc:
        raise wrong(name, text, 'a name in quotes with escapes as in JSON, such as button "Save"') from exc


def seconds_of(value: Any, name: str) -> float:
    """Seconds from a number or a timedelta. Raises BadInputError for anything else, NaN and infinity included."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if not _is_number(value) or not abs(float(value)) < timedelta.max.total_seconds():
        raise wrong(name, value, "a number of seconds, such as 2.5")
    return float(value)


def timeout_of(value: Any, default: float) -> float:
    """The deadline of a call in seconds; the default for None. Raises BadInputError for what is not a number over 0."""
    if value is None:
        return default
    seconds = seconds_of(value, "timeout_s")
    if seconds <= 0:
        raise wrong("timeout_s", value, "a number of seconds over 0, or None for the client's own")
    return seconds


def struct_of(value: Any, name: str) -> Struct:
    """A JSON object. Raises BadInputError for a value that JSON does not have."""
    if not isinstance(value, Mapping):
        raise wrong(name, value, "a dict of JSON values")
    struct = Struct()
    for key, each in value.items():
        try:
            struct.update({key: each})
        except (TypeError, ValueError, AttributeError) as exc:
            raise wrong(f"{name}[{key!r}]", each, "a JSON value: text, number, bool, None, list or dict") from exc
    return struct


def numbers_of(value: Any, counts: tuple[int, ...], name: str, takes: str) -> list[float]:
    """The numbers of a tuple or list. Raises BadInputError unless there are as many as one of `counts`."""
    if not isinstance(value, tuple | list) or len(value) not in counts or not all(map(_is_number, value)):
        raise wrong(name, value, takes)
    return [float(each) for each in value]


def wrong(name: str, value: Any, takes: str) -> BadInputError:
    """The error of a parameter whose value has a wrong type, or is not one of its choices."""
    shown = repr(value)
    if len(shown) > SHOWN:
        shown = f"{shown[:SHOWN]}…"
    return BadInputError(f"{name} is {shown} ({type(value).__name__}): it takes {takes}", field=name)


def suggestion(word: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` for a misspelt word, else empty."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _check_alone(message: Message, field: FieldDescriptor) -> None:
    """Raises BadInputError where a field would replace another, of which a message has one."""
    if field.containing_oneof is not None and (other := message.WhichOneof(field.containing_oneof.name)):
        raise BadInputError(f"{other} and {field.name} are both given: give one of them", field=field.name)


def _set(message: Message, field: FieldDescriptor, value: Any) -> None:
    """Sets one field."""
    kind = field.message_type
    if kind is not None and kind.has_options and kind.GetOptions().map_entry:
        _set_map(message, field, value)
        return
    convert = _converter(field)
    try:
        if field.is_repeated:
            if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
                raise wrong(field.name, value, "a list")
            getattr(message, field.name).extend([convert(each) for each in value])
        elif field.message_type is not None:
            getattr(message, field.name).CopyFrom(convert(value))
        else:
            setattr(message, field.name, convert(value))
    except (TypeError, ValueError) as exc:  # such as a number of more than 32 bits
        raise BadInputError(f"{field.name}: {exc}", field=field.name) from exc


def _set_map(message: Message, field: FieldDescriptor, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise wrong(field.name, value, "a dict")
    try:
        getattr(message, field.name).update(value)
    except (TypeError, ValueError) as exc:
        raise BadInputError(f"{field.name}: {exc}", field=field.name) from exc


def _converter(field: FieldDescriptor) -> Callable[[Any], Any]:
    """What makes the wire's value of a Python value."""
    name = field.name
    if field.enum_type is not None:
        choices = field.enum_type
        return lambda value: _enum_of(choices, value, name)
    if field.message_type is not None:
        kind = GetMessageClass(field.message_type)
        return lambda value: _inner_of(kind, value, name)
    return lambda value: _scalar_of(field, value)


def _inner_of(kind: type[Message], value: Any, name: str) -> Message:
    """A message in a message: itself, or of the plain form that its kind has."""
    if isinstance(value, kind):
        return value
    if kind is Duration:
        duration = Duration()
        duration.FromTimedelta(timedelta(seconds=seconds_of(value, name)))
        return duration
    if kind is pb.Target:
        return target_of(value, name)
    if kind is pb.Point:
        x, y = numbers_of(value, (2,), name, "a point (x, y) in CSS px")
        return pb.Point(x=x, y=y)
    if kind is pb.Viewport and not isinstance(value, Mapping):
        return _viewport_of(value, name)
    if isinstance(value, str) and kind.DESCRIPTOR.name == "UpstreamProxy":
        return message_of(kind, {"url": value})
    if isinstance(value, Mapping):
        return message_of(kind, value)
    raise wrong(name, value, f"a {kind.DESCRIPTOR.name}, or a dict of its fields")


def _viewport_of(value: Any, name: str) -> pb.Viewport:
    takes = "(width, height) in CSS px, or (width, height, device_scale_factor)"
    width, height, *scale = numbers_of(value, (2, 3), name, takes)
    if not (width.is_integer() and height.is_integer()):
        raise wrong(name, value, takes)
    given = {"width": int(width), "height": int(height)} | ({"device_scale_factor": scale[0]} if scale else {})
    return message_of(pb.Viewport, given)


def _enum_of(choices: EnumDescriptor, value: Any, name: str) -> int:
    """A number, or a name with or without the prefix that all names of the enum have, such as `dom_content_loaded`;
    `DOMContentLoaded` is the same one."""
    short = short_names(choices)
    if isinstance(value, str):
        names = {_bare(each): number for each, number in short.items()}
        names |= {_bare(each.name): each.number for each in choices.values}
        number = names.get(_bare(value))
    else:
        number = _whole(value)
        number = number if number in choices.values_by_number else None
    if number is None:
        shown = [f"{each!r}" for each, of in short.items() if of]
        guess = suggestion(value, (each for each, of in short.items() if of)) if isinstance(value, str) else ""
        raise wrong(name, value, f"one of {', '.join(shown)}{guess}")
    return number


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


@cache
def short_names(choices: EnumDescriptor) -> dict[str, int]:
    """`digest` for `VIEW_DIGEST`: names without the prefix, which ends where that of `…_UNSPECIFIED` does."""
    prefix = choices.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {each.name.removeprefix(prefix).lower(): each.number for each in choices.values}


_INTEGERS = {
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_UINT32,
    FieldDescriptor.TYPE_UINT64,
}


def _scalar_of(field: FieldDescriptor, value: Any) -> Any:
    """A text, bytes, bool or number, of that type alone: 1 is not True, and "1" is not 1."""
    name = field.name
    if field.type == FieldDescriptor.TYPE_STRING:
        if not isinstance(value, str):
            raise wrong(name, value, "a str")
        return value
    if field.type == FieldDescriptor.TYPE_BYTES:
        if not isinstance(value, bytes | bytearray | memoryview):
            raise wrong(name, value, "bytes")
        return bytes(value)
    if field.type == FieldDescriptor.TYPE_BOOL:
        if type(value).__name__ not in ("bool", "bool_"):  # numpy's is not a bool
            raise wrong(name, value, "True or False")
        return bool(value)
    if field.type in _INTEGERS:
        if (number := _whole(value)) is None:
            raise wrong(name, value, "an int")
        return number
    if not _is_number(value):
        raise wrong(name, value, "a number")
    return float(value)


def _whole(value: Any) -> int | None:
    """An int, also numpy's; None for anything else, bools included."""
    try:
        return None if type(value).__name__ in ("bool", "bool_") else operator.index(value)
    except TypeError:
        return None


def _is_number(value: Any) -> bool:
    """Whether it is an int or a float, also numpy's; no bool and no text."""
    return hasattr(value, "__float__") and type(value).__name__ not in ("bool", "bool_")
