"""Files that the service keeps, read without trust in what lies at their paths: a folder, a pipe or a device may.

Rule 1: nothing here waits for a file, and none is read without limit.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MAX_STORED_BYTES = 256 * 2**20
"""Limit of one file. States and recordings of real sites have some MiB. Chosen by hand."""


def read_stored(path: Path, max_bytes: int = MAX_STORED_BYTES) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: there is none, it is not a regular file, or it has more than `max_bytes`.
    """
    data = read_beginning(path, max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes / 2**20:.0f} MiB")
    return data


def read_beginning(path: Path, size: int) -> bytes:
    """The first bytes of a regular file. Raises OSError where there is none, or it is not a regular file."""
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read(size)


def _open_at_once(path: str, flags: int) -> int:
    """Opens without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
