"""Cutting the picture of an element into lines."""

from __future__ import annotations

import cv2
import numpy as np

from perception.fusion.text_rows import cut_box, cut_rows
from perception.geometry import Box
from perception.types import Pixels


def picture(*lines: tuple[str, int, int], width: int = 400, height: int = 90, paper: int = 255) -> Pixels:
    pixels = np.full((height, width, 3), paper, np.uint8)
    for text, x, y in lines:
        cv2.putText(pixels, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255 - paper,) * 3, 1, cv2.LINE_AA)
    return pixels


def test_lines_below_each_other_are_cut_apart() -> None:
    first, second = cut_rows(picture(("Total 12", 10, 25), ("Sum 345", 10, 65)))
    assert first.shape[0] < 30
    assert second.shape[0] < 30


def test_columns_far_apart_are_cut_apart() -> None:
    left, right = cut_rows(picture(("Ann", 10, 25), ("10.50", 300, 25)))
    assert left.shape[1] < 60
    assert right.shape[1] < 80


def test_light_text_on_dark_paper_is_ink() -> None:
    assert len(cut_rows(picture(("Total 12", 10, 25), paper=0))) == 1


def test_the_border_of_a_field_is_no_ink() -> None:
    field = picture(("333", 10, 28), height=40)
    cv2.rectangle(field, (0, 0), (399, 39), (90, 90, 90), 1)
    (row,) = cut_rows(field)
    assert row.shape[0] < 30
    assert row.shape[1] < 70


def test_blank_tiny_and_empty_pictures_have_no_lines() -> None:
    assert cut_rows(picture()) == []
    tiny = picture()
    tiny[10:14, 10:30] = 0
    assert cut_rows(tiny) == []
    assert cut_rows(np.zeros((0, 5, 3), np.uint8)) == []


def test_a_box_is_cut_at_the_scale_of_the_picture() -> None:
    assert cut_box(picture(), Box(10, 5, 60, 25), 2.0).shape == (40, 100, 3)
    assert cut_box(picture(), Box(500, 5, 600, 25), 1.0).size == 0
