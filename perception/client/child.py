"""A service started for one client: `perception serve` as a child process that ends when its parent does.

Nobody but this user reaches it: it listens on a Unix socket in a folder that only this user can enter. Where there are
no Unix sockets (Windows), or the socket's path would be too long, it listens on a free loopback port and asks for a
random token that only this client has.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from perception.client.access import Access
from perception.client.installation import has_service
from perception.errors import PerceptionError

FOLDER_PREFIX = "perception-service-"
"""Services remove folders with this prefix that a killed client left behind
(`perception.browser.chromium.leftovers`)."""

READY_FILE = "address"
"""Holds the address that the service listens on, as soon as it does."""

MAX_SOCKET_PATH = 100
"""Bytes. macOS allows 104 with the final zero (sys/un.h), Linux 108."""

WITH_BROWSER = ("--start-browser",)
"""Options of a service whose client opens a page next."""

START_SECONDS = 30.0
"""A service child is up in about 1 s; a cold disk and a busy machine take longer."""

STOP_SECONDS = 15.0
"""A little more than the service's own time to drain."""

AUTH_SETTINGS = ("PERCEPTION_TOKEN_FILE", "PERCEPTION_TLS_CERT", "PERCEPTION_TLS_KEY", "PERCEPTION_TLS_CLIENT_CA")
"""Settings of services that others call; the child's authentication is set here."""


class ChildError(PerceptionError):
    """The service did not start; its own messages are on standard error."""


@dataclass(slots=True)
class ServiceChild:
    """A service of this process. It ends when this process does, or with `stop`.

    Attributes:
        process: the service; its standard input is open for as long as it is to run.
        folder: temporary folder with the socket, or with the token; `stop` removes it.
        address: where it listens: `unix:PATH` or `127.0.0.1:PORT`; empty while it is starting.
        access: what its client authenticates with.
    """

    process: subprocess.Popen[bytes]
    folder: Path
    address: str = ""
    access: Access = field(default_factory=Access)

    @classmethod
    def start(cls, allow_hosts: Sequence[str] = (), options: Sequence[str] = (), log: IO[bytes] | None = None) -> Self:
        """Starts a service and waits until it listens.

        Args:
            allow_hosts: private hosts that it may open pages of.
            options: further options of `perception serve`.
            log: file for its standard error; None for this process's own.

        Raises:
            ChildError: it ended, or did not listen in time.
        """
        child = cls.launch(allow_hosts, options, log)
        try:
            child.wait_until_ready()
        except ChildError:
            child.stop()
            raise
        return child

    @classmethod
    def launch(cls, allow_hosts: Sequence[str] = (), options: Sequence[str] = (), log: IO[bytes] | None = None) -> Self:
        """Starts a service as `start` does, without waiting for it."""
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))  # mode 0700
        listen, access = _listen_options(folder)
        hosts = [word for host in allow_hosts for word in ("--allow-host", host)]
        process = subprocess.Popen(
            serve_command("--until-stdin-closes", *listen, "--ready-file", str(folder / READY_FILE), *hosts, *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=serve_environment(),
            start_new_session=True,
            # Ctrl-C in this terminal is for this process alone, as with a session of its own elsewhere.
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        return cls(process, folder, access=access)

    @classmethod
    async def astart(cls, allow_hosts: Sequence[str] = (), options: Sequence[str] = ()) -> Self:
        """As `start`, for asyncio. A service that is up only after the caller was cancelled is stopped."""
        starting = asyncio.ensure_future(asyncio.to_thread(cls.start, allow_hosts, options))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_stop_unwanted)
            raise

    def wait_until_ready(self) -> None:
        """Returns when it listens. Raises ChildError where it ended, or does not in time: it goes on starting then."""
        deadline = time.monotonic() + START_SECONDS
        ready = self.folder / READY_FILE
        while not ready.exists():
            if self.process.poll() is not None:
                raise ChildError("the service did not start: its own messages are on standard error")
            if time.monotonic() > deadline:
                raise ChildError(f"the service does not listen after {START_SECONDS:g} s: try again")
            time.sleep(0.02)
        self.address = ready.read_text("utf-8")

    def stop(self) -> None:
        """Asks it to end, waits until it has, and removes its folder. Safe to call twice."""
        assert self.process.stdin is not None
        if self.address:
            self.process.stdin.close()
        else:
            self.process.terminate()  # while it loads its libraries, it does not see that its input is closed
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def astop(self) -> None:
        """As `stop`, for asyncio."""
        await asyncio.to_thread(self.stop)


def serve_command(*options: str) -> list[str]:
    """The command line of a service of this installation. Raises ChildError where there is the client alone."""
    if not has_service():
        raise ChildError(
            "starting a service needs the service: pip install perception-service, or give the address of one that runs"
        )
    return [sys.executable, "-m", "perception", "serve", *options]


def serve_environment() -> dict[str, str]:
    """The environment of a service that only its starter calls: this process's, without who else may call."""
    environment = {"PERCEPTION_LOG_LEVEL": "warning", **os.environ}
    for name in AUTH_SETTINGS:
        environment.pop(name, None)
    return environment


def _stop_unwanted(starting: asyncio.Future[Any]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        threading.Thread(target=starting.result().stop, name="stop-unwanted-service").start()


def _listen_options(folder: Path) -> tuple[list[str], Access]:
    """Options of `perception serve` that keep others out, and what its client then authenticates with."""
    path = folder / "socket"
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return ["--address", f"unix:{path}"], Access()
    token = secrets.token_urlsafe(32)
    token_file = folder / "token"
    token_file.touch(mode=0o600)
    token_file.write_text(f"{token}\n", "utf-8")
    return ["--address", "127.0.0.1:0", "--token-file", str(token_file)], Access(token=token)
