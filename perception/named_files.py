"""Reads files that a user names: any path, so that a device or a file of any size may come."""

from __future__ import annotations

import errno
from pathlib import Path

from perception.errors import BadInputError

MAX_TEXT_BYTES = 64 * 2**20


def read_limited(path: Path, limit: int) -> bytes:
    """A file's bytes. Raises OSError where it cannot be read, or is larger than the limit, as a device file may be."""
    with path.open("rb") as file:  # a pipe is waited for: shells make one of `<(…)`
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit // 2**20} MiB")
    return data


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, of at most MAX_TEXT_BYTES, without its byte order mark.

    Raises:
        BadInputError: it cannot be read, is larger, or is not in UTF-8.
    """
    try:
        return read_limited(path, MAX_TEXT_BYTES).decode("utf-8-sig")
    except OSError as exc:
        raise BadInputError(f"{path} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise BadInputError(f"{path} cannot be read: it is not text in UTF-8") from exc
