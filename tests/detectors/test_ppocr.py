"""Reading text with the real models."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.budget import Budget
from perception.detectors.ppocr import PLUGIN, PpOcr, _bands
from perception.errors import DeadlineError
from perception.types import Detections, Pixels


@pytest.fixture(scope="module")
def reader() -> PpOcr:
    detector = PLUGIN.make()
    assert isinstance(detector, PpOcr)
    return detector


def painted(
    *lines: tuple[int, int, str], width: int = 400, height: int = 120, size: int = 16, dark: bool = False
) -> Pixels:
    """Lines of text at (left, top) in Pillow's own font."""
    paper, ink = ((24, 26, 30), (230, 230, 235)) if dark else ((255, 255, 255), (30, 30, 30))
    image = Image.new("RGB", (width, height), paper)
    font = ImageFont.load_default(size)
    for left, top, text in lines:
        ImageDraw.Draw(image).text((left, top), text, font=font, fill=ink)
    return np.asarray(image)[..., ::-1]


def read(reader: PpOcr, pixels: Pixels) -> Detections:
    return reader.detect(pixels, Budget.of(120))


@pytest.mark.parametrize("dark", [False, True])
def test_lines_are_read_where_they_are(reader: PpOcr, dark: bool) -> None:
    found = read(reader, painted((20, 20, "Quarterly revenue"), (250, 80, "Save draft"), dark=dark))
    assert found.text == ("Quarterly revenue", "Save draft")
    assert set(found.kind) == {"text"}
    assert found.score.min() > 0.9
    centers = (found.xyxy[:, :2] + found.xyxy[:, 2:]) / 2
    assert np.abs(centers - np.array([[85, 30], [290, 90]])).max() < 15


def test_an_empty_image_has_no_text(reader: PpOcr) -> None:
    assert len(read(reader, np.full((200, 300, 3), 255, np.uint8))) == 0


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 200), (200, 3), (8, 8), (2, 3000)])
def test_slivers_are_looked_at_without_complaint(reader: PpOcr, width: int, height: int) -> None:
    assert len(read(reader, np.full((height, width, 3), 200, np.uint8))) == 0


def test_a_tight_crop_of_one_word_is_read(reader: PpOcr) -> None:
    assert read(reader, painted((3, 1, "Export"), width=62, height=22)).text == ("Export",)


def test_a_wide_and_low_image_is_searched_too(reader: PpOcr) -> None:
    found = read(reader, painted((20, 4, "left end"), (1200, 4, "right end"), width=1400, height=28))
    assert found.text == ("left end", "right end")
    assert found.xyxy[1, 0] > 1150


def test_a_single_narrow_digit_is_not_turned(reader: PpOcr) -> None:
    assert read(reader, painted((40, 10, "1"), width=90, height=50, size=24)).text == ("1",)


def test_text_that_runs_upwards_is_read(reader: PpOcr) -> None:
    upright = painted((20, 10, "Revenue in millions"), width=220, height=40, size=18)
    assert read(reader, np.ascontiguousarray(np.rot90(upright))).text == ("Revenue in millions",)


def test_a_tall_page_is_read_once_from_top_to_bottom(reader: PpOcr) -> None:
    tops = list(range(40, 5200, 470))
    pixels = painted(*((30, top, f"Paragraph number {top}") for top in tops), width=600, height=5200, size=20)
    found = read(reader, pixels)
    assert found.text == tuple(f"Paragraph number {top}" for top in tops)
    assert np.abs((found.xyxy[:, 1] + found.xyxy[:, 3]) / 2 - np.array(tops) - 12).max() < 8


def test_a_very_wide_image_is_read_at_its_own_size(reader: PpOcr) -> None:
    found = read(reader, painted((5400, 30, "far away"), width=6000, height=100, size=40))
    assert found.text == ("far away",)
    assert 5360 < found.xyxy[0, 0] < 5420


def test_a_spent_budget_stops_the_reading(reader: PpOcr) -> None:
    with pytest.raises(DeadlineError):
        reader.detect(painted((20, 20, "Save")), Budget.of(0))


def test_the_same_image_gives_the_same_answer(reader: PpOcr) -> None:
    pixels = painted((20, 20, "Quarterly revenue"), (20, 60, "Open file"))
    first, second = read(reader, pixels), read(reader, pixels)
    assert np.array_equal(first.xyxy, second.xyxy)
    assert first.text == second.text


@pytest.mark.parametrize(("height", "width"), [(1, 1), (96, 100), (1025, 1280), (9000, 1280), (300, 4096), (50, 4096)])
def test_bands_cover_every_row_exactly_once(height: int, width: int) -> None:
    bands = list(_bands(height, width))
    assert bands[0][2] == 0
    assert bands[-1][3] > height
    assert all(after[2] == before[3] for before, after in pairwise(bands))
    for top, bottom, first, last in bands:
        assert 0 <= top < bottom <= height
        assert top <= first < last
