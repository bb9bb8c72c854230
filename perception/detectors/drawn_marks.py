"""Finds drawn shapes in an image by plain image processing: rectangles, and runs of ink with their colors.

A run is a word, a row of words, an icon or a small picture: ink of one color on one background without a wide gap. A
row of text is split where its color changes, so that a link within a sentence is a run of its own.

Rule 1: sizes are in pixels of the image, tuned for pages at 1 or 2 device pixels for each CSS pixel.
Rule 2: this module does not decide what a shape is for.

Thresholds without a figure were chosen by hand before the forest was trained on their result; guarded by
`tests/detectors/test_opencv.py`. After a change, train again with `perception bench run train_boxes`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from perception.detectors.edges import find_steps
from perception.geometry import Boxes, areas, coverage, iou
from perception.types import Pixels

Floats = NDArray[np.float32]

MARK_EDGE = 14
"""Least difference of adjacent pixels, of 255 in any channel, that is an edge: `#f0f0f0` next to white is 15. Of
the 727 boxes that 12 finds on seven lossless screenshots, 14 finds 722 and 16 finds 698; on the same pages as JPEG of
quality 80, whose ringing looks like lines, they find 409, 429 and 460."""
MIN_MARK_SIDE = 10
"""Smaller rectangles are bullets and check marks; the smallest checkbox of common style sheets is 12 px."""
MAX_SHARE = 0.9
"""A box larger than this share of the image is the image."""
MIN_FILL = 0.86
"""Least share of its bounding box that a rectangle's outline encloses: a square with corners rounded by half a side (a
circle) has 0.79, rounded by a third 0.9."""
CIRCLE_FILL, MAX_CIRCLE = 0.72, 80
"""The same for outlines that are about square and at most MAX_CIRCLE px: sliders' handles, radio buttons, avatars."""
MAX_RECTANGLES, MAX_MARKS = 600, 1500
"""Maximum number in one image, largest first: photographs and noise would have tens of thousands."""
MAX_MARK_SHARE = 0.2
"""A larger mark is a picture or the page's own lines."""

RUN_GAP = 0.6
"""Largest gap between marks of one row of words, in heights of a row of text or of the higher mark if that is larger. A
space is a quarter of an em."""
SAME_INK, SAME_GROUND = 70, 24
"""Largest difference of ink and background colors in one run, of 255 in any channel; the ink of thin letters is mixed
with their background."""
LEAST_SIDE = 5
"""Smaller runs are dots and rules."""
ICON_SIDE, ICON_ASPECT, LARGEST_ICON = 0.9, 2.2, 6.0
"""Least side of an icon in rows of text, its largest aspect ratio, and its largest side in rows of text. Such a mark is
also reported by itself if it was joined to its label."""
WORD_PARTS, HIGHEST_LETTER = 4, 1.3
"""Least parts of a run that is words, and largest height of a letter in rows of text."""
MARK_SAME = 0.7
"""Intersection over union from which two boxes are duplicates (the outside and the inside of one frame)."""
BORDER = 4
"""Widest border, px: two pixels of line at two device pixels for each CSS pixel."""
LETTERS = 0.6
"""Least share of edge pixels in a box of touching letters; a frame has fewer."""
TEXT_HEIGHT = 12.0
"""Height of a row of text, px, in an image without runs of a letter's size: 14 px text with its edges."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Runs of ink, as columns.

    Attributes:
        boxes: (N, 4) xyxy, px of the image.
        ink: (N, 3) BGR color of the ink.
        ground: (N, 3) BGR color of the background.
        parts: (N,) number of separate marks in the run; touching letters are one mark.
        density: (N,) share of edge pixels in the box.
        low: (N,) share of these edge pixels in the lowest fifth of the box: an underline makes it large.
    """

    boxes: Boxes
    ink: Floats
    ground: Floats
    parts: Floats
    density: Floats
    low: Floats


@dataclass(frozen=True, slots=True)
class Drawn:
    """Shapes that may be controls: rectangles first, then runs and icons.

    Attributes:
        boxes: (N, 4) xyxy, px of the image.
        fill: (N,) enclosed share of a rectangle; 0 for a run or an icon.
        marks: measurements of the runs and icons, in their order.
        unit: height of a row of text, px.
    """

    boxes: Boxes
    fill: Floats
    marks: Marks
    unit: float


def find_drawn(pixels: Pixels) -> Drawn:
    """Finds all rectangles, runs of ink and icons of an image, (H, W, 3), without duplicates."""
    edges = find_edges(pixels)
    marks = find_marks(pixels, edges)
    unit = text_height(marks.boxes)
    runs = join_marks(marks)
    runs = pick(runs, _sides(runs.boxes).min(axis=0, initial=np.inf) >= LEAST_SIDE)
    rectangles, fill = find_rectangles(edges)
    frames = ~(_is_again(rectangles) | _is_letters(rectangles, runs.boxes, edges, unit))
    rectangles, fill = rectangles[frames], fill[frames]
    icons = _pick_icons(marks, unit)
    icons = pick(icons, ~_is_part_of_words(icons.boxes, runs, unit))
    both = concatenate(runs, icons)
    both = pick(both, iou(both.boxes, rectangles).max(axis=1, initial=0) < MARK_SAME)
    fill = np.concatenate([fill, np.zeros(len(both.boxes), np.float32)])
    return Drawn(np.concatenate([rectangles, both.boxes]), fill, both, unit)


def _sides(boxes: Boxes) -> Floats:
    """(2, N) widths and heights."""
    return np.asarray((boxes[:, 2:] - boxes[:, :2]).T, np.float32)


def _is_again(boxes: Boxes) -> NDArray[np.bool_]:
    """(N,) whether a box, of boxes sorted largest first, equals an earlier one or is the inside of its border."""
    apart = np.abs(boxes[:, None] - boxes[None]).max(axis=2, initial=0)
    return np.asarray(np.tril((iou(boxes, boxes) > MARK_SAME) | (apart <= BORDER), k=-1).any(axis=1))


def _is_letters(boxes: Boxes, runs: Boxes, edges: NDArray[np.uint8], unit: float) -> NDArray[np.bool_]:
    """(N,) whether boxes are touching letters, which have an outline like a rectangle: they are in a longer run and
    are full of edges."""
    (wide, high), (run_wide, run_high) = _sides(boxes), _sides(runs)
    inside = (coverage(boxes, runs) > 0.85) & (run_wide[None, :] > 1.4 * wide[:, None])
    inside &= (high[:, None] <= run_high[None, :] + 3) & (run_high[None, :] <= 2.5 * unit)
    return np.asarray(inside.any(axis=1) & (_edge_share(edges, boxes) > LETTERS))


def _edge_share(edges: NDArray[np.uint8], boxes: Boxes) -> Floats:
    sums = cv2.integral(edges)
    left, top, right, bottom = boxes.astype(np.int64).T
    total = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    return np.asarray(total / np.maximum((right - left) * (bottom - top), 1), np.float32)


def _is_part_of_words(icons: Boxes, runs: Marks, unit: float) -> NDArray[np.bool_]:
    """(N,) whether an icon is a whole run, or a letter: low, in a run of many parts."""
    again = iou(icons, runs.boxes) >= MARK_SAME
    letters = (coverage(icons, runs.boxes) > 0.9) & (runs.parts >= WORD_PARTS)[None, :]
    letters &= (icons[:, 3] - icons[:, 1] <= HIGHEST_LETTER * unit)[:, None]
    return np.asarray((again | letters).any(axis=1))


def _pick_icons(marks: Marks, unit: float) -> Marks:
    long, short = _sides(marks.boxes).max(axis=0), _sides(marks.boxes).min(axis=0)
    large_enough = short >= max(8, ICON_SIDE * unit)
    return pick(marks, large_enough & (long <= ICON_ASPECT * short) & (long <= LARGEST_ICON * unit))


def concatenate(first: Marks, second: Marks) -> Marks:
    """The marks of both, `first` first."""
    names = [each.name for each in fields(Marks)]
    return Marks(*(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names))


def find_edges(pixels: Pixels) -> NDArray[np.uint8]:
    """(H, W) uint8, 1 where a pixel differs from a neighbor. A border of one pixel becomes three pixels wide."""
    return find_steps(pixels, 3, MARK_EDGE)


def find_rectangles(edges: NDArray[np.uint8]) -> tuple[Boxes, Floats]:
    """Finds outlines that enclose most of their bounding box.

    Returns:
        (N, 4) xyxy, largest first, and (N,) the enclosed share.
    """
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    rows, fills = [], []
    for contour in contours:
        left, top, width, height = cv2.boundingRect(contour)
        if min(width, height) < MIN_MARK_SIDE or width * height > MAX_SHARE * edges.size:
            continue
        # The outline runs through the centers of the outermost pixels, so it is one pixel narrower and lower.
        fill = cv2.contourArea(contour) / ((width - 1) * (height - 1))
        round_one = max(width, height) <= min(MAX_CIRCLE, 1.25 * min(width, height))
        if fill >= (CIRCLE_FILL if round_one else MIN_FILL):
            rows.append((left + 1, top + 1, left + width - 1, top + height - 1))
            fills.append(min(fill, 1.0))
    boxes = np.asarray(rows, np.float32).reshape(-1, 4)
    order = np.argsort(-areas(boxes), kind="stable")[:MAX_RECTANGLES]
    return boxes[order], np.asarray(fills, np.float32)[order]


def pick(marks: Marks, kept: NDArray[np.bool_]) -> Marks:
    """The marks for which `kept` (N,) is true."""
    return Marks(*(getattr(marks, each.name)[kept] for each in fields(Marks)))


def find_marks(pixels: Pixels, edges: NDArray[np.uint8]) -> Marks:
    """Finds connected ink: a word in small letters, a letter, an icon, a frame. Largest first."""
    closed = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((3, 1), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    left, top, width, height, _ = np.asarray(stats, np.int64).T
    wanted = (width * height <= MAX_MARK_SHARE * edges.size) & (np.arange(len(stats)) > 0)
    chosen = np.flatnonzero(wanted)
    chosen = chosen[np.argsort(-(width * height)[chosen], kind="stable")[:MAX_MARKS]]
    number = np.full(len(stats), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    places = np.flatnonzero(edges)
    owner = number[labels.ravel()[places]]
    places, owner = places[owner >= 0], owner[owner >= 0]
    boxes = np.stack([left, top, left + width, top + height], axis=1)[chosen].astype(np.float32)
    ground = _ground_colors(pixels, boxes)
    ink = _ink_colors(pixels.reshape(-1, 3).take(places, axis=0).astype(np.float32), owner, ground)
    lowest = places // edges.shape[1] >= boxes[owner, 3] - np.maximum(2, 0.2 * (boxes[owner, 3] - boxes[owner, 1]))
    count = np.bincount(owner, minlength=len(chosen)).astype(np.float32)
    low = np.bincount(owner, lowest, len(chosen)) / np.maximum(count, 1)
    density = np.asarray(count / np.maximum(areas(boxes), 1), np.float32)
    inner = boxes + np.array([1, 1, -1, -1], np.float32)
    return Marks(inner, ink, ground, np.ones(len(chosen), np.float32), density, low.astype(np.float32))


def _ground_colors(pixels: Pixels, boxes: Boxes) -> Floats:
    """(N, 3) the median color of eight pixels around each box."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = boxes.T - np.array([[1], [1], [0], [0]])
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    across = np.stack([left, middle_x, right, left, right, left, middle_x, right], axis=1)
    down = np.stack([top, top, top, middle_y, middle_y, bottom, bottom, bottom], axis=1)
    across, down = across.clip(0, width - 1).astype(np.int64), down.clip(0, height - 1).astype(np.int64)
    return np.asarray(np.median(pixels[down, across].astype(np.float32), axis=1).reshape(-1, 3), np.float32)


def _ink_colors(colors: Floats, owner: NDArray[np.int64], ground: Floats) -> Floats:
    """(N, 3) the mean color of each mark's pixels, weighted by their difference from the background."""
    square = np.abs(colors - ground[owner]).max(axis=1).astype(np.float64) ** 2
    weight = square * square + 1e-3
    total = np.bincount(owner, weight, len(ground))
    channels = [np.bincount(owner, weight * colors[:, channel], len(ground)) for channel in range(3)]
    return (np.stack(channels, axis=1) / np.maximum(total, 1e-9)[:, None]).astype(np.float32)


def text_height(boxes: Boxes) -> float:
    """The median height of a row of text in an image, px."""
    wide, high = (boxes[:, 2:] - boxes[:, :2]).T
    rows = (high >= 6) & (high <= 40) & (wide >= 1.5 * high)
    return float(np.median(high[rows])) if rows.sum() >= 3 else TEXT_HEIGHT


def join_marks(marks: Marks) -> Marks:
    """Joins adjacent marks of one color on one background to runs."""
    left, top, right, bottom = marks.boxes.T
    high = bottom - top
    # Frames and pictures are not joined.
    row = text_height(marks.boxes)
    small = np.flatnonzero((high <= 4 * row) & ~_holds_another(marks.boxes))
    small = small[np.argsort(left[small], kind="stable")]
    left, top, right, bottom, high = (each[small] for each in (left, top, right, bottom, high))
    taller, lower = np.maximum(high[:, None], high), np.minimum(high[:, None], high)
    gap = left[None, :] - right[:, None]
    pair = (gap <= RUN_GAP * np.maximum(taller, row)) & (left[None, :] >= left[:, None]) & (taller <= 2.5 * lower)
    pair &= np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top) >= 0.5 * lower
    rows, columns = np.nonzero(np.triu(pair, k=1))
    first, second = small[rows], small[columns]
    alike = np.abs(marks.ink[first] - marks.ink[second]).max(axis=1, initial=0) <= SAME_INK
    alike &= np.abs(marks.ground[first] - marks.ground[second]).max(axis=1, initial=0) <= SAME_GROUND
    count = len(marks.boxes)
    graph = coo_array((np.ones(alike.sum(), np.int8), (first[alike], second[alike])), shape=(count, count))
    return _merge(marks, connected_components(graph, directed=False)[1])


def _holds_another(boxes: Boxes) -> NDArray[np.bool_]:
    """(N,) whether a mark is a frame with another mark in it."""
    return np.asarray((coverage(boxes, boxes) > 0.9).sum(axis=0) > 1)


def _merge(marks: Marks, group: NDArray[np.int32]) -> Marks:
    count = int(group.max(initial=-1)) + 1
    boxes = np.full((count, 4), np.inf, np.float32)
    outward = np.array([1, 1, -1, -1], np.float32)
    np.minimum.at(boxes, group, marks.boxes * outward)
    boxes *= outward
    weight = np.maximum(areas(marks.boxes), 1).astype(np.float64)
    total = np.maximum(np.bincount(group, weight, count), 1)

    def mean(values: Floats) -> Floats:
        return (np.bincount(group, weight * values, count) / total).astype(np.float32)

    return Marks(
        boxes=boxes,
        ink=np.stack([mean(marks.ink[:, channel]) for channel in range(3)], axis=1),
        ground=np.stack([mean(marks.ground[:, channel]) for channel in range(3)], axis=1),
        parts=np.bincount(group, marks.parts, count).astype(np.float32),
        density=mean(marks.density),
        low=mean(marks.low),
    )
