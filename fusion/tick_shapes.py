"""What a detector takes for a checkbox or a radio button, and is drawn as neither: a logo, a glyph, a wide button. A
tick would take the words beside it as its name.

A checkbox is a square: its ink fills all four sides. A radio button is a circle: its ink fills as much of each side as
of the others. The sides of icons differ. What is too pale or too small to tell keeps its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from perception.fusion.detector_classes import role_of
from perception.fusion.drawing import differs_from, most_frequent_color, side_pixels
from perception.fusion.regions import SeenRegion, crop_region, cut_out
from perception.types import Detections, Pixels, Screenshot

ICON, BUTTON = "icon button", "button"
WIDEST = 2.0
"""Times its other side that a tick's longer side may be: boxes around one are off by some px."""
AROUND = 2.0
"""CSS px around a box that are looked at."""
INK_STEP = 24
"""Least difference from the color around it, of 255 in any channel, of what is drawn."""
PLAIN = 0.3
"""Least share of the pixels at the sides of the crop that have one color: over a photograph no shape is certain."""
LEAST_INK = 6
"""Image px: least side of a drawing whose shape can be recognized."""
STRAIGHT = 0.7
"""Least share of each side that a square fills; its corners may be round. With this and the next, 72 of 86 checkboxes
and radio buttons that are drawn as such stay on pages of 27 packages, and 362 of 707 icons of their size are found."""
LEAST_ROUND, MOST_UNEVEN = 0.12, 0.2
"""Least share of each side that a circle fills, and how much its sides may differ."""
EDGE = 2
"""Rows of pixels that are a side."""


def without_false_ticks(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions; what is not drawn as a tick is a button there, without states.

    Args:
        seen: detections by region.
        screenshot: the pixels that were looked at.
    """
    return tuple(
        replace(each, detections=tuple(_told(found, each, screenshot) for found in each.detections)) for each in seen
    )


def _told(found: Detections, seen: SeenRegion, screenshot: Screenshot) -> Detections:
    asked = [row for row, label in enumerate(found.label) if role_of(label) in ("checkbox", "radio")]
    if not asked:
        return found
    pixels, zoom = crop_region(screenshot, seen.region), screenshot.scale / seen.scale
    labels = list(found.label)
    for row in asked:
        labels[row] = _label(labels[row], found.xyxy[row] * zoom, pixels, AROUND * screenshot.scale)
    return replace(found, label=tuple(labels))


def _label(label: str, box: NDArray[np.float32], pixels: Pixels, around: float) -> str:
    left, top, right, bottom = box.tolist()
    if max(right - left, bottom - top) > WIDEST * min(right - left, bottom - top):
        return BUTTON
    crop = cut_out(pixels, (left - around, top - around, right + around, bottom + around))
    return label if is_tick(crop) else ICON


def is_tick(pixels: Pixels) -> bool:
    """Whether an image (H, W, 3) shows a square or a circle; True where that is uncertain."""
    ink = _drawing(pixels)
    if min(ink.shape) < LEAST_INK:
        return True
    sides = (ink[:EDGE].any(axis=0), ink[-EDGE:].any(axis=0), ink[:, :EDGE].any(axis=1), ink[:, -EDGE:].any(axis=1))
    filled = [float(side.mean()) for side in sides]
    return min(filled) >= STRAIGHT or (min(filled) >= LEAST_ROUND and max(filled) - min(filled) <= MOST_UNEVEN)


def _drawing(pixels: Pixels) -> NDArray[np.bool_]:
    """(H, W): what differs from the color around it, cut to its extent; without pixels if nothing does,
    or if what is around it has no one color."""
    if not pixels.size:
        return np.zeros((0, 0), np.bool_)
    paper, share = most_frequent_color(side_pixels(pixels))
    if share < PLAIN:
        return np.zeros((0, 0), np.bool_)
    ink = differs_from(paper, pixels, INK_STEP)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return np.zeros((0, 0), np.bool_)
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
