"""An icon cut out of a screenshot: its ink alone, in a small square, bright on black whatever its colors are.

Rule 1: training and the service cut icons out with this module.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.types import Pixels

SIDE = 32
"""Side of a view, px."""

View = NDArray[np.uint8]
"""(SIDE, SIDE): 0 where the picture has the color of its ground, 255 where it differs most."""

PAD = 2
"""Px of the image around a box: a box may cut its icon, and the ground is seen beside it."""
BESIDE = PAD + 2
"""Px at the edge of a crop: a piece of ink that is nowhere else is not a part of the icon."""
LARGEST = 96
"""Px to which larger pictures are shrunk first, so that one costs no more than another."""
LEAST_SIDE, LEAST_CONTRAST = 5, 20
"""Px and steps of 255: what is smaller or paler is not looked at."""
INK = 0.3
"""Share of the greatest contrast from which a pixel counts as ink."""
MARGIN = 0.08
"""Around the ink in a view, in sides of the ink."""
RIM = 0.1
"""Share of a button's side that its border may take."""
INNER_SIDE = 0.88
"""Ink in a button is at most so large, in sides of the button; a larger one is the picture as a whole."""


def icon_views(pixels: Pixels, box: NDArray[np.float32]) -> list[View]:
    """The picture in a box as a whole, and what is in it where it may be a button around an icon.

    Args:
        pixels: (H, W, 3) BGR.
        box: (4,) xyxy, px of the image.

    Returns:
        None, one or two views; the whole picture is first.
    """
    crop = _cut(pixels, box)
    if min(crop.shape[:2]) < LEAST_SIDE:
        return []
    ring = np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])
    strength = _difference(crop, np.median(ring, axis=0))
    neighbors = _in_margin(_is_ink(strength))
    strength = np.where(neighbors, np.float32(0), strength)
    spot = _ink_box(strength, _is_ink(strength))
    if spot is None:
        return []
    views = [_view(strength, spot)]
    if (inner := _inner_view(crop, spot)) is not None:
        views.append(inner)
    return views


def _cut(pixels: Pixels, box: NDArray[np.float32]) -> Pixels:
    height, width = pixels.shape[:2]
    left, top = (max(0, int(np.floor(each)) - PAD) for each in box[:2])
    right, bottom = min(width, int(np.ceil(box[2])) + PAD), min(height, int(np.ceil(box[3])) + PAD)
    crop = pixels[top : max(top, bottom), left : max(left, right)]
    longest = max(crop.shape[:2])
    if longest > LARGEST and min(crop.shape[:2]) > 0:
        ratio = LARGEST / longest
        crop = np.asarray(cv2.resize(crop, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA), np.uint8)
    return crop


def _in_margin(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pieces of ink that lie in the margin of a crop: borders and icons beside the one in the box."""
    height, width = ink.shape
    count, pieces, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    x, y, wide, high = (np.asarray(stats)[:count, column] for column in range(4))
    beside = (x + wide <= BESIDE) | (y + high <= BESIDE) | (x >= width - BESIDE) | (y >= height - BESIDE)
    beside[0] = False
    return np.asarray(beside[pieces], bool)


def _difference(crop: Pixels, ground: NDArray[np.floating]) -> NDArray[np.float32]:
    """(H, W) how far each pixel's color is from the ground's, 0 to 255."""
    return np.asarray(np.abs(crop.astype(np.float32) - ground.astype(np.float32)).max(axis=2), np.float32)


def _is_ink(strength: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray(strength > max(INK * float(strength.max()), LEAST_CONTRAST * 0.6))


def _ink_box(strength: NDArray[np.float32], ink: NDArray[np.bool_]) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of the ink; None where there is hardly any."""
    if float(strength.max(initial=0, where=ink)) < LEAST_CONTRAST:
        return None
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    left, right, top, bottom = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    return (left, top, right, bottom) if max(right - left, bottom - top) >= LEAST_SIDE else None


def _view(strength: NDArray[np.float32], spot: tuple[int, int, int, int]) -> View:
    """The ink in a square; its sides keep their proportion."""
    left, top, right, bottom = spot
    side = max(right - left, bottom - top) * (1 + 2 * MARGIN)
    x, y = (left + right - side) / 2, (top + bottom - side) / 2
    ratio = SIDE / side
    if ratio < 0.6:  # an even shrinking first: bilinear sampling would leave thin strokes out
        shrunk = np.asarray(cv2.resize(strength, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA), np.float32)
        x, y = x * shrunk.shape[1] / strength.shape[1], y * shrunk.shape[0] / strength.shape[0]
        strength, ratio = shrunk, 1.0
    matrix = np.array([[ratio, 0, -x * ratio + (ratio - 1) / 2], [0, ratio, -y * ratio + (ratio - 1) / 2]], np.float32)
    found = cv2.warpAffine(strength, matrix, (SIDE, SIDE), flags=cv2.INTER_LINEAR)
    return np.asarray((found * (255 / max(float(found.max()), 1.0))).clip(0, 255), np.uint8)


def _inner_view(crop: Pixels, spot: tuple[int, int, int, int]) -> View | None:
    """What is drawn on a button: ink on the color that most of its inside has, apart from its rim and corners."""
    left, top, right, bottom = spot
    rim_x, rim_y = (max(1, round(RIM * each)) for each in (right - left, bottom - top))
    inside = crop[top + rim_y : bottom - rim_y, left + rim_x : right - rim_x]
    if min(inside.shape[:2]) < LEAST_SIDE:
        return None
    strength = _difference(inside, _commonest(inside))
    ink = _without_edge(_is_ink(strength))
    found = _ink_box(strength, ink)
    if found is None:
        return None
    x, y, x2, y2 = found
    if max((x2 - x) / (right - left), (y2 - y) / (bottom - top)) > INNER_SIDE:
        return None
    grown = cv2.dilate(ink.astype(np.uint8), np.ones((3, 3), np.uint8))
    return _view(strength * grown, found)


def _commonest(pixels: Pixels) -> NDArray[np.float32]:
    """(3,) the mean of the colors in the fullest of 16 × 16 × 16 bins."""
    flat = pixels.reshape(-1, 3)
    coarse = flat.astype(np.int32) >> 4
    key = (coarse[:, 0] << 8) + (coarse[:, 1] << 4) + coarse[:, 2]
    most = np.bincount(key).argmax()
    return np.asarray(flat[key == most].mean(axis=0), np.float32)


def _without_edge(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The ink whose pieces do not touch the edge."""
    count, pieces = cv2.connectedComponents(ink.astype(np.uint8), connectivity=8)
    edge = np.unique(np.concatenate([pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]]))
    keep = np.ones(count, bool)
    keep[edge] = keep[0] = False
    return np.asarray(keep[pieces], bool)
