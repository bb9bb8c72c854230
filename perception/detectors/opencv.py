"""User-interface boxes by plain image processing: framed or filled rectangles, and icon-sized marks. No model.

What is told apart is drawn structure, not meaning: buttons, inputs, cards, table cells, chart bars and icons all
come back as `box`. Which of them matter is decided where the page's own facts and the text are known.

Rule 1: sizes are in pixels of the image, tuned for pages at 1 or 2 device pixels for each CSS pixel.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.budget import Budget
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.geometry import Boxes, areas, coverage, intersections
from perception.types import Detections, Pixels

NAME = "opencv"

EDGE = 14
"""A step between neighbours, in any channel of 255, above which something is drawn: `#f0f0f0` beside white is 15.
Of 727 boxes that 12 gives on seven lossless screenshots, 14 gives 722 and 16 gives 698; from the same pages as JPEG
of quality 80, whose ringing draws lines of its own, 409, 429 and 460 of them."""
MIN_SIDE = 10
"""Smaller marks are bullets and ticks; the smallest checkbox of common style sheets is 12 px."""
MAX_ICON = 72
"""A 36 px icon button at two device pixels for each CSS pixel."""
MAX_SHARE = 0.9
"""A box larger than this share of the image is the image."""
MIN_FILL = 0.86
"""Share of its bounding box that a rectangle's outline encloses: a square with corners rounded by half a side
(a circle) has 0.79, rounded by a third 0.9."""
ICON_FILL = 0.08
"""Share of an icon's bounding box that is edge: a lone thin line is less."""
MAX_ICON_ASPECT = 2.2
"""Longer marks are words or rules."""
GLYPH_GAP = 7
"""Marks closer than this side by side belong together: letters of a word, strokes of an icon."""
SAME = 0.7
"""Intersection over union from which two boxes are one seen twice (the outside and the inside of its frame)."""
MAX_BOXES = 2000
"""Of one image, the largest first: photographs and noise would give tens of thousands."""

_ICON_SCORE = 0.4
"""Below every rectangle's: of 392 true elements on 10 pages, a plain contour was an element one time in four."""


class OpenCvBoxes:
    """Finds boxes. Keeps nothing between calls."""

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`."""
        budget.check("detect")
        edges = find_edges(pixels)
        rectangles, scores = find_rectangles(edges)
        budget.check("detect")
        icons = find_icons(edges)
        boxes = np.concatenate([rectangles, icons])
        scores = np.concatenate([scores, np.full(len(icons), _ICON_SCORE, np.float32)])
        kept = keep_outermost(boxes)
        return Detections(
            detector=NAME,
            xyxy=boxes[kept],
            score=scores[kept],
            kind=("box",) * len(kept),
            text=("",) * len(kept),
        )


def find_edges(pixels: Pixels) -> NDArray[np.uint8]:
    """(H, W) 0 or 1: where a pixel differs from a neighbour. A border of one pixel becomes three wide."""
    gradient = cv2.morphologyEx(pixels, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return np.asarray(gradient.max(axis=2) > EDGE, np.uint8)


def find_rectangles(edges: NDArray[np.uint8]) -> tuple[Boxes, NDArray[np.float32]]:
    """Outlines that enclose most of their bounding box.

    Returns:
        (N, 4) xyxy, the larger first, and (N,) the enclosed share; empty for none.
    """
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    rows, fills = [], []
    for contour in contours:
        left, top, width, height = cv2.boundingRect(contour)
        if min(width, height) < MIN_SIDE or width * height > MAX_SHARE * edges.size:
            continue
        # The outline runs through the middle of the outermost pixels, so it encloses one pixel less each way.
        fill = cv2.contourArea(contour) / ((width - 1) * (height - 1))
        if fill >= MIN_FILL:
            rows.append((left + 1, top + 1, left + width - 1, top + height - 1))
            fills.append(min(fill, 1.0))
    boxes = np.asarray(rows, np.float32).reshape(-1, 4)
    order = np.argsort(-areas(boxes), kind="stable")[:MAX_BOXES]
    return boxes[order], np.asarray(fills, np.float32)[order]


def find_icons(edges: NDArray[np.uint8]) -> Boxes:
    """Marks about as wide as high, not part of a longer line: (N, 4) xyxy; empty for none."""
    joined = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((3, GLYPH_GAP), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    left, top, width, height, ink = np.asarray(stats, np.int64)[1:count].T
    long, short = np.maximum(width, height), np.minimum(width, height)
    sized = (short >= MIN_SIDE) & (long <= MAX_ICON) & (long <= MAX_ICON_ASPECT * short)
    icons = np.flatnonzero(sized & (ink >= ICON_FILL * width * height))
    boxes = np.stack([left + 1, top + 1, left + width - 1, top + height - 1], axis=1)[icons].astype(np.float32)
    return boxes[np.argsort(-areas(boxes), kind="stable")[:MAX_BOXES]]


def keep_outermost(boxes: Boxes) -> NDArray[np.intp]:
    """Drops what is the same box again, and what lies in an icon-sized box (an icon in its button).

    Args:
        boxes: (N, 4) xyxy.

    Returns:
        (K,) indices of those kept, rising.
    """
    size = areas(boxes)
    shared = intersections(boxes, boxes)
    same = shared > SAME * (size[:, None] + size[None, :] - shared)
    sides = boxes[:, 2:] - boxes[:, :2]
    small = sides.max(axis=1, initial=0) <= MAX_ICON
    inside = (coverage(boxes, boxes) > 0.9) & small[None, :]
    # Of two alike the larger stays, of two of one size the first.
    rank = np.lexsort((np.arange(len(boxes)), -size)).argsort()
    larger = rank[None, :] < rank[:, None]
    return np.flatnonzero(~((same | inside) & larger).any(axis=1))


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Rectangles and icon-sized marks, by OpenCV's contours. No model.",
        licence="Apache-2.0",
        kinds=("box",),
        version=cv2.__version__,
        limits=(
            "does not tell a button from a card or a table cell",
            "borderless controls are found by icon only",
            "misses about 40 % in JPEGs of quality 80",
        ),
        default_enabled=True,
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: "", make=OpenCvBoxes)
