"""Times looks by a detector of this machine, and by the same one on Ray.

Rule 1: both sides get the same image and the same number of callers, in turns, so that what else the machine does meets
both. Nothing is cached.
Rule 2: calls go the way of a service's: by its detector pool, which skips what is late or finds no place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perception.bench.turns import turns
from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.deadline import Deadline
from perception.demo import serve_demo
from perception.detectors.pool import CropCache, DetectionRun, DetectorPool
from perception.detectors.registry import Registry
from perception.errors import BadInputError
from perception.imaging.codec import decode_image
from perception.types import Detections, Pixels

LOOK_SECONDS = 60.0

HERE, ON_RAY = "here", "on Ray"


@dataclass(frozen=True, slots=True)
class LookSample:
    """One look. `where`: HERE or ON_RAY; `skipped`: why it has no answer, empty for one that has."""

    callers: int
    where: str
    ms: float
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Looks with an answer, by callers that ask at the same time and wait for each other."""

    callers: int
    where: str
    per_second: float


@dataclass(frozen=True, slots=True)
class RayDetectorsRun:
    """A run.

    Attributes:
        detector: name of the one here.
        images: how many.
        found: detections in all images.
        same: whether both sides answered alike: boxes, scores, words and labels.
    """

    detector: str
    images: int
    found: int
    same: bool
    samples: tuple[LookSample, ...]
    throughput: tuple[Throughput, ...]


def run_ray_detectors(
    detector: str, files: Sequence[Path], counts: Sequence[int], rounds: int, say: Callable[[str], None]
) -> RayDetectorsRun:
    """Measures. See `RayDetectorsOptions`.

    Raises:
        BadInputError: a file is not an image; the detector does not answer here or on Ray: says why.
        UnknownDetectorError: no detector has that name.
    """
    registry = Registry.load()
    for name in (detector, f"ray:{detector}"):
        registry.get(name)
    return asyncio.run(_measure(registry, detector, [_read(each) for each in files], counts, rounds, say))


def _read(path: Path) -> Pixels:
    try:
        return decode_image(path.read_bytes())
    except OSError as exc:
        raise BadInputError(f"{path} cannot be read: {exc.strerror}") from exc


async def _measure(
    registry: Registry,
    detector: str,
    images: Sequence[Pixels],
    counts: Sequence[int],
    rounds: int,
    say: Callable[[str], None],
) -> RayDetectorsRun:
    images = images or [await _demo_page()]
    with closing(DetectorPool(registry)) as pool:
        here, there = [await _first(pool, name, images) for name in (detector, f"ray:{detector}")]
        samples: list[LookSample] = []
        throughput: list[Throughput] = []
        for count in counts:
            say(f"{count} at once")
            spent_s = {HERE: 0.0, ON_RAY: 0.0}
            for number, (where, name) in turns(((HERE, detector), (ON_RAY, f"ray:{detector}")), rounds):
                start = time.perf_counter()
                looks = (_time(pool, name, images[(number + each) % len(images)]) for each in range(count))
                samples += [LookSample(count, where, *each) for each in await asyncio.gather(*looks)]
                spent_s[where] += time.perf_counter() - start
            for where, seconds in spent_s.items():
                throughput.append(Throughput(count, where, _answers(samples, count, where) / seconds))
    same = all(_is_same(*each) for each in zip(here, there, strict=True))
    return RayDetectorsRun(detector, len(images), sum(map(len, here)), same, tuple(samples), tuple(throughput))


async def _look(pool: DetectorPool, name: str, images: Sequence[Pixels]) -> DetectionRun:
    return await pool.detect([name], images, Deadline.of(LOOK_SECONDS), CropCache(), reserve_s=0)


async def _first(pool: DetectorPool, name: str, images: Sequence[Pixels]) -> list[Detections]:
    """What a detector finds; the first look of each side also loads its model."""
    run = await _look(pool, name, images)
    if run.skipped:
        raise BadInputError(f"{name} gives no answer to measure: {run.skipped[0].reason}")
    return [found for (found,) in run.detections]


async def _time(pool: DetectorPool, name: str, image: Pixels) -> tuple[float, str]:
    """Milliseconds of a look, and why it was skipped."""
    start = time.perf_counter()
    run = await _look(pool, name, [image])
    return (time.perf_counter() - start) * 1000, "".join(each.reason for each in run.skipped)


def _answers(samples: Sequence[LookSample], callers: int, where: str) -> int:
    return sum((each.callers, each.where, each.skipped) == (callers, where, "") for each in samples)


def _is_same(here: Detections, there: Detections) -> bool:
    return (
        np.array_equal(here.xyxy, there.xyxy)
        and np.array_equal(here.score, there.score)
        and (here.kind, here.text, here.label) == (there.kind, there.text, there.label)
    )


async def _demo_page() -> Pixels:
    """A screenshot of the demo page."""
    deadline = Deadline.of(LOOK_SECONDS)
    host = await BrowserHost.start(LaunchOptions(), deadline)
    try:
        with serve_demo() as demo:
            session = await host.new_session(SessionOptions(), lambda _: None, deadline)
            await session.tab().page.goto(demo.url)
            capture = await session.tab().capturer.capture_pixels(deadline)
            assert capture.screenshot is not None
            return capture.screenshot.pixels
    finally:
        await host.close()
