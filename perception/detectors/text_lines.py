"""Locates lines of text in a detection network's heat map, and lone glyphs in the ink that the network missed. Pure.

Ink is the set of pixels that differ from their neighbors. A line's box is snapped to its ink, so that the same line has
the same pixels at every scroll position.

Rule 1: boxes are (left, top, right, bottom) in whole pixels of the image in which they were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.detectors.edges import find_steps
from perception.detectors.line_rows import Ink, letter_rows, neighbor_rows, row_cuts
from perception.types import Pixels

Rect = tuple[int, int, int, int]

INK_STEP = 12
"""Least difference of adjacent pixels, of 255 in any channel: less is noise of a JPEG of quality 90 or a gradient."""

HEAT = 0.3
LEAST_HEAT = 0.5
UNCLIP = 1.6
"""`thresh`, `box_thresh` and `unclip_ratio` of the rapidocr package's config.yaml for these models."""
MAX_LINES = 1000
"""Maximum number in one block, `max_candidates` in that file."""
MAX_TILT = 0.05
"""Slope from which a line's crop is rotated: 3 px over a 60 px word."""

CELL = 32
"""Side of the squares that are tested for ink, px; blocks keep a margin of the same width."""
TILE_WORTH = 0.75
"""Share of the image from which blocks are not searched one by one, but the image as a whole. Chosen by hand; guarded
by `tests/unit/detectors/test_text_lines.py`."""
TILE_PIXELS = 1280 * 832
"""Approximate size of the tiles in which a block is searched: it limits memory, and the deadline is checked between
tiles."""
STRIP_PIXELS = 8_000_000
"""A 4K image is one strip. Processing a strip's ink takes up to 20 bytes per pixel."""
MAX_TILE_SIDE = 2048
"""Largest side of a tile, px: a longer line is joined from its parts."""
OVERLAP = 96
"""Pixels that two tiles share: a line that is not taller is completely in one of them."""

GLYPH_HEIGHTS = (7, 40)
"""Heights of a lone letter or digit, image px: from 10 px type to a large counter at two device pixels per CSS px."""
GLYPH_ASPECT = 1.3
"""Largest width of a lone letter or digit, or of two digits, in heights."""
GLYPH_GAP = 4
"""Least gap around a lone glyph, px; letters of a word are closer."""
SHEET_MARGIN = 8
"""Margin around each small image on a sheet, px."""
MAX_GLYPHS = 48
"""Maximum number in one image: a page full of icons would take longer than its text."""


def union(one: Rect, other: Rect) -> Rect:
    """The smallest rectangle around both."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def overlap(one: Rect, other: Rect) -> bool:
    """Whether two rectangles share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text before recognition.

    Attributes:
        box: its ink and a margin, px of the image.
        quad: (4, 2) corners of a slanted line, clockwise from top left; None for a straight line.
        lone: whether it is a single glyph that the network missed; it is kept only with a high recognition score.
    """

    box: Rect
    quad: NDArray[np.float32] | None = None
    lone: bool = False


def cut_strips(height: int, width: int) -> Iterator[tuple[int, int, float, float]]:
    """Splits an image into strips that are read one by one, so that a tall image takes no more memory.

    Yields:
        Top and bottom row of a strip, and the first and last row of its own lines: a line that two strips show belongs
        to one of them.
    """
    high = max(STRIP_PIXELS // width, 4 * OVERLAP)
    tops = list(_steps(0, height, high))
    for place, top in enumerate(tops):
        first = top + OVERLAP / 2 if place else 0.0
        last = tops[place + 1] + OVERLAP / 2 if place + 1 < len(tops) else height + 1.0
        yield top, min(top + high, height), first, last


def find_ink(pixels: Pixels) -> Ink:
    """(H, W) uint8, 1 where a pixel differs from a neighbor."""
    return find_steps(pixels, 2, INK_STEP)


def find_blocks(ink: Ink) -> list[Rect]:
    """Disjoint rectangles that contain all ink; none for a blank image, one for a full image."""
    height, width = ink.shape
    rows, columns = -(-height // CELL), -(-width // CELL)
    padded = np.zeros((rows * CELL, columns * CELL), np.uint8)
    padded[:height, :width] = ink
    cells = padded.reshape(rows, CELL, columns, CELL).max(axis=(1, 3))
    rects = _part(np.asarray(cv2.dilate(cells, np.ones((3, 3), np.uint8)), np.uint8))
    blocks = [(x * CELL, y * CELL, min(width, r * CELL), min(height, b * CELL)) for x, y, r, b in rects]
    if sum((right - left) * (bottom - top) for left, top, right, bottom in blocks) < TILE_WORTH * height * width:
        return blocks
    return [(0, 0, width, height)]


def _part(cells: NDArray[np.uint8]) -> list[Rect]:
    """Bounding boxes of connected cells; overlapping boxes are joined until none overlap."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(cells, connectivity=8)
    rects = [(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in np.asarray(stats)[1:count]]
    joined = True
    while joined:
        joined = False
        kept: list[Rect] = []
        for rect in rects:
            for place, other in enumerate(kept):
                if overlap(rect, other):
                    kept[place] = union(rect, other)
                    joined = True
                    break
            else:
                kept.append(rect)
        rects = kept
    return sorted(rects, key=lambda rect: (rect[1], rect[0]))


def cut_tiles(block: Rect, pixels: int = TILE_PIXELS) -> Iterator[Rect]:
    """Overlapping tiles of a block, of about `pixels` pixels each; the block itself if it is small enough."""
    left, top, right, bottom = block
    wide = min(right - left, MAX_TILE_SIDE)
    high = max(pixels // wide, 2 * OVERLAP)
    for y in _steps(top, bottom, high):
        for x in _steps(left, right, wide):
            yield x, y, min(x + wide, right), min(y + high, bottom)


def _steps(first: int, last: int, size: int) -> Iterator[int]:
    at = first
    while True:
        yield at
        if at + size >= last:
            return
        at += size - OVERLAP


def lines_of(heat: NDArray[np.float32]) -> list[Line]:
    """Lines in a heat map, by the rule of differentiable binarization (Liao et al. 2020): the map shows a line's core,
    which is grown by area x UNCLIP / perimeter.

    Args:
        heat: (H, W) probabilities in [0, 1].
    """
    # The core of thin type may break into pieces: it is widened by a pixel first, as the package does.
    mask = cv2.dilate((heat > HEAT).astype(np.uint8), np.ones((2, 2), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    stats = np.asarray(stats, np.int64)[: MAX_LINES + 1]
    warmth = np.bincount(labels.ravel(), weights=heat.ravel(), minlength=count)[: len(stats)]
    lines = []
    for label in range(1, len(stats)):
        x, y, w, h, area = stats[label].tolist()
        if min(w, h) < 3 or warmth[label] < LEAST_HEAT * area:
            continue
        quad = _slanted(labels[y : y + h, x : x + w] == label, x, y) if area < 0.75 * w * h else None
        grow = w * h * UNCLIP / (2 * (w + h))
        box = (round(x - grow), round(y - grow), round(x + w + grow), round(y + h + grow))
        lines.append(Line(box, quad))
    return lines


def _slanted(core: NDArray[np.bool_], x: int, y: int) -> NDArray[np.float32] | None:
    """(4, 2) the grown rectangle around a core that is clearly longer than high and clearly slanted; else None."""
    points = np.argwhere(core)[:, ::-1].astype(np.float32)
    (cx, cy), (w, h), angle = cv2.minAreaRect(points)
    if w < h:
        w, h, angle = h, w, angle + 90
    angle = (angle + 90) % 180 - 90
    if w < 2 * h or abs(np.sin(np.deg2rad(angle))) < MAX_TILT or abs(np.cos(np.deg2rad(angle))) < MAX_TILT:
        return None
    grow = w * h * UNCLIP / max(w + h, 1)
    across, along = np.deg2rad(angle + 90), np.deg2rad(angle)
    ex = np.array([np.cos(along), np.sin(along)]) * (w + grow) / 2
    ey = np.array([np.cos(across), np.sin(across)]) * (h + grow) / 2
    middle = np.array([cx + x, cy + y])
    return np.asarray([middle - ex - ey, middle + ex - ey, middle + ex + ey, middle - ex + ey], np.float32)


def shift(line: Line, dx: int, dy: int) -> Line:
    """The line shifted by `dx` and `dy` px."""
    left, top, right, bottom = line.box
    quad = None if line.quad is None else line.quad + np.array([dx, dy], np.float32)
    return Line((left + dx, top + dy, right + dx, bottom + dy), quad, line.lone)


def join_seams(lines: list[Line]) -> list[Line]:
    """Joins the parts of lines that are in two tiles, and drops duplicates.

    Straight lines are parts of one line if they overlap by half of the lower one's height and also horizontally.
    """
    kept: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.box[0], line.box[1])):
        for place, other in enumerate(kept):
            if line.quad is None and other.quad is None and _is_continued(other.box, line.box):
                kept[place] = Line(union(other.box, line.box))
                break
            if line.quad is not None and other.quad is not None and _shares_most(other.box, line.box):
                break
        else:
            kept.append(line)
    return kept


def _is_continued(one: Rect, other: Rect) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    low = min(one[3] - one[1], other[3] - other[1])
    # Boxes exceed their ink by about half a line's height on either side, so two adjacent lines may touch.
    return shared > 0.5 * low and min(one[2], other[2]) - max(one[0], other[0]) > low


def _shares_most(one: Rect, other: Rect) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    least = min((one[2] - one[0]) * (one[3] - one[1]), (other[2] - other[0]) * (other[3] - other[1]))
    return wide > 0 and high > 0 and wide * high > 0.5 * least


def snap(line: Line, ink: Ink) -> Line | None:
    """Snaps a line's box to its ink and keeps its margins to within a pixel; None if there is no ink.

    With half of the margin at its ends a line takes a tenth less time to read, but of 1,037 lines on 12 dense pages
    1.1 % fewer are read exactly.

    A row or column that is all ink is a rule or a side of a frame and is ignored.
    """
    height, width = ink.shape
    left, top, right, bottom = line.box
    left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
    if right - left < 1 or bottom - top < 1:
        return None
    inked = letter_rows(ink[top:bottom, left:right])
    cut_above, cut_below = neighbor_rows(inked), neighbor_rows(inked[::-1])
    over, under = (top + cut_above, bottom - cut_below) if line.quad is None else (top, bottom)
    rows = np.flatnonzero(inked[over - top : under - top])
    columns = np.flatnonzero(ink[over:under, left:right].any(axis=0))
    if not len(rows) or not len(columns):
        return None
    first, last = left + int(columns[0]), left + int(columns[-1]) + 1
    above, below = over + int(rows[0]), over + int(rows[-1]) + 1
    snapped = (
        max(0, first - _even(first - line.box[0])),
        max(over if over > top else 0, above - _even(above - line.box[1])),
        min(width, last + _even(line.box[2] - last)),
        min(under if under < bottom else height, below + _even(line.box[3] - below)),
    )
    return Line(snapped, line.quad, line.lone)


def _rows_of(line: Line, ink: Ink) -> list[Line]:
    """The lines that a box of several rows shows: small type in narrow rows has one core."""
    left, top, right, bottom = line.box
    if line.quad is not None:
        return [line]
    first = max(0, top)
    cuts = [first + cut for cut in row_cuts(ink[first : max(0, bottom), max(0, left) : max(0, right)])]
    return [Line((left, above, right, below)) for above, below in pairwise([top, *cuts, bottom])]


def _even(margin: int) -> int:
    """Rounds a margin to an even number: margins vary by a pixel with the alignment of the network's strides."""
    return max(2, (margin + 1) // 2 * 2)


def find_glyphs(ink: Ink, lines: list[Line]) -> list[Line]:
    """Lone letters and digits outside all lines, up to MAX_GLYPHS: the network misses most of them."""
    # Closing joins the two edges of a stroke, and two adjacent digits.
    count, _, stats, _ = cv2.connectedComponentsWithStats(
        cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((3, GLYPH_GAP + 1)))
    )
    boxes = np.asarray(stats, np.int64)[1:count, :4]
    boxes = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    boxes = boxes[_is_glyph_sized(boxes)]
    height, width = ink.shape
    if not len(boxes):
        return []
    taken = np.zeros_like(ink)
    for line in lines:
        left, top, right, bottom = line.box
        taken[max(0, top) : bottom, max(0, left) : right] = 1
    found = []
    for left, top, right, bottom in boxes.tolist():
        wide, high = right - left, bottom - top
        around = ink[max(0, top - GLYPH_GAP) : bottom + GLYPH_GAP, max(0, left - GLYPH_GAP) : right + GLYPH_GAP]
        inside = ink[top:bottom, left:right]
        if taken[(top + bottom) // 2, (left + right) // 2] or around.sum() > inside.sum():
            continue
        margin = max(3, high // 3)
        beside = max(margin, (high - wide) // 2)
        box = max(0, left - beside), max(0, top - margin), min(width, right + beside), min(height, bottom + margin)
        found.append(Line(box, None, True))
    return found[:MAX_GLYPHS]


def _is_glyph_sized(boxes: NDArray[np.int64]) -> NDArray[np.bool_]:
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return (high >= GLYPH_HEIGHTS[0]) & (high <= GLYPH_HEIGHTS[1]) & (wide >= 2) & (wide <= GLYPH_ASPECT * high)


def search(
    pixels: Pixels, ink: Ink, heats_of: Callable[[Sequence[Pixels]], Iterable[NDArray[np.float32]]], tile_pixels: int
) -> list[Line]:
    """All lines of an image, snapped to their ink, from top to bottom.

    Args:
        pixels: (H, W, 3) the image.
        ink: (H, W) its ink.
        heats_of: runs the network on tiles; returns a heat map (H, W) for each, in order.
        tile_pixels: approximate size of a tile, px.
    """
    blocks = [list(cut_tiles(block, tile_pixels)) for block in find_blocks(ink)]
    tiles = [pixels[top:bottom, left:right] for block in blocks for left, top, right, bottom in block]
    heats = iter(heats_of(tiles))
    lines: list[Line] = []
    for block in blocks:
        found = [shift(line, left, top) for left, top, _, _ in block for line in lines_of(next(heats))]
        lines += join_seams(found) if len(block) > 1 else found
    return snapped(lines, ink)


def snapped(lines: list[Line], ink: Ink) -> list[Line]:
    """Lines snapped to their ink, and lone glyphs, from top to bottom."""
    found = [line for each in lines for row in _rows_of(each, ink) if (line := snap(row, ink)) is not None]
    found += find_glyphs(ink, found)
    return sorted(found, key=lambda line: (line.box[1], line.box[0]))


def lay_out(images: Sequence[Pixels]) -> tuple[Pixels, list[tuple[int, int]]]:
    """Places small images on one sheet, in rows; each image's border pixels fill its margin.

    Returns:
        The sheet, and the position (x, y) of each image's top left corner on it.
    """
    wide = max(image.shape[1] for image in images) + 2 * SHEET_MARGIN
    high = max(image.shape[0] for image in images) + 2 * SHEET_MARGIN
    columns = int(np.ceil(np.sqrt(len(images))))
    sheet = np.full((-(-len(images) // columns) * high, min(columns, len(images)) * wide, 3), 255, np.uint8)
    places = []
    for place, image in enumerate(images):
        y, x = place // columns * high, place % columns * wide
        below, beside = high - image.shape[0] - SHEET_MARGIN, wide - image.shape[1] - SHEET_MARGIN
        cell = cv2.copyMakeBorder(image, SHEET_MARGIN, below, SHEET_MARGIN, beside, cv2.BORDER_REPLICATE)
        sheet[y : y + high, x : x + wide] = cell
        places.append((x + SHEET_MARGIN, y + SHEET_MARGIN))
    return sheet, places
