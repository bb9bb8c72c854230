"""Photographs among what detectors are to look at."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.fusion.photographs import drop_in_photographs
from perception.fusion.regions import SeenRegion
from perception.geometry import Box
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import Opaque, Pixels, Region, Screenshot

SIDE = 480


def photograph() -> Pixels:
    """Light and shadow, and the noise of a camera."""
    down, right = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    light = 120 + 80 * np.sin(7 * down) * np.cos(5 * right)
    return _noisy(light)


def paper() -> Pixels:
    """A background of noise: the same brightness everywhere."""
    return _noisy(np.full((SIDE, SIDE), 235.0))


def side_bar() -> Pixels:
    """A gradient, dithered as Chromium does it, with lines of a menu."""
    dither = np.random.default_rng(0).uniform(0, 1, (SIDE, SIDE, 3))
    pixels = (np.linspace(80, 180, SIDE)[:, None, None] + dither).astype(np.uint8)
    pixels[105:480:40, 40:200:6] = 250
    return pixels


def _noisy(light: np.ndarray) -> Pixels:
    noise = np.random.default_rng(0).normal(0, 3, (SIDE, SIDE, 3))
    return np.clip(light[..., None] + noise, 0, 255).astype(np.uint8)


def left_in(pixels: Pixels, *found: ScriptedDetection) -> list[tuple[float, ...]]:
    """Boxes of the detections that stay."""
    region = Region(Box(0, 0, SIDE, SIDE), 0, Opaque.CANVAS)
    (seen,) = drop_in_photographs(
        (SeenRegion(region, 1.0, (detections_of("any", list(found)),)),), Screenshot(pixels, 1.0)
    )
    return [tuple(box) for box in seen.detections[0].xyxy.tolist()]


LEAF = ScriptedDetection((100, 100, 180, 130))
WHOLE = ScriptedDetection((2, 2, 478, 478))


def test_shapes_in_a_photograph_are_no_controls_but_the_photograph_may_be_one() -> None:
    assert left_in(photograph(), LEAF, WHOLE) == [WHOLE.xyxy]


def test_a_button_painted_over_a_photograph_stays() -> None:
    pixels = photograph()
    pixels[100:130, 100:180] = (200, 90, 30)
    assert left_in(pixels, LEAF) == [LEAF.xyxy]


def darkened_below(pixels: Pixels, top: int) -> Pixels:
    """With the bar of a player: darker and darker towards the bottom."""
    shade = np.clip((np.arange(SIDE) - top) / (SIDE - top), 0, 1)[:, None, None]
    return (pixels * (1 - 0.7 * shade)).astype(np.uint8)


def test_icons_of_a_player_over_its_picture_stay() -> None:
    pixels = darkened_below(photograph(), 400)
    cv2.fillPoly(pixels, [np.array([[26, 442], [26, 462], [44, 452]])], (255, 255, 255), cv2.LINE_AA)
    pixels[444:460, 66:70] = pixels[444:460, 76:80] = 250
    play, pause, bare = ((x, 436, x + 32, 468) for x in (20, 56, 200))
    assert left_in(pixels, *map(ScriptedDetection, (play, pause, bare))) == [play, pause]


def test_a_bright_spot_of_a_photograph_is_not_drawn() -> None:
    down, right = np.mgrid[0:SIDE, 0:SIDE].astype(float)
    sun = 400 * np.exp(-((down - 115) ** 2 + (right - 140) ** 2) / 500)
    noise = np.random.default_rng(1).normal(0, 3, (SIDE, SIDE, 3))
    pixels = np.clip(photograph() + sun[..., None] + noise, 0, 255).astype(np.uint8)
    assert (pixels[100:130, 100:180] == 255).all(axis=2).mean() > 0.1
    assert left_in(pixels, LEAF) == []


@pytest.mark.parametrize(
    "pixels", [paper(), side_bar(), np.full((SIDE, SIDE, 3), 255, np.uint8)], ids=["paper", "side bar", "plain"]
)
def test_a_background_is_no_photograph(pixels: Pixels) -> None:
    assert left_in(pixels, LEAF) == [LEAF.xyxy]


@pytest.mark.parametrize(("text", "score", "kept"), [("EXIT 12", 0.98, True), ("EXIT", 0.7, False), ("8", 0.99, False)])
def test_text_in_a_photograph_stays_where_it_is_read_with_certainty(text: str, score: float, kept: bool) -> None:
    sign = ScriptedDetection((200, 200, 300, 230), text, score)
    assert left_in(photograph(), sign) == ([sign.xyxy] if kept else [])
