"""Files between the machine and a browser that is not trusted with it: opened once, and what was opened is what counts.

A name that was checked may be another file a moment later; a descriptor is not.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

MAX_NAME_BYTES = 200
"""Of a file's name: with a number put in, it stays under the 255 bytes that file systems take."""

MAX_ENDING = 16

CHUNK_BYTES = 2**20

_UNSAFE = re.compile(r"[^\w.\- ()\[\]]+")


class TooLargeError(OSError):
    """A file holds more than may be copied."""


def safe_name(suggested: str) -> str:
    """A file name from what a page suggests: no folders, no leading dots, not too long."""
    name = _UNSAFE.sub("_", suggested.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending.encode()) > MAX_ENDING:
        return _cut(name, MAX_NAME_BYTES) or "download"
    return _cut(stem, MAX_NAME_BYTES - len(ending.encode()) - 1) + dot + ending


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def open_inside(folder: Path, parts: Sequence[str]) -> int:
    """A descriptor of a file somewhere below a folder, for reading. No link is followed on the way, and a pipe or a
    device is not waited for.

    Raises:
        OSError: it is not there, is no plain file, or a link is in its way.
    """
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        found = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)
    try:
        _require_plain(os.fstat(found))
    except BaseException:
        os.close(found)
        raise
    return found


def copy_out(source: int, path: Path, max_bytes: int) -> int:
    """Copies an open file to a new one, and closes it. Returns its size in bytes.

    Raises:
        TooLargeError: it holds more, by what it was or by what it grew to; nothing is left.
        OSError: the new one is there already, or cannot be written.
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
    """Moves a file that a browser wrote into a folder, under a name that nothing has there yet.

    Returns where it is, and its size in bytes.

    Raises:
        OSError: the browser left no plain file of its own there, or it could not be moved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(opened)
        _require_plain(facts)
        if facts.st_nlink != 1:
            raise OSError("it has another name")
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
            raise OSError("it was exchanged")
        return path, facts.st_size
    finally:
        os.close(opened)


def _reserve(folder: Path, name: str) -> Path:
    """A path that nothing had yet, with an empty file at it: the name, or with a number before its ending."""
    stem, suffix = os.path.splitext(name)
    path, count = folder / name, 1
    while True:
        with suppress(FileExistsError):
            path.touch(0o600, exist_ok=False)
            return path
        count += 1
        path = folder / f"{stem} ({count}){suffix}"


def _require_plain(facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise OSError("no plain file")


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
