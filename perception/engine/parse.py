"""Vision without a page: any image as a snapshot of vision elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.engine.detect import Detected, detect
from perception.engine.interpret import fuse_detected
from perception.engine.name_icons import name_icons
from perception.engine.snapshot import make_snapshot
from perception.fusion.parameters import DEFAULTS
from perception.fusion.residual import whole_viewport
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.types import Capture, Element, Screenshot, Scroll, Skipped, Snapshot, Viewport


@dataclass(frozen=True, slots=True)
class ParsedImage:
    """What an image shows.

    Attributes:
        detected: what each detector found.
        snapshot: what is made of it; see `parse`.
    """

    detected: Detected
    snapshot: Snapshot


async def parse(screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, deadline: Deadline) -> Snapshot:
    """The vision elements of an image.

    Args:
        names: detectors to run.

    Returns:
        A snapshot without an id. Its boxes are in units of `screenshot.scale` image px.
    """
    return (await parse_in_stages(screenshot, names, pool, deadline)).snapshot


async def parse_in_stages(
    screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, deadline: Deadline
) -> ParsedImage:
    """As `parse`, with what the detectors found."""
    stages, capture = Stages(), _capture(screenshot)
    regions = (whole_viewport(capture.viewport),)
    detected = await detect(screenshot, regions, names, pool, CropCache(), FrameCache(), stages, deadline)
    fused = fuse_detected(capture, detected, DEFAULTS, stages)
    named = await name_icons(fused, screenshot, names, pool, CropCache(), stages, deadline)
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
