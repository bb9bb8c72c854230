"""From pixels to the inputs of text networks. Pure."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.types import Pixels

LINE_HEIGHT = 48
"""Height of a recognition network's input, px, from the model files."""
MAX_COLUMNS = 6400
"""Maximum width of one resized crop; a wider line is compressed. At a height of 48 px this is 133 times the height."""
STEP = 8
"""Columns of each of a recognition network's steps."""


def line_image(crop: Pixels, stretch: float = 1.0, interpolation: int = cv2.INTER_LINEAR) -> NDArray[np.float32]:
    """(1, 3, 48, W) the input of a recognition network for the crop of a line.

    Args:
        crop: (H, W, 3) uint8 BGR.
        stretch: width of the input, in widths of the resized crop.
        interpolation: OpenCV's.
    """
    height, width = crop.shape[:2]
    columns = min(MAX_COLUMNS, max(LINE_HEIGHT, round(width * LINE_HEIGHT / height * stretch / STEP) * STEP))
    return normalize(cv2.resize(crop, (columns, LINE_HEIGHT), interpolation=interpolation))


def normalize(pixels: Pixels | cv2.typing.MatLike) -> NDArray[np.float32]:
    """(H, W, 3) 0 … 255 → (1, 3, H, W) -1 … 1."""
    return np.ascontiguousarray((pixels.astype(np.float32) * (2 / 255) - 1).transpose(2, 0, 1)[None])
