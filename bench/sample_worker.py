"""A worker process's task for one sample: it gets a reference, and returns lines for the run store."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import cv2
import msgspec
import numpy as np

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.memory_meter import StageCost, StageMeter, resident_bytes
from perception.bench.variant import Variant
from perception.datasets.sample import Item, Reference, Sample
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.engine import InterpretContext, interpret
from perception.engine import SnapshotOptions as SnapshotOptions
from perception.imaging.codec import MAX_FILE_BYTES, decode_image
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.render.present import Presented, present
from perception.types import Capture, Element, Mode, Pixels, Screenshot, Scroll, Skipped

TAB = "tab"
"""The name of a stored capture's only tab."""

OFFLINE_LOOK_SECONDS = 120.0
"""The slowest detector takes 7 s for 400 lines of text on two busy cores; a longer run is stuck."""


class SampleTask(Protocol):
    """The work on each sample. Sent to the workers once, so it must be small and picklable."""

    def prepare(self) -> Callable[[Item], list[bytes]]:
        """Called once in each worker: loads dependencies; returns the function for each sample."""
        ...


@dataclass(frozen=True, slots=True)
class LookTask:
    """Each variant looks at the sample, first without any cache, then once more: a `LookOutput` per variant."""

    variants: tuple[Variant, ...]

    def prepare(self) -> Callable[[Item], list[bytes]]:
        cv2.setNumThreads(1)  # workers are the parallelism
        registry = Registry.load()
        loop = asyncio.new_event_loop()
        pool = DetectorPool(registry, in_threads=True)
        looks = [(variant, variant.snapshot_options(registry)) for variant in self.variants]
        names = sorted(
            {name for variant, options in looks if variant.mode is not Mode.TEXT for name in options.detectors}
        )
        loop.run_until_complete(_load_models(pool, names))

        def look(item: Item) -> list[bytes]:
            capture = capture_of(item)
            return [
                msgspec.json.encode(loop.run_until_complete(look_offline(item, capture, variant, options, pool)))
                for variant, options in looks
            ]

        return look


@dataclass(frozen=True, slots=True)
class DetectorOutput:
    """One detector's output for the whole image of a sample. Boxes are image px, xyxy.

    Attributes:
        stages: what `load` (once in this process), `decode` and `detect` cost.
    """

    sample: str
    id: str
    who: str
    xyxy: list[list[float]]
    score: list[float]
    kind: list[str]
    text: list[str]
    stages: dict[str, StageCost]


@dataclass(frozen=True, slots=True)
class DetectTask:
    """One detector looks at the whole image. A worker of this task loads only that detector."""

    detector: str

    def prepare(self) -> Callable[[Item], list[bytes]]:
        cv2.setNumThreads(1)
        load = StageMeter()
        with load.stage("load"):
            detector = Registry.load().get(self.detector).make()
            detector.detect(np.full((64, 64, 3), 255, np.uint8), Deadline.of(OFFLINE_LOOK_SECONDS))

        def detect(item: Item) -> list[bytes]:
            meter = StageMeter()
            with meter.stage("decode"):
                pixels = read_pixels(item)
            with meter.stage("detect"):
                found = detector.detect(pixels, Deadline.of(OFFLINE_LOOK_SECONDS))
            sighting = DetectorOutput(
                item.sample.name,
                item.id,
                self.detector,
                [[round(float(side), 2) for side in box] for box in found.xyxy],
                [round(float(score), 4) for score in found.score],
                list(found.kind),
                list(found.text),
                {**load.costs, **meter.costs},
            )
            return [msgspec.json.encode(sighting)]

        return detect


def read_pixels(item: Item) -> Pixels:
    """A sample's image. A user's file may be larger than a message allows."""
    return decode_image(item.image.read_bytes(), max_bytes=MAX_FILE_BYTES)


def capture_of(item: Item) -> Capture:
    """The sample's capture with its pixels; one without elements for an image that is not a page."""
    pixels = read_pixels(item)
    viewport = item.sample.viewport
    screenshot = Screenshot(pixels, pixels.shape[1] / viewport.width)
    if item.sample.capture is not None:
        return replace(item.sample.capture, screenshot=screenshot)
    return Capture("", "", "", viewport, Scroll(0, 0, viewport.width, viewport.height), (), screenshot)


async def look_offline(
    item: Item, capture: Capture, variant: Variant, options: SnapshotOptions, pool: DetectorPool
) -> LookOutput:
    """The answer of the service at the moment at which the sample was taken.

    An image that is not a page has no facts to fuse: for it `fused` uses pixels only, as ParseImage does.
    """
    if variant.mode is Mode.VISION or (item.sample.capture is None and variant.mode is Mode.FUSED):
        capture, options = replace(capture, elements=()), replace(options, mode=Mode.VISION)
    memory, refs = DetectionCache(), RefTable()
    elements, skipped, first = await _look(capture, refs, options, pool, memory)
    *_, warm = await _look(capture, refs, options, pool, memory)
    presented = _present(elements, options, refs)
    shown, page = presented.listed, presented.text.page(0)
    milliseconds = {
        "first": sum(first.values()) + _taking(item.sample, options.mode, "first"),
        "warm": sum(warm.values()) + _taking(item.sample, options.mode, "warm"),
        "first stages": sum(first.values()),
        "warm stages": sum(warm.values()),
        **{f"first {stage}": spent for stage, spent in first.items()},
    }
    return LookOutput(
        sample=item.sample.name,
        id=item.id,
        who=variant.name,
        elements=tuple(seen_element(shown[index]) for index in page.shown),
        text=page.text,
        tokens=page.token_count,
        milliseconds={name: round(spent, 2) for name, spent in milliseconds.items()},
        skipped=tuple(f"{each.name}: {each.reason}" for each in skipped),
    )


async def _look(
    capture: Capture, refs: RefTable, options: SnapshotOptions, pool: DetectorPool, memory: DetectionCache
) -> tuple[tuple[Element, ...], tuple[Skipped, ...], dict[str, float]]:
    stages = Stages()
    deadline = Deadline.of(OFFLINE_LOOK_SECONDS)
    made = await interpret(InterpretContext(TAB, refs, memory, pool, stages, deadline), capture, options)
    with stages.stage("render"):
        _present(made.elements, options, refs).text.page(0)
    return made.elements, made.skipped, stages.timings_ms


def _present(elements: tuple[Element, ...], options: SnapshotOptions, refs: RefTable) -> Presented:
    return present(
        elements,
        view=options.view,
        style=options.style,
        max_tokens=options.max_tokens,
        name_regions=partial(refs.assign_regions, TAB),
    )


def seen_element(element: Element) -> ListedElement:
    """An element as it is listed."""
    point = element.click_point
    return ListedElement(
        ref=element.ref,
        role=element.role,
        name=element.name,
        box=element.box,
        interactive=element.interactive,
        reachable=element.reachable and element.in_viewport,
        point=(point.x, point.y) if point is not None else None,
        text=element.text,
        value=element.value,
        sources=element.sources,
        confidence=element.confidence,
        in_viewport=element.in_viewport,
        backend_node_id=element.backend_node_id,
    )


def _taking(sample: Sample, mode: Mode, when: str) -> float:
    """Milliseconds of the sample's original capture; 0 for an image."""
    kind = "text" if mode is Mode.TEXT else "fused"
    return sample.milliseconds.get(f"{kind}_{when}", 0.0)


async def _load_models(pool: DetectorPool, names: list[str]) -> None:
    blank = np.full((64, 64, 3), 255, np.uint8)
    await pool.detect(names, [blank], Deadline.of(OFFLINE_LOOK_SECONDS), CropCache(), reserve_s=0)


_run_one: Callable[[Item], list[bytes]] | None = None


def start_worker(task: SampleTask) -> None:
    """Initializes a worker process. Ctrl-C is handled by the parent."""
    global _run_one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _run_one = task.prepare()


def run_sample(reference: Reference, limit_s: float) -> tuple[list[bytes], int, int]:
    """Lines for one sample, the process id, and the process's memory.

    A call that exceeds the limit ends the process: native code cannot be interrupted otherwise.
    """
    assert _run_one is not None
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        return _run_one(reference.load()), os.getpid(), resident_bytes()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
