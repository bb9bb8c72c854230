"""Names controls by their icons: the detectors of kind `icon` see the pixels of single controls, after fusion.

A control whose pixels are as before is answered from the cache of crops.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from perception.detectors.protocol import ICON_MARGIN
from perception.engine.detect import ANSWER_SHARE
from perception.engine.detect_context import DetectContext
from perception.fusion.icon_names import IconReading, add_icon_names, find_icons
from perception.fusion.regions import box_rect
from perception.geometry import Box
from perception.instrumentation.stages import traced
from perception.types import Element, Pixels, Screenshot, Skipped


@dataclass(frozen=True, slots=True)
class NamedIcons:
    """Elements, some of them named by their icons; `skipped` says which detector failed or was late."""

    elements: tuple[Element, ...]
    skipped: tuple[Skipped, ...] = ()


async def name_icons(context: DetectContext, elements: tuple[Element, ...], screenshot: Screenshot) -> NamedIcons:
    """Names the elements that have no words but an icon.

    Args:
        context: with the detectors; those of kind `icon` are run.
        elements: of a fused list.
        screenshot: of the viewport.
    """
    places, pool, deadline = find_icons(elements), context.pool, context.deadline
    if not places:
        return NamedIcons(elements)
    namers = [name for name in dict.fromkeys(context.names) if await asyncio.to_thread(pool.names_icons, name)]
    if not namers:
        return NamedIcons(elements)
    images = [_crop(screenshot, elements[index].box) for index in places]
    with traced("icons") as span:
        span.set_attribute("perception.icons", len(images))
        run = await pool.detect(namers, images, deadline, context.crops, reserve_s=deadline.remaining() * ANSWER_SHARE)
    for stage, spent_ms in run.timings_ms.items():
        context.stages.add_slowest(stage, spent_ms)
    readings = {
        index: max(found, key=lambda each: each.confidence)
        for index, each in zip(places, run.detections, strict=False)
        if (
            found := [
                IconReading(*pair) for some in each for pair in zip(some.label, map(float, some.score), strict=True)
            ]
        )
    }
    return NamedIcons(add_icon_names(elements, readings), run.skipped)


def _crop(screenshot: Screenshot, box: Box) -> Pixels:
    """A control with `ICON_MARGIN` px around it; what is outside of the screenshot has the color of its edge."""
    left, top, right, bottom = box_rect(screenshot, box)
    height, width = screenshot.pixels.shape[:2]
    rows = np.arange(top - ICON_MARGIN, bottom + ICON_MARGIN).clip(0, height - 1)
    columns = np.arange(left - ICON_MARGIN, right + ICON_MARGIN).clip(0, width - 1)
    return np.asarray(screenshot.pixels[rows[:, None], columns])
