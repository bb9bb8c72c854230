"""Boxes by image processing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.budget import Budget
from perception.detectors.opencv import OpenCvBoxes, keep_outermost
from perception.errors import DeadlineError
from perception.geometry import Boxes, iou
from perception.types import Pixels


def paper(width: int = 400, height: int = 300, shade: int = 255) -> Pixels:
    return np.full((height, width, 3), shade, np.uint8)


def find(pixels: Pixels) -> Boxes:
    return OpenCvBoxes().detect(pixels, Budget.of(60)).xyxy


def matches(found: Boxes, box: tuple[int, int, int, int]) -> int:
    return int((iou(found, np.array([box], np.float32)) > 0.8).sum())


@pytest.mark.parametrize(
    ("shade", "fill", "line"),
    [
        pytest.param(255, None, (200, 200, 200), id="thin grey frame on white"),
        pytest.param(255, (240, 240, 240), None, id="pale fill on white"),
        pytest.param(20, (60, 50, 45), None, id="dark fill on dark"),
        pytest.param(128, (128, 128, 200), None, id="fill of the same lightness"),
    ],
)
def test_a_button_is_one_box(shade: int, fill: tuple[int, int, int] | None, line: tuple[int, int, int] | None) -> None:
    pixels = paper(shade=shade)
    if fill is not None:
        cv2.rectangle(pixels, (100, 100), (179, 131), fill, -1)
    if line is not None:
        cv2.rectangle(pixels, (100, 100), (179, 131), line, 1)
    found = find(pixels)
    assert len(found) == 1
    assert np.abs(found[0] - [100, 100, 180, 132]).max() <= 1.5


def test_an_icon_in_its_button_is_the_button() -> None:
    pixels = paper()
    cv2.rectangle(pixels, (100, 100), (131, 131), (150, 150, 150), 1)
    cv2.circle(pixels, (116, 116), 7, (40, 40, 40), 2)
    found = find(pixels)
    assert len(found) == 1
    assert matches(found, (100, 100, 132, 132)) == 1


def test_an_icon_without_a_frame_is_found() -> None:
    pixels = paper()
    cv2.line(pixels, (50, 58), (66, 58), (30, 30, 30), 2)
    cv2.line(pixels, (58, 50), (58, 66), (30, 30, 30), 2)
    assert matches(find(pixels), (49, 49, 68, 68)) == 1


def test_fields_in_a_card_are_found_beside_the_card() -> None:
    pixels = paper()
    for box in ((20, 20, 380, 280), (40, 40, 360, 72), (40, 100, 360, 132)):
        cv2.rectangle(pixels, box[:2], box[2:], (190, 190, 190), 1)
    found = find(pixels)
    assert [matches(found, box) for box in ((20, 20, 380, 280), (40, 40, 360, 72), (40, 100, 360, 132))] == [1, 1, 1]


def test_a_line_of_text_and_a_rule_are_no_boxes() -> None:
    pixels = paper()
    cv2.putText(
        pixels, "a line of ordinary text", (20, 60), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1, cv2.LINE_AA
    )
    cv2.line(pixels, (20, 100), (380, 100), (180, 180, 180), 1)
    found = find(pixels)
    assert not len(found) or (found[:, 2] - found[:, 0]).max() < 80


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (400, 1), (12, 12)])
def test_plain_images_have_no_boxes(size: tuple[int, int]) -> None:
    assert len(find(paper(*size))) == 0


def test_noise_is_bounded() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (600, 800, 3), np.uint8)
    found = OpenCvBoxes().detect(noise, Budget.of(60))
    assert len(found) <= 4000
    assert ((found.score >= 0) & (found.score <= 1)).all()


def test_a_spent_budget_stops_the_search() -> None:
    with pytest.raises(DeadlineError):
        OpenCvBoxes().detect(paper(), Budget.of(0))


def test_of_a_frames_two_sides_one_is_kept() -> None:
    boxes = np.array([[0, 0, 100, 40], [1, 1, 99, 39], [10, 100, 110, 140]], np.float32)
    assert keep_outermost(boxes).tolist() == [0, 2]
    assert keep_outermost(np.zeros((0, 4), np.float32)).tolist() == []
