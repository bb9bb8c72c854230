"""Vision without a page: any image as a snapshot of vision elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.engine.detect import Detected, detect
from perception.engine.interpret import fuse_detected
from perception.engine.snapshot import make_snapshot
from perception.fusion.parameters import DEFAULTS
from perception.fusion.residual import whole_viewport
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.types import Capture, Screenshot, Scroll, Snapshot, Viewport


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
    stages = Stages()
    regions = (whole_viewport(_viewport(screenshot)),)
    detected = await detect(screenshot, regions, names, pool, CropCache(), FrameCache(), stages, deadline)
    return ParsedImage(detected, fuse_image(screenshot, detected, stages))


def fuse_image(screenshot: Screenshot, detected: Detected, stages: Stages) -> Snapshot:
    """The snapshot of an image in which detectors found this."""
    viewport = _viewport(screenshot)
    capture = Capture("", "", "", viewport, Scroll(0, 0, viewport.width, viewport.height), (), screenshot)
    elements = RefTable().assign_vision("", capture, fuse_detected(capture, detected, DEFAULTS, stages))
    return make_snapshot("", capture, elements, detected.skipped, stages)


def _viewport(screenshot: Screenshot) -> Viewport:
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    return Viewport(max(width, 1), max(height, 1), screenshot.scale)
