"""Masks boxes in an image by painting over them. Pure: pixels and boxes in, pixels out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from perception.geometry import Box
from perception.types import Pixels

FILL = 128
"""Gray value of masks, in all channels: it stands out on light and on dark pages."""


def mask_boxes(pixels: Pixels, boxes: Sequence[Box], scale: float) -> Pixels:
    """Paints over boxes, rounded outward to whole pixels.

    Args:
        pixels: (H, W, C) uint8; not changed.
        boxes: CSS px from the image's top left corner; clipped to the image.
        scale: image px for each CSS px.

    Returns:
        A copy; the same array if there are no boxes.
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
    """Boxes that contain moving elements at any time between samples.

    Args:
        samples: boxes of the same elements at successive times, before and after the time in question.

    Returns:
        For each element a box around all its samples, grown by its largest step between two samples, since it may have
        changed direction in between. If the number of elements changed, all sampled boxes.
    """
    if len({len(boxes) for boxes in samples}) != 1:
        return [box for boxes in samples for box in boxes]
    return [_box_around(path) for path in zip(*samples, strict=True)]


def _box_around(path: Sequence[Box]) -> Box:
    steps = pairwise(path)
    step = max((max(abs(new.left - old.left), abs(new.top - old.top)) for old, new in steps), default=0.0)
    return Box(
        min(box.left for box in path) - step,
        min(box.top for box in path) - step,
        max(box.right for box in path) + step,
        max(box.bottom for box in path) + step,
    )
