"""The folders of browsers and of connections to them, and the removal of those whose service was killed.

Each browser has a folder with a lock file that its service holds open. The system releases the lock when the service
ends, however it ends: a folder with a free lock is a leftover, and so are the processes that use it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from typing import IO

from perception import host_os

PREFIX = "perception-chromium-"

SOCKET_PREFIX = "perception-service-"
"""Folders with the socket of a service that a client started as its child."""

LOCK = "lock"
"""Name of the lock file."""

HOME = "own"
"""The part of the folder that belongs to the browser's user."""

DRIVER = "driver"
"""The part of the folder that belongs to Playwright's driver."""

MAX_HOME = 60
"""Characters of a folder in which `org.chromium.Chromium.XXXXXX/SingletonSocket` fits the kernel's 107 bytes."""

SHORT = Path("/tmp")
"""Where the folder for sockets is made if the other folder's path is too long; not needed on Windows."""

YOUNG_SECONDS = 60.0
"""A younger folder without a lock may be one that is being made. Chosen by hand."""

REMOVAL_WAITS = (0, 0.01, 0.04, 0.15, 0.4, 0.9)
"""Seconds before each try to remove a folder. Chosen by hand: without waits, one was left on a busy machine."""


_folders: set[Folder] = set()


class Folder:
    """A new folder for one browser.

    Attributes:
        path: the folder.
        home: its part for the browser, which the browser's user owns.
        driver: its part for Playwright's driver.
        temporary: for the browser's temporary files: `home`, or a folder with a short path where the paths of sockets
            in `home` would be too long.
    """

    def __init__(self, base: Path | None = None) -> None:
        """Makes the folder, in the system's temporary folder for None.

        Raises:
            OSError: it cannot be made.
        """
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        self._lock = _lock(self.path)
        self.path.chmod(0o711)  # the browser's user has to pass through
        self.home = self.path / HOME
        self.home.mkdir(mode=0o700)
        self.driver = self.path / DRIVER
        self.driver.mkdir(mode=0o700)
        _folders.add(self)
        needs_short = len(str(self.home)) > MAX_HOME and not host_os.is_windows()
        self._short = Folder(SHORT) if needs_short else None
        self.temporary = self._short.home if self._short else self.home

    @property
    def is_whole(self) -> bool:
        """Whether nobody has removed the folder, as programs do that clean temporary folders. One that the browser has
        made again in its place is not the same."""
        try:
            found = (self.path / LOCK).stat()
        except OSError:
            return False
        return os.path.samestat(found, os.fstat(self._lock.fileno())) and self.home.is_dir() and self.driver.is_dir()

    def remove(self) -> None:
        """Removes the folder and its content. Safe to call twice."""
        if self._short is not None:
            self._short.remove()
        remove_tree(self.path)
        self._lock.close()
        _folders.discard(self)


def end_own() -> None:
    """Kills this process's own browsers and removes their folders, without waiting for anything."""
    for folder in list(_folders):
        _kill_users_of(folder.path)
        folder.remove()


def sweep() -> list[int]:
    """Kills the browsers of services that were killed, and removes their folders.

    Returns:
        The ids of the processes that were killed.
    """
    ended: list[int] = []
    for base in {Path(tempfile.gettempdir()), SHORT}:
        for path in base.glob(f"{PREFIX}*"):
            if not _is_ours(path):
                continue
            with contextlib.suppress(OSError), _lock(path, only_old=True):
                ended += _kill_users_of(path)
                remove_tree(path)
        for path in base.glob(f"{SOCKET_PREFIX}*"):
            if _is_ours(path) and _is_old(path) and not _has_service(path):
                remove_tree(path)
    return ended


def is_listened_to(path: Path) -> bool:
    """Whether a program accepts connections at a Unix socket. The file exists a moment before it does."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def _has_service(folder: Path) -> bool:
    """Whether a client's own service runs: at the socket in its folder, or at the loopback port named there."""
    if is_listened_to(folder / "socket"):
        return True
    with contextlib.suppress(OSError, ValueError):
        host, _, port = (folder / "address").read_text("utf-8").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    return False


def remove_tree(path: Path) -> None:
    """Removes a folder. Processes may still write to it: those that were killed until the system has ended them, and
    Chromium's crash handlers, of sessions of their own, until they notice."""
    for wait_s in REMOVAL_WAITS:
        time.sleep(wait_s)
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return


def _lock(path: Path, *, only_old: bool = False) -> IO[bytes]:
    """Takes a folder's lock. Raises OSError when another process holds it, or (`only_old`) may be about to."""
    name = path / LOCK
    if only_old and not name.exists() and not _is_old(path):
        raise BlockingIOError(f"{name} is being made")
    return host_os.lock_file(name)


def _kill_users_of(path: Path) -> list[int]:
    """Kills the processes that use a folder: each of Chromium's has it in its command line."""
    return host_os.kill_all_naming(f"{path}{os.sep}")


def _is_ours(path: Path) -> bool:
    with contextlib.suppress(OSError):
        found = path.lstat()
        return path.is_dir() and not path.is_symlink() and host_os.is_own(found)
    return False


def _is_old(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - path.stat().st_mtime > YOUNG_SECONDS
    return False
