"""Processes of the campaign that only a cluster has: edges and relays."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from perception.bench.suites.faults.processes import START_SECONDS, PerceptionProcess
from perception.client import AsyncClient, RemoteError
from perception.datasets.sources.site_server import free_port

CALL_SECONDS = 15.0
"""Deadline of each caller's calls."""


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
        edge = cls(run, port, await run.connect(address, CALL_SECONDS))
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
