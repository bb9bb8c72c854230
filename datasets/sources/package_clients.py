"""Runs the registries' own clients, and ends all running ones together.

Rule 1: no client outlives the call that started it.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from perception import host_os
from perception.errors import PerceptionError

CLIENT_SECONDS = 1800.0
"""Time limit of a client. The largest download is JupyterLab with its dependencies, 140 MB, which takes half an hour at
half a megabit per second."""


class PackageError(PerceptionError):
    """A package that cannot be fetched, or differs from the manifest."""

    reason = "PACKAGE_UNAVAILABLE"


class Clients:
    """The running clients. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def run(self, command: Sequence[str], folder: Path, *, hint: str = "") -> None:
        """Runs a command in a folder until it ends.

        Raises:
            PackageError: the program is missing, fails or takes too long; with the end of its output, and the hint.
        """
        if shutil.which(command[0]) is None:
            raise PackageError(
                f"there is no `{command[0]}` on this machine: install it, or leave out the pages that need it"
            )
        process = self._start(command, folder)
        try:
            output, errors = process.communicate(timeout=CLIENT_SECONDS)
        except subprocess.TimeoutExpired as exc:
            raise PackageError(f"`{' '.join(command)}` did not end within {CLIENT_SECONDS:.0f} s") from exc
        finally:
            self._finish(process)
        if process.returncode != 0:
            words = (errors or output).strip()[-500:]
            raise PackageError(
                f"`{' '.join(command)}` failed ({process.returncode}): {words or 'it said nothing'}{hint}"
            )

    def end(self) -> None:
        """Ends all running clients, and refuses to start others."""
        with self._lock:
            self._ended = True
            for process in self._running:
                host_os.kill_group(process.pid)

    def _start(self, command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        with self._lock:
            if self._ended:
                raise PackageError(f"`{' '.join(command)}` was not run: fetching was stopped")
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,  # only we handle Ctrl-C: a client that gets it prints its stack
            )
            self._running.add(process)
        return process

    def _finish(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.discard(process)
        if process.poll() is None:
            host_os.kill_group(process.pid)
            process.communicate()
