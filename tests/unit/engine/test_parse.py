"""An image of a screen: what detectors see of it, and where their boxes are."""

from __future__ import annotations

import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.parse import parse
from perception.geometry import Box
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector
from perception.types import Screenshot

pytestmark = pytest.mark.real_time  # a thread


@pytest.mark.parametrize(("at_css_scale", "seen"), [(True, (100, 150, 3)), (False, (200, 300, 3))])
async def test_a_detector_at_css_scale_sees_fewer_pixels_and_its_boxes_are_in_the_same_place(
    at_css_scale: bool, seen: tuple[int, ...]
) -> None:
    zoom = 1 if at_css_scale else 2
    sighting = ScriptedDetection((10 * zoom, 20 * zoom, 60 * zoom, 40 * zoom), label="button")
    boxer = ScriptedDetector("boxer", [sighting], at_css_scale=at_css_scale)
    pool = DetectorPool(Registry.of(boxer=boxer.plugin()), in_threads=True)
    try:
        pixels = np.zeros((200, 300, 3), np.uint8)
        pixels[50:70, 60:80] = 255  # an icon: nothing large that is blank is a button
        (found,) = (await parse(Screenshot(pixels, 2.0), ("boxer",), pool, Deadline.of(20))).elements
    finally:
        pool.close()
    assert boxer.shapes == [seen]
    assert found.box == Box(10, 20, 60, 40)
