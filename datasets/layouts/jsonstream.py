"""Records out of JSON and JSON Lines files, one at a time.

Rule 1: a file is never in memory as a whole, only its current record.
Rule 2: what cannot be read on from (not UTF-8, not JSON, cut off) is a `FileError`; in JSON Lines a bad line is that
line's own matter, because the next one can be read.

ijson cannot keep this: it gives either `Decimal` or no integers above 64 bits, refuses `NaN`, and 100 kB of `[` take
all memory.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from perception.datasets.sample import Broken, DatasetError

CHUNK = 1 << 18
"""Characters read at a time."""

MAX_RECORD = 1 << 28
"""Characters of one record at most. The longest published ones are episodes of Mind2Web with their pages' HTML."""

_IN_NUMBERS = "0123456789.eE+-"
"""What may still come where a number seems to end: `0` may be the beginning of `0.5`."""

_SPACE = " \t\r\n"


class FileError(DatasetError):
    """A file, or what is left of it, cannot be read. The message is without the file's name."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record. `where` names it: `screenspot_web.json[17]`, `steps.jsonl:18`."""

    where: str
    value: object


def read_records(path: Path, label: str) -> Iterator[Record | Broken]:
    """The elements of a JSON file's list, or the lines of a JSON Lines file (by the file's ending).

    Raises:
        FileError: the file holds no list of records, or ends early. Records before that have been given.
    """
    return _read_lines(path, label) if path.suffix.lower() == ".jsonl" else _read_list(path, label)


def read_members(path: Path) -> Iterator[tuple[str, int, object]]:
    """(key, index, element) of every list in a JSON file's object, in the file's order.

    Members that are not lists, and empty lists, are given whole, with the index -1.

    Raises:
        FileError: the file holds no object, or ends early.
    """
    with _open_text(path) as text:
        cursor = _Cursor(text)
        if cursor.peek() != "{":
            raise FileError(f"holds {cursor.what()}, not an object with lists")
        cursor.skip()
        for _ in cursor.items("}"):
            key = cursor.value()
            if not isinstance(key, str) or cursor.peek() != ":":
                raise FileError("is not JSON: a key and a colon are wanted")
            cursor.skip()
            if cursor.peek() != "[":
                yield key, -1, cursor.value()
                continue
            cursor.skip()
            index = -1
            for index in cursor.items("]"):
                yield key, index, cursor.value()
            if index < 0:
                yield key, -1, []
        cursor.end()


def top_of(path: Path) -> str:
    """What a JSON file begins with: `[`, `{`, another character, or nothing. Raises FileError where it is no text."""
    with _open_text(path) as text:
        return _Cursor(text).peek()


def _read_list(path: Path, label: str) -> Iterator[Record | Broken]:
    with _open_text(path) as text:
        cursor = _Cursor(text)
        if cursor.peek() != "[":
            raise FileError(f"holds {cursor.what()}, not a list of records")
        cursor.skip()
        for index in cursor.items("]"):
            yield Record(f"{label}[{index}]", cursor.value())
        cursor.end()


def _read_lines(path: Path, label: str) -> Iterator[Record | Broken]:
    try:
        with path.open("rb") as file:
            yield from _parse_lines(file, label)
    except OSError as exc:
        raise FileError(f"cannot be read: {exc.strerror}") from exc


def _parse_lines(file: BinaryIO, label: str) -> Iterator[Record | Broken]:
    number = count = 0
    while line := file.readline(MAX_RECORD):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            continue
        count += 1
        where = f"{label}:{number}"
        try:
            yield Record(where, json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError) as exc:  # a UnicodeDecodeError is a ValueError, too
            torn = "" if line.endswith(b"\n") else ", and the file ends in this line"
            yield Broken(where, f"the line is not JSON{torn}: {exc}")
    if not count:
        raise FileError("is empty")


def _open_text(path: Path) -> io.TextIOWrapper:
    try:
        return path.open(encoding="utf-8-sig")
    except OSError as exc:
        raise FileError(f"cannot be read: {exc.strerror}") from exc


class _Cursor:
    """A place in a JSON text that is read in pieces."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._buffer = ""
        self._at = 0
        self._ended = False
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if (char := self._buffer[self._at]) not in _SPACE:
                    return char
                self._at += 1
            if not self._more(CHUNK):
                return ""

    def skip(self) -> None:
        self._at += 1

    def what(self) -> str:
        """What the file holds, for a message."""
        names = {"[": "a list", "{": "an object", '"': "a string", "": "nothing"}
        return names.get(self.peek(), "a number or no JSON")

    def items(self, close: str) -> Iterator[int]:
        """Stands at each item of a list or object that was just entered; leaves it behind."""
        index = 0
        if self.peek() == close:
            self.skip()
            return
        while True:
            if not self.peek():
                raise FileError(f"ends early, after {index} whole records")
            yield index
            index += 1
            char = self.peek()
            self.skip()
            if char == close:
                return
            if char != ",":
                raise FileError(
                    f"is not JSON after {index} whole records: a comma is wanted"
                    if char
                    else f"ends early, after {index} whole records"
                )

    def value(self) -> object:
        """The value that begins here. Raises FileError where there is none, or it does not end."""
        self.peek()
        step = CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                if self._ended or (end < len(self._buffer) and self._buffer[end] not in _IN_NUMBERS):
                    self._at = end
                    return value
            except json.JSONDecodeError as exc:
                if self._ended or len(self._buffer) - self._at > MAX_RECORD or self._is_final(exc):
                    raise FileError(f"is not JSON, or ends early: {exc.msg}") from exc
            except (ValueError, RecursionError) as exc:
                raise FileError(f"holds what cannot be read: {exc}") from exc
            self._more(step)
            step *= 2  # so that a long record is tried a few times, not once a chunk

    def end(self) -> None:
        """Raises FileError where something follows."""
        if self.peek():
            raise FileError("goes on after its end: is it JSON Lines? Then its name ends in .jsonl")

    def _is_final(self, exc: json.JSONDecodeError) -> bool:
        """Whether more text would not help. A string without its end may go on; else all but the last few characters
        (`tru`, `\\u12`) have been understood."""
        return not exc.msg.startswith("Unterminated string") and exc.pos + 16 < len(self._buffer)

    def _more(self, count: int) -> bool:
        if self._ended:
            return False
        try:
            piece = self._text.read(count)
        except UnicodeDecodeError as exc:
            raise FileError(f"is not UTF-8: {exc.reason}") from exc
        except OSError as exc:
            raise FileError(f"cannot be read: {exc.strerror}") from exc
        self._ended = not piece
        self._buffer, self._at = self._buffer[self._at :] + piece, 0
        return bool(piece)
