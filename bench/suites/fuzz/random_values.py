"""Random messages made from descriptors: edge values in every field, and nearly valid values.

Everything is drawn from a `random.Random`, so that a seed reproduces a case, and Hypothesis can replace it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

MAX_DEPTH = 6
"""Nesting depth of messages, except for the chains that are deep on purpose."""

DEEP = 90
"""Below protobuf's own limit of 100 levels, which the parser refuses."""

INTS = (0, 1, 2, 3, 10, -1, -2, 255, 1000, 65_535, 2**31 - 1, -(2**31))
LONGS = (*INTS, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63))
UNSIGNED = (0, 1, 2, 1000, 2**31, 2**32 - 1)
UNSIGNED_LONGS = (*UNSIGNED, 2**63, 2**64 - 1)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 100.0, 1e9, -1e9, 1e308, -1e308, 5e-324)
NOT_NUMBERS = (float("nan"), float("inf"), float("-inf"))
STRINGS = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\n",
        "\r\n",
        "\t",
        "x",
        "e1",
        "v1",
        "s1",
        "s1.1",
        "t1",
        "c1.1",
        "x1.1",
        "0",
        "-1",
        "null",
    ),
    *("true", "NaN", "%s%n", "{}", "[]", "\\", '"', "'", "`", "$(id)", "../../etc/passwd", "/etc/passwd", "\u202eabc"),
    *("\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\U0001f469\u200d\U0001f4bb", "\ufffd", "\ufffe", "\U0010ffff"),
    *("e\u0301" * 20, "\u2028", "\ufeff", "#", ":", "::", ">>>", " >>> ", "a >>> ", "[", "div[", "*", "a:has(", "#\0"),
    *("http://", "http://[::1", "file:///etc/passwd", "javascript:1", "data:text/html,x", "about:blank", "http://a b/"),
    *("chrome://crash", "http://\udce4".encode("utf-8", "replace").decode(), "button", "Enter", "Control+", "a" * 100),
    *("a" * 1001, "\u00e4" * 5000, "Control+Shift+Alt+Meta+x", "de-DE", "Europe/Berlin", "1" * 400, "second Save"),
)
HUGE = ("x" * 300_000, "\U0001f600" * 50_000, "[" * 20_000, "(" * 20_000, " >>> ".join("a" * 1000))
BYTES = (b"", b"\0", b"\xff" * 8, b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM", b"RIFF0000WEBP", bytes(range(256)))

Hint = Callable[[FieldDescriptor, Random], Any]
"""A value that fits a field; None if there is none."""


def no_hint(_: FieldDescriptor, __: Random) -> Any:
    return None


def make(
    kind: Descriptor, random: Random, hint: Hint = no_hint, density: float | None = None, depth: int = 0
) -> Message:
    """A message of a type.

    Args:
        hint: called first for every field that is set.
        density: probability that a field is set; drawn when None.
    """
    message: Message = GetMessageClass(kind)()
    density = random.choice((0.1, 0.3, 0.6, 1.0)) if density is None else density
    for field in kind.fields:
        if random.random() < density:
            _set(message, field, random, hint, density, depth)
    return message


def _set(message: Message, field: FieldDescriptor, random: Random, hint: Hint, density: float, depth: int) -> None:
    given = hint(field, random)
    if field.is_repeated:
        _fill(message, field, random, hint, depth, given)
    elif field.message_type is not None:
        if given is not None:
            getattr(message, field.name).CopyFrom(given)
        elif depth < MAX_DEPTH:
            getattr(message, field.name).CopyFrom(_part(field.message_type, random, hint, density, depth))
    else:
        setattr(message, field.name, scalar(field, random) if given is None else given)


def _fill(message: Message, field: FieldDescriptor, random: Random, hint: Hint, depth: int, given: Any) -> None:
    values = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        for _ in range(random.choice((0, 1, 3, 30)) if depth < MAX_DEPTH else 0):
            key = scalar(field.message_type.fields_by_name["key"], random)
            inner = field.message_type.fields_by_name["value"]
            if inner.message_type is not None:
                values[key].CopyFrom(_part(inner.message_type, random, hint, 0.3, depth + 2))
            else:
                values[key] = scalar(inner, random)
    elif given is not None:
        values.extend(given)
    elif field.message_type is not None:
        for _ in range(random.choice((0, 1, 2, 10)) if depth < MAX_DEPTH else 0):
            values.append(_part(field.message_type, random, hint, 0.3, depth + 2))
    else:
        values.extend(scalar(field, random) for _ in range(random.choice((0, 1, 1, 2, 10, 1000))))


def _part(kind: Descriptor, random: Random, hint: Hint, density: float, depth: int) -> Message:
    if kind.full_name == "google.protobuf.Duration":
        made: Message = GetMessageClass(kind)(seconds=random.choice(DURATIONS), nanos=random.choice(INTS))
        return made
    if kind.full_name in ("google.protobuf.Value", "google.protobuf.Struct") and random.random() < 0.05:
        return _deep(kind)
    return make(kind, random, hint, density, depth + 1)


DURATIONS = (0, 0, 0, 1, -1, 10**6, 315_576_000_000, 315_576_000_001, -315_576_000_001, 2**63 - 1, -(2**63))
"""Seconds: ten thousand years are the maximum of a Duration."""


def _deep(kind: Descriptor) -> Message:
    """Nested lists."""
    message: Message = GetMessageClass(kind)()
    value: Any = message
    if kind.name == "Struct":
        value = value.fields["x"]
    deep_value(value)
    return message


def deep_value(value: Any) -> None:
    """Fills a google.protobuf.Value with nested lists."""
    for _ in range(DEEP // 2 - 4):
        value = value.list_value.values.add()
    value.null_value = 0


def scalar(field: FieldDescriptor, random: Random) -> Any:
    """An edge value of a field that holds no message."""
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING and field.type == FieldDescriptor.TYPE_BYTES:
        return random.choice(BYTES) if random.random() < 0.9 else random.randbytes(random.choice((1, 100, 100_000)))
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return text(random)
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        assert field.enum_type is not None
        known = [value.number for value in field.enum_type.values]
        return random.choice(known) if random.random() < 0.7 else random.choice(INTS)
    if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        found = random.choice(FLOATS) if random.random() < 0.8 else random.choice(NOT_NUMBERS)
        return found if kind == FieldDescriptor.CPPTYPE_DOUBLE or abs(found) < 1e38 else float("inf")
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return random.random() < 0.5
    edges = {
        FieldDescriptor.CPPTYPE_INT32: INTS,
        FieldDescriptor.CPPTYPE_INT64: LONGS,
        FieldDescriptor.CPPTYPE_UINT32: UNSIGNED,
        FieldDescriptor.CPPTYPE_UINT64: UNSIGNED_LONGS,
    }
    return random.choice(edges[kind])


def text(random: Random) -> str:
    """Odd words, sometimes very long ones."""
    lot = random.random()
    if lot < 0.01:
        return random.choice(HUGE)
    if lot < 0.8:
        return random.choice(STRINGS)
    return "".join(random.choice(STRINGS[:60]) for _ in range(random.randrange(1, 6)))


def mutate(data: bytes, random: Random) -> bytes:
    """Bytes similar to the given ones: cut, flipped, doubled, overwritten, extended."""
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(data) + 1)
        lot = random.randrange(6)
        if lot == 0:
            data = data[:at]
        elif lot == 1 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
        elif lot == 2:
            data = data[:at] + random.randbytes(random.choice((1, 4, 40))) + data[at:]
        elif lot == 3:
            data = data[:at] + data[at + random.choice((1, 4, 40)) :]
        elif lot == 4:
            data = (
                data[:at] + random.choice((b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\x80" * 10)) + data[at + 4 :]
            )
        else:
            data = data[:at] + data[:at]
    return data
