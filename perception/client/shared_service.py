"""A service that processes of one user share, such as the shell's: found, started, ended.

It listens on a Unix socket in a folder of this user, and ends by itself when nobody has called it for a while. It
is not a child of the process that starts it: it goes on when that process ends.

Rule 1: one service for a folder. Who starts it holds a lock, and looks again whether there is one.
Rule 2: each service has a socket of its own, so that one that is ending is never taken for its successor.
Rule 3: a service that needs longer to start than its caller has goes on starting; the next caller waits for the same.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perception.client.child import START_SECONDS, STOP_SECONDS, serve_command, serve_environment
from perception.client.user_folder import POLL_SECONDS, locked, socket_path
from perception.errors import DeadlineError, PerceptionError
from perception.host_os import peer_process

if TYPE_CHECKING:
    import psutil

LONGEST_START_SECONDS = 300.0
"""A service that does not listen for so long never will: it is killed, and another one is started."""

ADDRESS_FILE = "service"
STARTING_FILE = "service.starting"
"""Holds the process of the service that was started last."""

LOG_FILE = "service.log"


class StartError(PerceptionError):
    """The shared service did not start."""

    reason = "BROWSER_UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class SharedService:
    """The service of a folder, and how it is started.

    Attributes:
        folder: of this user; it is there.
        idle_s: it ends after this time without a call.
        options: further ones of `perception serve`.
        environment: variables for it, where this process has none of that name.
    """

    folder: Path
    idle_s: float
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def find(self) -> str:
        """The address of the service that runs; empty where none does."""
        try:
            address = (self.folder / ADDRESS_FILE).read_text("utf-8").strip()
        except OSError:
            return ""
        return address if address.startswith("unix:") and is_listening(address) else ""

    def find_or_start(self, end_s: float) -> str:
        """The address of the service; one is started where none runs.

        Args:
            end_s: on `time.monotonic`, when to give up.

        Raises:
            StartError: it ended before it listened; the last line that it wrote says why.
            DeadlineError: it was not up in time.
            ChildError: no service is installed here.
        """
        end_s = min(end_s, time.monotonic() + START_SECONDS)
        if address := self.find():
            return address
        with self._locked(end_s):
            return self.find() or self._start(end_s)

    def begin(self) -> None:
        """Starts one where none runs or starts, without waiting for it. Raises DeadlineError, ChildError."""
        if not self.find():
            with self._locked(time.monotonic() + START_SECONDS):
                if not self.find() and self._starting() is None:
                    self._launch()

    def end(self) -> bool:
        """Ends the service with its browser, also one that hangs or starts. Returns whether there was one."""
        address = self.find()
        if not (pid := listener(address) if address else 0):
            if (starting := self._starting()) is not None:
                _kill(starting)
            return starting is not None
        for number, patience_s in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, 5.0)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
                os.kill(pid, signal.SIGCONT)  # one that is stopped does not see the signal to end
            with suppress(DeadlineError):
                wait_until_gone(address, time.monotonic() + patience_s)
                break
        Path(address.removeprefix("unix:")).unlink(missing_ok=True)
        return True

    def _locked(self, end_s: float) -> AbstractContextManager[None]:
        return locked(self.folder / "service.lock", end_s, lambda: not self.find())

    def _start(self, end_s: float) -> str:
        """Waits until the service that is starting listens; starts one where none is starting."""
        process = self._starting()
        if process is not None and time.time() - process.create_time() > LONGEST_START_SECONDS:
            _kill(process)
            process = None
        process = process or self._launch()
        ready = self.folder / ADDRESS_FILE
        while not ready.exists():
            if not _is_alive(process):
                raise StartError(f"the service did not start: {_last_line(self.folder / LOG_FILE)}")
            if time.monotonic() > end_s:
                raise DeadlineError("the service is still starting: try again", phase="starting")
            time.sleep(POLL_SECONDS)
        return ready.read_text("utf-8")

    def _starting(self) -> psutil.Process | None:
        """The service that an earlier process has started, and that does not listen yet."""
        import psutil

        if (self.folder / ADDRESS_FILE).exists():
            return None
        with suppress(OSError, ValueError, psutil.Error):
            pid, created = (self.folder / STARTING_FILE).read_text("utf-8").split()
            process = psutil.Process(int(pid))
            if str(process.create_time()) == created and _is_alive(process):
                return process
        return None

    def _launch(self) -> psutil.Process:
        """Starts a service, which writes its address into the folder as soon as it listens."""
        import psutil

        path = socket_path(self.folder, f"{secrets.token_hex(4)}.sock")
        for left in path.parent.glob("*.sock"):  # nothing listens there any more
            left.unlink(missing_ok=True)
        ready = self.folder / ADDRESS_FILE
        ready.unlink(missing_ok=True)
        named = ["--address", f"unix:{path}", "--ready-file", str(ready), "--idle-exit", f"{self.idle_s:g}"]
        with open(os.open(self.folder / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
            process = psutil.Popen(
                serve_command(*named, *self.options),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=written,
                env={**self.environment, **serve_environment()},
                start_new_session=True,
            )
        (self.folder / STARTING_FILE).write_text(f"{process.pid} {process.create_time()}", "utf-8")
        return process


def is_listening(address: str) -> bool:
    """Whether a process listens on a Unix socket."""
    return listener(address) is not None


def wait_until_gone(address: str, end_s: float) -> None:
    """Returns when nothing listens there any more. Raises DeadlineError."""
    while is_listening(address):
        if time.monotonic() > end_s:
            raise DeadlineError("the shared service is about to end, and has not: try again", phase="waiting")
        time.sleep(POLL_SECONDS)


def listener(address: str) -> int | None:
    """The process that listens on a Unix socket, 0 where the system does not say which; None where none does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(address.removeprefix("unix:"))
        except OSError:
            return None
        return peer_process(probe)


def _kill(process: psutil.Process) -> None:
    import psutil

    with suppress(psutil.Error):
        process.kill()
        process.wait(STOP_SECONDS)


def _is_alive(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ")[:300] if lines else "it wrote no reason; `perception doctor` may find it"
