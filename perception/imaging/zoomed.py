"""Pictures of pages that are zoomed in, as by two fingers: they show a part of the viewport. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from perception.geometry import Box
from perception.types import Pixels


@dataclass(frozen=True, slots=True)
class PicturedView:
    """A viewport, and the part of it that a picture shows.

    Attributes:
        width, height: of the viewport, CSS px.
        pictured: the part, CSS px of the viewport.
    """

    width: float
    height: float
    pictured: Box

    @classmethod
    def whole(cls, width: float, height: float) -> PicturedView:
        """A picture of all of it."""
        return cls(width, height, Box(0, 0, width, height))

    @property
    def is_whole(self) -> bool:
        """Whether the picture shows all of it, to a pixel."""
        part = self.pictured
        return max(abs(part.left), abs(part.top), self.width - part.right, self.height - part.bottom) < 1


def place_in_viewport(pixels: Pixels, view: PicturedView) -> Pixels:
    """A picture of the whole viewport, of the same size: the part that is shown lies at its place, the rest is black.

    Args:
        pixels: (H, W, 3) uint8.
        view: what they show.

    Returns:
        The same array where they show all of it.
    """
    if view.is_whole:
        return pixels
    height, width = pixels.shape[:2]
    across, down, part = width / view.width, height / view.height, view.pictured
    left, top = max(round(part.left * across), 0), max(round(part.top * down), 0)
    right, bottom = min(round(part.right * across), width), min(round(part.bottom * down), height)
    placed = np.zeros_like(pixels)
    if right > left and bottom > top:
        placed[top:bottom, left:right] = cv2.resize(pixels, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    return placed
