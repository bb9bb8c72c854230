"""A Ray cluster, edges and workers, each in processes of their own."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.ports import free_port

NODES = Path(__file__).with_name("nodes.py")

SECONDS = 90.0
"""For what must come on a busy machine."""

NEEDS_RAY = frozenset(("ray_cluster", "ray_cluster_is_possible"))
"""Fixtures."""

RAY_MISSING = "needs Ray: .ci/ray runs it"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a cluster is skipped where Ray is missing."""
    if importlib.util.find_spec("ray") is None:
        for item in items:
            if NEEDS_RAY.intersection(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.skip(reason=RAY_MISSING))


class RayCluster:
    """A cluster with its head at 127.0.0.2, nodes where they are added, and commands of ours that use it.

    Args:
        folder: readable by the user whom root runs Chromium as.
        variables: of all its processes.
    """

    def __init__(self, folder: Path, head: str = "127.0.0.2", **variables: str) -> None:
        self.folder = folder
        self.variables = {
            **os.environ,
            "RAY_TMPDIR": str(folder),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "disabled",
            "TMPDIR": str(folder),
            "PERCEPTION_DATA_DIR": str(folder / "data"),
            **variables,
        }
        self.edges: dict[str, subprocess.Popen[bytes]] = {}
        self._log = (folder / "log").open("ab")
        self._nodes = subprocess.Popen(
            [sys.executable, str(NODES), head],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=self.variables,
            text=True,
        )
        assert self._nodes.stdout is not None
        self.address = self._nodes.stdout.readline().strip()
        assert self.address, (folder / "log").read_text()
        assert self.run("cluster", "init", str(folder / "cluster"))[0] == 0

    def order(self, *words: str) -> None:
        """A command to `nodes.py`."""
        assert self._nodes.stdin is not None
        assert self._nodes.stdout is not None
        print(*words, file=self._nodes.stdin, flush=True)
        assert self._nodes.stdout.readline() == "done\n", (self.folder / "log").read_text()[-2000:]

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "perception", *words]

    def run(self, *words: str, **variables: str) -> tuple[int, str, str]:
        """One of our commands: its exit code, and what it printed."""
        done = subprocess.run(
            self.command(*words),
            env=self.variables | variables,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=2 * SECONDS,
        )
        return done.returncode, done.stdout, done.stderr

    def start_workers(self, *options: str) -> list[str]:
        """Starts workers, and returns the lines that say where they serve."""
        words = ("worker", "--placement", f"ray={self.address}", "--cluster", "cluster", "--max-sessions", "2")
        code, said, failed = self.run(*words, "--allow-host", "127.0.0.1", *options)
        assert code == 0, failed
        return said.splitlines()

    def start_edge(self, *options: str) -> str:
        """Starts an edge, and returns its address; it may not serve yet."""
        address = f"127.0.0.1:{free_port()}"
        words = ("serve", "--address", address, "--cluster", "cluster", "--placement", f"ray={self.address}", *options)
        self.edges[address] = subprocess.Popen(
            self.command(*words), env=self.variables, cwd=self.folder, stderr=self._log
        )
        return address

    def workers(self) -> list[dict[str, Any]]:
        """As `perception cluster workers` lists them."""
        code, said, failed = self.run("cluster", "workers", "--placement", f"ray={self.address}", "--format", "json")
        assert code == 0, failed
        found: list[dict[str, Any]] = json.loads(said)
        return found

    def until_workers(self, is_so: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """Waits until that is so of the workers' list."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            found = self.workers()
            if is_so(found):
                return found
        raise AssertionError(f"not so of {found}")

    def log_lines(self) -> list[dict[str, Any]]:
        """Lines of JSON that edges have logged."""
        found = []
        for line in (self.folder / "log").read_text("utf-8", "replace").splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def end(self) -> None:
        for each in self.edges.values():
            each.kill()
            each.wait()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self._nodes.communicate(timeout=20)
        self._nodes.kill()
        self._nodes.wait()
        self._log.close()


@contextlib.contextmanager
def cluster_in_folder(**options: str) -> Iterator[RayCluster]:
    # Not in pytest's own folder: that is closed to the unprivileged user whom root runs Chromium as, and too long for
    # Ray's sockets.
    with tempfile.TemporaryDirectory(prefix="pr-", dir="/tmp", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        cluster = RayCluster(Path(name), **options)
        try:
            yield cluster
        finally:
            cluster.end()
            shutil.rmtree(name, ignore_errors=True)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[RayCluster]:
    """One head, and nodes at 127.0.0.3 and 127.0.0.4."""
    with cluster_in_folder() as cluster:
        cluster.order("add", "127.0.0.3")
        cluster.order("add", "127.0.0.4")
        yield cluster


@pytest.fixture
def ray_cluster_is_possible() -> None:
    """For tests that start Ray themselves."""
