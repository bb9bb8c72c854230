"""Shapes of a page: viewport, device scale and color scheme, written as `1280x800@2-dark`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perception.datasets.sample import DatasetError
from perception.types import Viewport

_SHAPE = re.compile(r"(\d{2,5})x(\d{2,5})(?:@(\d(?:\.\d+)?))?(?:-(light|dark))?")

MAX_SHAPE_SIDE = 4096
"""CSS px. No common screen is larger."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A viewport with its color scheme, `light` or `dark`."""

    viewport: Viewport
    color_scheme: str = "light"

    @property
    def name(self) -> str:
        scale = f"@{self.viewport.scale:g}" if self.viewport.scale != 1 else ""
        scheme = "-dark" if self.color_scheme == "dark" else ""
        return f"{self.viewport.width}x{self.viewport.height}{scale}{scheme}"


def parse_shape(text: str) -> Shape:
    """Parses a shape. Raises DatasetError: the text is not a shape."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise DatasetError(f"shape {text!r}: write WIDTHxHEIGHT[@SCALE][-dark], such as 1280x800 or 390x844@2-dark")
    width, height, scale, scheme = found.groups()
    viewport = Viewport(int(width), int(height), float(scale or 1))
    if max(viewport.width, viewport.height) > MAX_SHAPE_SIDE or not 0.5 <= viewport.scale <= 4:
        raise DatasetError(f"shape {text!r}: sides are at most {MAX_SHAPE_SIDE} px, the scale is in 0.5 … 4")
    return Shape(viewport, scheme or "light")


DESKTOP = parse_shape("1280x800")

DEFAULT_SHAPES = (DESKTOP, parse_shape("390x844@2"), parse_shape("1600x900-dark"))
"""A laptop, a phone and a large dark screen: each changes the layout, the pixels or the colors."""

EPISODE_SHAPE = parse_shape("320x240")
"""MiniWoB++ draws in 160 × 210 px at the top left."""
