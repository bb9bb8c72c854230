"""A service, workers and edges as processes of their own, as a user starts them by the commands of docs/scaling.md."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from perception.client.child import ChildError, serve_environment

START_SECONDS = 60.0
STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Started:
    """A process that listens."""

    address: str
    pid: int


@dataclass(slots=True)
class ClusterProcesses:
    """Processes of one folder. All of them listen on loopback, edges and workers with the cluster's certificates."""

    folder: Path
    stack: ExitStack
    _count: int = field(default=0, init=False)

    def service(self, slots: int) -> Started:
        return self._start("serve", "--max-sessions", str(slots), "--allow-host", "127.0.0.1")

    def worker(self, slots: int) -> Started:
        return self._start("worker", *self._cluster, "--max-sessions", str(slots), "--allow-host", "127.0.0.1")

    def edge(self, workers: list[Started]) -> Started:
        placement = ",".join(each.address for each in workers)
        return self._start("serve", *self._cluster, "--placement", f"static={placement}")

    @property
    def _cluster(self) -> tuple[str, str]:
        return "--cluster", str(self.folder / "cluster")

    def _start(self, *words: str) -> Started:
        self._count += 1
        ready = self.folder / f"ready-{self._count}"
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "perception", *words),
                *("--address", "127.0.0.1:0", "--until-stdin-closes", "--ready-file", str(ready)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # log lines are written, as a user has them
            env=_environment(self.folder),
        )
        self.stack.callback(_stop, process)
        until = time.monotonic() + START_SECONDS
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > until:
                raise ChildError(f"`perception {' '.join(words)}` did not start: run it to see why")
            time.sleep(0.02)
        return Started(ready.read_text("utf-8"), process.pid)


@contextmanager
def cluster_processes() -> Iterator[ClusterProcesses]:
    """A folder with a new cluster's certificates; all processes end with the block."""
    # Not closed to others: root runs Chromium as a user without rights.
    with (
        tempfile.TemporaryDirectory(prefix="perception-scale-", ignore_cleanup_errors=True) as name,
        ExitStack() as all_,
    ):
        folder = Path(name)
        folder.chmod(0o755)
        command = [sys.executable, "-m", "perception", "cluster", "init", str(folder / "cluster")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        yield ClusterProcesses(folder, all_)


def _environment(folder: Path) -> dict[str, str]:
    ours = {"TMPDIR": str(folder), "PERCEPTION_DATA_DIR": str(folder / "data"), "PERCEPTION_LOG_LEVEL": "info"}
    return {**os.environ, **serve_environment(), **ours}


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
