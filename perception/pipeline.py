"""From a capture on, one straight line: refs, residual, detect, fuse. The same for a live tab and for a kept sample.

Each stage is timed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from perception.budget import Budget
from perception.detectors.lines import Rect
from perception.detectors.memory import FrameMemory, Memory, merge
from perception.detectors.pool import CropCache, DetectionRun, DetectorPool
from perception.fusion.frames import SeenRegion, box_rect
from perception.fusion.fuse import fuse
from perception.fusion.ink import mark_unseen
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.residual import find_residual, hide_explained, whole_viewport
from perception.metrics import CACHE_HITS
from perception.refs import RefTable
from perception.render.present import tells_regions
from perception.render.select import in_scope
from perception.stages import Stages, traced
from perception.types import (
    Capture,
    Detections,
    Element,
    Engine,
    Mode,
    Pixels,
    Region,
    Scope,
    Screenshot,
    Scroll,
    Skipped,
    Snapshot,
    TextStyle,
    View,
    Viewport,
)

ANSWER_SHARE = 0.1
"""Part of what is left of the budget that detectors leave for fusing and answering."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller wants to see. `root` is what the list is limited to, in the caller's own words; empty for none."""

    mode: Mode = Mode.FUSED
    engine: Engine = Engine.WALKER
    scope: Scope = Scope.VIEWPORT
    view: View = View.FULL
    style: TextStyle = TextStyle.ROLE_REF
    max_tokens: int = 0
    detectors: tuple[str, ...] = ()
    with_pixels: bool = False
    reveal: bool = False
    settle_s: float = 0.0
    root: str = ""
    selectors: bool = False
    fusion: FusionParameters = DEFAULTS


async def interpret(
    capture: Capture,
    refs: RefTable,
    tab_id: str,
    wish: Wish,
    pool: DetectorPool,
    memory: Memory,
    stages: Stages,
    budget: Budget,
) -> tuple[tuple[Element, ...], tuple[Skipped, ...]]:
    """A capture → the elements of the wished scope, with refs, and what was skipped on the way.

    Args:
        capture: with a screenshot, unless the mode is TEXT; without elements where it is VISION.
    """
    structures = tells_regions(wish.view, wish.style, wish.max_tokens)
    elements = refs.assign(tab_id, in_scope(capture.elements, wish.scope, structures=structures))
    if wish.mode is Mode.TEXT:
        return elements, capture.skipped
    capture = replace(capture, elements=elements)
    assert capture.screenshot is not None
    looked_at: Screenshot = capture.screenshot
    regions: tuple[Region, ...] = (whole_viewport(capture.viewport),)
    if wish.mode is Mode.FUSED:
        with stages.stage("residual") as span:
            capture = replace(capture, elements=mark_unseen(capture))
            looked_at, regions = hide_explained(capture, find_residual(capture, wish.fusion), wish.fusion)
            span.set_attribute("perception.regions", len(regions))
    frame = memory.of_tab(tab_id)
    found, missed = await see(
        capture, looked_at, regions, wish.detectors, pool, memory.crops, frame, stages, budget, wish.fusion
    )
    return refs.assign_vision(tab_id, capture, found), capture.skipped + missed


async def parse(screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, budget: Budget) -> Snapshot:
    """Any image → vision elements. Boxes are in units of `screenshot.scale` image pixels."""
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    viewport = Viewport(max(width, 1), max(height, 1), screenshot.scale)
    capture = Capture("", "", "", viewport, Scroll(0, 0, width, height), (), screenshot)
    stages = Stages()
    regions = (whole_viewport(viewport),)
    elements, skipped = await see(capture, screenshot, regions, names, pool, CropCache(), FrameMemory(), stages, budget)
    return make_snapshot("", capture, RefTable().assign_vision("", capture, elements), skipped, stages)


async def see(
    capture: Capture,
    looked_at: Screenshot,
    regions: Sequence[Region],
    names: Sequence[str],
    pool: DetectorPool,
    crops: CropCache,
    frame: FrameMemory,
    stages: Stages,
    budget: Budget,
    parameters: FusionParameters = DEFAULTS,
) -> tuple[tuple[Element, ...], tuple[Skipped, ...]]:
    """Runs detectors on regions of a screenshot and fuses what they see with the capture's elements.

    Args:
        looked_at: the screenshot as detectors are to see it.
    """
    rects = [box_rect(looked_at, region.box) for region in regions]
    reserve_s = budget.remaining() * ANSWER_SHARE
    names = tuple(dict.fromkeys(names))
    looks = [_look(name, looked_at.pixels, rects, pool, crops, frame, budget, reserve_s) for name in names]
    with traced("detect") as span:
        span.set_attribute("perception.regions", len(rects))
        seen = await asyncio.gather(*looks)
        span.set_attribute("perception.skipped", sum(len(look.run.skipped) for look in seen))
    for look in seen:
        for stage, spent in look.run.timings_ms.items():
            stages.add_slowest(stage, spent)
    frame.keep(
        looked_at.pixels,
        {(name, rect): found for name, look in zip(names, seen, strict=True) for rect, found in look.found.items()},
    )
    with stages.stage("fuse"):
        placed = [
            SeenRegion(region, looked_at.scale, tuple(look.found[rect] for look in seen if rect in look.found))
            for region, rect in zip(regions, rects, strict=True)
        ]
        return fuse(capture.elements, placed, parameters), tuple(each for look in seen for each in look.run.skipped)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one detector sees in regions, by where they lie in the frame; those it did not get to are absent."""

    found: Mapping[Rect, Detections]
    run: DetectionRun


async def _look(
    name: str,
    pixels: Pixels,
    rects: Sequence[Rect],
    pool: DetectorPool,
    crops: CropCache,
    frame: FrameMemory,
    budget: Budget,
    reserve_s: float,
) -> _Look:
    """Shows one detector what has changed of these regions."""
    reads = await asyncio.to_thread(pool.reads, name)
    parts = {rect: frame.recall(name, rect, pixels, reads=reads) for rect in rects}
    if still := sum(1 for each in parts.values() if not each.rects):
        CACHE_HITS.labels(cache="frame").inc(still)
    places = [(rect, part) for rect, each in parts.items() for part in each.rects]
    images = [
        pixels[rect[1] + y : rect[1] + bottom, rect[0] + x : rect[0] + right] for rect, (x, y, right, bottom) in places
    ]
    run = await pool.detect([name], images, budget, crops, reserve_s=reserve_s)
    new: dict[Rect, list[Detections]] = {rect: [] for rect in rects}
    for (rect, _), detections in zip(places, run.detections, strict=False):
        new[rect] += detections
    whole = {rect: each for rect, each in parts.items() if len(new[rect]) == len(each.rects)}
    return _Look({rect: merge(name, each, new[rect]) for rect, each in whole.items()}, run)


def make_snapshot(
    snapshot_id: str, capture: Capture, elements: tuple[Element, ...], skipped: tuple[Skipped, ...], stages: Stages
) -> Snapshot:
    """The answer to a look at a capture."""
    return Snapshot(
        snapshot_id=snapshot_id,
        url=capture.url,
        title=capture.title,
        loader=capture.loader,
        viewport=capture.viewport,
        scroll=capture.scroll,
        elements=elements,
        screenshot=capture.screenshot,
        skipped=skipped,
        timings_ms=stages.timings_ms,
        page_visible=capture.page_visible,
        torn=capture.torn,
        pending=capture.pending,
    )
