"""One snapshot, one straight line: capture, refs, residual, detect, fuse. Each stage is timed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from perception.browser.session import Tab
from perception.budget import Budget
from perception.detectors.pool import CropCache, DetectorPool
from perception.fusion.frames import SeenRegion, crop_region
from perception.fusion.fuse import fuse
from perception.fusion.residual import find_residual, whole_viewport
from perception.refs import RefTable, count_nth
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
    View,
    Viewport,
)

ANSWER_SHARE = 0.1
"""Part of what is left of the budget that detectors leave for fusing and answering."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller wants to see."""

    mode: Mode = Mode.FUSED
    engine: Engine = Engine.WALKER
    scope: Scope = Scope.VIEWPORT
    view: View = View.FULL
    max_tokens: int = 0
    detectors: tuple[str, ...] = ()
    with_pixels: bool = False


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


async def look(
    tab: Tab, refs: RefTable, wish: Wish, pool: DetectorPool, cache: CropCache, snapshot_id: str, budget: Budget
) -> Snapshot:
    """Looks at a tab. The snapshot's elements are those of the wished scope; the view is left to rendering."""
    stages = Stages()
    with stages.stage("capture"):
        if wish.mode is Mode.VISION:
            capture = await tab.looker.capture_pixels(budget)
        else:
            with_pixels = wish.with_pixels or wish.mode is Mode.FUSED
            capture = await tab.looker.capture(
                engine=wish.engine, scope=wish.scope, with_pixels=with_pixels, budget=budget
            )
    refs.drop_documents(tab.tab_id, tab.link.loaders)
    elements = refs.assign(tab.tab_id, in_scope(count_nth(capture.elements), wish.scope))
    skipped = capture.skipped
    if wish.mode is not Mode.TEXT:
        capture = replace(capture, elements=elements)
        with stages.stage("residual"):
            regions = find_residual(capture) if wish.mode is Mode.FUSED else (whole_viewport(capture.viewport),)
        fused, missed = await see(capture, regions, wish.detectors, pool, cache, stages, budget)
        elements = refs.assign_vision(tab.tab_id, capture, fused)
        skipped += missed
    return _snapshot(snapshot_id, capture, elements, skipped, stages)


async def parse(screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, budget: Budget) -> Snapshot:
    """Any image → vision elements. Boxes are in units of `screenshot.scale` image pixels."""
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    viewport = Viewport(max(width, 1), max(height, 1), screenshot.scale)
    capture = Capture("", "", "", viewport, Scroll(0, 0, width, height), (), screenshot)
    stages = Stages()
    elements, skipped = await see(capture, (whole_viewport(viewport),), names, pool, CropCache(), stages, budget)
    return _snapshot("", capture, RefTable().assign_vision("", capture, elements), skipped, stages)


async def see(
    capture: Capture,
    regions: Sequence[Region],
    names: Sequence[str],
    pool: DetectorPool,
    cache: CropCache,
    stages: Stages,
    budget: Budget,
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
        return fuse(capture.elements, seen), run.skipped


def _snapshot(
    snapshot_id: str, capture: Capture, elements: tuple[Element, ...], skipped: tuple[Skipped, ...], stages: Stages
) -> Snapshot:
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
    )
