"""A service of one's own: `perception serve` as a child process that ends when its parent does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from perception.errors import PerceptionError

START_SECONDS = 30.0
"""A service child is up in about 1 s; a cold disk and a busy machine take longer."""

DOORS = ("PERCEPTION_TOKEN_FILE", "PERCEPTION_TLS_CERT", "PERCEPTION_TLS_KEY", "PERCEPTION_TLS_CLIENT_CA")
"""Settings of who is let in: on a socket that only this user can open, nobody else can be."""

STOP_SECONDS = 15.0
"""A little more than the service's own time to drain."""


class ChildError(PerceptionError):
    """The service did not start; its own words are on standard error."""


@dataclass(slots=True)
class ServiceChild:
    """A service of our own: a child process on a socket that only this user can open. It ends when we do."""

    process: subprocess.Popen[bytes]
    folder: Path
    address: str = field(init=False)

    def __post_init__(self) -> None:
        self.address = f"unix:{self.folder / 'socket'}"

    @classmethod
    def start(cls, allow_hosts: Sequence[str] = (), options: Sequence[str] = (), log: IO[bytes] | None = None) -> Self:
        """Starts `perception serve`, which ends with its standard input; `log` in place of our own standard error."""
        folder = Path(tempfile.mkdtemp(prefix="perception-service-"))  # mode 0700
        command = [
            sys.executable,
            "-m",
            "perception",
            "serve",
            "--address",
            f"unix:{folder / 'socket'}",
            "--until-stdin-closes",
        ]
        for host in allow_hosts:
            command += ["--allow-host", host]
        environment = {"PERCEPTION_LOG_LEVEL": "warning", **os.environ}
        for name in DOORS:  # they are for services that others call
            environment.pop(name, None)
        process = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
        child = cls(process, folder)
        child._wait_until_it_listens()
        return child

    def _wait_until_it_listens(self) -> None:
        """Raises ChildError when it does not."""
        deadline = time.monotonic() + START_SECONDS
        while not is_listened_to(self.folder / "socket"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ChildError("the service did not start: its own words are on standard error")
            time.sleep(0.02)

    def stop(self) -> None:
        """Asks it to end, waits until it has."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def is_listened_to(path: Path) -> bool:
    """Whether somebody takes connections at a Unix socket. It is there a moment before anybody does."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
