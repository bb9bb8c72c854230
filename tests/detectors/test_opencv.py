"""Boxes by image processing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.deadline import Deadline
from perception.detectors.opencv import OpenCvBoxes, keep_once
from perception.errors import DeadlineError
from perception.geometry import Boxes, iou
from perception.types import Pixels


def paper(width: int = 400, height: int = 300, shade: int = 255) -> Pixels:
    return np.full((height, width, 3), shade, np.uint8)


def find(pixels: Pixels) -> Boxes:
    return OpenCvBoxes().detect(pixels, Deadline.of(60)).xyxy


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


PROSE = (
    "The quick brown fox jumps over the lazy dog while the band plays on and on",
    "until the morning comes and every guest has left the garden of the house,",
    "which nobody had expected when the summer began so late in that strange year.",
    "All of them said so, and many wrote it down in letters that are lost by now.",
)


def write(image: Image.Image, left: int, top: int, words: str, ink: tuple[int, int, int], scale: int) -> None:
    font = ImageFont.load_default(15 * scale)
    ImageDraw.Draw(image).text((left * scale, top * scale), words, font=font, fill=ink)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize(
    ("shade", "ink", "link"),
    [
        pytest.param(255, (40, 40, 40), (20, 90, 220), id="light"),
        pytest.param(26, (220, 220, 220), (110, 170, 255), id="dark"),
    ],
)
def test_links_in_their_own_colour_are_likelier_than_the_prose_above_them(
    shade: int, ink: tuple[int, int, int], link: tuple[int, int, int], scale: int
) -> None:
    image = Image.new("RGB", (900 * scale, 400 * scale), (shade,) * 3)
    for place, line in enumerate(PROSE):
        write(image, 40, 60 + 24 * place, line, ink, scale)
    for left, words in ((40, "Read more"), (300, "Next chapter")):
        write(image, left, 180, words, link, scale)
    found = OpenCvBoxes().detect(np.ascontiguousarray(np.asarray(image)[..., ::-1]), Deadline.of(60))
    low = found.xyxy[:, 1] > 175 * scale
    assert low.sum() == 2
    assert found.score[low].min() > 2 * found.score[~low].max(initial=0)


def test_a_link_within_a_line_is_a_box_of_its_own() -> None:
    image = Image.new("RGB", (900, 400), "white")
    for place, line in enumerate(PROSE):
        write(image, 40, 60 + 24 * place, line, (40, 40, 40), 1)
    left = 40
    for words, ink in (("See the ", (40, 40, 40)), ("release notes", (20, 90, 220)), (" for all of it.", (40, 40, 40))):
        write(image, left, 156, words, ink, 1)
        left += round(ImageFont.load_default(15).getlength(words))
    found = OpenCvBoxes().detect(np.ascontiguousarray(np.asarray(image)[..., ::-1]), Deadline.of(60))
    (link,) = found.xyxy[(found.score > 0.3) & (found.xyxy[:, 1] > 150)]
    start = 40 + ImageFont.load_default(15).getlength("See the ")
    end = start + ImageFont.load_default(15).getlength("release notes")
    assert abs(link[0] - start) < 4
    assert abs(link[2] - end) < 4


def test_a_rule_is_no_box() -> None:
    pixels = paper()
    cv2.line(pixels, (20, 100), (380, 100), (180, 180, 180), 1)
    assert not len(find(pixels))


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (400, 1), (12, 12)])
def test_plain_images_have_no_boxes(size: tuple[int, int]) -> None:
    assert len(find(paper(*size))) == 0


def test_noise_is_bounded() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (600, 800, 3), np.uint8)
    found = OpenCvBoxes().detect(noise, Deadline.of(60))
    assert len(found) <= 4000
    assert ((found.score >= 0) & (found.score <= 1)).all()


def test_a_spent_budget_stops_the_search() -> None:
    with pytest.raises(DeadlineError):
        OpenCvBoxes().detect(paper(), Deadline.of(0))


def test_of_a_frames_two_sides_the_likelier_is_kept() -> None:
    boxes = np.array([[0, 0, 100, 40], [1, 1, 99, 39], [10, 100, 110, 140]], np.float32)
    score, fill = np.array([0.5, 0.8, 0.3], np.float32), np.ones(3, np.float32)
    assert keep_once(boxes, score, fill, 12).tolist() == [1, 2]
    nothing = np.zeros(0, np.float32)
    assert keep_once(np.zeros((0, 4), np.float32), nothing, nothing, 12).tolist() == []


def test_a_label_alone_in_a_low_frame_is_the_frames() -> None:
    boxes = np.array([[0, 0, 100, 30], [30, 10, 70, 20]], np.float32)
    score, fill = np.array([0.4, 0.9], np.float32), np.array([0.95, 0], np.float32)
    assert keep_once(boxes, score, fill, 12).tolist() == [0]


def test_two_controls_in_a_toolbar_are_kept_beside_it() -> None:
    boxes = np.array([[0, 0, 300, 30], [30, 10, 70, 20], [100, 10, 140, 20]], np.float32)
    score, fill = np.array([0.4, 0.9, 0.8], np.float32), np.array([0.95, 0, 0], np.float32)
    assert keep_once(boxes, score, fill, 12).tolist() == [0, 1, 2]
