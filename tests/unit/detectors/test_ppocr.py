"""Reading text with the real models."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.deadline import Deadline
from perception.detectors.ppocr import PLUGIN, PpOcr, threads_of
from perception.detectors.scripts import is_read_well
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import DOUBTFUL, UNREAD, Detections, Pixels


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
    return reader.detect(pixels, Deadline.of(120))


@pytest.mark.parametrize("dark", [False, True])
def test_lines_are_read_where_they_are(reader: PpOcr, dark: bool) -> None:
    found = read(reader, painted((20, 20, "Quarterly revenue"), (250, 80, "Save draft"), dark=dark))
    assert found.text == ("Quarterly revenue", "Save draft")
    assert set(found.kind) == {"text"}
    assert found.score.min() > 0.9
    centers = (found.xyxy[:, :2] + found.xyxy[:, 2:]) / 2
    assert np.abs(centers - np.array([[85, 30], [290, 90]])).max() < 15


def test_the_lines_that_were_read_until_the_deadline_are_returned(reader: PpOcr) -> None:
    lines = [(20, 20 + 30 * row, f"Line number {row} of the list") for row in range(8)]
    pixels = painted(*lines, height=280)
    asked = count()
    found = reader.detect(pixels, Deadline(5.0, lambda: float(next(asked))))
    assert 0 < len(found) < 8
    assert found.text == tuple(text for _, _, text in lines[: len(found)])
    assert found.missing == f"{8 - len(found)} of 8 lines were not read"
    assert read(reader, pixels).missing == ""


UNKNOWN_LINES = [
    pytest.param("Arabic", "إعدادات الحساب والخصوصية", id="Arabic"),
    pytest.param("Cyrillic", "Настройки учётной записи", id="Cyrillic"),
    pytest.param("Hebrew", "הגדרות חשבון ופרטיות", id="Hebrew"),
]


@pytest.mark.parametrize(("script", "line"), UNKNOWN_LINES)
def test_a_line_in_an_unknown_script_is_called_unread_beside_one_that_is_read(
    reader: PpOcr, script: str, line: str
) -> None:
    image = Image.new("RGB", (420, 110), (255, 255, 255))
    font = ImageFont.truetype("DejaVuSans.ttf", 18)
    for top, text in ((15, line), (70, "Account settings")):
        ImageDraw.Draw(image).text((20, top), text, font=font, fill=(30, 30, 30))
    found = read(reader, np.asarray(image)[..., ::-1])
    assert found.text == (f"unread ({script})", "Account settings")
    assert found.label == (UNREAD, "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("Settings Настройки", ["Settings", "unread (Cyrillic)"], id="one of two"),
        pytest.param("Webhooks и диски 2024", ["Webhooks", "unread (Cyrillic)", "2024"], id="between others"),
        pytest.param("Всего записей: 24", ["unread (Cyrillic)"], id="letters that look like others, and a number"),  # noqa: RUF001
        pytest.param("Настройки учётной записи API", ["unread (Cyrillic)"], id="most of the line"),
    ],
)
def test_one_word_in_an_unknown_script_does_not_make_its_line_unread(
    reader: PpOcr, line: str, expected: list[str]
) -> None:
    image = Image.new("RGB", (560, 60), (255, 255, 255))
    ImageDraw.Draw(image).text((20, 18), line, font=ImageFont.truetype("DejaVuSans.ttf", 18), fill=(30, 30, 30))
    assert list(read(reader, np.asarray(image)[..., ::-1]).text) == expected


def test_a_short_word_in_an_unknown_script_is_doubtful(reader: PpOcr) -> None:
    image = Image.new("RGB", (120, 60), (255, 255, 255))
    ImageDraw.Draw(image).text((40, 15), "نعم", font=ImageFont.truetype("DejaVuSans.ttf", 18), fill=(30, 30, 30))
    found = read(reader, np.asarray(image)[..., ::-1])
    assert [text for text, kind in zip(found.text, found.kind, strict=True) if kind == DOUBTFUL] == ["unread (Arabic)"]
    assert UNREAD not in found.label


@pytest.mark.parametrize(
    ("text", "score", "steps", "expected"),
    [("10 pt", 0.9, 13, True), ("LOCUST", 0.88, 30, True), ("LOCUST", 0.7, 30, False), (".", 0.99, 12, False)],
)
def test_certain_letters_all_along_a_line_speak_for_reading_it(
    text: str, score: float, steps: int, expected: bool
) -> None:
    assert is_read_well(text, score, steps) is expected


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


def test_a_line_longer_than_a_tile_is_put_together(reader: PpOcr) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    found = read(reader, painted((20, 30, words), width=3600, height=90, size=22))
    assert "".join(found.text).replace(" ", "") == words.replace(" ", "")
    assert len(found) == 1


def test_texts_far_apart_in_a_row_are_separate_pieces(reader: PpOcr) -> None:
    pixels = painted((20, 20, "Portrait"), (140, 20, "Landscape"), width=300, height=60)
    found = read(reader, pixels)
    assert found.text == ("Portrait", "Landscape")
    assert found.xyxy[0, 2] < 110 < 130 < found.xyxy[1, 0]


@pytest.mark.parametrize("digit", ["4", "T", "10"])
def test_a_lone_letter_or_number_among_nothing_is_found(reader: PpOcr, digit: str) -> None:
    pixels = painted((30, 20, "Quantity"), (300, 300, digit), width=640, height=400, size=13)
    assert read(reader, pixels).text == ("Quantity", digit)


def test_a_line_that_has_moved_is_not_read_again(reader: PpOcr) -> None:
    text = "Scrolled a long way down"
    read(reader, painted((40, 200, text), width=500, height=400))
    known = len(reader.recognizer._known)
    assert read(reader, painted((40, 168, text), width=500, height=400)).text == (text,)
    assert len(reader.recognizer._known) == known


def test_what_is_read_depends_neither_on_earlier_images_nor_on_the_order_of_lines(reader: PpOcr) -> None:
    page = painted((20, 20, "Quarterly revenue"), (240, 20, "12"), (20, 60, "Ref. 0O1lI-88B"), (20, 90, "Open file…"))
    read(reader, page[::-1])
    warm = read(reader, page)
    cold = read(PpOcr(threads=1), page)
    assert warm.text == cold.text
    assert np.array_equal(warm.xyxy, cold.xyxy)
    assert np.array_equal(warm.score, cold.score)


def test_light_text_on_a_dark_picture_is_read_as_well(reader: PpOcr) -> None:
    noise = np.random.default_rng(3).integers(0, 60, (200, 500, 3)).astype(np.uint8)
    mask = painted((30, 80, "Summer sale ends today"), width=500, height=200, size=26, dark=True) > 120
    assert read(reader, np.where(mask, np.uint8(245), noise)).text == ("Summer sale ends today",)


def test_a_blank_margin_costs_nothing(reader: PpOcr) -> None:
    pixels = np.full((3000, 3000, 3), 255, np.uint8)
    pixels[1500:1560, 1200:1600] = painted((20, 20, "in the middle"), width=400, height=60)
    asked: list[tuple[int, ...]] = []
    heat, reader._heat = reader._heat, lambda deadline, tile: asked.append(tile.shape) or heat(deadline, tile)  # type: ignore[method-assign,func-returns-value]
    try:
        assert read(reader, pixels).text == ("in the middle",)
    finally:
        reader._heat = heat  # type: ignore[method-assign]
    assert sum(height * width for height, width, _ in asked) < 400 * 200


@pytest.mark.parametrize("said", ["0", "many", "-1", "65"])
def test_an_invalid_number_of_threads_is_reported(said: str) -> None:
    with pytest.raises(DetectorMissingError, match="set it to a number from 1 to 64"):
        threads_of({"PERCEPTION_OCR_THREADS": said})


def test_many_small_images_are_read_as_each_alone(reader: PpOcr) -> None:
    words = ["Save", "Open", "12", "", "Undo", "OK", "Zoom"]
    images = [painted((8, 6, word), width=60 + 3 * place, height=30) for place, word in enumerate(words)]
    images.insert(3, painted((20, 20, "Quarterly revenue")))
    together = list(reader.detect_all(images, [Deadline.of(60)] * len(images)))
    assert [found.text for found in together if found is not None] == [read(reader, image).text for image in images]
    assert [found.text for found in together if found is not None][:3] == [("Save",), ("Open",), ("12",)]


def test_of_many_images_those_without_time_are_left_out(reader: PpOcr) -> None:
    images = [painted((8, 6, "Save"), width=60, height=30)] * 2
    first, second = reader.detect_all(images, [Deadline.of(0), Deadline.of(60)])
    assert first is None
    assert second is not None
    assert second.text == ("Save",)


def test_a_spent_budget_stops_the_reading(reader: PpOcr) -> None:
    with pytest.raises(DeadlineError):
        reader.detect(painted((20, 20, "Save")), Deadline.of(0))


def test_the_same_image_gives_the_same_answer(reader: PpOcr) -> None:
    pixels = painted((20, 20, "Quarterly revenue"), (20, 60, "Open file"))
    first, second = read(reader, pixels), read(reader, pixels)
    assert np.array_equal(first.xyxy, second.xyxy)
    assert first.text == second.text
