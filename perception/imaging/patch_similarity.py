"""Similarity of image patches: whether a place still shows the same content, at any brightness and contrast."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box
from perception.types import Screenshot

MAX_WIDTH, MAX_HEIGHT = 192, 48
"""Device px that are compared: a word of a usual size is still legible in this size."""

PATCH_ALIKE = 0.8
"""Least correlation of two patches with the same content. The same button with and without hover: 0.95 and more; two
buttons whose labels differ by a word: below 0.75."""

FLAT = 3.0
"""Standard deviation of gray levels below which a patch is flat and has nothing to correlate. Chosen by hand; guarded
by `tests/unit/test_refs.py`, as the next."""

FLAT_DIFFERENCE = 40.0
"""Least difference of gray levels of two flat patches with different content."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Content of a place in a screenshot.

    Attributes:
        grey: (h, w) float32 gray levels, at most MAX_HEIGHT x MAX_WIDTH.
    """

    grey: NDArray[np.float32]

    @classmethod
    def of(cls, screenshot: Screenshot, box: Box) -> Likeness | None:
        """The content of a box, CSS px of the viewport; None if it is outside the screenshot."""
        grey = _grey(screenshot, box, None)
        return None if grey is None else cls(grey)

    def holds(self, screenshot: Screenshot, box: Box) -> bool:
        """Whether a box of the same size shows the same content in a screenshot."""
        height, width = self.grey.shape
        now = _grey(screenshot, box, (width, height))
        if now is None:
            return False
        then = self.grey
        if min(then.std(), now.std()) < FLAT:
            return max(then.std(), now.std()) < 2 * FLAT and abs(float(then.mean() - now.mean())) < FLAT_DIFFERENCE
        product = ((then - then.mean()) * (now - now.mean())).mean()
        return float(product / (then.std() * now.std())) >= PATCH_ALIKE


def _grey(screenshot: Screenshot, box: Box, size: tuple[int, int] | None) -> NDArray[np.float32] | None:
    """Gray levels of a box, resized to (w, h), or to the maximum size; None if it is outside the screenshot."""
    scale, (height, width) = screenshot.scale, screenshot.pixels.shape[:2]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(width, round(box.right * scale)), min(height, round(box.bottom * scale))
    if right - left < 1 or bottom - top < 1:
        return None
    grey = cv2.cvtColor(np.ascontiguousarray(screenshot.pixels[top:bottom, left:right]), cv2.COLOR_BGR2GRAY)
    if size is None:
        size = min(right - left, MAX_WIDTH), min(bottom - top, MAX_HEIGHT)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
