"""Detectors on one frame: which parts of it they have to see again, what they found, and what others read there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from perception.detectors.frame_cache import merge
from perception.detectors.pool import DetectionRun
from perception.detectors.text_lines import Rect
from perception.engine.detect_context import DetectContext
from perception.engine.line_reading import read_unread_lines
from perception.engine.unread import unread_notes
from perception.engine.unread_lines import PageWords
from perception.fusion.regions import SeenRegion, box_rect
from perception.imaging.shrink import shrink_all
from perception.instrumentation.metrics import CACHE_HITS
from perception.instrumentation.stages import traced
from perception.types import DOUBTFUL, UNREAD, Detections, Element, Pixels, Region, Screenshot, Skipped

ANSWER_SHARE = 0.1
"""Part of the remaining time that detectors leave for fusing and answering."""


@dataclass(frozen=True, slots=True)
class Detected:
    """What all detectors found in one frame.

    Attributes:
        regions: what was found, by region of the frame.
        skipped: detectors that failed or were late, with the reason, and lines that were not read.
    """

    regions: tuple[SeenRegion, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class DetectorRun:
    """What one detector found in a frame.

    Attributes:
        found: detections by their region's position in the frame, image px; regions it did not get to are absent.
        run: timings, and why regions were skipped.
    """

    found: Mapping[Rect, Detections]
    run: DetectionRun


async def detect(
    context: DetectContext,
    screenshot: Screenshot,
    regions: Sequence[Region],
    elements: Sequence[Element] = (),
    language: str = "",
) -> Detected:
    """Runs detectors side by side on regions of a screenshot. Those that name icons do not run here: see `name_icons`.

    Args:
        context: with the detectors.
        screenshot: as detectors are to see it.
        elements: of the page, whose words tell its script; () if there are only pixels.
        language: of the page as it says itself; empty if it says nothing.
    """
    if not regions:
        context.frame.keep(screenshot.pixels, {})
        return Detected((), ())
    rects = [box_rect(screenshot, region.box) for region in regions]
    reserve_s = context.deadline.remaining() * ANSWER_SHARE
    names = await asyncio.to_thread(_without_namers, context)
    calls = [_run(name, context, screenshot, rects, reserve_s) for name in names]
    with traced("detect") as span:
        span.set_attribute("perception.regions", len(rects))
        runs = await asyncio.gather(*calls)  # in other processes
        span.set_attribute("perception.skipped", sum(len(each.run.skipped) for each in runs))
    for each in runs:
        for stage, spent_ms in each.run.timings_ms.items():
            context.stages.add_slowest(stage, spent_ms)
    context.frame.keep(
        screenshot.pixels,
        {
            (name, rect): found
            for name, each in zip(names, runs, strict=True)
            for rect, found in each.found.items()
            if not found.missing
        },
    )
    placed = tuple(
        SeenRegion(region, screenshot.scale, tuple(each.found[rect] for each in runs if rect in each.found))
        for region, rect in zip(regions, rects, strict=True)
    )
    skipped = tuple(skipped for each in runs for skipped in each.run.skipped)
    if not any(UNREAD in found.label or DOUBTFUL in found.kind for seen in placed for found in seen.detections):
        return Detected(placed, skipped)
    with context.stages.stage("read_lines"):
        pool, crops, deadline = context.pool, context.crops, context.deadline
        reserve_s = deadline.remaining() * ANSWER_SHARE
        page = PageWords.of(elements, language)
        read = await read_unread_lines(screenshot, placed, page, pool, crops, deadline, reserve_s=reserve_s)
    return Detected(read.regions, skipped + read.skipped + unread_notes(read.regions, read.unreadable))


def _without_namers(context: DetectContext) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(context.names) if not context.pool.names_icons(name))


async def _run(
    name: str, context: DetectContext, screenshot: Screenshot, rects: Sequence[Rect], reserve_s: float
) -> DetectorRun:
    """Runs one detector on what has changed in these regions since the last frame."""
    pixels, pool = screenshot.pixels, context.pool
    reads, at_css_scale = await asyncio.to_thread(lambda: (pool.reads(name), pool.at_css_scale(name)))
    parts = {rect: context.frame.recall(name, rect, pixels, reads=reads) for rect in rects}
    if still := sum(1 for each in parts.values() if not each.rects):
        CACHE_HITS.labels(cache="frame").inc(still)
    places = [(rect, part) for rect, each in parts.items() for part in each.rects]
    images = [
        pixels[rect[1] + y : rect[1] + bottom, rect[0] + x : rect[0] + right] for rect, (x, y, right, bottom) in places
    ]
    shown = await asyncio.to_thread(shrink_all, images, screenshot.scale) if at_css_scale else images
    run = await pool.detect([name], shown, context.deadline, context.crops, reserve_s=reserve_s)
    new: dict[Rect, list[Detections]] = {rect: [] for rect in rects}
    for (rect, _), image, seen, detections in zip(places, images, shown, run.detections, strict=False):
        new[rect] += [_on_image(each, image, seen) for each in detections]
    whole = {rect: each for rect, each in parts.items() if len(new[rect]) == len(each.rects)}
    return DetectorRun({rect: merge(name, each, new[rect]) for rect, each in whole.items()}, run)


def _on_image(found: Detections, image: Pixels, seen: Pixels) -> Detections:
    """What was found in a smaller picture of an image, in pixels of the image."""
    if seen.shape == image.shape:
        return found
    down, across = (mine / theirs for mine, theirs in zip(image.shape[:2], seen.shape[:2], strict=True))
    return replace(found, xyxy=found.xyxy * np.asarray([across, down, across, down], np.float32))
