"""What a worker process does with one sample. Everything here runs far from the parent: it gets a reference, it gives
lines for the run's store.
"""

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

from perception.bench.memory import StageCost, StageMeter, resident_bytes
from perception.bench.seen import Seen, SeenElement
from perception.bench.variant import Variant
from perception.budget import Budget
from perception.datasets.sample import Item, Reference, Sample
from perception.detectors.memory import Memory
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.images import MAX_FILE_BYTES, decode_image
from perception.pipeline import Wish, interpret
from perception.refs import RefTable
from perception.render.present import Presented, present
from perception.stages import Stages
from perception.types import Capture, Element, Mode, Pixels, Screenshot, Scroll, Skipped

TAB = "tab"
"""What a kept capture's only tab is called."""

LOOK_SECONDS = 120.0
"""The slowest detector takes 7 s for 400 lines of text on two busy cores; what is over this is stuck."""


class Task(Protocol):
    """What is done with each sample. Sent to the workers once, so it must be small and picklable."""

    def prepare(self) -> Callable[[Item], list[bytes]]:
        """Called once in each worker: loads what it needs; gives what is called for each sample."""
        ...


@dataclass(frozen=True, slots=True)
class LookTask:
    """Each variant looks at the sample, first with nothing known, then once more: a `Seen` a variant."""

    variants: tuple[Variant, ...]

    def prepare(self) -> Callable[[Item], list[bytes]]:
        cv2.setNumThreads(1)  # workers are the parallelism
        registry = Registry.load()
        loop = asyncio.new_event_loop()
        pool = DetectorPool(registry, in_threads=True)
        wishes = [(variant, variant.wish(registry)) for variant in self.variants]
        names = sorted({name for variant, wish in wishes if variant.mode is not Mode.TEXT for name in wish.detectors})
        loop.run_until_complete(_load_models(pool, names))

        def look(item: Item) -> list[bytes]:
            capture = capture_of(item)
            return [
                msgspec.json.encode(loop.run_until_complete(look_offline(item, capture, variant, wish, pool)))
                for variant, wish in wishes
            ]

        return look


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one detector saw in the whole image of a sample. Boxes are image px, xyxy.

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
    """One detector looks at the whole image. A worker of this task holds that detector and nothing else."""

    detector: str

    def prepare(self) -> Callable[[Item], list[bytes]]:
        cv2.setNumThreads(1)
        load = StageMeter()
        with load.stage("load"):
            detector = Registry.load().get(self.detector).make()
            detector.detect(np.full((64, 64, 3), 255, np.uint8), Budget.of(LOOK_SECONDS))

        def detect(item: Item) -> list[bytes]:
            meter = StageMeter()
            with meter.stage("decode"):
                pixels = read_pixels(item)
            with meter.stage("detect"):
                found = detector.detect(pixels, Budget.of(LOOK_SECONDS))
            sighting = Sighting(
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
    """A sample's image. A file of one's own may be larger than what a message carries."""
    return decode_image(item.image.read_bytes(), max_bytes=MAX_FILE_BYTES)


def capture_of(item: Item) -> Capture:
    """The sample's capture with its pixels; one without elements for an image that was no page."""
    pixels = read_pixels(item)
    viewport = item.sample.viewport
    screenshot = Screenshot(pixels, pixels.shape[1] / viewport.width)
    if item.sample.capture is not None:
        return replace(item.sample.capture, screenshot=screenshot)
    return Capture("", "", "", viewport, Scroll(0, 0, viewport.width, viewport.height), (), screenshot)


async def look_offline(item: Item, capture: Capture, variant: Variant, wish: Wish, pool: DetectorPool) -> Seen:
    """What the service would have answered at the moment that the sample was taken.

    An image that was no page has no facts to fuse: there `fused` looks with pixels alone, as ParseImage does.
    """
    if variant.mode is Mode.VISION or (item.sample.capture is None and variant.mode is Mode.FUSED):
        capture, wish = replace(capture, elements=()), replace(wish, mode=Mode.VISION)
    memory, refs = Memory(), RefTable()
    elements, skipped, first = await _look(capture, refs, wish, pool, memory)
    *_, warm = await _look(capture, refs, wish, pool, memory)
    presented = _present(elements, wish, refs)
    shown, page = presented.listed, presented.text.page(0)
    milliseconds = {
        "first": sum(first.values()) + _taking(item.sample, wish.mode, "first"),
        "warm": sum(warm.values()) + _taking(item.sample, wish.mode, "warm"),
        "first stages": sum(first.values()),
        "warm stages": sum(warm.values()),
        **{f"first {stage}": spent for stage, spent in first.items()},
    }
    return Seen(
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
    capture: Capture, refs: RefTable, wish: Wish, pool: DetectorPool, memory: Memory
) -> tuple[tuple[Element, ...], tuple[Skipped, ...], dict[str, float]]:
    stages = Stages()
    budget = Budget.of(LOOK_SECONDS)
    elements, skipped = await interpret(capture, refs, TAB, wish, pool, memory, stages, budget)
    with stages.stage("render"):
        _present(elements, wish, refs).text.page(0)
    return elements, skipped, stages.timings_ms


def _present(elements: tuple[Element, ...], wish: Wish, refs: RefTable) -> Presented:
    return present(
        elements,
        view=wish.view,
        style=wish.style,
        max_tokens=wish.max_tokens,
        name_regions=partial(refs.assign_regions, TAB),
    )


def seen_element(element: Element) -> SeenElement:
    """An element as it is listed."""
    point = element.click_point
    return SeenElement(
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
    """Milliseconds that the sample's own capture took when it was made; 0 for an image."""
    kind = "text" if mode is Mode.TEXT else "fused"
    return sample.milliseconds.get(f"{kind}_{when}", 0.0)


async def _load_models(pool: DetectorPool, names: list[str]) -> None:
    blank = np.full((64, 64, 3), 255, np.uint8)
    await pool.detect(names, [blank], Budget.of(LOOK_SECONDS), CropCache(), reserve_s=0)


_run_one: Callable[[Item], list[bytes]] | None = None


def start_worker(task: Task) -> None:
    """A worker process's beginning. Ctrl-C is the parent's to answer."""
    global _run_one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _run_one = task.prepare()


def work(reference: Reference, limit_s: float) -> tuple[list[bytes], int, int]:
    """Lines for one sample, which process this is, and the memory that it holds.

    A call that takes longer than the limit ends the process: what is stuck in native code cannot be ended otherwise.
    """
    assert _run_one is not None
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        return _run_one(reference.load()), os.getpid(), resident_bytes()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
