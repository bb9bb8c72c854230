"""Processes of the campaign: edges, workers and relays, each started by its command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from perception.bench.suites.faults.fault_lab import free_port
from perception.browser.chromium.process_memory import process_tree
from perception.client import AsyncClient, RemoteError, aconnect

START_SECONDS = 60.0

CALL_SECONDS = 15.0
"""Deadline of each caller's calls."""


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


@dataclass(slots=True, eq=False)
class EdgeProcess:
    """An edge with a client of it, which lives as long as the campaign."""

    run: PerceptionProcess
    port: int
    client: AsyncClient

    @classmethod
    async def begin(cls, folder: Path, cluster: Path, placement: str, environment: dict[str, str]) -> EdgeProcess:
        """Starts an edge, and returns once it has reached a worker."""
        port = free_port()
        address = f"127.0.0.1:{port}"
        await asyncio.to_thread(folder.mkdir)
        words = ["serve", "--address", address, "--cluster", str(cluster), "--placement", placement]
        run = PerceptionProcess(words, folder, environment)
        await run.start()
        edge = cls(run, port, await _connected(run, address))
        await edge.serving()
        return edge

    async def again(self) -> None:
        """Starts it again after it has ended."""
        await self.run.start()
        await self.serving()

    async def serving(self) -> None:
        async with asyncio.timeout(START_SECONDS):
            while True:
                with contextlib.suppress(RemoteError):
                    if await self.client.is_serving(timeout_s=2):
                        return
                await asyncio.sleep(0.1)

    async def end(self) -> None:
        await self.client.close()
        if self.run.runs:
            await self.run.kill()


async def _connected(run: PerceptionProcess, address: str) -> AsyncClient:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                return await aconnect(address, timeout_s=CALL_SECONDS)
            except RemoteError:
                if not run.runs:
                    raise RuntimeError((run.folder / "log").read_text()[-2000:]) from None
                await asyncio.sleep(0.1)


@dataclass(slots=True, eq=False)
class Relay:
    """The relay of one edge. `ports`: where it listens for each worker."""

    process: asyncio.subprocess.Process
    ports: list[int]

    @classmethod
    async def begin(cls, targets: list[int]) -> Relay:
        pipe: Any = subprocess.PIPE
        command = (sys.executable, "-m", "perception.bench.suites.cluster_faults.relay", *map(str, targets))
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        assert process.stdout is not None
        return cls(process, [int(each) for each in (await process.stdout.readline()).split()])

    async def tell(self, worker: int, command: str) -> None:
        """See the module `relay`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{worker} {command}\n".encode())
        await self.process.stdout.readline()

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


def processes_of(folder: Path) -> list[psutil.Process]:
    """All processes whose command line names the campaign's folder."""
    found = []
    for each in psutil.process_iter(["cmdline", "status"]):
        if each.info["status"] != psutil.STATUS_ZOMBIE and str(folder) in " ".join(each.info["cmdline"] or ()):
            found.append(each)
    return found
