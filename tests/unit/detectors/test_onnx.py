"""A detector of the user's own, end to end, with real if tiny models (see `conftest.py`)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import onnx.numpy_helper
import onnx.parser
import pytest

from perception.deadline import Deadline
from perception.detectors.onnx import PLUGIN, OnnxBoxes
from perception.detectors.onnx_settings import PATH_VARIABLE, SCORE_VARIABLE, SIZE_VARIABLE, OnnxSettings
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import Detections, Pixels

Build = Callable[..., Path]
Scene = Callable[..., Pixels]


def look(path: Path, pixels: Pixels, **environment: str) -> Detections:
    """What a model sees with what is declared beside it."""
    settings = OnnxSettings.from_environment({PATH_VARIABLE: str(path)} | environment)
    return OnnxBoxes(settings).detect(pixels, Deadline.of(60))


def listed(found: Detections) -> list[tuple[list[float], str]]:
    return sorted((xyxy, label) for xyxy, label in zip(found.xyxy.round(3).tolist(), found.label, strict=True))


SURE = {SCORE_VARIABLE: "0.8"}
NAMES = 'classes = ["berry", "leaf"]'
INSIDE = ["yolov8", "yolov5", "end-to-end", "yolov7-end-to-end", "yolox"]
STRETCHED = ["rt-detr", "detr", "rf-detr", "d-fine", "joined"]


@pytest.mark.parametrize("layout", INSIDE)
@pytest.mark.parametrize("size", ["320,320", "H,W"])
def test_boxes_of_models_that_keep_an_images_shape_come_back_in_its_pixels_with_their_class(
    build: Build, scene: Scene, layout: str, size: str
) -> None:
    # 640x448 → 320x224: what is 64 px wide is a whole cell where the grey above it, 48 rows or none, lets it be.
    down = 32 if size == "320,320" and layout != "yolox" else 0
    pixels = scene(640, 448, (128, 256 + down, 64), (512, 64 + down, 64, 64, "green"))
    found = look(build(layout, size, toml=f"size = 320\n{NAMES}"), pixels, **SURE)
    assert listed(found) == [([128, 256 + down, 192, 320 + down], "berry"), ([512, 64 + down, 576, 128 + down], "leaf")]
    assert (found.detector, found.kind, found.text) == ("onnx", ("box",) * 2, ("",) * 2)
    assert found.xyxy.dtype == np.float32
    assert np.abs(found.score - 1).max() < 0.01


@pytest.mark.parametrize("layout", STRETCHED)
@pytest.mark.parametrize("size", ["320,320", "H,W"])
def test_boxes_of_models_that_stretch_an_image_come_back_in_its_pixels_with_their_class(
    build: Build, scene: Scene, layout: str, size: str
) -> None:
    # 640x160 → 320x320: what is 64x16 px is a whole cell.
    pixels = scene(640, 160, (128, 64, 64, 16), (512, 16, 64, 16, "green"))
    found = look(build(layout, size, toml=f"size = 320\n{NAMES}"), pixels, **SURE)
    assert listed(found) == [([128, 64, 192, 80], "berry"), ([512, 16, 576, 32], "leaf")]


@pytest.mark.parametrize("layout", [*INSIDE, *STRETCHED])
def test_every_layout_is_recognized_without_a_declaration(build: Build, scene: Scene, layout: str) -> None:
    found = look(build(layout), scene(320, 320, (64, 96, 32), (256, 0, 32, 32, "green")), **SURE)
    assert listed(found) == [([64, 96, 96, 128], ""), ([256, 0, 288, 32], "")]


@pytest.mark.parametrize(
    ("layout", "declared"),
    [
        ("yolov8", "yolo11"),
        ("yolov5", "yolov7"),
        ("yolox", "yolox"),
        ("end-to-end", "yolov10"),
        ("yolov7-end-to-end", "yolov7-end-to-end"),
        ("rt-detr", "d-fine"),
        ("d-fine", "rt-detr"),
        ("detr", "detr"),
        ("rf-detr", "rf-detr"),
        ("joined", "rt-detr"),
    ],
)
def test_a_layout_can_be_declared(build: Build, scene: Scene, layout: str, declared: str) -> None:
    path = build(layout, toml=f'layout = "{declared}"')
    assert listed(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == [([64, 96, 96, 128], "")]


def test_a_yolox_whose_grid_is_undone_is_read_once_declared(build: Build, scene: Scene) -> None:
    path = build("yolov5", form="yolox", toml='layout = "yolox"')
    assert listed(look(path, scene(640, 512, (128, 256, 64)), **SURE)) == [([128, 256, 192, 320], "")]


@pytest.mark.parametrize("layout", ["yolov8", "yolov5", "yolox", "end-to-end", "rt-detr", "detr"])
def test_half_precision_serves_as_well(build: Build, scene: Scene, layout: str) -> None:
    found = look(build(layout, "320,320", "float16"), scene(320, 320, (64, 96, 32)), **SURE)
    assert found.xyxy.tolist() == [pytest.approx([64, 96, 96, 128], abs=0.1)]


@pytest.mark.parametrize(
    ("options", "toml"),
    [
        pytest.param({"dtype": "uint8", "form": "bytes"}, "", id="bytes"),
        pytest.param({"dtype": "uint8", "form": "yolox"}, 'input = {order = "bgr"}', id="bytes, blue first"),
        pytest.param({"form": "channels last"}, "", id="channels last"),
        pytest.param({"form": "bytes"}, "input = {range = 255}", id="0 … 255"),
        pytest.param({"form": "signed"}, "input = {range = [-1, 1]}", id="-1 … 1"),
        pytest.param({"form": "yolox"}, 'input = {order = "bgr", range = 255}', id="as YOLOX"),
        pytest.param(
            {"form": "imagenet"},
            "input = {mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225]}",
            id="mean and deviation",
        ),
    ],
)
def test_an_input_of_another_form_is_given_what_is_declared(
    build: Build, scene: Scene, options: dict[str, str], toml: str
) -> None:
    found = look(build("yolov8", **options, toml=toml), scene(320, 320, (64, 96, 32)), **SURE)
    assert listed(found) == [([64, 96, 96, 128], "")]


@pytest.mark.parametrize(
    ("resize", "box"),
    [("letterbox", [128, 192, 192, 256]), ("corner", [128, 256, 192, 320]), ("stretch", [128, 204.8, 192, 256])],
)
@pytest.mark.parametrize("layout", ["yolov8", "rt-detr", "d-fine"])
def test_how_an_image_is_resized_can_be_declared(
    build: Build, scene: Scene, layout: str, resize: str, box: list[float]
) -> None:
    # The cell at 64, 128 of the input is another part of the image each time.
    pixels = scene(640, 512, (int(box[0]), int(box[1]), 64, int(np.ceil(box[3])) - int(box[1])))
    found = look(build(layout, toml=f'input = {{resize = "{resize}"}}'), pixels, **SURE)
    assert [each[0] for each in listed(found)] == [pytest.approx(box, abs=0.01)]


def test_a_model_with_a_size_input_answers_in_pixels_of_the_image(build: Build, scene: Scene) -> None:
    # What it was told, width and height, is a corner of its one box; the other is always at 10, 20.
    last = """
        told = Cast<to=1>(orig_target_sizes) fixed = Constant<value = float[1,2] {10, 20}>()
        both = Concat<axis=1>(fixed, told) boxes = Unsqueeze(both, i0)
        scores = Constant<value = float[1,1] {0.9}>() labels = Constant<value = int64[1,1] {0}>()
    """
    found = look(build("d-fine", last=last), scene(640, 160))
    assert found.xyxy.tolist() == [pytest.approx([10, 20, 640, 160], abs=0.001)]


def test_a_blue_square_is_not_red(build: Build, scene: Scene) -> None:
    pixels = np.ascontiguousarray(scene(320, 320, (64, 96, 32))[..., ::-1])
    assert len(look(build("yolov8"), pixels)) == 0


def test_boxes_below_the_lowest_score_are_left_out(build: Build, scene: Scene) -> None:
    path, pixels = build("yolov8"), scene(320, 320, (64, 96, 32))
    assert len(look(path, pixels, **SURE)) == 1
    assert len(look(path, pixels)) == 1 + 4
    found = look(path, pixels, **{SCORE_VARIABLE: "0.05"})
    assert len(found) == 1 + 4 + 16
    assert found.score.tolist() == sorted(found.score.tolist(), reverse=True)


def test_score_and_overlap_can_be_declared_and_the_environment_comes_first(build: Build, scene: Scene) -> None:
    path, pixels = build("yolov8", toml="score = 0.05\noverlap = 0.2"), scene(320, 320, (64, 96, 32))
    # A cell of 16 px is a quarter of the one around it and gone; one of 8 px is a sixteenth, and stays.
    assert len(look(path, pixels)) == 1 + 16
    assert len(look(path, pixels, **SURE)) == 1


def test_a_smaller_image_is_not_enlarged(build: Build, scene: Scene) -> None:
    # 160x96 in the middle of 320x320 begins at 80, 112.
    assert listed(look(build("end-to-end"), scene(160, 96, (16, 16, 32)), **SURE)) == [([16, 16, 48, 48], "")]


def test_an_open_input_takes_an_image_of_any_size(build: Build, scene: Scene) -> None:
    path = build("yolov8", "H,W")
    # Up to 32x32, 128x64 and, shrunk to 1280 across, 1280x64: two and four grey rows above.
    assert look(path, scene(32, 32, (0, 0, 32)), **SURE).xyxy.tolist() == [[0, 0, 32, 32]]
    assert look(path, scene(128, 64, (96, 32, 32)), **SURE).xyxy.tolist() == [[96, 32, 128, 64]]
    assert look(path, scene(2560, 128, (512, 64, 64)), **SURE).xyxy.tolist() == [[512, 64, 576, 128]]
    small = look(path, scene(256, 128, (64, 64, 64)), **SURE, **{SIZE_VARIABLE: "128"})
    assert small.xyxy.tolist() == [[64, 64, 128, 128]]
    assert len(look(path, scene(1, 1))) == 0


def test_boxes_end_where_the_image_does(build: Build, scene: Scene) -> None:
    # Cells at the edge of the grey frame reach beyond the image.
    found = look(build("end-to-end"), scene(300, 300, (0, 0, 300)), **{SCORE_VARIABLE: "0.1"})
    assert found.xyxy.min() == 0
    assert found.xyxy.max() == 300
    assert (found.xyxy[:, :2] < found.xyxy[:, 2:]).all()


def test_the_image_is_not_written_to(build: Build, scene: Scene) -> None:
    pixels = scene(320, 320, (64, 96, 32))
    pixels.flags.writeable = False
    assert len(look(build("yolox"), pixels, **SURE)) == 1


def test_a_spent_budget_stops_the_look(build: Build, scene: Scene) -> None:
    with pytest.raises(DeadlineError):
        OnnxBoxes(OnnxSettings(build("end-to-end"))).detect(scene(32, 32), Deadline.of(0))


def test_an_ultralytics_export_brings_its_names_and_size(build: Build, scene: Scene) -> None:
    metadata = {"names": "{0: 'berry', 1: 'leaf'}", "task": "detect", "imgsz": "[160, 320]", "stride": "32"}
    path = build("yolov8", "H,W", metadata=metadata)
    # 640x320 → 320x160: half of it; a cell of 32 px there is a whole one, and a weaker one at 1280.
    found = look(path, scene(640, 320, (128, 64, 64), (512, 192, 64, 64, "green")), **SURE)
    assert listed(found) == [([128, 64, 192, 128], "berry"), ([512, 192, 576, 256], "leaf")]


def test_declared_names_come_before_the_models_own(build: Build, scene: Scene) -> None:
    path = build("yolov8", metadata={"names": "{0: 'a', 1: 'b'}"}, toml=NAMES)
    assert look(path, scene(320, 320, (64, 96, 32)), **SURE).label == ("berry",)


MASKED = {
    "fields": "x y w w red leaf x y w",
    "last": "output0 = Concat<axis=2>(f8, f16, f32) output1 = AveragePool<kernel_shape=[4,4], strides=[4,4]>(plain)",
    "outputs": "float[a,b,c] output0, float[d,e,f,g] output1",
}


def test_the_masks_of_a_segmentation_model_are_left_aside(build: Build, scene: Scene) -> None:
    # The masks have three planes here, so each box ends in three weights, which are no classes' scores.
    found = look(build("yolov8", **MASKED, toml=NAMES), scene(320, 320, (64, 96, 32)), **SURE)
    assert listed(found) == [([64, 96, 96, 128], "berry")]


def test_the_keypoints_of_a_pose_model_are_left_aside(build: Build, scene: Scene) -> None:
    metadata = {"names": "{0: 'berry', 1: 'leaf'}", "task": "pose", "kpt_shape": "[1, 3]"}
    path = build("yolov8", fields="x y w w red leaf x y w", metadata=metadata)
    assert listed(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == [([64, 96, 96, 128], "berry")]


def test_of_several_outputs_those_that_are_known_are_read(build: Build, scene: Scene) -> None:
    last = "output0 = Concat<axis=2>(f8, f16, f32) raw = Unsqueeze(f8, i1)"
    path = build("yolov8", last=last, outputs="float[d,e,f,g] raw, float[a,b,c] output0")
    assert listed(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == [([64, 96, 96, 128], "")]


def test_which_outputs_to_read_can_be_declared(build: Build, scene: Scene) -> None:
    # Of two heads the first sees no more than cells of 8 px.
    options = {"last": "first = Identity(f8) second = Concat<axis=2>(f8, f16, f32)"}
    options["outputs"] = "float[a,b,c] first, float[d,e,f] second"
    path = build("yolov8", **options, toml='outputs = ["second"]')
    assert len(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == 1
    path = build("yolov8", **options, toml='outputs = ["first"]\nlayout = "yolov8"')
    assert len(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == 0


def test_a_model_with_a_mask_input_gets_the_pixels_of_the_image(build: Build, scene: Scene) -> None:
    path = build("detr", form="masked", inputs=", int64[m,mh,mw] pixel_mask")
    assert len(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == 1
    path = build("detr", inputs=", bool[m,64,64] pixel_mask")
    assert len(look(path, scene(320, 320, (64, 96, 32)), **SURE)) == 1


def test_a_toml_file_can_name_the_model(build: Build, scene: Scene, tmp_path: Path) -> None:
    path = build("yolov8", name="buttons-v2")
    (tmp_path / "mine.toml").write_text(f'model = "{path.name}"\n{NAMES}', "utf-8")
    found = look(tmp_path / "mine.toml", scene(320, 320, (64, 96, 32)), **SURE)
    assert found.label == ("berry",)


def test_without_a_model_it_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PATH_VARIABLE, raising=False)
    assert PATH_VARIABLE in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=PATH_VARIABLE):
        PLUGIN.make()
    info = PLUGIN.describe()
    assert (info.name, info.kinds, info.model_bytes, info.default_enabled) == ("onnx", ("box",), 0, False)
    assert info.licence == "LicenseRef-of-the-model"
    assert PATH_VARIABLE in info.description


def test_with_a_model_nothing_is_missing(build: Build, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build("yolov8")
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    monkeypatch.setenv(SCORE_VARIABLE, "0.8")
    assert PLUGIN.missing() == ""
    assert PLUGIN.describe().model_bytes == path.stat().st_size
    assert "seer.onnx" in PLUGIN.describe().description
    assert len(PLUGIN.make().detect(scene(320, 320, (64, 96, 32)), Deadline.of(60))) == 1


def test_the_declaration_of_a_model_appears_in_its_description(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    toml = 'name = "fruits"\ndescription = "From photographs."\nlicence = "Apache-2.0 WITH LLVM-exception"\n'
    path = build("yolov8", toml=f"{toml}{NAMES}\nsize = [320, 160]")
    path.with_name("seer.onnx.data").write_bytes(bytes(1000))
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    info = PLUGIN.describe()
    assert info.description == "Boxes, by fruits. From photographs. Takes 320x160. Tells apart berry, leaf."
    assert info.licence == "Apache-2.0 WITH LLVM-exception"
    assert info.model_bytes == path.stat().st_size + 1000


def test_files_that_change_are_probed_again(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build("yolov8")
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    assert PLUGIN.missing() == ""
    path.with_suffix(".toml").write_text('layout = "detr"')
    assert "layout detr is outputs pred_boxes" in PLUGIN.missing()
    path.with_suffix(".toml").unlink()
    path.write_bytes(b"nothing of the kind")
    assert "not a model that ONNX Runtime" in PLUGIN.missing()


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        pytest.param(PATH_VARIABLE, "/no/such/model.onnx", "model.onnx, which is not a file here", id="no such file"),
        pytest.param(PATH_VARIABLE, ".", "not a file here", id="a folder"),
        pytest.param(PATH_VARIABLE, __file__, "not a model that ONNX Runtime", id="not a model"),
        pytest.param(SIZE_VARIABLE, "big", "set it to 640, 1280 or 1280x800", id="size in words"),
        pytest.param(SIZE_VARIABLE, "0", "set it to 640, 1280 or 1280x800", id="no size"),
        pytest.param(SIZE_VARIABLE, "640", "320x320 only, and 640x640 is asked for: unset", id="not the model's size"),
        pytest.param(SCORE_VARIABLE, "high", "over 0 and up to 1", id="score in words"),
        pytest.param(SCORE_VARIABLE, "25", "over 0 and up to 1", id="score in per cent"),
        pytest.param(SCORE_VARIABLE, "nan", "over 0 and up to 1", id="score that is not a number"),
    ],
)
def test_invalid_settings_are_reported(
    build: Build, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(PATH_VARIABLE, str(build("yolov8")))
    monkeypatch.setenv(variable, value)
    assert words in PLUGIN.missing()
    assert "/no/such" not in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=re.escape(words)):
        PLUGIN.make()


def test_a_size_that_is_the_models_own_is_fine(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PATH_VARIABLE, str(build("yolov8")))
    monkeypatch.setenv(SIZE_VARIABLE, "320")
    assert PLUGIN.missing() == ""


FLAT = {"last": "output0 = Flatten(f32)", "outputs": "float[a,b] output0"}


@pytest.mark.parametrize(
    ("layout", "options", "words"),
    [
        pytest.param("yolov8", {"last": "output0 = Identity(no)"}, "not a model that ONNX Runtime", id="broken graph"),
        pytest.param("yolov8", {"opset": 9}, "is not a model that ONNX Runtime", id="an operator it did not have then"),
        pytest.param("yolov8", {"opset": 99}, "export it again", id="an opset that is not out yet"),
        pytest.param(
            "yolov8", FLAT, "output0 (1, 600); no layout that is known: declare in seer.toml which", id="a classifier"
        ),
        pytest.param("yolov8", {"fields": "x y w w"}, "which layout they have, of end-to-end", id="no class"),
        pytest.param(
            "yolov8",
            {"toml": 'layout = "yolov5"'},
            "output0 (1, 6, 2100); layout yolov5 is one output (1, N, 5 + C)",
            id="not the declared layout",
        ),
        pytest.param(
            "yolov8", {"toml": 'classes = ["button"]'}, "scores 2 classes as yolov8 has them, and 1", id="class too few"
        ),
        pytest.param(
            "rt-detr",
            {"toml": 'layout = "d-fine"\nclasses = ["a", "b", "c"]'},
            "scores 2 classes as rt-detr has them, and 3 are named: correct classes or layout in seer.toml",
            id="class too many",
        ),
        pytest.param(
            "yolov8", {"metadata": {"task": "obb"}}, "a model for obb, which gives no upright boxes", id="turned boxes"
        ),
        pytest.param(
            "yolov8", {"toml": 'outputs = ["boxes"]'}, "seer.onnx has no output boxes: there are output0", id="output"
        ),
        pytest.param("yolov8", {"toml": "size = 640"}, "unset size in seer.toml", id="declared size"),
        pytest.param("yolov8", {"size": "H,W", "toml": "size = 650"}, "650x650 is not a multiple of 32", id="odd size"),
        pytest.param(
            "yolov8",
            {"dtype": "uint8", "form": "bytes", "toml": "input = {range = 1}"},
            "seer.onnx takes bytes as they are: leave input.range",
            id="bytes of 0 … 1",
        ),
        pytest.param(
            "yolov8",
            {"inputs": ", float[2,2] more", "last": "output0 = Concat<axis=2>(f8, f16, f32)"},
            "takes images tensor(float) ['b', 3, 320, 320], more tensor(float) [2, 2]: export it to take one image",
            id="more than an image",
        ),
        pytest.param(
            "yolov8",
            {"size": "H,W", "last": "fixed = Constant<value_ints=[1,6,7]>() output0 = Reshape(f32, fixed)"},
            "seer.onnx fails on an image of 640x640 (",
            id="fails on a blank image",
        ),
    ],
)
def test_a_model_that_cannot_be_used_says_why(
    build: Build, monkeypatch: pytest.MonkeyPatch, layout: str, options: dict[str, str], words: str
) -> None:
    path = build(layout, **options)
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    assert words in PLUGIN.missing()
    assert "\n" not in PLUGIN.missing()
    assert str(path.parent) not in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=re.escape(words)):
        PLUGIN.make()


def test_a_model_of_another_kind_is_refused_with_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '<ir_version: 10, opset_import: ["" : 17]> odd (float[1,1,9,9] i) => (float[1,1,9,9] o) { o = Identity(i) }'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "odd.onnx")
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path / "odd.onnx"))
    assert "odd.onnx takes i tensor(float) [1, 1, 9, 9]: export it to take one image" in PLUGIN.missing()


def test_a_model_whose_weights_are_not_beside_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = onnx.numpy_helper.from_array(np.ones((1, 3, 32, 32), np.float32), "weights")
    graph = "big (float[1,3,32,32] i) => (float[1,3,32,32] o) { o = Add(i, weights) }"
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 17]> {graph}')
    model.graph.initializer.append(weights)
    onnx.save(model, tmp_path / "big.onnx", save_as_external_data=True, location="big.onnx.data", size_threshold=0)
    (tmp_path / "big.onnx.data").unlink()
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path / "big.onnx"))
    assert "big.onnx.data" in PLUGIN.missing()
    assert "is not a model that ONNX Runtime" in PLUGIN.missing()
    assert str(tmp_path) not in PLUGIN.missing()


def test_a_toml_file_that_is_wrong_is_missing_and_described_all_the_same(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PATH_VARIABLE, str(build("yolov8", toml="lay out")))
    assert "seer.toml is not a TOML file that can be read" in PLUGIN.missing()
    assert PLUGIN.describe().licence == "LicenseRef-of-the-model"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param("x y w w w", "seer.onnx gives scores of 0 … 32: export it with the sigmoid", id="over 1"),
        pytest.param("x y w w logit", "seer.onnx gives scores of -10 … 0: export it with the sigmoid", id="under 0"),
        pytest.param("x y w w nan", "seer.onnx gives scores that are not numbers: export it again", id="NaN"),
    ],
)
def test_scores_that_are_none_are_an_error_and_no_boxes(
    build: Build, monkeypatch: pytest.MonkeyPatch, fields: str, words: str
) -> None:
    # Another value of each cell in the score's place.
    monkeypatch.setenv(PATH_VARIABLE, str(build("yolov8", fields=fields)))
    assert words in PLUGIN.missing()


def test_scores_that_are_none_for_one_image_alone_are_an_error_for_that_one(build: Build, scene: Scene) -> None:
    # What is seen is divided by how red it is: nothing by nothing is not a number, but where all is red.
    last = "all = Concat<axis=2>(f8, f16, f32) reds = Slice(all, i4, i5, i1) output0 = Div(all, reds)"
    path = build("yolov8", fields="x y w w grey grey", last=last)
    assert len(look(path, np.full((320, 320, 3), 114, np.uint8))) > 0
    with pytest.raises(DetectorMissingError, match=r"^seer\.onnx gives scores that are not numbers"):
        look(path, scene(320, 320))


def test_an_open_input_that_is_stretched_may_have_any_size(build: Build, scene: Scene) -> None:
    assert len(look(build("rt-detr", "H,W", toml="size = 336"), scene(336, 336, (64, 96, 32)), **SURE)) == 1


def test_an_image_that_a_model_fails_on_is_an_error_of_one_line(build: Build, scene: Scene) -> None:
    # It takes 640x640, as the blank image is, and says that it takes any size.
    fixed = "all = Concat<axis=2>(f8, f16, f32) fixed = Constant<value_ints=[1,6,8400]>() output0 = Reshape(all, fixed)"
    path = build("yolov8", "H,W", last=fixed)
    assert len(look(path, scene(640, 640), **SURE)) == 0
    with pytest.raises(
        DetectorMissingError, match=r"^seer.onnx fails on an image of 320x320 \([^\n]*: export it again"
    ):
        look(path, scene(320, 320))


def test_importing_and_describing_load_no_runtime() -> None:
    code = (
        "import sys; from perception.detectors.onnx import PLUGIN; PLUGIN.describe(); PLUGIN.missing();"
        "sys.exit('onnxruntime' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env={}, check=False).returncode == 0


def test_a_drawn_button_is_found_through_a_screenshot_sized_image(build: Build) -> None:
    pixels = np.full((800, 1280, 3), 40, np.uint8)
    cv2.rectangle(pixels, (640, 320), (703, 383), (0, 0, 255), -1)
    found = look(build("yolov5", "H,W"), pixels, **SURE)
    assert sorted(found.xyxy.tolist()) == [
        [640, 320, 672, 352],
        [640, 352, 672, 384],
        [672, 320, 704, 352],
        [672, 352, 704, 384],
    ]
