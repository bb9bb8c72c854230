"""Regions of a screenshot: converts CSS px of the viewport to image px and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from perception.geometry import Box, Grid
from perception.types import Detections, Pixels, Region, Screenshot


@dataclass(frozen=True, slots=True)
class SeenRegion:
    """Detections in the crop of a region.

    Attributes:
        region: the region, CSS px of the viewport.
        scale: pixels of the crop for each CSS px.
        detections: one value for each detector, in pixels of the crop.
        grids: grids that are drawn in it.
    """

    region: Region
    scale: float
    detections: tuple[Detections, ...]
    grids: tuple[Grid, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedDetection:
    """One detection, placed in the viewport.

    Attributes:
        box: CSS px of the viewport, within the region.
        text: text as read; empty for a box.
        score: 0 to 1.
        region: the region in which it was found.
        label: the detector's class for a box; empty if the detector has no classes.
        detector: name of the detector.
    """

    box: Box
    text: str
    score: float
    region: Region
    label: str = ""
    detector: str = ""


def box_rect(screenshot: Screenshot, box: Box) -> tuple[int, int, int, int]:
    """The pixels of a box in a screenshot of the whole viewport.

    Edges are rounded the same way for every box, so that two boxes that touch share no pixel.

    Returns:
        Left, top, right and bottom in image px, clipped to the screenshot; at least one pixel wide and high.
    """
    height, width = screenshot.pixels.shape[:2]
    scale = screenshot.scale
    left, top = min(_nearest(box.left, scale), width - 1), min(_nearest(box.top, scale), height - 1)
    right, bottom = max(_nearest(box.right, scale), left + 1), max(_nearest(box.bottom, scale), top + 1)
    return left, top, min(right, width), min(bottom, height)


def crop_region(screenshot: Screenshot, region: Region) -> Pixels:
    """Crops a region from a screenshot of the whole viewport.

    Returns:
        (H, W, 3) uint8, a view and not a copy; at least one pixel.
    """
    left, top, right, bottom = box_rect(screenshot, region.box)
    return screenshot.pixels[top:bottom, left:right]


def place_detections(seen: SeenRegion) -> tuple[PlacedDetection, ...]:
    """The detections of a region in CSS px of the viewport, clipped to the region; those outside it are dropped."""
    return tuple(
        PlacedDetection(box, text, float(score), seen.region, label, columns.detector)
        for columns in seen.detections
        for placed, score, text, label in zip(
            place_boxes(columns, seen), columns.score, columns.text, columns.label, strict=True
        )
        if (box := placed.intersect(seen.region.box)) is not None
    )


def place_boxes(found: Detections, seen: SeenRegion) -> list[Box]:
    """The boxes of a region's detections in CSS px of the viewport; they may reach out of the region."""
    region, scale = seen.region.box, seen.scale
    dx, dy = _nearest(region.left, scale) / scale, _nearest(region.top, scale) / scale
    sides = ((float(side) / scale for side in xyxy) for xyxy in found.xyxy)
    return [Box(left, top, max(left, right), max(top, bottom)).shift(dx, dy) for left, top, right, bottom in sides]


def cut_out(pixels: Pixels, sides: Iterable[float]) -> Pixels:
    """The pixels of an image within left, top, right and bottom, image px; without any outside of it."""
    left, top, right, bottom = (max(0, round(side)) for side in sides)
    return pixels[top:bottom, left:right]


def _nearest(side: float, scale: float) -> int:
    return max(0, math.floor(side * scale + 0.5))
