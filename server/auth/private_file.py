"""Credential files: files with secrets are refused if others can read them; all files are read again when they change.

Rule 1: nothing here waits for a file. Anything but a regular file, such as a pipe, is refused at once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import structlog

from perception import host_os
from perception.errors import BadInputError

log = structlog.get_logger(__name__)

Content = TypeVar("Content")

MAX_PRIVATE_FILE_BYTES = 2**20
"""Lists of tokens, secrets or certificates are far smaller; a device file would never end."""


def read_private(path: Path, what: str) -> bytes:
    """A file's bytes, if it is a regular file that others cannot read.

    The rule is PostgreSQL's for private keys: mode 0600 or less where it is this user's own, 0640 or less where it is
    root's, as an orchestrator mounts it for a group.

    Args:
        what: its name in messages, for example "the token file".

    Raises:
        BadInputError: it cannot be read, is too large, or can be read or written by others.
    """
    return read_regular(path, what, _check_private)


def read_regular(path: Path, what: str, check: Callable[[os.stat_result, str], None] = lambda *_: None) -> bytes:
    """A regular file's bytes, if it is not too large and `check` accepts its metadata.

    Raises:
        BadInputError: it cannot be read, is too large, or is not a regular file.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise BadInputError(f"{what} is not a regular file: name one")
            check(about, what)
            data = file.read(MAX_PRIVATE_FILE_BYTES + 1)
    except OSError as exc:
        raise BadInputError(f"{what} cannot be read: {exc.strerror}") from exc
    if len(data) > MAX_PRIVATE_FILE_BYTES:
        raise BadInputError(f"{what} is larger than {MAX_PRIVATE_FILE_BYTES // 2**20} MiB: it is not what it should be")
    return data


def _check_private(about: os.stat_result, what: str) -> None:
    is_roots = about.st_uid == 0 and not host_os.is_superuser()
    if about.st_mode & (0o027 if is_roots else 0o077):
        raise BadInputError(f"{what} can be read by other users: run chmod 600 on it")


def _open_at_once(path: str, flags: int) -> int:
    """Opens without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


class Reread(Generic[Content]):
    """Parsed content of files, read again when one has changed. If that fails, the content from before stays in use,
    and the log has the reason."""

    def __init__(self, paths: Sequence[Path], what: str, read: Callable[[], Content]) -> None:
        """Raises what `read` does: BadInputError.

        Args:
            what: their name in the log.
        """
        self._paths = paths
        self._what = what
        self._read = read
        self._seen = self._stamps()
        self._content = read()

    @property
    def content(self) -> Content:
        now = self._stamps()
        if now != self._seen:
            self._seen = now
            try:
                self._content = self._read()
                log.info("read again", file=self._what)
            except BadInputError as exc:
                log.error("not read again: what was known before still holds", file=self._what, reason=str(exc))
        return self._content

    def _stamps(self) -> list[tuple[int, ...]]:
        return [_stamp(path) for path in self._paths]


def reread_private(path: Path, what: str, parse: Callable[[bytes], Content]) -> Reread[Content]:
    """Parsed content of a private file, read again when it changes. Raises as `read_private` and `parse`."""
    return Reread([path], what, lambda: parse(read_private(path, what)))


def _stamp(path: Path) -> tuple[int, ...]:
    """A value that changes with the file, its mode and its owner."""
    try:
        about = path.stat()
    except OSError:
        return ()
    return about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_size
