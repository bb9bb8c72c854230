"""Large boxes in which nothing is painted."""

from __future__ import annotations

import numpy as np
import pytest

from perception.fusion.blank_boxes import drop_blank_boxes
from perception.fusion.regions import SeenRegion
from perception.geometry import Box
from perception.types import Detections, Opaque, Pixels, Region, Screenshot


def stays(box: tuple[float, float, float, float], label: str, *, scale: float = 1.0) -> bool:
    """Whether a box stays; 60 × 60 px at (100, 100) are of one color with a frame, those beside it show a cross."""
    pixels: Pixels = np.full((300, 300, 3), 255, np.uint8)
    pixels[100:160, 100:160] = 90
    pixels[103:157, 103:157] = (10, 120, 90)
    pixels[100:160, 186:194] = pixels[126:134, 160:220] = 0
    region = Region(Box(20 / scale, 20 / scale, 280 / scale, 280 / scale), 0, Opaque.CANVAS)
    placed = np.asarray([box], np.float32) - 20
    found = Detections("any", placed, np.ones(1, np.float32), ("box",), ("",), (label,))
    (seen,) = drop_blank_boxes((SeenRegion(region, scale, (found,)),), Screenshot(pixels, scale))
    return len(seen.detections[0]) == 1


@pytest.mark.parametrize("label", ["button", "icon button", "link", "tab, checked"])
def test_a_bar_of_a_chart_is_no_button(label: str) -> None:
    assert not stays((99, 99, 161, 161), label)
    assert stays((159, 99, 221, 161), label)  # something is painted in it


@pytest.mark.parametrize("label", ["textbox", "slider", ""])
def test_what_may_be_empty_stays(label: str) -> None:
    assert stays((99, 99, 161, 161), label)


def test_small_colors_of_a_palette_stay_at_each_scale() -> None:
    assert stays((110, 110, 140, 140), "button")
    assert stays((100, 100, 160, 160), "button", scale=2.0)
