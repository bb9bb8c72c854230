"""A real worker process, kept by a keeper without Ray."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from perception.server.placement.ray import keeper as keeping
from perception.server.placement.ray import worker_child
from perception.server.placement.ray.keeper import Keeper
from perception.server.placement.ray.worker_child import WorkerFailedError, child_environment, make_folder
from tests.support.scripted_workers import write_keys
from tests.support.waiting import until

NEWS_SECONDS = 60.0
"""For a worker to start, to hang or to end; it takes some seconds on a quiet machine."""


class Kept:
    """A keeper that runs, and its folder."""

    def __init__(self, folder: Path, **environment: str) -> None:
        keys = write_keys(folder / "keys", b"k" * 32)
        self.folder = make_folder({"session.keys": keys.read_bytes()})
        shared = {"PERCEPTION_SESSION_KEYS": str(self.folder / "session.keys"), "PERCEPTION_DATA_DIR": str(folder)}
        self.keeper = Keeper(
            "worker-1",
            "127.0.0.1",
            child_environment(shared | environment),
            self.folder,
            has_certificates=False,
        )
        self.running = asyncio.create_task(self.keeper.run())

    @property
    def process(self) -> psutil.Process:
        assert self.keeper._child is not None
        return self.keeper._child.process

    async def end(self) -> None:
        if self.keeper._child is not None:
            self.keeper._child.kill()
        self.keeper.close()
        await asyncio.wait_for(self.running, NEWS_SECONDS)
        worker_child.remove_folder(self.folder)


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    await kept.end()


async def test_a_worker_is_kept_and_started_again_and_drained_for_good(kept: Kept) -> None:
    first = await kept.keeper.settled()
    assert (first.state, first.node, first.error) == ("serving", "127.0.0.1", "")
    await until(lambda: kept.keeper.facts.slots == 32)
    assert kept.process.ppid() != os.getpid()
    pid = kept.process.pid
    kept.process.kill()
    gone = await kept.keeper.news(first.change, NEWS_SECONDS)
    assert gone.address == ""
    second = await kept.keeper.news(gone.change, NEWS_SECONDS)
    assert second.address
    assert kept.process.pid != pid
    await until(lambda: kept.keeper.facts.slots == 32)
    drained = await kept.keeper.drain(None)
    assert drained.state == "draining"
    await asyncio.wait_for(kept.running, NEWS_SECONDS)
    assert kept.keeper.facts.address == ""


async def test_news_come_at_the_latest_after_the_time_that_was_asked(kept: Kept) -> None:
    first = await kept.keeper.settled()
    assert await kept.keeper.news(first.change, 0.01) == kept.keeper.facts


async def test_a_worker_that_hangs_is_killed(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await kept.keeper.settled()
    await until(lambda: kept.keeper.facts.slots == 32)
    kept.process.suspend()
    monkeypatch.setattr(keeping, "HUNG_CHECKS", 3)
    assert (await kept.keeper.news(first.change, NEWS_SECONDS)).address == ""


async def test_a_worker_that_does_not_start_says_why(tmp_path: Path) -> None:
    kept = Kept(tmp_path, PERCEPTION_SECRETS_FILE="/nowhere")
    facts = await kept.keeper.settled()
    assert facts.state == "failed"
    assert facts.error.startswith("it ended before it served")
    await kept.end()


async def test_what_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_child.launch, "__file__", "/nowhere")
    with tempfile.TemporaryDirectory() as folder, pytest.raises(WorkerFailedError, match="could not be started"):
        await worker_child.WorkerChild.start("worker-1", "127.0.0.1", dict(os.environ), Path(folder))


def test_folders_of_killed_actors_are_removed_unless_a_worker_runs_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, used, ours = (make_folder({"session.keys": b"k"}) for _ in range(3))
    for each in (left, used):
        (each / worker_child.OWNER).write_text(str(ended.pid))
    with subprocess.Popen([sys.executable, "-c", "input()"], cwd=used, stdin=subprocess.PIPE) as running:
        worker_child.sweep_folders()
        assert [each.exists() for each in (left, used, ours)] == [False, True, True]
        running.communicate()
    worker_child.sweep_folders()
    assert [each.exists() for each in (used, ours)] == [False, True]


def test_variables_of_ray_and_of_edges_do_not_reach_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {"PATH": "/bin", "RAY_AUTH_TOKEN": "secret", "PERCEPTION_TOKEN_FILE": "t", "PERCEPTION_BROWSER_PATH": "b"}
    ours = nodes | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    monkeypatch.setattr(psutil.Process, "environ", lambda _: nodes | {"LD_PRELOAD": "jemalloc"})
    monkeypatch.setattr(os, "environ", ours)
    given = {"PERCEPTION_MAX_SESSIONS": "4"}
    assert child_environment(given) == {"PATH": "/bin", "PERCEPTION_BROWSER_PATH": "b", **given}
