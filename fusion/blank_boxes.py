"""Large boxes in which nothing is painted: the bar of a chart, an empty card, a field of a map. A button, a link or a
tab of that size says in words or with an icon what it does.

Rule 1: text fields, sliders and the like may be empty, and stay. So do small boxes: colors of a palette.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perception.fusion.detector_classes import role_of
from perception.fusion.regions import SeenRegion, crop_region
from perception.types import Detections, Pixels, Screenshot

SPEAKING = frozenset({"button", "link", "tab", "menuitem"})
"""Roles of controls that have words or an icon."""
LEAST_SIDE = 40.0
"""CSS px: the longer side of a large box. On `packages#dev` 121 of 143 such blank boxes are not controls."""
MARGIN = 0.15
"""Share of a box's sides that may be its frame."""
MAX_STEP = 12
"""Largest difference of brightness, of 255, within what is one color, in each channel."""


def drop_blank_boxes(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions without large blank boxes.

    Args:
        seen: detections by region.
        screenshot: the pixels that were looked at.
    """
    return tuple(
        replace(each, detections=tuple(_painted(found, each, screenshot) for found in each.detections)) for each in seen
    )


def _painted(found: Detections, seen: SeenRegion, screenshot: Screenshot) -> Detections:
    asked = [
        row
        for row, label in enumerate(found.label)
        if role_of(label) in SPEAKING and _longer_side(found, row) >= LEAST_SIDE * seen.scale
    ]
    if not asked:
        return found
    pixels, zoom = crop_region(screenshot, seen.region), screenshot.scale / seen.scale
    blank = {row for row in asked if _is_blank(pixels, (found.xyxy[row] * zoom).tolist())}
    return found.take([row for row in range(len(found)) if row not in blank])


def _longer_side(found: Detections, row: int) -> float:
    left, top, right, bottom = found.xyxy[row].tolist()
    return float(max(right - left, bottom - top))


def _is_blank(pixels: Pixels, box: Sequence[float]) -> bool:
    left, top, right, bottom = box
    width, height = MARGIN * (right - left), MARGIN * (bottom - top)
    inner = pixels[int(top + height) : int(bottom - height), int(left + width) : int(right - width)]
    return inner.size > 0 and int(np.ptp(inner, axis=(0, 1)).max()) <= MAX_STEP
