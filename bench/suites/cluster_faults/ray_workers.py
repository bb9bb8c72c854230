"""Workers on a Ray cluster of three nodes on this machine, as `perception worker --placement ray=…` starts them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil

from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS, WorkerNow
from perception.bench.suites.cluster_faults.processes import Relay, processes_of
from perception.bench.suites.faults.injection import SkippedError
from perception.bench.suites.faults.processes import START_SECONDS
from perception.browser.chromium.process_memory import process_tree
from perception.errors import BadInputError

NODES_SECONDS = 90.0
"""For the cluster to do what it is told; on a busy machine a node takes 10 s."""


class RayWorkers:
    """The placement `ray`. Its head stores what it knows in a folder, and asks for a token."""

    name = "ray"

    def __init__(self) -> None:
        if importlib.util.find_spec("ray") is None:
            raise BadInputError("Ray is not installed here: pip install 'perception-service[ray]'", field="placement")
        self.cluster = Path()
        self.environment: dict[str, str] = {}
        self._folder = Path()
        self._address = ""
        self._nodes: asyncio.subprocess.Process | None = None
        self._killed: set[int] = set()

    @property
    def option(self) -> str:
        return f"ray={self._address}"

    async def start(self, folder: Path) -> None:
        self._folder, self.cluster = folder, folder / "cluster"
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        await self._run("cluster", "init", str(self.cluster))
        pipe: Any = subprocess.PIPE
        stored = {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": str(folder / "head")}
        with (folder / "nodes.log").open("wb") as log:
            self._nodes = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "perception.bench.suites.cluster_faults.ray_nodes", str(folder)),
                env={**os.environ, **self.environment, **stored},
                stdin=pipe,
                stdout=pipe,
                stderr=log,
            )
        self._address = (await self._answer())["address"]
        for index in range(WORKERS):
            await self._add(index)
        await self._start_workers(WORKERS)

    async def relayed(self) -> tuple[Relay, str]:
        raise SkippedError("workers say by themselves where they are")

    async def workers(self) -> list[WorkerNow]:
        """The newest one of each node: one that has lost its actor may go on beside it."""
        found: dict[int, tuple[float, WorkerNow]] = {}
        for process in processes_of(self._folder):
            with contextlib.suppress(psutil.Error):
                words = process.cmdline()
                worker = self._worker_of(process, words) if "--worker-name" in words else None
                if worker is not None and process.create_time() > found.get(worker.index, (0.0,))[0]:
                    found[worker.index] = process.create_time(), worker
        return [found[each][1] for each in sorted(found)]

    def _worker_of(self, process: psutil.Process, words: list[str]) -> WorkerNow | None:
        for index in range(WORKERS):
            home = self._folder / f"n{index}"
            if any(each.startswith(str(home)) for each in words):
                name = words[words.index("--worker-name") + 1]
                return WorkerNow(index, name, process.pid, home / "tmp", home / "data")
        return None

    async def kill(self, worker: WorkerNow) -> None:
        os.kill(worker.pid, signal.SIGKILL)

    async def kill_node(self, worker: WorkerNow) -> None:
        tree = process_tree(worker.pid)
        await self.kill_ray(worker)
        for pid in tree:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def kill_ray(self, worker: WorkerNow) -> None:
        """Ends what a worker's node has of Ray at once, and not the worker."""
        await self._tell("kill", index=worker.index)
        self._killed.add(worker.index)

    async def drain(self, worker: WorkerNow, grace_s: float) -> None:
        await self._run("cluster", "drain", worker.name, "--placement", self.option, "--grace", str(grace_s), "--wait")
        async with asyncio.timeout(NODES_SECONDS):
            while psutil.pid_exists(worker.pid):  # noqa: ASYNC110  (it is not a child)
                await asyncio.sleep(0.05)

    async def restore(self) -> None:
        for index in sorted(self._killed):
            await self._add(index)
        self._killed.clear()
        missing = WORKERS - await self.count_actors()
        if missing > 0:
            await self._start_workers(missing)
        async with asyncio.timeout(NODES_SECONDS):
            while len(await self.workers()) < WORKERS:  # noqa: ASYNC110  (they are not children)
                await asyncio.sleep(0.1)

    async def restart_at(self, worker: WorkerNow, clock: str) -> None:
        raise SkippedError("workers have their node's clock")

    async def count_actors(self) -> int:
        return int((await self._tell("actors"))["count"])

    async def kill_head(self) -> None:
        """Ends the head's server; nodes and workers go on."""
        await self._tell("kill_head")

    async def start_head(self) -> None:
        await self._tell("start_head")

    async def raylet_of(self, worker: WorkerNow) -> int:
        """The process by which a worker's node is in the cluster."""
        return int((await self._tell("raylet", index=worker.index))["pid"])

    async def close(self) -> None:
        if self._nodes is None:
            return
        with contextlib.suppress(AssertionError, OSError, RuntimeError, TimeoutError):
            await self._tell("close")
        if self._nodes.returncode is None:
            self._nodes.kill()
        await self._nodes.wait()
        for process in processes_of(self._folder):
            with contextlib.suppress(psutil.Error):
                process.kill()

    async def _add(self, index: int) -> None:
        home = self._folder / f"n{index}"
        for each in (home, home / "tmp", home / "data"):
            await asyncio.to_thread(each.mkdir, exist_ok=True)
            await asyncio.to_thread(each.chmod, 0o755)
        environment = {"TMPDIR": str(home / "tmp"), "PERCEPTION_DATA_DIR": str(home / "data")}
        await self._tell("add", index=index, environment=environment)

    async def _start_workers(self, count: int) -> None:
        words = ["worker", "--placement", self.option, "--workers", str(count), "--cluster", str(self.cluster)]
        words += ["--max-sessions", str(SLOTS), "--allow-host", "127.0.0.1", "--start-browser"]
        await self._run(*words, PERCEPTION_DRAIN_S="3", PERCEPTION_LOG_LEVEL="warning")

    async def _run(self, *words: str, **environment: str) -> None:
        """A `perception` command that ends. Raises RuntimeError where it fails."""
        done = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "perception", *words),
            env={**os.environ, **self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(done.communicate(), START_SECONDS + NODES_SECONDS)
        if done.returncode:
            raise RuntimeError(f"`perception {' '.join(words[:2])}` failed: {said.decode(errors='replace')[-800:]}")

    async def _tell(self, act: str, **fields: Any) -> dict[str, Any]:
        assert self._nodes is not None
        assert self._nodes.stdin is not None
        self._nodes.stdin.write(json.dumps({"do": act, **fields}).encode() + b"\n")
        answer = await self._answer()
        assert "error" not in answer, f"the cluster could not {act}: {answer['error']}"
        return answer

    async def _answer(self) -> dict[str, Any]:
        assert self._nodes is not None
        assert self._nodes.stdout is not None
        line = await asyncio.wait_for(self._nodes.stdout.readline(), NODES_SECONDS)
        if not line:
            log = await asyncio.to_thread((self._folder / "nodes.log").read_text)
            raise RuntimeError(f"the cluster has ended: {log[-800:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer
