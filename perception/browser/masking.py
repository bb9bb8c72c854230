"""Masking: places of a picture that must not be seen are painted over. Pure: pixels and boxes in, pixels out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from perception.geometry import Box
from perception.types import Pixels

FILL = 128
"""Grey of what is painted over, in all channels: it stands out from light and dark pages alike."""


def mask_boxes(pixels: Pixels, boxes: Sequence[Box], scale: float) -> Pixels:
    """The picture with all boxes painted over, outwards to whole pixels.

    Args:
        pixels: (H, W, C) uint8.
        boxes: in CSS px from the picture's corner; what lies outside of it is left out.
        scale: image px for each CSS px.

    Returns:
        A copy; the picture itself when there are no boxes.
    """
    if not boxes:
        return pixels
    masked = pixels.copy()
    for box in boxes:
        left, top = max(0, math.floor(box.left * scale)), max(0, math.floor(box.top * scale))
        right, bottom = max(0, math.ceil(box.right * scale)), max(0, math.ceil(box.bottom * scale))
        masked[top:bottom, left:right, :3] = FILL
    return masked


def cover_moves(before: Sequence[Box], after: Sequence[Box]) -> list[Box]:
    """Boxes that hold what lay in `before`, lies in `after`, and went from one to the other meanwhile."""
    if len(before) != len(after):
        return [*before, *after]
    return [_around(old, new) for old, new in zip(before, after, strict=True)]


def _around(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left), min(one.top, other.top), max(one.right, other.right), max(one.bottom, other.bottom)
    )
