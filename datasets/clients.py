"""Runs the registries' own clients, so that all that run can be ended together.

Rule 1: no client outlives the call that started it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from perception.errors import PerceptionError

CLIENT_SECONDS = 1800.0
"""The largest download is JupyterLab with what it needs, 140 MB: half an hour is half a megabit a second."""


class PackageError(PerceptionError):
    """A package that cannot be had, or is not what the manifest says."""

    reason = "PACKAGE_UNAVAILABLE"


class Clients:
    """The clients that run now. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def run(self, command: Sequence[str], folder: Path, *, hint: str = "") -> None:
        """Runs a command in a folder until it ends.

        Raises:
            PackageError: there is no such program, it fails or takes too long; with its last words, and the hint.
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
        """Ends all that run, and lets no other start."""
        with self._lock:
            self._ended = True
            for process in self._running:
                _kill(process)

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
                start_new_session=True,  # Ctrl-C is ours alone: a client that hears it too writes its stack
            )
            self._running.add(process)
        return process

    def _finish(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.discard(process)
        if process.poll() is None:
            _kill(process)
            process.communicate()


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.killpg(process.pid, signal.SIGKILL)
