"""Vision without a page: any image as a snapshot of vision elements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.engine.detect import Detected, detect
from perception.engine.detect_context import DetectContext
from perception.engine.interpret import fuse_detected
from perception.engine.name_icons import name_icons
from perception.engine.snapshot import make_snapshot
from perception.fusion.grids import with_places_at
from perception.fusion.parameters import DEFAULTS
from perception.fusion.residual import whole_viewport
from perception.geometry import Box, Point
from perception.imaging.guessed_scale import guess_scale
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.snapshot import Snapshot
from perception.types import Capture, Element, Pixels, Screenshot, Scroll, Skipped, Viewport, replace_fields


@dataclass(frozen=True, slots=True)
class ParsedImage:
    """What an image shows.

    Attributes:
        detected: what each detector found.
        snapshot: what is made of it; see `parse`.
    """

    detected: Detected
    snapshot: Snapshot


async def parse(pixels: Pixels, scale: float, names: Sequence[str], pool: DetectorPool, deadline: Deadline) -> Snapshot:
    """The vision elements of an image.

    Args:
        scale: image px for each unit of the returned boxes. If it is 0, boxes are in image px, and the image px for
            each CSS px, which detectors and thresholds of sizes need, are guessed.
        names: detectors to run.

    Returns:
        A snapshot without an id.
    """
    guessed = scale or await asyncio.to_thread(guess_scale, pixels)
    parsed = await parse_in_stages(Screenshot(pixels, guessed), names, pool, deadline)
    return parsed.snapshot if scale else in_image_px(parsed.snapshot, guessed)


def in_image_px(snapshot: Snapshot, scale: float) -> Snapshot:
    """A snapshot of an image with its boxes in image px.

    Args:
        snapshot: with boxes in units of `scale` image px.
    """
    if scale == 1:
        return snapshot
    width, height = (round(side * scale) for side in (snapshot.viewport.width, snapshot.viewport.height))
    return replace(
        snapshot,
        elements=tuple(_enlarged(each, scale) for each in snapshot.elements),
        viewport=Viewport(width, height, 1.0),
        scroll=Scroll(0, 0, width, height),
        screenshot=snapshot.screenshot and Screenshot(snapshot.screenshot.pixels, 1.0),
    )


def _enlarged(element: Element, scale: float) -> Element:
    told = with_places_at(element, scale) if element.role == "grid" else element
    box, point = element.box, element.click_point
    sides = (side * scale for side in (box.left, box.top, box.right, box.bottom))
    return replace_fields(
        told, box=Box(*sides), click_point=Point(point.x * scale, point.y * scale) if point is not None else None
    )


async def parse_in_stages(
    screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, deadline: Deadline
) -> ParsedImage:
    """As `parse`, with what the detectors found."""
    stages, capture = Stages(), _capture(screenshot)
    regions = (whole_viewport(capture.viewport),)
    context = DetectContext(names, pool, CropCache(), FrameCache(), stages, deadline)
    detected = await detect(context, screenshot, regions)
    fused = fuse_detected(capture, detected, DEFAULTS, stages)
    named = await name_icons(context, fused, screenshot)
    return ParsedImage(detected, _snapshot(capture, named.elements, detected.skipped + named.skipped, stages))


def fuse_image(screenshot: Screenshot, detected: Detected, stages: Stages) -> Snapshot:
    """The snapshot of an image in which detectors found this; icons are not named."""
    capture = _capture(screenshot)
    return _snapshot(capture, fuse_detected(capture, detected, DEFAULTS, stages), detected.skipped, stages)


def _capture(screenshot: Screenshot) -> Capture:
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    viewport = Viewport(max(width, 1), max(height, 1), screenshot.scale)
    return Capture("", "", "", viewport, Scroll(0, 0, width, height), (), screenshot)


def _snapshot(
    capture: Capture, elements: tuple[Element, ...], skipped: tuple[Skipped, ...], stages: Stages
) -> Snapshot:
    return make_snapshot("", capture, RefTable().assign_vision("", capture, elements), skipped, stages)
