"""Files between the machine and a browser that it does not trust: opened once, then used by descriptor.

A path that was checked may name another file a moment later; a descriptor does not change.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from perception import host_os
from perception.paths import make_private

MAX_NAME_BYTES = 200
"""Limit of a file name: with a number inserted it stays below the 255 bytes that file systems allow."""

MAX_ENDING = 16
"""Bytes of a file name's ending; a longer one is taken for a part of the name. Chosen by hand."""

CHUNK_BYTES = 2**20
"""Read at once. Chosen by hand."""

_NEVER = r"/\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""Not in any file's name: folders, control characters, line ends, marks that turn text around, halves of characters."""

_NOT_PLAIN = re.compile(f"[{_NEVER}{re.escape(host_os.FORBIDDEN_IN_NAMES)}]")

_UNSAFE = re.compile(rf"[{_NEVER}{re.escape(host_os.FORBIDDEN_IN_NAMES)}$`;&|<>*?!~^%#={{}}\"']+")
"""Nor, in a name that a page chose, what a shell takes for more than a letter."""


class TooLargeError(OSError):
    """A file is larger than its limit."""


def safe_name(suggested: str) -> str:
    """A file name from a page's suggestion: without folders, leading dots and what a shell reads, and not too long."""
    name = _UNSAFE.sub("_", suggested.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending.encode()) > MAX_ENDING:
        return _cut(name, MAX_NAME_BYTES) or "download"
    return _cut(stem, MAX_NAME_BYTES - len(ending.encode()) - 1) + dot + ending


def is_plain_name(name: str) -> bool:
    """Whether a file can have this name as it is: no folder, nothing that names another file, not too long."""
    return bool(name.strip(" .")) and not _NOT_PLAIN.search(name) and len(name.encode()) <= MAX_NAME_BYTES


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def open_inside(folder: Path, parts: Sequence[str]) -> int:
    """Opens a regular file below a folder for reading, and returns its descriptor; follows no link on the way.

    Args:
        parts: the names on the way from the folder to the file.

    Raises:
        OSError: there is no such file, it is not a regular file, or a link is on the way.
    """
    return host_os.open_below(folder, parts)


def copy_out(source: int, path: Path, max_bytes: int) -> int:
    """Copies an open file to a new one, and closes it. Returns its size in bytes.

    Raises:
        TooLargeError: it is larger than `max_bytes`, or grew beyond that; the copy is removed.
        OSError: the new file exists already, or cannot be written.
    """
    size = 0
    with os.fdopen(source, "rb", buffering=0) as reading, path.open("xb", buffering=0) as writing:
        try:
            while chunk := reading.read(CHUNK_BYTES):
                size += len(chunk)
                if size > max_bytes:
                    raise TooLargeError("too large")
                _write_all(writing.fileno(), chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return size


def keep_file(source: Path, folder: Path, name: str) -> tuple[Path, int]:
    """Moves a file that a browser wrote into a folder, under a name that is free there.

    Returns:
        Its new path, and its size in bytes.

    Raises:
        OSError: the browser left no regular file there, or it could not be moved.
    """
    make_private(folder)
    opened = host_os.open_file(source)
    try:
        facts = os.fstat(opened)
        if facts.st_nlink != 1:
            raise OSError("it has another hard link")
        path = _reserve(folder, name)
        try:
            os.rename(source, path)
        except OSError:  # another file system
            path.unlink()
            size = copy_out(os.dup(opened), path, facts.st_size)
            source.unlink(missing_ok=True)
            return path, size
        if not os.path.samestat(os.lstat(path), facts):
            path.unlink()
            raise OSError("it was replaced meanwhile")
        if hasattr(os, "fchmod"):  # Chromium lets others read what it writes
            os.fchmod(opened, 0o600)
        return path, facts.st_size
    finally:
        os.close(opened)


def write_new_file(folder: Path, name: str, data: bytes) -> Path:
    """Writes a file into a folder, under a name that is free there; returns its path.

    Raises:
        OSError: it could not be written; nothing is left of it.
    """
    make_private(folder)
    path = _reserve(folder, name)
    try:
        path.write_bytes(data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


class NewFile:
    """A file that is written in parts, under a name that is free in a folder. `close` removes what was not kept.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, folder: Path, name: str) -> None:
        make_private(folder)
        self._path = _reserve(folder, name)
        self._file = self._path.open("wb", buffering=0)
        self._is_kept = False

    def write(self, part: bytes) -> None:
        _write_all(self._file.fileno(), part)

    def keep(self) -> Path:
        """The complete file."""
        self._is_kept = True
        return self._path

    def close(self) -> None:
        self._file.close()
        if not self._is_kept:
            self._path.unlink(missing_ok=True)


def _reserve(folder: Path, name: str) -> Path:
    """Creates an empty file under the name, or with a number before its ending, whichever is free; returns its path."""
    stem, suffix = os.path.splitext(name)
    path, count = folder / name, 1
    while True:
        with suppress(FileExistsError):
            path.touch(0o600, exist_ok=False)
            return path
        count += 1
        path = folder / f"{stem} ({count}){suffix}"


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
