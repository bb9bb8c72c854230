"""The processes under test, each started by its command, and what is done to processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from perception.browser.chromium.process_memory import process_tree
from perception.client import AsyncClient, RemoteError, aconnect

START_SECONDS = 60.0


@dataclass(slots=True, eq=False)
class PerceptionProcess:
    """One `perception` command that runs until it is ended.

    Attributes:
        words: its arguments.
        environment: beside this process's own.
    """

    words: list[str]
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.returncode is None

    async def start(self, **more: str) -> None:
        """Starts it. `more`: environment of this start alone."""
        environment = {**os.environ, "PERCEPTION_LOG_LEVEL": "warning", **self.environment, **more}
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "perception", *self.words),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def connect(self, address: str, timeout_s: float) -> AsyncClient:
        """A client of it, once it serves. Raises RuntimeError with its log where it ends before."""
        async with asyncio.timeout(START_SECONDS):
            while True:
                try:
                    return await aconnect(address, timeout_s=timeout_s)
                except RemoteError:
                    if not self.runs:
                        raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                    await asyncio.sleep(0.1)

    def signal(self, number: int) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    async def kill(self) -> None:
        """Its own process alone."""
        self.signal(signal.SIGKILL)
        await self.wait()

    async def kill_all(self) -> None:
        """It and all that it started, as when its machine goes."""
        for pid in process_tree(self.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await self.wait()

    async def wait(self) -> int:
        assert self.process is not None
        return await asyncio.wait_for(self.process.wait(), START_SECONDS)


def kind_of(pid: int) -> str:
    """The kind of a process of the service; empty for an unknown one."""
    try:
        line = " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""
    if "chrome_crashpad_handler" in line:
        return "crashpad"
    if "--utility-sub-type=network" in line:
        return "network"
    kind = re.search(r" --type=(\S+)", line)
    if kind:
        return kind[1]
    if "--user-data-dir=" in line:  # after those with a type, which have it, too
        return "browser"
    if "perception.detectors.worker" in line:
        return "detector"
    return "driver" if "run-driver" in line else ""


@asynccontextmanager
async def stopped(pids: list[int]) -> AsyncIterator[None]:
    """Stops the processes within the context."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def kill(pids: list[int], number: int = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def internal_errors(folder: Path, pattern: str, *marks: str) -> str:
    """How many lines of the logs of that name have one of the marks, and the first; empty for none."""
    texts = (log.read_text(errors="replace") for log in sorted(folder.glob(pattern)))
    lines = [line for text in texts for line in text.splitlines() if any(mark in line for mark in marks)]
    return f"{len(lines)} internal errors: {lines[0][:1500]}" if lines else ""
