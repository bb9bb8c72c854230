"""What is drawn neither as a checkbox nor as a radio button, although a detector says so."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.engine.detect import Detected
from perception.engine.parse import fuse_image
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.fusion.tick_shapes import is_tick, without_false_ticks
from perception.instrumentation.stages import Stages
from perception.types import Detections, Pixels, Screenshot, Viewport

INK = (40, 40, 40)


def draw(shape: str, scale: int = 1) -> Pixels:
    """200 × 60 px of white; a drawing from (20, 20) to (36, 36), CSS px."""
    image = np.full((60 * scale, 200 * scale, 3), 255, np.uint8)
    low, high, middle = 20 * scale, 36 * scale - 1, 28 * scale
    if shape in ("checkbox", "checked"):
        cv2.rectangle(image, (low, low), (high, high), INK, -1 if shape == "checked" else scale)
    elif shape == "pale checkbox":
        cv2.rectangle(image, (low, low), (high, high), (240, 240, 240), scale)
    elif shape == "radio":
        cv2.circle(image, (middle, middle), 8 * scale, INK, scale, cv2.LINE_AA)
    elif shape == "warning":
        cv2.fillPoly(image, [np.array([(middle, low), (high, high), (low, high)])], INK)
    elif shape == "magnifier":
        cv2.circle(image, (middle - 2 * scale, middle - 2 * scale), 6 * scale, INK, 2 * scale)
        cv2.line(image, (middle + 3 * scale, middle + 3 * scale), (high, high), INK, 3 * scale)
    elif shape == "letter":
        cv2.putText(image, "F", (low, high), cv2.FONT_HERSHEY_SIMPLEX, 0.7 * scale, INK, 2 * scale)
    return image


def crop(shape: str, scale: int = 1) -> Pixels:
    return draw(shape, scale)[18 * scale : 38 * scale, 18 * scale : 38 * scale]


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("shape", ["checkbox", "checked", "radio", "pale checkbox", "nothing"])
def test_squares_and_circles_are_ticks_and_so_is_what_cannot_be_told(shape: str, scale: int) -> None:
    assert is_tick(crop(shape, scale))


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("shape", ["warning", "magnifier", "letter"])
def test_icons_are_no_ticks(shape: str, scale: int) -> None:
    assert not is_tick(crop(shape, scale))


def test_over_a_photograph_no_shape_can_be_told() -> None:
    image = np.random.default_rng(1).integers(0, 255, (20, 20, 3)).astype(np.uint8)
    cv2.fillPoly(image, [np.array([(10, 2), (18, 18), (2, 18)])], INK)
    assert is_tick(image)


def test_an_image_without_pixels_tells_nothing() -> None:
    assert is_tick(np.zeros((0, 4, 3), np.uint8))


def found(label: str, box: tuple[float, float, float, float] = (20, 20, 36, 36)) -> Detections:
    return Detections("controls", np.asarray([box], np.float32), np.ones(1, np.float32), ("box",), ("",), (label,))


def words() -> Detections:
    box = np.asarray([(42, 20, 100, 36)], np.float32)
    return Detections("ppocr", box, np.ones(1, np.float32), ("text",), ("GitHub",), ("",))


def listed(shape: str, label: str) -> list[tuple[str, str]]:
    """Role and name of what is served for a drawing with a word beside it."""
    region = whole_viewport(Viewport(200, 60, 1.0))
    seen = SeenRegion(region, 1.0, (words(), found(label)))
    snapshot = fuse_image(Screenshot(draw(shape), 1.0), Detected((seen,), ()), Stages())
    return [(each.role, each.name) for each in snapshot.elements]


def test_a_small_icon_leaves_the_words_beside_it_alone() -> None:
    assert listed("magnifier", "checkbox, checked") == [("button", ""), ("text", "GitHub")]
    assert listed("checkbox", "checkbox") == [("checkbox", "GitHub")]


def label_of(shape: str, label: str, box: tuple[float, float, float, float] = (20, 20, 36, 36)) -> str:
    region = whole_viewport(Viewport(200, 60, 1.0))
    (seen,) = without_false_ticks((SeenRegion(region, 1.0, (found(label, box),)),), Screenshot(draw(shape), 1.0))
    return seen.detections[0].label[0]


def test_an_icon_has_no_state() -> None:
    assert label_of("warning", "radio, checked") == "icon button"


def test_a_wide_box_is_a_button() -> None:
    assert label_of("checkbox", "radio", (20, 20, 100, 36)) == "button"


@pytest.mark.parametrize("label", ["switch, checked", "icon button", "textbox", ""])
def test_other_classes_stay(label: str) -> None:
    assert label_of("magnifier", label) == label
