"""From a capture on, one straight line: refs, residual, detect, fuse. The same for a live tab and for a kept sample.

Each stage is timed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from perception.budget import Budget
from perception.detectors.pool import CropCache, DetectorPool
from perception.fusion.frames import SeenRegion, crop_region
from perception.fusion.fuse import fuse
from perception.fusion.ink import mark_unseen
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.residual import find_residual, whole_viewport
from perception.refs import RefTable
from perception.render.present import tells_regions
from perception.render.select import in_scope
from perception.types import (
    Capture,
    Element,
    Engine,
    Mode,
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
    fusion: FusionParameters = DEFAULTS


class Stages:
    """Times stages, in milliseconds."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + (time.perf_counter() - start) * 1000


async def interpret(
    capture: Capture,
    refs: RefTable,
    tab_id: str,
    wish: Wish,
    pool: DetectorPool,
    cache: CropCache,
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
    with stages.stage("residual"):
        fused = wish.mode is Mode.FUSED
        capture = replace(capture, elements=mark_unseen(capture))
        regions = find_residual(capture, wish.fusion) if fused else (whole_viewport(capture.viewport),)
    found, missed = await see(capture, regions, wish.detectors, pool, cache, stages, budget, wish.fusion)
    return refs.assign_vision(tab_id, capture, found), capture.skipped + missed


async def parse(screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, budget: Budget) -> Snapshot:
    """Any image → vision elements. Boxes are in units of `screenshot.scale` image pixels."""
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    viewport = Viewport(max(width, 1), max(height, 1), screenshot.scale)
    capture = Capture("", "", "", viewport, Scroll(0, 0, width, height), (), screenshot)
    stages = Stages()
    elements, skipped = await see(capture, (whole_viewport(viewport),), names, pool, CropCache(), stages, budget)
    return make_snapshot("", capture, RefTable().assign_vision("", capture, elements), skipped, stages)


async def see(
    capture: Capture,
    regions: Sequence[Region],
    names: Sequence[str],
    pool: DetectorPool,
    cache: CropCache,
    stages: Stages,
    budget: Budget,
    parameters: FusionParameters = DEFAULTS,
) -> tuple[tuple[Element, ...], tuple[Skipped, ...]]:
    """Runs detectors on regions of the screenshot and fuses what they see with the capture's elements."""
    if not regions or capture.screenshot is None:
        return capture.elements, ()
    crops = [crop_region(capture.screenshot, region) for region in regions]
    run = await pool.detect(names, crops, budget, cache, reserve_s=budget.remaining() * ANSWER_SHARE)
    stages.timings_ms.update(run.timings_ms)
    with stages.stage("fuse"):
        seen = [
            SeenRegion(region, capture.screenshot.scale, detections)
            for region, detections in zip(regions, run.detections, strict=True)
        ]
        return fuse(capture.elements, seen, parameters), run.skipped


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
