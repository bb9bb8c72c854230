"""Smaller pictures of screenshots with several pixels for each CSS px."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from perception.types import Pixels


def shrink_all(images: Sequence[Pixels], scale: float) -> list[Pixels]:
    """The images with one pixel for `scale` pixels of theirs in both directions; themselves if it is 1 or less."""
    return [_shrink(image, scale) if scale > 1 else image for image in images]


def _shrink(image: Pixels, scale: float) -> Pixels:
    height, width = (max(1, round(side / scale)) for side in image.shape[:2])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
