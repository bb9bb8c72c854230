"""What is drawn in a picture: the pixels that differ from a color, such as the most frequent one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perception.types import Pixels


def most_frequent_color(colors: NDArray[np.uint8]) -> tuple[NDArray[np.int16], float]:
    """The color (3,) that most of some colors (…, 3) have, and their share."""
    packed = colors.astype(np.int32) @ np.asarray([65536, 256, 1])
    values, counts = np.unique(packed, return_counts=True)
    most = int(values[counts.argmax()])
    return np.asarray([most >> 16, most >> 8 & 255, most & 255], np.int16), float(counts.max() / packed.size)


def differs_from(color: NDArray[np.int16], pixels: Pixels, step: int) -> NDArray[np.bool_]:
    """(H, W): where an image differs from a color by more than a step, of 255, in any channel."""
    return np.asarray(np.abs(pixels.astype(np.int16) - color).max(axis=2) > step, np.bool_)


def side_pixels(pixels: Pixels) -> NDArray[np.uint8]:
    """(N, 3): the outermost pixels of an image, those at corners twice."""
    return np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
