"""Names of icons by their pixels, with the network that ships."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.icon_names import IconNamer
from perception.detectors.icon_views import SIDE, icon_views
from perception.detectors.icons import PLUGIN
from perception.types import Pixels

Color = tuple[int, int, int]
WHITE, BLACK, BLUE = (255, 255, 255), (0, 0, 0), (200, 90, 30)
BOX = np.asarray([8, 8, 40, 40], np.float32)


def lines(*ends: tuple[float, float, float, float], ink: Color = BLACK, paper: Color = WHITE, wide: int = 2) -> Pixels:
    """Lines on a ground of 48 × 48 px, four times finer and shrunk as a screen would."""
    image = np.full((192, 192, 3), paper, np.uint8)
    for x, y, x2, y2 in ends:
        cv2.line(image, (round(x * 4), round(y * 4)), (round(x2 * 4), round(y2 * 4)), ink, wide * 4, cv2.LINE_AA)
    return np.asarray(cv2.resize(image, (48, 48), interpolation=cv2.INTER_AREA), np.uint8)


CROSS = ((16, 16, 32, 32), (16, 32, 32, 16))
BARS = ((14, 17, 34, 17), (14, 24, 34, 24), (14, 31, 34, 31))
PLUS = ((24, 14, 24, 34), (14, 24, 34, 24))


@pytest.fixture(scope="module")
def namer() -> IconNamer:
    return IconNamer()


@pytest.mark.parametrize(
    ("colors", "wide"),
    [
        pytest.param((BLACK, WHITE), 2, id="dark-on-light"),
        pytest.param((WHITE, BLACK), 2, id="light-on-dark"),
        pytest.param((BLUE, (245, 240, 235)), 3, id="colored"),
    ],
)
def test_an_icon_has_one_name_in_any_colors(namer: IconNamer, colors: tuple[Color, Color], wide: int) -> None:
    for shape, name in ((CROSS, "close"), (BARS, "menu"), (PLUS, "plus")):
        (found,) = namer.name(lines(*shape, ink=colors[0], paper=colors[1], wide=wide), BOX[None])
        assert found is not None
        assert found.name == name


def test_the_icon_on_a_button_is_named_as_the_icon_alone(namer: IconNamer) -> None:
    pixels = np.full((48, 48, 3), 255, np.uint8)
    cv2.circle(pixels, (24, 24), 16, BLUE, -1, cv2.LINE_AA)
    for x, y, x2, y2 in ((24, 17, 24, 31), (17, 24, 31, 24)):
        cv2.line(pixels, (x, y), (x2, y2), WHITE, 2, cv2.LINE_AA)
    (found,) = namer.name(pixels, BOX[None])
    assert found is not None
    assert found.name == "plus"


def test_a_plain_place_has_no_name(namer: IconNamer) -> None:
    plain = np.full((48, 48, 3), 200, np.uint8)
    outside = np.asarray([[0, 0, 0, 0], [60, 60, 80, 80], [8, 8, 10, 10]], np.float32)
    assert namer.name(plain, np.concatenate([BOX[None], outside])) == [None] * 4
    assert namer.name(plain, np.zeros((0, 4), np.float32)) == []


def test_a_view_is_the_ink_in_a_square_whatever_the_colors() -> None:
    dark = icon_views(lines(*CROSS), BOX)[0]
    light = icon_views(lines(*CROSS, ink=WHITE, paper=BLACK), BOX)[0]
    assert dark.shape == (SIDE, SIDE)
    assert np.abs(dark.astype(int) - light.astype(int)).max() <= 2
    assert dark.max() == 255


def test_the_detector_names_one_control_and_answers_nothing_for_a_plain_one() -> None:
    detector = PLUGIN.make()
    found = detector.detect(lines(*CROSS)[10:38, 10:38], Deadline.of(30))
    assert (found.kind, found.label, found.text) == (("icon",), ("close",), ("",))
    assert len(detector.detect(np.full((30, 30, 3), 128, np.uint8), Deadline.of(30))) == 0
    assert len(detector.detect(np.zeros((1, 1, 3), np.uint8), Deadline.of(30))) == 0
