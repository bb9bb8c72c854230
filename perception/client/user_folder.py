"""Where what this user's processes share is kept, such as a service's socket and the shell's sessions: folders that
nobody but this user can enter, and locks in them.

The first of these that can be made: `shell` in `$PERCEPTION_HOME`, `perception` in `$XDG_RUNTIME_DIR`, `shell` in the
user's data folder, a folder of this user for temporary files.

Rule 1: a folder that another user owns is refused, never used.
"""

from __future__ import annotations

import os
import stat
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from perception.errors import BadInputError, DeadlineError
from perception.host_os import is_own, lock_file
from perception.paths import chosen_home, data_folder, make_private

POLL_SECONDS = 0.01

MAX_SOCKET_PATH = 100
"""Bytes. macOS allows 104 with the final zero (sys/un.h), Linux 108."""


def shell_folder() -> Path:
    """The folder of this user's shell. It is there.

    Raises:
        BadInputError: it belongs to another user, or no folder can be made.
    """
    home, runtime = chosen_home(), os.environ.get("XDG_RUNTIME_DIR")
    if home is not None:
        wanted = home / "shell"
    elif runtime:
        wanted = Path(runtime) / "perception"
    else:
        wanted = data_folder() / "shell"
    try:
        return _private(wanted)
    except OSError as exc:
        try:
            return _private(_temporary(wanted))
        except OSError:
            raise BadInputError(
                f"the folder {wanted} cannot be written ({exc.strerror}): set PERCEPTION_HOME to one that can"
            ) from exc


def socket_path(folder: Path, name: str) -> Path:
    """Where a service of this folder listens; in a folder for temporary files where the path would be too long.

    Raises:
        BadInputError: that folder belongs to another user.
    """
    path = folder / name
    return path if len(os.fsencode(path)) <= MAX_SOCKET_PATH else _private(_temporary(folder)) / name


@contextmanager
def locked(path: Path, end_s: float, is_needed: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Holds a lock, which ends with this process, too.

    Args:
        path: of the lock's file.
        end_s: on `time.monotonic`, when to give up.
        is_needed: asked while another process holds it; the block runs without the lock where it is not any more.

    Raises:
        DeadlineError: another process held it all the time.
    """
    held = None
    while held is None and is_needed():
        try:
            held = lock_file(path)
        except BlockingIOError as exc:
            if time.monotonic() > end_s:
                raise DeadlineError(
                    f"another command holds {path}: wait for it to end, or end it", phase="waiting for another command"
                ) from exc
            time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        if held is not None:
            held.close()


def _temporary(instead_of: Path) -> Path:
    """A folder for temporary files in place of another one: a name for each user and folder."""
    mark = zlib.crc32(os.fsencode(instead_of))
    return Path("/tmp", f"perception-shell-{os.geteuid()}-{mark:08x}")


def _private(folder: Path) -> Path:
    """The folder, made if there is none. Raises BadInputError where it is another user's."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        make_private(folder)
        found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or not is_own(found):
        raise BadInputError(
            f"{folder} is not a folder of this user: remove it, or set PERCEPTION_HOME to a folder of your own"
        )
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")
    return folder
