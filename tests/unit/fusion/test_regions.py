"""Conversion between CSS px and image px."""

from __future__ import annotations

import numpy as np
import pytest

from perception.fusion.regions import SeenRegion, crop_region, place_detections
from perception.geometry import Box
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import Opaque, Region, Screenshot


def region(*sides: float) -> Region:
    return Region(Box(*sides), 0, Opaque.CANVAS)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_a_crop_holds_the_regions_pixels(scale: float) -> None:
    pixels = np.zeros((round(100 * scale), round(200 * scale), 3), np.uint8)
    pixels[round(20 * scale) : round(40 * scale), round(50 * scale) : round(80 * scale)] = 255
    crop = crop_region(Screenshot(pixels, scale), region(50, 20, 80, 40))
    assert crop.shape == (round(20 * scale), round(30 * scale), 3)
    assert crop.min() == 255


def test_regions_that_touch_share_no_pixel() -> None:
    pixels = np.arange(40, dtype=np.uint8)[None, :, None].repeat(8, 0).repeat(3, 2)
    shot = Screenshot(pixels, 1.5)
    left, right = crop_region(shot, region(0, 0, 11, 5)), crop_region(shot, region(11, 0, 20, 5))
    assert left[0, -1, 0] + 1 == right[0, 0, 0]


def test_a_region_beyond_the_picture_still_gives_a_pixel() -> None:
    shot = Screenshot(np.zeros((10, 10, 3), np.uint8), 1)
    assert crop_region(shot, region(50, 50, 60, 60)).shape == (1, 1, 3)


def test_what_is_seen_in_a_crop_is_placed_in_the_viewport() -> None:
    found = detections_of("d", [ScriptedDetection((10, 20, 30, 40), "ok", 0.5)])
    (sight,) = place_detections(SeenRegion(region(100, 50, 300, 250), 2.0, (found,)))
    assert sight.box == Box(105, 60, 115, 70)
    assert (sight.text, sight.score) == ("ok", 0.5)


def test_what_sticks_out_of_a_region_is_cut_and_what_is_outside_is_dropped() -> None:
    found = detections_of(
        "d",
        [ScriptedDetection((-5, -5, 500, 10)), ScriptedDetection((300, 0, 400, 10)), ScriptedDetection((5, 5, 5, 9))],
    )
    (sight,) = place_detections(SeenRegion(region(100, 50, 300, 250), 1.0, (found,)))
    assert sight.box == Box(100, 50, 300, 60)


def test_nothing_seen_places_nothing() -> None:
    assert place_detections(SeenRegion(region(0, 0, 9, 9), 1.0, ())) == ()
    assert place_detections(SeenRegion(region(0, 0, 9, 9), 1.0, (detections_of("d", []),))) == ()
