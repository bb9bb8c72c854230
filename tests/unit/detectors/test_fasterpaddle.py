"""The faster-paddle package with its real models; .ci/extras runs what is skipped where the package is absent."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import cv2
import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.fasterpaddle import MODEL_VARIABLE, PLUGIN, THREADS_VARIABLE
from perception.detectors.protocol import Detector
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import Pixels

INSTALLED = importlib.util.find_spec("faster_paddle") is not None
needs_package = pytest.mark.skipif(not INSTALLED, reason="faster-paddle is not installed: .ci/extras")


@pytest.fixture(scope="module")
def reader() -> Detector:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(MODEL_VARIABLE, raising=False)
        return PLUGIN.make()


def page(*lines: tuple[int, int, str], width: int = 400, height: int = 200) -> Pixels:
    """Lines of text that begin at (left, baseline)."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    for left, baseline, text in lines:
        cv2.putText(pixels, text, (left, baseline), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2, cv2.LINE_AA)
    return pixels


@needs_package
@pytest.mark.parametrize("model", ["tiny", "small"])
def test_lines_are_read_where_they_are(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, model)
    assert PLUGIN.missing() == ""
    found = PLUGIN.make().detect(page((20, 50, "Quarterly"), (200, 150, "Save draft")), Deadline.of(60))
    assert [text.replace(" ", "") for text in found.text] == ["Quarterly", "Savedraft"]
    assert (found.detector, set(found.kind)) == ("fasterpaddle", {"text"})
    assert (found.xyxy.dtype, found.score.dtype) == (np.float32, np.float32)
    assert found.score.min() > 0.8
    for (left, top, right, bottom), (at, baseline) in zip(found.xyxy, ((20, 50), (200, 150)), strict=True):
        assert abs(left - at) < 12
        assert top < baseline - 10 < bottom
        assert right > at + 80


@needs_package
def test_an_image_without_text_has_none_and_nothing_is_logged(
    reader: Detector, capfd: pytest.CaptureFixture[str]
) -> None:
    pixels = page()
    pixels.flags.writeable = False
    found = reader.detect(pixels, Deadline.of(60))
    assert (len(found), found.xyxy.shape) == (0, (0, 4))
    assert capfd.readouterr() == ("", "")


@needs_package
@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3), (2, 3000), (3000, 2), (70_000, 10)], ids=str)
def test_slivers_are_looked_at(reader: Detector, shape: tuple[int, int]) -> None:
    pixels = np.full((*shape, 3), 255, np.uint8)
    pixels[::2] = 0
    assert len(reader.detect(pixels, Deadline.of(60))) == 0


@needs_package
def test_text_at_the_end_of_a_wide_image_is_read_there(reader: Detector) -> None:
    found = reader.detect(page((19000, 30, "Far right"), width=20_000, height=40), Deadline.of(60))
    assert [text.replace(" ", "") for text in found.text] == ["Farright"]
    # Searched at a twelfth of its size: a pixel there is twelve here.
    assert abs(found.xyxy[0, 0] - 19_000) < 100


@needs_package
def test_a_spent_budget_stops_it_before_it_begins(reader: Detector) -> None:
    with pytest.raises(DeadlineError):
        reader.detect(page(), Deadline.of(0))


@pytest.mark.skipif(INSTALLED, reason="faster-paddle is installed")
def test_without_the_package_it_says_how_to_get_it() -> None:
    assert PLUGIN.missing().endswith("is not installed: pip install 'perception-service[fasterpaddle]'")
    assert (PLUGIN.describe().version, PLUGIN.describe().model_bytes) == ("", 0)


@needs_package
@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        pytest.param(MODEL_VARIABLE, "medium", "is 'medium': set it to tiny or small", id="one that is fetched"),
        pytest.param(THREADS_VARIABLE, "0", "is '0': set it to a whole number", id="no thread"),
        pytest.param(THREADS_VARIABLE, "two", "is 'two': set it to a whole number", id="in words"),
    ],
)
def test_invalid_settings_are_reported(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str) -> None:
    monkeypatch.setenv(variable, value)
    assert f"{variable} {words}" in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=re.escape(words)):
        PLUGIN.make()


def test_it_is_offered_and_used_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)
    info = PLUGIN.describe()
    assert (info.name, info.kinds, info.default_enabled) == ("fasterpaddle", ("text",), False)
    assert any("Korean" in limit for limit in info.limits)
    assert {"en", "zh-Hans"} <= set(info.languages)
    assert "ja" not in info.languages
    monkeypatch.setenv(MODEL_VARIABLE, "small")
    assert "ja" in PLUGIN.describe().languages


def test_importing_and_describing_do_not_load_the_package() -> None:
    code = (
        "import sys; from perception.detectors.fasterpaddle import PLUGIN; PLUGIN.describe(); PLUGIN.missing();"
        "sys.exit('faster_paddle' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
