"""Boxes on pieces of words, which a detector takes for icons."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.fusion.word_pieces import drop_pieces_of_words
from perception.types import Detections, Pixels, Screenshot, Viewport

Rect = tuple[float, float, float, float]

LINE = (30.0, 40.0, 250.0, 80.0)
FIRST_LETTER, FIRST_WORD, ICON = (38.0, 46.0, 54.0, 74.0), (37.0, 44.0, 131.0, 76.0), (222.0, 46.0, 244.0, 74.0)


def headline(scale: int = 1) -> Pixels:
    """`Ooooo ooo` of blocks 14 px wide with gaps of 4 and 16 px between them, and a disk 16 px behind them."""
    image: Pixels = np.full((120, 300, 3), 255, np.uint8)
    for place in (0, 1, 2, 3, 4, 6, 7, 8):
        left = 40 + 18 * place + (12 if place > 5 else 0) - (6 if place > 5 else 0)
        image[48:72, left : left + 14] = 20
    cv2.circle(image, (233, 60), 8, (20, 20, 20), -1)
    return image if scale == 1 else np.repeat(np.repeat(image, scale, axis=0), scale, axis=1)


def kept(
    box: Rect,
    label: str = "icon button",
    *,
    scale: int = 1,
    pixels: Pixels | None = None,
    text: str = "Ooooo ooo",
    score: float = 0.7,
) -> bool:
    """Whether a box, CSS px, stays on the headline."""
    region = whole_viewport(Viewport(300, 120, float(scale)))
    boxes = Detections(
        "controls", np.asarray([box], np.float32) * scale, np.full(1, score, np.float32), ("box",), ("",), (label,)
    )
    lines = Detections(
        "ppocr", np.asarray([LINE], np.float32) * scale, np.ones(1, np.float32), ("text",), (text,), ("",)
    )
    seen = SeenRegion(region, float(scale), (lines, boxes))
    shot = Screenshot(headline(scale) if pixels is None else pixels, float(scale))
    (left,) = drop_pieces_of_words([seen], shot)
    assert len(left.detections[0]) == 1  # no line is dropped
    return len(left.detections[1]) == 1


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("label", ["icon button", "link", "button"])
def test_the_first_letter_of_a_headline_is_no_control(label: str, scale: int) -> None:
    assert not kept(FIRST_LETTER, label, scale=scale)


def test_letters_in_the_middle_of_a_word_are_no_control() -> None:
    assert not kept((74, 46, 92, 74))


@pytest.mark.parametrize("scale", [1, 2])
def test_an_icon_behind_the_words_of_its_line_stays(scale: int) -> None:
    assert kept(ICON, scale=scale)


def test_a_box_that_holds_a_word_stays() -> None:
    assert kept(FIRST_WORD, "link")


def test_a_box_whose_sides_lie_in_a_filled_area_stays() -> None:
    pixels = headline()
    pixels[42:78, 30:140] = (200, 120, 30)
    assert kept((60, 46, 80, 74), pixels=pixels)


@pytest.mark.parametrize("label", ["radio", "checkbox", "textbox", "switch", "slider", ""])
def test_other_classes_stay(label: str) -> None:
    assert kept(FIRST_LETTER, label)


def test_a_sure_link_stays_where_it_seems_to_cut_a_word_and_a_sure_icon_does_not() -> None:
    assert kept(FIRST_LETTER, "link", score=0.8)
    assert not kept(FIRST_LETTER, "icon button", score=0.8)


def test_a_box_that_is_much_taller_than_the_line_stays() -> None:
    assert kept((38, 20, 54, 100))


def test_without_lines_all_boxes_stay() -> None:
    region = whole_viewport(Viewport(300, 120, 1.0))
    boxes = Detections(
        "controls", np.asarray([FIRST_LETTER], np.float32), np.ones(1, np.float32), ("box",), ("",), ("link",)
    )
    (left,) = drop_pieces_of_words([SeenRegion(region, 1.0, (boxes,))], Screenshot(headline(), 1.0))
    assert len(left.detections[0]) == 1
