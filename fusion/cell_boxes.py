"""Boxes in the cells of grids: the words of a sheet, a month or a table with borders look like links and buttons to a
detector, which would take them out of their row.

Rule 1: a box in a cell stays if a control is drawn there: a frame or a filled area around the words, an icon, colored
words. So do checkboxes, fields and the like, whatever is in the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from perception.fusion.blank_boxes import SPEAKING
from perception.fusion.detector_classes import role_of
from perception.fusion.drawing import differs_from, most_frequent_color, side_pixels
from perception.fusion.grids import is_told
from perception.fusion.regions import SeenRegion, crop_region, cut_out, place_boxes
from perception.fusion.scipy_parts import find_objects, label
from perception.geometry import Box, Grid
from perception.types import Detections, Pixels, Screenshot

INSET = 3.0
"""CSS px from a cell's lines to its inside."""
INK_STEP = 14
"""Least difference from the color of the cell, of 255 in any channel, of what is drawn in it."""
FRAMED = 0.5
"""Least share of a box that one connected piece of ink is around, where that is a frame, a filled area or an icon."""
EDGE, STRAIGHT = 2, 0.6
"""Rows of pixels above and below of a piece of ink, and the least share of its width that they fill in a frame."""
LOWEST_FRAME = 14.0
"""Height of a piece of ink from which it may be a frame around words, CSS px: capital letters of text at 18 px have 13,
and those of straight strokes (`E`, `B`) would be frames of themselves."""
WHOLE_CELL = 0.9
"""Share of both sides of a cell from which a frame is the cell's own: it is chosen."""
LEAST_COLOR = 70
"""Least difference of the channels of ink, of 255, that is a color: links of common style sheets have 130 and more."""


def drop_in_cells(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions without boxes in cells of grids in which no control is drawn.

    Args:
        seen: detections by region, with the grids of each.
        screenshot: the pixels that were looked at.
    """
    return tuple(_without_words(each, screenshot) if each.grids else each for each in seen)


def _without_words(seen: SeenRegion, screenshot: Screenshot) -> SeenRegion:
    texts = [
        box for found in seen.detections for box, text in zip(place_boxes(found, seen), found.text, strict=True) if text
    ]
    grids = [grid for grid in seen.grids if is_told(grid, [text.center for text in texts])]
    if not grids:
        return seen
    pixels = crop_region(screenshot, seen.region)
    kept = (_drawn(found, seen, grids, texts, pixels, screenshot.scale) for found in seen.detections)
    return replace(seen, detections=tuple(kept))


def _drawn(
    found: Detections, seen: SeenRegion, grids: Sequence[Grid], texts: Sequence[Box], pixels: Pixels, scale: float
) -> Detections:
    dropped = set()
    for row, box in enumerate(place_boxes(found, seen)):
        if found.text[row] or role_of(found.label[row]) not in SPEAKING:
            continue
        cell = next((cell for grid in grids if (cell := grid.cell_box(box.center)) is not None), None)
        words = any(box.contains(text.center) for text in texts)
        if cell is not None and not _is_drawn(box, cell, seen.region.box, pixels, scale, words=words):
            dropped.add(row)
    return found.take([row for row in range(len(found)) if row not in dropped]) if dropped else found


def _is_drawn(box: Box, cell: Box, region: Box, pixels: Pixels, scale: float, *, words: bool) -> bool:
    """Whether a control is drawn in a cell.

    Args:
        box: where it would be, CSS px of the viewport, as the cell and the region whose pixels are given.
        words: whether it has words.
    """
    inside = Box(cell.left + INSET, cell.top + INSET, max(cell.right - INSET, cell.left + INSET), cell.bottom - INSET)
    crop = _cut(pixels, inside.shift(-region.left, -region.top), scale)
    if not crop.size:
        return False
    ink = _ink_of(crop)
    near = _cut(ink, box.shift(-inside.left, -inside.top), scale)
    colored = _cut(crop, box.shift(-inside.left, -inside.top), scale)[near > 0]
    if len(colored) and float(np.median(np.ptp(colored.astype(np.int16), axis=1))) >= LEAST_COLOR:
        return True
    return _is_framed(ink, box.area * scale**2, LOWEST_FRAME * scale if words else 0.0)


def _is_framed(ink: NDArray[np.uint8], area: float, lowest: float) -> bool:
    """Whether one piece of ink takes much of an area, px, and is not the frame of the cell; where there are words, it
    has straight sides above and below, as letters that touch each other do not.

    Args:
        lowest: least height of a frame around words, px; 0 where there are none.
    """
    pieces, count = label(ink, corners=True)
    for number, (rows, columns) in enumerate(find_objects(pieces, count), 1):
        piece = pieces[rows, columns] == number
        own = piece.shape[0] >= WHOLE_CELL * ink.shape[0] and piece.shape[1] >= WHOLE_CELL * ink.shape[1]
        if piece.size < FRAMED * area or own or piece.shape[0] < lowest:
            continue
        if not lowest or min(piece[:EDGE].any(axis=0).mean(), piece[-EDGE:].any(axis=0).mean()) >= STRAIGHT:
            return True
    return False


def _ink_of(crop: Pixels) -> NDArray[np.uint8]:
    """(H, W) 1 where an image differs from the most frequent color at its sides."""
    return differs_from(most_frequent_color(side_pixels(crop))[0], crop, INK_STEP).astype(np.uint8)


def _cut(pixels: NDArray[np.uint8], box: Box, scale: float) -> NDArray[np.uint8]:
    return cut_out(pixels, (side * scale for side in (box.left, box.top, box.right, box.bottom)))
