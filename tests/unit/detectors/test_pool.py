"""Detectors at work: shared, bounded, never in each other's way."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from prometheus_client import REGISTRY

from perception.deadline import Deadline
from perception.detectors.detector_hosts import process_environment
from perception.detectors.pool import CropCache, DetectionRun, DetectorPool
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.registry import Registry
from perception.errors import ShuttingDownError, UnknownDetectorError
from perception.instrumentation.metrics import DETECTOR_SKIPPED
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector, detections_of
from perception.types import Pixels

pytestmark = pytest.mark.real_time  # real processes

LINE = ScriptedDetection((1, 2, 30, 12), "hello")
BOX = ScriptedDetection((0, 0, 9, 9))


def image(shade: int = 0, size: tuple[int, int] = (10, 20)) -> Pixels:
    return np.full((*size, 3), shade, np.uint8)


def soon() -> Deadline:
    return Deadline.of(60)


@pytest.fixture(autouse=True)
def anew() -> None:
    """Counts what one test does."""
    DETECTOR_SKIPPED.clear()


def counted(name: str, reason: str) -> float:
    """How often Prometheus would hear that a detector did not look for that reason."""
    return REGISTRY.get_sample_value("perception_detector_skipped_total", {"name": name, "reason": reason}) or 0.0


class Gate:
    """Holds a detector until it is opened, and signals when one has arrived."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.arrived = threading.Event()

    def __call__(self, pixels: Pixels, deadline: Deadline) -> None:
        self.arrived.set()
        self.open.wait()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
async def pools() -> AsyncIterator[list[DetectorPool]]:
    made: list[DetectorPool] = []
    yield made
    for pool in made:
        pool.close()


def pool_of(pools: list[DetectorPool], *detectors: ScriptedDetector, patience_s: float = 0.0) -> DetectorPool:
    registry = Registry.of(**{detector.name: detector.plugin() for detector in detectors})
    pools.append(DetectorPool(registry, patience_s=patience_s))
    return pools[-1]


async def detect_late(pool: DetectorPool, gate: Gate) -> DetectionRun:
    """A run whose deadline passes while its detector is at work: on a busy machine it may pass before that."""
    while True:
        run = await pool.detect(["slow"], [image(1)], Deadline.of(0.05), CropCache(), reserve_s=0)
        if gate.arrived.is_set():
            return run


async def test_every_detector_sees_every_image(pools: list[DetectorPool]) -> None:
    reader, boxer = ScriptedDetector("reader", [LINE]), ScriptedDetector("boxer", [BOX])
    pool = pool_of(pools, reader, boxer)
    run = await pool.detect(["reader", "boxer"], [image(1), image(2, (5, 5))], soon(), CropCache(), reserve_s=0)
    assert [[found.detector for found in each] for each in run.detections] == [["reader", "boxer"]] * 2
    assert reader.shapes == boxer.shapes == [(10, 20, 3), (5, 5, 3)]
    assert run.detections[0][0].text == ("hello",)
    assert run.skipped == ()
    assert set(run.timings_ms) == {"ocr", "detect"}


async def test_no_images_and_no_names_are_no_work(pools: list[DetectorPool]) -> None:
    pool = pool_of(pools, ScriptedDetector("a", [BOX]))
    assert (await pool.detect(["a"], [], soon(), CropCache(), reserve_s=0)).detections == ()
    assert (await pool.detect([], [image()], soon(), CropCache(), reserve_s=0)).detections == ((),)


async def test_a_failing_detector_is_skipped_and_the_rest_is_served(pools: list[DetectorPool]) -> None:
    bad = ScriptedDetector("bad", failure=RuntimeError("/secret/path"))
    pool = pool_of(pools, bad, ScriptedDetector("good", [BOX]))
    run = await pool.detect(["bad", "good"], [image()], soon(), CropCache(), reserve_s=0)
    assert [found.detector for found in run.detections[0]] == ["good"]
    (skipped,) = run.skipped
    assert skipped.name == "bad"
    assert skipped.reason == "it failed with RuntimeError; 0 of 1 images were processed"
    assert counted("bad", "failed") == 1


async def test_a_detector_that_cannot_be_made_is_skipped(pools: list[DetectorPool]) -> None:
    def fail() -> ScriptedDetector:
        raise MemoryError

    info = DetectorInfo("a", "", "Apache-2.0", ("box",))
    pools.append(DetectorPool(Registry.of(a=Plugin(lambda: info, lambda: "", fail))))
    run = await pools[0].detect(["a"], [image()], soon(), CropCache(), reserve_s=0)
    assert "MemoryError" in run.skipped[0].reason


async def test_a_missing_detector_is_skipped_with_its_reason(pools: list[DetectorPool]) -> None:
    registry = Registry.of(a=ScriptedDetector("a").plugin(missing="pip install it"))
    pools.append(DetectorPool(registry))
    run = await pools[0].detect(["a"], [image()], soon(), CropCache(), reserve_s=0)
    assert "pip install it" in run.skipped[0].reason
    assert counted("a", "missing") == 1


async def test_an_unknown_detector_is_an_error(pools: list[DetectorPool]) -> None:
    with pytest.raises(UnknownDetectorError):
        await pool_of(pools).detect(["x"], [image()], soon(), CropCache(), reserve_s=0)


async def test_a_late_detector_is_skipped_and_the_reserve_is_left(pools: list[DetectorPool], gate: Gate) -> None:
    pool = pool_of(pools, ScriptedDetector("slow", [LINE], before=gate), ScriptedDetector("good", [BOX]))
    deadline = Deadline.of(31)
    run = await pool.detect(["slow", "good"], [image()], deadline, CropCache(), reserve_s=30)
    assert [found.detector for found in run.detections[0]] == ["good"]
    assert run.skipped[0].reason == "the deadline passed; 0 of 1 images were processed"
    assert counted("slow", "late") == 1
    assert deadline.remaining() > 0


async def test_what_was_seen_before_the_time_was_up_is_served(pools: list[DetectorPool], gate: Gate) -> None:
    def second_waits(pixels: Pixels, deadline: Deadline) -> None:
        if pixels.max() == 2:
            gate(pixels, deadline)

    pool = pool_of(pools, ScriptedDetector("slow", [LINE], before=second_waits))
    run = await pool.detect(["slow"], [image(1), image(2)], Deadline.of(31), CropCache(), reserve_s=30)
    assert [len(each) for each in run.detections] == [1, 0]
    assert run.skipped[0].reason == "the deadline passed; 1 of 2 images were processed"


async def test_what_a_detector_found_of_an_image_is_served_and_not_cached(pools: list[DetectorPool]) -> None:
    detector = ScriptedDetector("slow", [LINE], missing="3 of 4 lines were not read")
    pool, cache = pool_of(pools, detector), CropCache()
    for _ in range(2):
        run = await pool.detect(["slow"], [image()], Deadline.of(60), cache, reserve_s=1)
        assert [each.text for each in run.detections[0]] == [(LINE.text,)]
        assert run.skipped[0].reason == "the deadline passed; 3 of 4 lines were not read"
    assert (len(detector.shapes), len(cache)) == (2, 0)


async def test_a_hanging_detector_is_passed_over_by_later_calls(pools: list[DetectorPool], gate: Gate) -> None:
    slow = ScriptedDetector("slow", [LINE], before=gate)
    pool = pool_of(pools, slow)
    await detect_late(pool, gate)
    DETECTOR_SKIPPED.clear()
    # Nobody opens the gate: this would wait for the whole minute.
    run = await pool.detect(["slow"], [image(2)], soon(), CropCache(), reserve_s=0)
    assert run.skipped[0].reason == "it was still busy with an earlier image; 0 of 1 images were processed"
    assert counted("slow", "busy") == 1


async def test_a_detector_that_was_late_is_used_again(pools: list[DetectorPool], gate: Gate) -> None:
    pool = pool_of(pools, ScriptedDetector("slow", [LINE], before=gate), patience_s=60)
    await detect_late(pool, gate)
    gate.open.set()
    run = await pool.detect(["slow"], [image(2)], soon(), CropCache(), reserve_s=0)
    assert run.skipped == ()
    assert len(run.detections[0]) == 1


async def test_a_late_answer_does_not_reach_a_run_that_is_over(pools: list[DetectorPool], gate: Gate) -> None:
    pool = pool_of(pools, ScriptedDetector("slow", [LINE], before=gate), patience_s=60)
    late = await detect_late(pool, gate)
    gate.open.set()
    await pool.detect(["slow"], [image(2)], soon(), CropCache(), reserve_s=0)
    assert late.detections == ((),)


async def test_the_event_loop_runs_while_a_detector_works(pools: list[DetectorPool], gate: Gate) -> None:
    pool = pool_of(pools, ScriptedDetector("slow", [LINE], before=gate))
    call = asyncio.create_task(pool.detect(["slow"], [image()], soon(), CropCache(), reserve_s=0))
    await asyncio.to_thread(gate.arrived.wait)
    assert not call.done()
    gate.open.set()
    assert (await call).skipped == ()


async def test_a_cancelled_call_leaves_the_pool_usable(pools: list[DetectorPool], gate: Gate) -> None:
    slow = ScriptedDetector("slow", [LINE], before=gate)
    pool = pool_of(pools, slow)
    call = asyncio.create_task(pool.detect(["slow"], [image(1)], soon(), CropCache(), reserve_s=0))
    waiting = asyncio.create_task(pool.detect(["slow"], [image(2)], soon(), CropCache(), reserve_s=0))
    await asyncio.to_thread(gate.arrived.wait)
    for task in (call, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    gate.open.set()
    run = await pool.detect(["slow"], [image(3)], soon(), CropCache(), reserve_s=0)
    assert run.skipped == ()
    assert len(slow.shapes) == 2  # the one that waited in the queue never ran


async def test_a_detector_is_made_once_and_shared(pools: list[DetectorPool]) -> None:
    made: list[ScriptedDetector] = []

    def make() -> ScriptedDetector:
        made.append(ScriptedDetector("a", [BOX]))
        return made[-1]

    info = DetectorInfo("a", "", "Apache-2.0", ("box",))
    pool = DetectorPool(Registry.of(a=Plugin(lambda: info, lambda: "", make)))
    pools.append(pool)
    assert made == []
    calls = [pool.detect(["a"], [image(shade)], soon(), CropCache(), reserve_s=0) for shade in range(5)]
    await asyncio.gather(*calls)
    assert len(made) == 1
    assert len(made[0].shapes) == 5


async def test_the_same_pixels_are_looked_at_once(pools: list[DetectorPool]) -> None:
    detector = ScriptedDetector("a", [BOX])
    pool, cache = pool_of(pools, detector), CropCache()
    first = await pool.detect(["a"], [image(1), image(2)], soon(), cache, reserve_s=0)
    second = await pool.detect(["a"], [image(2), image(1), image(3)], soon(), cache, reserve_s=0)
    assert len(detector.shapes) == 3
    assert (first.cache_hits, second.cache_hits) == (0, 2)
    assert [len(each) for each in second.detections] == [1, 1, 1]


async def test_equal_bytes_of_another_shape_or_detector_are_other_pixels(pools: list[DetectorPool]) -> None:
    one, two = ScriptedDetector("one", [BOX]), ScriptedDetector("two", [BOX])
    pool, cache = pool_of(pools, one, two), CropCache()
    await pool.detect(["one", "two"], [image(1, (10, 20)), image(1, (20, 10))], soon(), cache, reserve_s=0)
    assert (len(one.shapes), len(two.shapes), len(cache)) == (2, 2, 4)


async def test_a_view_into_a_screenshot_is_cached_by_what_it_shows(pools: list[DetectorPool]) -> None:
    detector, cache = ScriptedDetector("a", [BOX]), CropCache()
    page = np.random.default_rng(0).integers(0, 256, (50, 50, 3), np.uint8)
    views = [page[5:25, 5:25], np.ascontiguousarray(page[5:25, 5:25]), page[6:26, 5:25]]
    await pool_of(pools, detector).detect(["a"], views, soon(), cache, reserve_s=0)
    assert len(detector.shapes) == 2


def test_the_cache_drops_what_was_used_longest_ago() -> None:
    cache = CropCache(2)
    found = detections_of("a", [BOX])
    cache.put(b"1", found)
    cache.put(b"2", found)
    cache.get(b"1")
    cache.put(b"3", found)
    assert cache.get(b"2") is None
    assert cache.get(b"1") is found
    assert len(cache) == 2


async def test_a_closed_pool_is_reported(pools: list[DetectorPool]) -> None:
    pool = pool_of(pools, ScriptedDetector("a", [BOX]))
    await pool.detect(["a"], [image()], soon(), CropCache(), reserve_s=0)
    pool.close()
    with pytest.raises(ShuttingDownError):
        await pool.detect(["a"], [image()], soon(), CropCache(), reserve_s=0)


STRANGE = """
import os, time
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.testing.scripted_detector import ScriptedDetection, detections_of

class Strange:
    def detect(self, pixels, deadline):
        mood = int(pixels[0, 0, 0])
        if mood == 1:
            while True:
                time.sleep(60)
        if mood == 2:
            os._exit(3)
        if mood == 3:
            raise ValueError("/secret/path")
        while mood == 4:
            deadline.check("looking")
            time.sleep(0.01)
        return detections_of("strange", [ScriptedDetection((0, 0, 9, 9), f"{os.getpid()} {pixels.shape}")])

INFO = DetectorInfo(name="strange", description="", licence="Apache-2.0", kinds=("text",))
PLUGIN = Plugin(describe=lambda: INFO, missing=lambda: "", make=Strange)
"""


@pytest.fixture
def strange(pools: list[DetectorPool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DetectorPool:
    """A detector in a process of its own that hangs, dies, fails or takes all its time, as the first pixel says."""
    (tmp_path / "strange.py").write_text(STRANGE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    plugin = ScriptedDetector("strange").plugin()
    pool = DetectorPool(Registry({"strange": lambda: plugin}, {"strange": "strange:PLUGIN"}), patience_s=0.05)
    pools.append(pool)
    return pool


async def ask(pool: DetectorPool, *moods: int, seconds: float = 60) -> DetectionRun:
    images = [image(mood, (10, 20 + place)) for place, mood in enumerate(moods)]
    return await pool.detect(["strange"], images, Deadline.of(seconds), CropCache(), reserve_s=0)


def process_of(run: DetectionRun, index: int = 0) -> int:
    return int(run.detections[index][0].text[0].split()[0])


async def test_a_detector_of_a_package_runs_in_a_process_of_its_own(strange: DetectorPool) -> None:
    first, second = await ask(strange, 0, 0), await ask(strange, 0)
    assert first.skipped == ()
    assert [found[0].text[0].split(" ", 1)[1] for found in first.detections] == ["(10, 20, 3)", "(10, 21, 3)"]
    assert process_of(first) == process_of(second) != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of glibc")
async def test_a_detectors_process_asks_for_huge_pages(strange: DetectorPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    process = psutil.Process(process_of(await ask(strange, 0)))
    assert process.environ()["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1"


def test_the_users_own_tunables_of_glibc_come_last() -> None:
    # Not asked of a process: glibc 2.36 cuts what /proc shows of the variable after the first tunable.
    environment = process_environment({"HOME": "/", "GLIBC_TUNABLES": "glibc.malloc.arena_max=2"})
    assert environment == {"HOME": "/", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=2"}


async def test_a_detector_that_hangs_is_killed_and_made_again(strange: DetectorPool) -> None:
    before = process_of(await ask(strange, 0))
    late = await ask(strange, 0, 1, 0, seconds=0.5)
    assert [len(found) for found in late.detections] == [1, 0, 0]
    assert late.skipped[0].reason == "the deadline passed; 1 of 3 images were processed"
    after = process_of(await ask(strange, 0))
    assert after != before
    assert not psutil.pid_exists(before)


async def test_a_detector_that_dies_is_reported_and_created_again(strange: DetectorPool) -> None:
    before = process_of(await ask(strange, 0))
    dead = await ask(strange, 0, 2, 0)
    assert [len(found) for found in dead.detections] == [1, 0, 0]
    assert dead.skipped[0].reason == "its process ended before it had answered; 1 of 3 images were processed"
    assert process_of(await ask(strange, 0)) != before


async def test_a_detector_that_fails_on_one_image_sees_the_others(strange: DetectorPool) -> None:
    run = await ask(strange, 0, 3, 0)
    assert [len(found) for found in run.detections] == [1, 0, 1]
    assert run.skipped[0].reason == "it failed with ValueError; 2 of 3 images were processed"


async def test_what_several_sessions_ask_for_goes_in_one_batch_and_each_gets_its_own(strange: DetectorPool) -> None:
    runs = await asyncio.gather(*(ask(strange, *[0] * count) for count in (1, 2, 3)))
    assert [len(run.detections) for run in runs] == [1, 2, 3]
    assert all(len(found) == 1 for run in runs for found in run.detections)
    assert len({process_of(run) for run in runs}) == 1


async def test_work_that_can_wait_is_left_for_other_work(strange: DetectorPool) -> None:
    process = process_of(await ask(strange, 0))
    waiting = asyncio.create_task(ask(strange.for_spare_time(), 0, 4, 0))
    await asyncio.sleep(0.1)
    assert process_of(await ask(strange, 0)) == process
    assert [len(found) for found in (await waiting).detections] == [1, 0, 0]


async def test_work_whose_caller_has_left_is_left_too(strange: DetectorPool) -> None:
    process = process_of(await ask(strange, 0))
    leaving = asyncio.create_task(ask(strange, 4))
    await asyncio.sleep(0.1)
    leaving.cancel()
    assert process_of(await ask(strange, 0)) == process


async def test_the_process_ends_with_the_pool(strange: DetectorPool) -> None:
    number = process_of(await ask(strange, 0))
    strange.close()
    assert not psutil.pid_exists(number)


async def test_the_process_ends_when_ours_does_even_if_busy(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(STRANGE)
    code = (
        "import os, sys, threading; from perception.detectors.detector_hosts import ProcessHost; import numpy as np;"
        "from perception.deadline import Deadline; host = ProcessHost('strange:PLUGIN');"
        "image = lambda mood: np.full((9, 9, 3), mood, np.uint8);"
        "print(next(host.detect([image(0)], [Deadline.of(60)], [''])).text[0].split()[0], flush=True);"
        "threading.Thread(target=lambda: next(host.detect([image(1)], [Deadline.of(60)], [''])), daemon=True).start();"
        "sys.stdin.read(); os._exit(0)"
    )
    ours = await asyncio.to_thread(
        subprocess.Popen,
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert ours.stdout is not None
    theirs = psutil.Process(int(await asyncio.to_thread(ours.stdout.readline)))
    await asyncio.to_thread(ours.communicate)
    _, alive = await asyncio.to_thread(psutil.wait_procs, [theirs], 20)
    assert alive == []
