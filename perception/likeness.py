"""Likeness: whether a place in a picture still shows what it showed, however it is lit."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box
from perception.types import Screenshot

MAX_WIDTH, MAX_HEIGHT = 192, 48
"""Device px that are compared: a word of a usual size is still legible at that."""

ALIKE = 0.8
"""Correlation from which two pictures count as one. Of the same button under the pointer and not: 0.95 and more; of
two buttons whose labels differ by a word: below 0.75."""

FLAT = 3.0
"""Standard deviation of grey levels below which there is nothing to correlate."""

FLAT_DIFFERENCE = 40.0
"""Grey levels between two flat places that are not the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """What a place looked like: grey levels, (h, w) float32, at most MAX_HEIGHT x MAX_WIDTH."""

    grey: NDArray[np.float32]

    @classmethod
    def of(cls, screenshot: Screenshot, box: Box) -> Likeness | None:
        """None for a place outside of the picture."""
        grey = _grey(screenshot, box, None)
        return None if grey is None else cls(grey)

    def holds(self, screenshot: Screenshot, box: Box) -> bool:
        """Whether a place of the same size shows the same."""
        height, width = self.grey.shape
        now = _grey(screenshot, box, (width, height))
        if now is None:
            return False
        then = self.grey
        if min(then.std(), now.std()) < FLAT:
            return max(then.std(), now.std()) < 2 * FLAT and abs(float(then.mean() - now.mean())) < FLAT_DIFFERENCE
        product = ((then - then.mean()) * (now - now.mean())).mean()
        return float(product / (then.std() * now.std())) >= ALIKE


def _grey(screenshot: Screenshot, box: Box, size: tuple[int, int] | None) -> NDArray[np.float32] | None:
    """Grey levels of a place, shrunk to a size (w, h), or to what is compared at most."""
    scale, (height, width) = screenshot.scale, screenshot.pixels.shape[:2]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(width, round(box.right * scale)), min(height, round(box.bottom * scale))
    if right - left < 1 or bottom - top < 1:
        return None
    grey = cv2.cvtColor(np.ascontiguousarray(screenshot.pixels[top:bottom, left:right]), cv2.COLOR_BGR2GRAY)
    if size is None:
        size = min(right - left, MAX_WIDTH), min(bottom - top, MAX_HEIGHT)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
