"""Detectors on a real Ray cluster, as a service uses them. The order matters: the last tests break the cluster."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import psutil
import pytest

from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectionRun, DetectorPool
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.ray_serve.ray_detector import RayDetector
from perception.detectors.ray_serve.ray_queue import RayQueue
from perception.detectors.registry import Registry
from perception.errors import DeadlineError, PerceptionError
from perception.testing.scripted_detector import ScriptedDetector
from perception.types import Pixels
from tests.paths import DOCS

pytest.importorskip("ray", reason="Ray is not installed: .ci/ray runs these tests")

from tests.ray.detectors.cluster import RayCluster, kill, ray_cluster

PICTURES = DOCS / "vision"

EASY, WAITS, DIES, HANGS, FAILS = range(5)
"""What the probe does with a picture."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with ray_cluster() as started, pytest.MonkeyPatch.context() as patch:
        for name in ("PERCEPTION_RAY_ADDRESS", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
            patch.setenv(name, started.environment[name])
        started.start()
        started.serve("probe", "--batch", "2", "--queue", "2")
        yield started


@pytest.fixture(scope="module")
def registry() -> Registry:
    info = DetectorInfo("probe", "Does what pictures say.", "Apache-2.0", ("box",))
    return Registry.load(probe=Plugin(lambda: info, lambda: "not here", ScriptedDetector("probe").plugin().make))


@pytest.fixture(scope="module")
async def pool(cluster: RayCluster, registry: Registry) -> AsyncIterator[DetectorPool]:
    pool = DetectorPool(registry, patience_s=5.0)
    yield pool
    pool.close()


def picture(what: int, number: int = 0) -> Pixels:
    return np.full((20, 30, 3), (what, number % 20, number // 20), np.uint8)


async def look(pool: DetectorPool, *pictures: Pixels, seconds: float = 30.0, name: str = "ray:probe") -> DetectionRun:
    return await pool.detect([name], pictures, Deadline.of(seconds), CropCache(), reserve_s=0)


async def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    ends_s = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends_s
        await asyncio.sleep(0.01)


def client_pid(pool: DetectorPool) -> int:
    (queue,) = pool._workers.values()
    assert isinstance(queue, RayQueue)
    return queue.link.pid


def reason(run: DetectionRun) -> str:
    (skipped,) = run.skipped
    assert skipped.name == "ray:probe"
    return skipped.reason


async def test_it_finds_what_the_detector_of_this_machine_finds(cluster: RayCluster, registry: Registry) -> None:
    cluster.serve("ppocr")
    pool = DetectorPool(registry)
    files = ["tabler-ui--store", "debian-handbook--zh"]
    pictures = [cv2.imread(str(PICTURES / f"{name}.webp"))[:300, :500] for name in files]
    try:
        run = await pool.detect(["ppocr", "ray:ppocr"], pictures, Deadline.of(60), CropCache(), reserve_s=0)
    finally:
        pool.close()
    assert run.skipped == ()
    for here, on_ray in run.detections:
        assert len(here) > 3
        assert np.array_equal(here.xyxy, on_ray.xyxy)
        assert np.array_equal(here.score, on_ray.score)
        assert (here.detector, here.kind, here.text, here.label) == (
            on_ray.detector,
            on_ray.kind,
            on_ray.text,
            on_ray.label,
        )


def test_the_benchmark_compares_it_with_the_one_of_this_machine(cluster: RayCluster, tmp_path: Path) -> None:
    image = ("--image", str(PICTURES / "dijit--calendar.webp"))
    measure = ("bench", "run", "ray_detectors", "--rounds", "1", "--callers", "1,2", *image)
    done = cluster.run(*measure, PERCEPTION_HOME=str(tmp_path))
    assert "the same answers on both sides" in done.stdout, done.stderr
    absent = cluster.run(*measure, "--detector", "controls", PERCEPTION_HOME=str(tmp_path))
    assert "ray:controls gives no answer to measure: Ray at" in absent.stderr
    assert "perception detectors serve controls" in absent.stderr


async def test_a_late_one_is_skipped_with_what_it_has_done_and_stops_on_ray(
    pool: DetectorPool, cluster: RayCluster
) -> None:
    await look(pool, picture(EASY))
    run = await look(pool, picture(EASY, 5), picture(WAITS), seconds=4.0)
    assert reason(run) == "the deadline passed; 1 of 2 images were processed"
    assert [len(found) for found in run.detections] == [1, 0]
    await until(lambda: not (cluster.folder / "waiting").exists())


async def test_a_call_whose_caller_leaves_stops_on_ray(pool: DetectorPool, cluster: RayCluster) -> None:
    task = asyncio.create_task(look(pool, picture(WAITS), seconds=60))
    await until((cluster.folder / "waiting").exists)
    task.cancel()
    await until(lambda: not (cluster.folder / "waiting").exists())


async def test_a_full_queue_is_said(pool: DetectorPool, cluster: RayCluster) -> None:
    """One call runs, three wait in the replica, two in the queue of this service."""
    first = asyncio.create_task(look(pool, picture(WAITS)))
    await until((cluster.folder / "waiting").exists)
    others = [asyncio.create_task(look(pool, picture(EASY, number))) for number in range(1, 12)]
    await until(lambda: any(each.done() for each in others))
    (cluster.folder / "open").touch()
    runs = await asyncio.gather(first, *others)
    (cluster.folder / "open").unlink()
    refused = [run for run in runs if run.skipped]
    assert {reason(run) for run in refused} == {
        "it was still busy with an earlier image: its queue on Ray is full; 0 of 1 images were processed"
    }
    served = [run for run in runs if not run.skipped]
    assert 3 <= len(served) < 12


async def test_work_that_can_wait_makes_way(pool: DetectorPool, cluster: RayCluster) -> None:
    ahead = asyncio.create_task(look(pool.for_spare_time(), picture(WAITS)))
    await until((cluster.folder / "waiting").exists)
    assert (await look(pool, picture(EASY))).skipped == ()
    assert reason(await ahead) == "the deadline passed; 0 of 1 images were processed"


async def test_a_failure_is_told_without_its_message(pool: DetectorPool) -> None:
    run = await look(pool, picture(FAILS))
    assert reason(run) == "it failed with RuntimeError; 0 of 1 images were processed"


async def test_the_detector_protocol_holds(cluster: RayCluster) -> None:
    detector = RayDetector("probe")
    try:
        found = await asyncio.to_thread(detector.detect, picture(EASY, 7), Deadline.of(30))
        assert found.xyxy.tolist() == [[0, 0, 9, 7]]
        with pytest.raises(DeadlineError):
            await asyncio.to_thread(detector.detect, picture(WAITS), Deadline.of(0.5))
        with pytest.raises(PerceptionError, match="it failed with RuntimeError"):
            await asyncio.to_thread(detector.detect, picture(FAILS), Deadline.of(30))
    finally:
        detector.close()


async def test_a_replica_that_dies_loses_its_call_and_is_replaced(pool: DetectorPool) -> None:
    assert reason(await look(pool, picture(DIES))) == (
        "its replica on Ray ended before it had answered; 0 of 1 images were processed"
    )
    assert (await look(pool, picture(EASY))).skipped == ()


async def test_a_detector_that_hangs_is_replaced(pool: DetectorPool) -> None:
    run = await look(pool, picture(HANGS), seconds=0.5)
    assert reason(run) == "the deadline passed; 0 of 1 images were processed"
    run = await look(pool, picture(EASY))  # sent before Serve has seen it
    assert not run.skipped or "ended before it had answered" in reason(run)
    assert (await look(pool, picture(EASY))).skipped == ()


async def test_a_client_process_that_dies_or_hangs_is_started_again(pool: DetectorPool, cluster: RayCluster) -> None:
    task = asyncio.create_task(look(pool, picture(WAITS)))
    await until((cluster.folder / "waiting").exists)
    kill(psutil.Process(client_pid(pool)))
    assert reason(await task) == (
        "the process that talks to Ray ended before it had answered; 0 of 1 images were processed"
    )
    (cluster.folder / "open").touch()  # Ray goes on with what a process has asked for that is gone
    assert (await look(pool, picture(EASY))).skipped == ()
    (cluster.folder / "open").unlink()


async def test_a_name_that_is_not_served_says_how_to_serve_it(pool: DetectorPool, cluster: RayCluster) -> None:
    assert cluster.run("detectors", "stop", "probe").returncode == 0
    runs = [await look(pool, picture(EASY), seconds=1.0) for _ in range(2)]
    assert reason(runs[-1]) == (
        f"Ray at {cluster.address} has no detector of that name: "
        f"perception detectors serve probe --ray {cluster.address}; 0 of 1 images were processed"
    )
    cluster.serve("probe", "--batch", "2", "--queue", "2")
    assert (await look(pool, picture(EASY))).skipped == ()


def test_commands_say_what_is_there_and_what_is_wrong(cluster: RayCluster) -> None:
    listed = json.loads(cluster.run("detectors", "served", "--format", "json").stdout)["detectors"]
    assert {"name": "probe", "state": "RUNNING", "running": 1, "replicas": 1, "message": ""} in listed
    done = cluster.run("detectors", "stop", "icons")
    said = f"error: Ray at {cluster.address} has no detector icons: see `perception detectors served`\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    done = cluster.run("detectors", "serve", "icons", "--cpus", "99", "--wait", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: icons does not run on Ray (DEPLOYING, 0 of ")
    assert "icons" not in cluster.run("detectors", "served").stdout


async def test_ray_killed_ends_no_call_late_and_ray_back_serves_again(pool: DetectorPool, cluster: RayCluster) -> None:
    assert (await look(pool, picture(EASY))).skipped == ()
    task = asyncio.create_task(look(pool, picture(WAITS), seconds=6.0))
    await until((cluster.folder / "waiting").exists)
    await asyncio.to_thread(cluster.kill)
    began_s = time.monotonic()
    assert "0 of 1 images" in reason(await task)
    assert time.monotonic() - began_s < 7.0
    run = await look(pool, picture(EASY), seconds=5.0)
    assert f"no Ray cluster answers at {cluster.address}" in reason(run) or "does not answer" in reason(run)
    (cluster.folder / "waiting").unlink(missing_ok=True)
    await asyncio.to_thread(cluster.start)
    await asyncio.to_thread(cluster.serve, "probe")
    for _ in range(10):
        run = await look(pool, picture(EASY), seconds=10.0)
        if not run.skipped:
            break
    assert run.skipped == ()
