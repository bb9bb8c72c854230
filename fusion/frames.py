"""From CSS pixels to the pixels of a picture and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box
from perception.types import Detections, Pixels, Region, Screenshot


@dataclass(frozen=True, slots=True)
class SeenRegion:
    """What detectors saw in the crop of a region, in pixels of that crop. `scale` is its px for each CSS px."""

    region: Region
    scale: float
    detections: tuple[Detections, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """One thing seen, in CSS px of the viewport, within its region. Without `text` it is a box, of the class `label` if
    its detector tells classes."""

    box: Box
    text: str
    score: float
    region: Region
    label: str = ""


def box_rect(screenshot: Screenshot, box: Box) -> tuple[int, int, int, int]:
    """Where a box lies in a picture of the whole viewport, image px: left, top, right, bottom; cut to the picture.

    Edges are rounded alike for every box, so that two that touch share no pixel; at least one pixel.
    """
    height, width = screenshot.pixels.shape[:2]
    scale = screenshot.scale
    left, top = min(_nearest(box.left, scale), width - 1), min(_nearest(box.top, scale), height - 1)
    right, bottom = max(_nearest(box.right, scale), left + 1), max(_nearest(box.bottom, scale), top + 1)
    return left, top, min(right, width), min(bottom, height)


def crop_region(screenshot: Screenshot, region: Region) -> Pixels:
    """Cuts a region out of a picture of the whole viewport: a view, not a copy; at least one pixel."""
    left, top, right, bottom = box_rect(screenshot, region.box)
    return screenshot.pixels[top:bottom, left:right]


def place_detections(seen: SeenRegion) -> tuple[Sight, ...]:
    """All that was seen in a region, cut at its edges; empty for nothing seen, or nothing within."""
    return tuple(
        Sight(box, text, float(score), seen.region, label)
        for columns in seen.detections
        for xyxy, score, text, label in zip(columns.xyxy, columns.score, columns.text, columns.label, strict=True)
        if (box := _place(xyxy, seen)) is not None
    )


def _place(xyxy: NDArray[np.float32], seen: SeenRegion) -> Box | None:
    region, scale = seen.region.box, seen.scale
    left, top, right, bottom = (float(side) / scale for side in xyxy)
    dx, dy = _nearest(region.left, scale) / scale, _nearest(region.top, scale) / scale
    return Box(left, top, max(left, right), max(top, bottom)).shift(dx, dy).intersect(region)


def _nearest(side: float, scale: float) -> int:
    return max(0, math.floor(side * scale + 0.5))
