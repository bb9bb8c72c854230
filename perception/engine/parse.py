"""Vision without a page: any image as a snapshot of vision elements."""

from __future__ import annotations

from collections.abc import Sequence

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.engine.detect import detect
from perception.engine.interpret import fuse_detected
from perception.engine.name_icons import name_icons
from perception.engine.snapshot import make_snapshot
from perception.engine.unread import unread_notes
from perception.fusion.parameters import DEFAULTS
from perception.fusion.residual import whole_viewport
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.types import Capture, Screenshot, Scroll, Snapshot, Viewport


async def parse(screenshot: Screenshot, names: Sequence[str], pool: DetectorPool, deadline: Deadline) -> Snapshot:
    """The vision elements of an image.

    Args:
        names: detectors to run.

    Returns:
        A snapshot without an id. Its boxes are in units of `screenshot.scale` image px.
    """
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    viewport = Viewport(max(width, 1), max(height, 1), screenshot.scale)
    capture = Capture("", "", "", viewport, Scroll(0, 0, width, height), (), screenshot)
    stages = Stages()
    regions = (whole_viewport(viewport),)
    detected = await detect(screenshot, regions, names, pool, CropCache(), FrameCache(), stages, deadline)
    fused = fuse_detected(capture, detected, DEFAULTS, stages)
    named = await name_icons(fused, screenshot, names, pool, CropCache(), stages, deadline)
    elements = RefTable().assign_vision("", capture, named.elements)
    skipped = detected.skipped + named.skipped + unread_notes(detected.regions)
    return make_snapshot("", capture, elements, skipped, stages)
