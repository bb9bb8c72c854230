"""Photographs: where a region shows one, detections are dropped, since leaves, faces and shadows look like controls.

A photograph has texture: most pixels differ from their neighbors. Whatever a program paints, also over a photograph,
has areas of one color. Squares of pixels are judged, so that a button on a video stays a button. A background of noise
or paper has texture too, but the same brightness everywhere; a gradient has that of dithering, in steps of one.

Rule 1: text that is read with certainty stays: a photograph may show a sign, or have a caption.
Rule 2: a box stays in which something is drawn: an area of one color with crisp edges, as the icons and words of a
player have over its picture. The light and dark spots of a photograph fade into what is around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from perception.fusion.regions import SeenRegion, crop_region, cut_out
from perception.fusion.scipy_parts import label
from perception.fusion.text_match import fold
from perception.types import Detections, Pixels, Screenshot

TILE = 12
"""Side of the squares that are judged, image px: half of a small button's height."""
MAX_FLAT = 0.4
"""Largest share of pixels equal to their neighbors, to the left and above, in a square of a photograph. Lines of small
type have as few, but between two lines there is a gap. With 0.4 the squares are 80 % and more of 15 photographs of
scikit-image, also of smooth and of gray ones; with 0.15 and differences of 1 they were none of four."""
LEAST_VARIATION = 4.0
"""Least range between the quartiles of the squares' brightness, of 255, in a photograph: 5 and more in scikit-image's,
1 in a background of noise."""
ROUGH_STEP, ROUGH_PIXELS, LEAST_ROUGH = 2, 0.1, 0.6
"""Difference of neighbors, of 255 in any channel, that dithering does not make; share of such pixels from which a
square is rough; least share of rough squares in a photograph. It is 0.92 to 1 in 26 of 27 photographs of admin-lte and
jQuery UI's documentation, and 0 to 0.42 in bars and side bars with a gradient that are covered with text and icons."""
LEAST_TILES = 5
"""Least width and height of a photograph, in squares: fonts and icons have no such area without a flat square."""
MOSTLY = 0.5
"""Share of a detection's area from which it belongs to the photograph."""
WHOLE = 0.5
"""Share of a photograph from which a box is the photograph as a whole: a thumbnail, a picture that is a link."""
LEAST_TEXT_SCORE, LEAST_LETTERS = 0.9, 3
"""Least score and length of a text in a photograph."""
LEAST_DRAWN, LEAST_CRISP, CRISP_STEP = 0.06, 0.6, 48
"""Least share of a box that is of one color, least share of that area's edge that is crisp, and least difference in
brightness, of 255, two px across a crisp edge."""


def drop_in_photographs(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions without boxes and doubtful texts in photographs.

    Args:
        seen: detections by region.
        screenshot: the pixels that were looked at.
    """
    return tuple(_without_photograph(each, screenshot) if _has_detections(each) else each for each in seen)


def _has_detections(seen: SeenRegion) -> bool:
    return any(len(found) for found in seen.detections)


def _without_photograph(seen: SeenRegion, screenshot: Screenshot) -> SeenRegion:
    pixels = crop_region(screenshot, seen.region)
    tiles = find_photographs(pixels)
    if not tiles.any():
        return seen
    return replace(seen, detections=tuple(_outside(found, tiles, pixels) for found in seen.detections))


def find_photographs(pixels: Pixels) -> NDArray[np.int32]:
    """(rows, columns): the number, from 1, of the photograph that each square of TILE px of an image shows; 0 for none.

    Args:
        pixels: (H, W, 3) the image; its last rows and columns are in no square if they do not fill one.
    """
    height, width = pixels.shape[0] // TILE * TILE, pixels.shape[1] // TILE * TILE
    if min(height, width) < LEAST_TILES * TILE:
        return np.zeros((0, 0), np.int32)
    part = pixels[:height, :width]
    edge = np.zeros((height, width), bool)
    edge[:, 1:] = _differ(part[:, 1:], part[:, :-1])
    edge[1:] |= _differ(part[1:], part[:-1])
    textured = _in_tiles(edge) >= 1 - MAX_FLAT
    # A photograph has spots that are black or white all over.
    closed = _erode(_dilate(textured, 2), 2)
    areas, count = label(_dilate(_erode(closed, LEAST_TILES), LEAST_TILES))
    if not count:
        return np.zeros(textured.shape, np.int32)
    brightness, rough = _in_tiles(part.mean(axis=2)), _in_tiles(_rough(part)) >= ROUGH_PIXELS
    taken = [
        area
        for area in range(1, count + 1)
        if rough[areas == area].mean() >= LEAST_ROUGH and _spread(brightness[areas == area]) >= LEAST_VARIATION
    ]
    return np.where(np.isin(areas, taken), areas, 0).astype(np.int32)


def _erode(mask: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Where a square of that size, with its center there, is all set; what is outside of the mask is not."""
    return np.asarray(_squares(mask, size, size // 2).all(axis=(2, 3)))


def _dilate(mask: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """What the squares cover that have their center where the mask is set."""
    return np.asarray(_squares(mask, size, (size - 1) // 2).any(axis=(2, 3)))


def _squares(mask: NDArray[np.bool_], size: int, before: int) -> NDArray[np.bool_]:
    """(H, W, size, size): the square around each place, with so many rows and columns before it."""
    return sliding_window_view(np.pad(mask, (before, size - 1 - before)), (size, size))


def _differ(pixels: Pixels, others: Pixels) -> NDArray[np.bool_]:
    """(H, W): whether pixels differ. Faster than `any` over the three channels."""
    unequal = pixels != others
    return np.asarray(unequal[..., 0] | unequal[..., 1] | unequal[..., 2], bool)


def _rough(pixels: Pixels) -> NDArray[np.bool_]:
    """(H, W): whether a pixel differs by ROUGH_STEP or more from its neighbor to the left or above."""
    values, rough = pixels.astype(np.int16), np.zeros(pixels.shape[:2], bool)
    rough[:, 1:] = (np.abs(values[:, 1:] - values[:, :-1]) >= ROUGH_STEP).any(axis=2)
    rough[1:] |= (np.abs(values[1:] - values[:-1]) >= ROUGH_STEP).any(axis=2)
    return rough


def _spread(values: NDArray[np.float64]) -> float:
    low, high = np.percentile(values, [25, 75])
    return float(high - low)


def _in_tiles(values: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows, columns): the mean of an (H, W) array in each square."""
    height, width = values.shape
    rows = values.reshape(height // TILE, TILE, width).sum(axis=1)
    return np.asarray(rows.reshape(height // TILE, width // TILE, TILE).sum(axis=2) / TILE**2)


def _outside(found: Detections, tiles: NDArray[np.int32], pixels: Pixels) -> Detections:
    kept = [row for row in range(len(found)) if not _is_dropped(found, row, tiles, pixels)]
    return found if len(kept) == len(found) else found.take(kept)


def _is_dropped(found: Detections, row: int, tiles: NDArray[np.int32], pixels: Pixels) -> bool:
    left, top, right, bottom = (found.xyxy[row] / TILE).tolist()
    part = tiles[int(top) : int(np.ceil(bottom)), int(left) : int(np.ceil(right))]
    if not part.size or (part > 0).mean() < MOSTLY:
        return False
    picture = int(np.bincount(part[part > 0]).argmax())
    if not found.text[row] and (part == picture).sum() >= WHOLE * (tiles == picture).sum():
        return False
    if not found.text[row]:
        return not is_drawn(cut_out(pixels, found.xyxy[row].tolist()))
    return found.score[row] < LEAST_TEXT_SCORE or len(fold(found.text[row])) < LEAST_LETTERS


def is_drawn(pixels: Pixels) -> bool:
    """Whether an area of one color with crisp edges is in an image (H, W, 3); False for one without pixels."""
    if not pixels.size:
        return False
    colors = pixels.astype(np.int32) @ np.asarray([65536, 256, 1])
    values, counts = np.unique(colors, return_counts=True)
    if counts.max() < LEAST_DRAWN * colors.size:
        return False
    plain = colors == values[counts.argmax()]
    brightness = pixels.mean(axis=2)
    beside = [(plain[:, :-2] & ~plain[:, 2:], brightness), (plain[:, 2:] & ~plain[:, :-2], brightness)]
    beside += [(plain.T[:, :-2] & ~plain.T[:, 2:], brightness.T), (plain.T[:, 2:] & ~plain.T[:, :-2], brightness.T)]
    crisp = [np.abs(shade[:, 2:] - shade[:, :-2])[edge] >= CRISP_STEP for edge, shade in beside]
    return bool(np.concatenate(crisp).mean() >= LEAST_CRISP) if any(map(len, crisp)) else True
