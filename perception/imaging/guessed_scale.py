"""The scale of a screenshot of which nobody says one: by the height of its letters.

A fifth of the letters of 65 of 66 screenshots of `packages#train` at one pixel for each CSS px are at most 7 to 11 px
high (one of large type: 15); of 19 of 20 at two pixels 15 to 21 px (one of small icons: 12).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.types import Pixels

LETTER_STEP = 40
"""Least difference of adjacent pixels, of 255 in any channel, at the edge of a letter."""
LETTER_HEIGHTS, LETTER_WIDTHS = (6, 90), (0.2, 1.6)
"""Px of the image, and widths in heights, of what may be a letter."""
LEAST_LETTERS = 40
"""Letters from which a scale is guessed: a logo or a title alone says nothing."""
LOW_SHARE = 20
"""Percentile of the letters' heights: titles are on many screens, and small letters on nearly all."""
SCALES = ((22.0, 3.0), (13.5, 2.0))
"""Least height of low letters, px, for each scale."""


def guess_scale(pixels: Pixels) -> float:
    """Image px for each CSS px of a screenshot: 1, 2 or 3.

    Args:
        pixels: (H, W, 3).

    Returns:
        1 for an image with few letters.
    """
    heights = _letter_heights(pixels)
    if len(heights) < LEAST_LETTERS:
        return 1.0
    low = float(np.percentile(heights, LOW_SHARE))
    return next((scale for least, scale in SCALES if low >= least), 1.0)


def _letter_heights(pixels: Pixels) -> NDArray[np.int32]:
    """(N,) heights of what may be a letter, px."""
    step = cv2.morphologyEx(pixels, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8))
    edges = np.asarray(step.max(axis=2) > LETTER_STEP, np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    width, height = np.asarray(stats)[1:count, 2:4].T
    is_letter = (height >= LETTER_HEIGHTS[0]) & (height <= LETTER_HEIGHTS[1]) & (width >= 3)
    is_letter &= (width >= LETTER_WIDTHS[0] * height) & (width <= LETTER_WIDTHS[1] * height)
    return np.asarray(height[is_letter])
