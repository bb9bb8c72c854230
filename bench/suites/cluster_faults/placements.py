"""Where the workers of the campaign run, and what can be done to them.

Rule 1: faults know only `FaultPlacement`, so that they are the same for each placement.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from perception.bench.suites.cluster_faults.processes import Relay

WORKERS = 3

SLOTS = 2
"""Of each worker: few, so that filling all of them is quick."""


@dataclass(frozen=True, slots=True)
class WorkerNow:
    """A worker that runs.

    Attributes:
        index: of its place: a worker that is started again has the same one.
        name: its own.
        pid: of its process.
        temporary: where its browsers have their folders.
        data: its data folder.
    """

    index: int
    name: str
    pid: int
    temporary: Path
    data: Path

    def has(self, session_id: str) -> bool:
        """Whether a session is one of this worker's name; see the service's session ids."""
        try:
            number = base64.urlsafe_b64decode(session_id[1:])[:4]
        except (ValueError, binascii.Error):
            return False
        return number == hashlib.sha256(self.name.encode()).digest()[:4]


class FaultPlacement(Protocol):
    """Three workers.

    Attributes:
        name: as on the command line.
        cluster: folder of certificates and keys.
        environment: of edges.
    """

    name: str
    cluster: Path
    environment: dict[str, str]

    @property
    def option(self) -> str:
        """`--placement` of an edge."""

    async def start(self, folder: Path) -> None:
        """Starts all workers."""

    async def relayed(self) -> tuple[Relay, str]:
        """A relay to all workers, and `--placement` of an edge behind it. Raises SkippedError."""

    async def workers(self) -> list[WorkerNow]:
        """Those that run, by index."""

    async def kill(self, worker: WorkerNow) -> None:
        """Ends a worker's process at once, and nothing else."""

    async def kill_node(self, worker: WorkerNow) -> None:
        """Ends all processes of a worker's machine at once."""

    async def drain(self, worker: WorkerNow, grace_s: float) -> None:
        """Tells a worker to end. Returns when it has."""

    async def restore(self) -> None:
        """Starts again what has ended; returns when three workers run."""

    async def restart_at(self, worker: WorkerNow, clock: str) -> None:
        """Starts a worker again whose clock is off, `+60s` as libfaketime writes it. Raises SkippedError."""

    async def count_actors(self) -> int:
        """Of Ray; 0 without it."""

    async def close(self) -> None:
        """Ends everything."""
