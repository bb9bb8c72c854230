"""Masking: places of a picture that must not be seen are painted over. Pure: pixels and boxes in, pixels out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

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


def cover_moves(samples: Sequence[Sequence[Box]]) -> list[Box]:
    """Boxes that hold what moved all the way.

    Args:
        samples: the same things at successive moments, the first and last of them around the moment in question.

    Returns:
        For each thing a box around where it was seen, and as far beyond as it went from one moment to the next: it may
        have turned round in between. Where things came or went meanwhile, all that was seen.
    """
    if len({len(boxes) for boxes in samples}) != 1:
        return [box for boxes in samples for box in boxes]
    return [_around(way) for way in zip(*samples, strict=True)]


def _around(way: Sequence[Box]) -> Box:
    steps = pairwise(way)
    step = max((max(abs(new.left - old.left), abs(new.top - old.top)) for old, new in steps), default=0.0)
    return Box(
        min(box.left for box in way) - step,
        min(box.top for box in way) - step,
        max(box.right for box in way) + step,
        max(box.bottom for box in way) + step,
    )
