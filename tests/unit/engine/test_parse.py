"""An image of a screen: what detectors see of it, and where their boxes are."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.parse import in_image_px, parse
from perception.geometry import Box, Point
from perception.snapshot import Snapshot
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector
from perception.types import Element, Pixels, Scroll, Viewport

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
        (found,) = (await parse(pixels, 2.0, ("boxer",), pool, Deadline.of(20))).elements
    finally:
        pool.close()
    assert boxer.shapes == [seen]
    assert found.box == Box(10, 20, 60, 40)


def written(size: int) -> Pixels:
    """A form's lines in letters of `size` px, and an icon."""
    image = Image.new("RGB", (60 * size, 40 * size), (255, 255, 255))
    for row in range(12):
        place = (2 * size, (2 + 2 * row) * size)
        ImageDraw.Draw(image).text(
            place, f"Name of item {row} and its price", font=ImageFont.load_default(size), fill=0
        )
    ImageDraw.Draw(image).ellipse((40 * size, 4 * size, 42 * size, 6 * size), fill=(0, 0, 0))
    return np.asarray(image)


@pytest.mark.parametrize(("size", "scale"), [(12, 1), (16, 1), (28, 2), (42, 3)])
async def test_without_a_scale_it_is_guessed_from_the_letters_and_boxes_are_in_image_px(size: int, scale: int) -> None:
    pixels, zoom = written(size), size / scale
    sighting = ScriptedDetection((39 * zoom, 3 * zoom, 43 * zoom, 7 * zoom), label="button")
    boxer = ScriptedDetector("boxer", [sighting], at_css_scale=True)
    pool = DetectorPool(Registry.of(boxer=boxer.plugin()), in_threads=True)
    try:
        snapshot = await parse(pixels, 0, ("boxer",), pool, Deadline.of(20))
    finally:
        pool.close()
    assert boxer.shapes == [(40 * size // scale, 60 * size // scale, 3)]
    (found,) = snapshot.elements
    assert found.box == Box(39 * size, 3 * size, 43 * size, 7 * size)
    assert found.click_point == found.box.center
    assert (snapshot.viewport.width, snapshot.viewport.scale) == (60 * size, 1)


def test_the_cells_of_a_grid_are_told_in_image_px_too() -> None:
    grid = Element("grid", "9 × 6", Box(40, 30, 520, 246), text="columns from x=40, 120, …, 520, rows from y=30, 54")
    row = Element("row", "1 | 42", Box(40, 30, 520, 54), click_point=Point(280, 42))
    snapshot = Snapshot("", "", "", "", Viewport(600, 300, 2), Scroll(0, 0, 600, 300), (grid, row))
    enlarged = in_image_px(snapshot, 2)
    assert enlarged.elements[0].text == "columns from x=80, 240, …, 1040, rows from y=60, 108"
    assert (enlarged.elements[1].name, enlarged.elements[1].click_point) == ("1 | 42", Point(560, 84))
    assert in_image_px(snapshot, 1) is snapshot
