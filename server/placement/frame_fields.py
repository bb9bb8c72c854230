"""Reads single text fields of a serialized message, without decoding the rest of it.

An edge carries messages as they are: all that it needs of a request is the session that it names. The scan passes over
other fields by their length, so that it takes as long for 16 MiB as for 16 bytes.
"""

from __future__ import annotations

from collections.abc import Collection

_VARINT, _FIXED64, _LENGTH, _GROUP, _END_GROUP, _FIXED32 = range(6)
"""Wire types; see https://protobuf.dev/programming-guides/encoding/."""

MAX_VARINT_BYTES = 10

MAX_GROUPS = 32
"""Groups in groups. None of our messages has any; an unknown field may."""


def read_text(data: bytes, number: int) -> str | None:
    """A top-level text field; empty where it is absent, None where the bytes are not a message or the text is not
    UTF-8."""
    found = read_fields(data, (number,))
    try:
        return None if found is None else found.get(number, b"").decode()
    except UnicodeDecodeError:
        return None


def read_fields(data: bytes, numbers: Collection[int]) -> dict[int, bytes] | None:
    """The top-level fields of these numbers that have a length: texts, bytes and messages. Of one that is repeated the
    last counts, as for a decoder.

    Returns:
        Bytes by number, without those that are absent; None where the bytes are not a message.
    """
    found: dict[int, bytes] = {}
    at = depth = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            number, kind = tag >> 3, tag & 7
            if kind == _LENGTH:
                size, at = _varint(data, at)
                if at + size > len(data):
                    return None
                if not depth and number in numbers:
                    found[number] = data[at : at + size]
                at += size
            elif kind == _VARINT:
                _, at = _varint(data, at)
            elif kind in (_FIXED64, _FIXED32):
                at += 8 if kind == _FIXED64 else 4
            elif kind in (_GROUP, _END_GROUP):
                depth += 1 if kind == _GROUP else -1
            else:
                return None
            if number == 0 or not 0 <= depth <= MAX_GROUPS:
                return None
    except (IndexError, ValueError):
        return None
    return found if at == len(data) and not depth else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it. Raises IndexError at the end of the bytes, ValueError for one that
    is too long."""
    value = 0
    for shift in range(MAX_VARINT_BYTES):
        byte = data[at + shift]
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    raise ValueError("a varint has at most ten bytes")
