"""Files that are written once, by whichever of several processes comes first."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from perception.paths import make_private


def write_once(path: Path, make: Callable[[], str]) -> None:
    """Writes a file that its user alone reads, unless it is there. It is linked into place whole: processes that start
    at once read the same one.

    Args:
        make: returns the content; called where there is no file.

    Raises:
        OSError: the folder takes no files, or no hard links.
    """
    if path.exists():
        return
    make_private(path.parent)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process made one
            os.link(part, path)
    finally:
        part.unlink()
