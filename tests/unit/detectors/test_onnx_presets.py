"""Presets: the settings of published detectors, with small models of the same inputs and outputs."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from perception.deadline import Deadline
from perception.detectors.onnx import OnnxBoxes
from perception.detectors.onnx_presets import apply_preset, load_presets
from perception.detectors.onnx_settings import PATH_VARIABLE, OnnxSettings, read_declared
from perception.errors import BadInputError
from tests.unit.detectors.conftest import Build, Scene

LAYOUTS = {"cu-1": ("rf-detr", 576, 576), "omniparser-v2": ("yolov8", 640, 640), "rt-detrv2": ("rt-detr", 1024, 544)}
LAYOUTS["yolo"] = ("yolov8", 640, 640)


def model_of(build: Build, tmp_path: Path, name: str) -> Path:
    layout, width, height = LAYOUTS[name]
    return Path(copy(build(layout, f"{height},{width}"), tmp_path / f"{name}.onnx"))


@pytest.mark.parametrize("name", load_presets())
def test_a_model_with_a_presets_settings_finds_what_is_there(
    build: Build, scene: Scene, tmp_path: Path, name: str
) -> None:
    model = model_of(build, tmp_path, name)
    file = apply_preset(name, model)
    assert read_declared(file).layout
    _, width, height = LAYOUTS[name]
    found = OnnxBoxes(OnnxSettings.from_environment({PATH_VARIABLE: str(model)})).detect(
        scene(width, height, (64, 96, 32)), Deadline.of(60)
    )
    assert [box for box in found.xyxy.round().tolist() if box == [64, 96, 96, 128]]


@pytest.mark.parametrize(
    ("name", "file", "says"),
    [
        ("nanodet", "yolo.onnx", "there is no preset nanodet: cu-1"),
        ("yolo", "absent.onnx", "export it first"),
        ("cu-1", "yolo.onnx", "not a model for the preset cu-1"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(
    build: Build, tmp_path: Path, name: str, file: str, says: str
) -> None:
    model_of(build, tmp_path, "yolo")
    with pytest.raises(BadInputError, match=says):
        apply_preset(name, tmp_path / file)
    assert not list(tmp_path.glob("*.toml"))


def test_settings_of_the_user_are_not_overwritten(build: Build, tmp_path: Path) -> None:
    model = model_of(build, tmp_path, "yolo")
    model.with_suffix(".toml").write_text('licence = "MIT"\n')
    with pytest.raises(BadInputError, match="is there already"):
        apply_preset("yolo", model)
    assert model.with_suffix(".toml").read_text() == 'licence = "MIT"\n'
