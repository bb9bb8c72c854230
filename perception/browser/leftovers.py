"""What a browser and the connection to it keep on disk, and what is left of one whose service was killed.

Each browser has a folder with a lock file that its service holds open. The kernel lets go of the lock when the service
ends, however it ends: a folder whose lock is free is a leftover, with all that still runs in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import IO

from perception.child import is_listened_to

PREFIX = "perception-chromium-"

SOCKET_PREFIX = "perception-service-"
"""Folders with the socket of a service that a client started for itself."""

LOCK = "lock"

HOME = "own"
"""The folder's part that belongs to the browser's user."""

DRIVER = "driver"
"""The folder's part that belongs to Playwright's driver."""

MAX_HOME = 60
"""Characters of a folder in which `org.chromium.Chromium.XXXXXX/SingletonSocket` fits the kernel's 107 bytes."""

SHORT = Path("/tmp")

YOUNG_SECONDS = 60.0
"""A folder without a lock may be one that is being made."""


_folders: set[Folder] = set()


class Folder:
    """A new folder for one browser: `home` is the browser's own, `driver` is Playwright's.

    `temporary` is for the browser's temporary files: its home, or where its sockets' names would be too long there, a
    folder with a short name.
    """

    def __init__(self, base: Path | None = None) -> None:
        """Raises OSError where it cannot be made. `base` None: in the system's temporary folder."""
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        self._lock = _lock(self.path)
        self.path.chmod(0o711)  # the browser's user has to pass through
        self.home = self.path / HOME
        self.home.mkdir(mode=0o700)
        self.driver = self.path / DRIVER
        self.driver.mkdir(mode=0o700)
        _folders.add(self)
        self._short = Folder(SHORT) if len(str(self.home)) > MAX_HOME else None
        self.temporary = self._short.home if self._short else self.home

    def remove(self) -> None:
        """Removes it with all that is in it. Safe to call twice."""
        if self._short is not None:
            self._short.remove()
        remove_tree(self.path)
        self._lock.close()
        _folders.discard(self)


def end_own() -> None:
    """Ends this process's own browsers and removes their folders, without waiting for anybody."""
    for folder in list(_folders):
        _end_all(folder.path)
        folder.remove()


def sweep() -> list[int]:
    """Ends what services that were killed have left in the temporary folders, and removes it.

    Returns:
        The ids of the processes that were ended.
    """
    ended: list[int] = []
    for base in {Path(tempfile.gettempdir()), SHORT}:
        for path in base.glob(f"{PREFIX}*"):
            if not _is_ours(path):
                continue
            with contextlib.suppress(OSError), _lock(path, only_old=True):
                ended += _end_all(path)
                remove_tree(path)
        for path in base.glob(f"{SOCKET_PREFIX}*"):
            if _is_ours(path) and _is_old(path) and not is_listened_to(path / "socket"):
                remove_tree(path)
    return ended


def remove_tree(path: Path) -> None:
    """Chromium's helpers may still write while they die: a second try gets what they left."""
    for _ in range(5):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return


def _lock(path: Path, *, only_old: bool = False) -> IO[bytes]:
    """Takes a folder's lock. Raises OSError when another process has it, or may be about to make it."""
    name = path / LOCK
    if only_old and not name.exists() and not _is_old(path):
        raise BlockingIOError(f"{name} is being made")
    held = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "r+b")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise
    return held


def _end_all(path: Path) -> list[int]:
    """Kills what was started for a folder: each of Chromium's processes has it in its command line."""
    name = f"{path}/".encode()
    ended = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
                ended.append(int(entry.name))
    return ended


def _is_ours(path: Path) -> bool:
    with contextlib.suppress(OSError):
        found = path.lstat()
        return path.is_dir() and not path.is_symlink() and found.st_uid == os.geteuid()
    return False


def _is_old(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - path.stat().st_mtime > YOUNG_SECONDS
    return False
