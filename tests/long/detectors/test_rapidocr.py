"""The package's own reader, with its real models."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import cv2
import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.protocol import Detector
from perception.detectors.rapidocr import PLUGIN
from perception.errors import DeadlineError
from perception.types import Pixels


@pytest.fixture(scope="module")
def reader() -> Detector:
    return PLUGIN.make()


def page(*lines: tuple[int, int, str], width: int = 400, height: int = 200) -> Pixels:
    """Lines of text that begin at (left, baseline)."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    for left, baseline, text in lines:
        cv2.putText(pixels, text, (left, baseline), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2, cv2.LINE_AA)
    return pixels


def test_lines_are_read_where_they_are(reader: Detector) -> None:
    found = reader.detect(page((20, 50, "Quarterly"), (200, 150, "Save draft")), Deadline.of(120))
    assert [text.replace(" ", "") for text in found.text] == ["Quarterly", "Savedraft"]
    assert (found.detector, set(found.kind)) == ("rapidocr", {"text"})
    assert found.xyxy.dtype == np.float32
    assert found.score.min() > 0.8
    for (left, top, right, bottom), (at, baseline) in zip(found.xyxy, ((20, 50), (200, 150)), strict=True):
        assert abs(left - at) < 12
        assert top < baseline - 10 < bottom
        assert right > at + 80


def test_a_tilted_line_gets_the_upright_box_around_it(reader: Detector) -> None:
    pixels = page((60, 105, "Quarterly revenue"))
    turn = cv2.getRotationMatrix2D((200, 100), 10, 1)
    turned = cv2.warpAffine(pixels, turn, (400, 200), borderValue=(255, 255, 255))
    found = reader.detect(np.asarray(turned, np.uint8), Deadline.of(120))
    assert len(found) == 1
    left, top, right, bottom = found.xyxy[0]
    assert right - left > 180
    assert 45 < bottom - top < 90


def test_an_image_without_text_has_none_and_nothing_is_logged(
    reader: Detector, capfd: pytest.CaptureFixture[str]
) -> None:
    pixels = page()
    pixels.flags.writeable = False
    assert len(reader.detect(pixels, Deadline.of(120))) == 0
    assert capfd.readouterr() == ("", "")


def test_a_look_leaves_the_next_one_as_it_was(reader: Detector) -> None:
    pixels = page((20, 50, "Quarterly"))
    first = reader.detect(pixels, Deadline.of(120))
    reader.detect(page(), Deadline.of(120))
    second = reader.detect(pixels, Deadline.of(120))
    assert (first.text, first.xyxy.tolist()) == (second.text, second.xyxy.tolist())


def test_a_spent_budget_stops_it_before_it_begins(reader: Detector) -> None:
    with pytest.raises(DeadlineError):
        reader.detect(page(), Deadline.of(0))


def test_making_and_looking_write_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.find_spec("rapidocr")
    assert spec is not None
    assert spec.origin is not None
    models = Path(spec.origin).parent / "models"
    before = {path: path.stat().st_mtime_ns for path in models.iterdir()}
    monkeypatch.chdir(tmp_path)
    PLUGIN.make().detect(page((20, 50, "Quarterly")), Deadline.of(120))
    assert list(tmp_path.iterdir()) == []
    assert {path: path.stat().st_mtime_ns for path in models.iterdir()} == before


def test_it_is_offered_and_used_only_when_asked_for() -> None:
    info = PLUGIN.describe()
    assert PLUGIN.missing() == ""
    assert (info.name, info.kinds, info.default_enabled) == ("rapidocr", ("text",), False)
    assert info.model_bytes > 30_000_000
