"""What is declared of a model: every key, and every way to get one wrong."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from perception.detectors import onnx as plugin
from perception.detectors.onnx_frames import InputForm, Order, Resize
from perception.detectors.onnx_settings import (
    PATH_VARIABLE,
    SCORE_VARIABLE,
    SIZE_VARIABLE,
    Declared,
    InputChoice,
    ModelNotes,
    OnnxSettings,
    read_declared,
)
from perception.errors import DetectorMissingError


def declare(tmp_path: Path, text: str) -> Declared:
    path = tmp_path / "buttons.toml"
    path.write_text(text, "utf-8")
    return read_declared(path)


def example() -> str:
    """The file that the module's docstring shows."""
    lines = (plugin.__doc__ or "").splitlines()
    start = next(number for number, line in enumerate(lines) if 'name = "buttons"' in line)
    shown = lines[start : start + next(n for n, line in enumerate(lines[start:]) if not line.startswith("    "))]
    return "\n".join(line.strip() for line in shown)


def test_the_example_of_the_docstring_is_read_as_documented(tmp_path: Path) -> None:
    said = declare(tmp_path, example())
    assert said == Declared(
        model="buttons-v2.onnx",
        name="buttons",
        licence="Apache-2.0",
        layout="yolox",
        size=(960, 608),
        classes=("button", "link", "icon"),
        outputs=("output0",),
        score=0.3,
        overlap=0.7,
        input=InputChoice(Order.BGR, Resize.CORNER, (0, 255), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    )
    assert {each.name for each in fields(Declared)} == set(tomllib.loads(example())) | {"description"}


@pytest.mark.parametrize(
    ("text", "size"),
    [("size = 640", (640, 640)), ('size = "640"', (640, 640)), ('size = "1280x800"', (1280, 800)), ("", None)],
)
def test_a_size_is_a_side_or_width_and_height(tmp_path: Path, text: str, size: tuple[int, int] | None) -> None:
    assert declare(tmp_path, text).size == size


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("color = 1", "buttons.toml: unknown key color: there are model, name, description, licence, layout, size, "),
        ("[input]\nchannels = 1", "unknown key input.channels: there are input.order, input.resize, input.range, "),
        ("name = 1", "name is 1: set it to a line of text"),
        ('description = "two\\nlines"', "set it to a line of text"),
        ('licence = "Apache 2.0"', "licence is 'Apache 2.0': set it to an SPDX expression such as Apache-2.0"),
        ('layout = "yolov3"', "layout is 'yolov3': set it to one of end-to-end, yolov10, yolo26, "),
        ("layout = []", "layout is []: set it to one of"),
        ('size = "big"', "size is 'big': set it to a side such as 640"),
        ("size = [640]", "set it to a side such as 640"),
        ("size = [640, 640.0]", "set it to a side such as 640"),
        ("size = true", "set it to a side such as 640"),
        ("size = -640", "set it to a side such as 640"),
        ('classes = "button"', "classes is 'button': set it to a list of names"),
        ("classes = [1]", "set it to a list of names"),
        ("outputs = []", "outputs is []: set it to a list of names"),
        ("score = 25", "score is 25: set it to a number over 0 and up to 1"),
        ("score = nan", "score is nan: set it to a number over 0 and up to 1"),
        ("overlap = true", "overlap is True: set it to a number over 0 and up to 1"),
        ("input = 1", "input is 1: set it to a table of order, resize, range, mean, std"),
        ('input = {order = "grb"}', "input.order is 'grb': set it to one of rgb, bgr"),
        ('input = {resize = "crop"}', "input.resize is 'crop': set it to one of letterbox, corner, stretch"),
        ("input = {range = [1, 0]}", "input.range is [1, 0]: set it to the value of white"),
        ("input = {range = '0-1'}", "set it to the value of white"),
        ("input = {range = 0}", "set it to the value of white"),
        ("input = {mean = 0.5}", "input.mean is 0.5: set it to three numbers"),
        ("input = {mean = [1, 2, inf]}", "set it to three numbers"),
        ("input = {std = [1, 1, 0]}", "input.std is [1, 1, 0]: set it to three numbers over 0"),
        ("name = ", "buttons.toml is not a TOML file that can be read"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DetectorMissingError) as caught:
        declare(tmp_path, text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DetectorMissingError, match=r"a\.toml is not a TOML file"):
        read_declared(tmp_path / "a.toml")


@pytest.mark.parametrize("licence", ["MIT", "GPL-3.0-only OR (MIT AND Apache-2.0)", "LicenseRef-ours"])
def test_spdx_expressions_are_licenses(tmp_path: Path, licence: str) -> None:
    assert declare(tmp_path, f'licence = "{licence}"').licence == licence


def test_what_is_not_declared_of_an_input_stays_as_its_layout_has_it() -> None:
    usual = InputForm(mean=(1, 1, 1), high=255)
    assert InputChoice().apply(usual) == usual
    assert InputChoice(order=Order.BGR, range=(-1, 1)).apply(usual) == InputForm(Order.BGR, -1, 1, (1, 1, 1))
    assert InputChoice(mean=(0, 0, 0)).apply(usual).mean == (0, 0, 0)


def settings_of(path: Path, **environment: str) -> OnnxSettings:
    return OnnxSettings.from_environment({PATH_VARIABLE: str(path)} | environment)


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "buttons.onnx").touch()
    (tmp_path / "buttons.toml").write_text("size = 320\nscore = 0.5\noverlap = 0.6")
    said = settings_of(tmp_path / "buttons.onnx")
    assert (said.size, said.score, said.overlap) == ((320, 320), 0.5, 0.6)
    over = settings_of(tmp_path / "buttons.onnx", **{SIZE_VARIABLE: "1280x800", SCORE_VARIABLE: "0.1"})
    assert (over.size, over.score, over.overlap) == ((1280, 800), 0.1, 0.6)


def test_a_file_is_about_the_model_of_its_name_or_the_one_it_names(tmp_path: Path) -> None:
    for name in ("buttons.onnx", "buttons-v2.onnx"):
        (tmp_path / name).touch()
    file = tmp_path / "buttons.toml"
    file.write_text("")
    assert settings_of(file).path.name == "buttons.onnx"
    file.write_text('model = "buttons-v2.onnx"')
    assert settings_of(file).path.name == "buttons-v2.onnx"
    with pytest.raises(DetectorMissingError, match=r"buttons\.toml is about buttons-v2\.onnx, not buttons\.onnx"):
        settings_of(tmp_path / "buttons.onnx")
    file.write_text('model = "lost.onnx"')
    with pytest.raises(DetectorMissingError, match=r"about lost\.onnx, which is not a file"):
        settings_of(file)


@pytest.mark.parametrize(
    ("metadata", "notes"),
    [
        pytest.param({}, ModelNotes(), id="none"),
        pytest.param(
            {"names": "{0: 'a', 1: 'b'}", "task": "detect", "imgsz": "[384, 640]", "stride": "32"},
            ModelNotes(("a", "b"), "detect", (640, 384)),
            id="Ultralytics",
        ),
        pytest.param({"names": "['a', 'b']"}, ModelNotes(("a", "b")), id="YOLOv5"),
        pytest.param({"names": "{2: 'c'}"}, ModelNotes(("", "", "c")), id="gaps"),
        pytest.param({"imgsz": "640"}, ModelNotes(size=(640, 640)), id="one side"),
        pytest.param({"kpt_shape": "[17, 3]", "task": "pose"}, ModelNotes(task="pose", keypoints=51), id="pose"),
        pytest.param({"names": "{'a': 0}", "imgsz": "[x]", "kpt_shape": "17"}, ModelNotes(), id="other ends"),
        pytest.param({"names": "((((", "imgsz": "[0, 1]"}, ModelNotes(), id="nonsense"),
        pytest.param({"names": "{99999999999: 'a'}"}, ModelNotes(), id="a number to fill memory with"),
    ],
)
def test_a_models_own_notes_are_used_where_they_can_be_read(metadata: dict[str, str], notes: ModelNotes) -> None:
    assert ModelNotes.read(metadata) == notes
