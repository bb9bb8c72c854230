"""A detector of the user's own, with real if tiny models: they see what is red, cell by cell, as YOLO's grids do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import onnx.parser
import pytest

from perception.budget import Budget
from perception.detectors.onnx import (
    PATH_VARIABLE,
    PLUGIN,
    SCORE_VARIABLE,
    SIZE_VARIABLE,
    Layout,
    OnnxBoxes,
    OnnxSettings,
    decode,
    drop_repeats,
    letterbox,
    tell_layout,
)
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import Detections, Pixels

STRENGTH = {8: 0.1, 16: 0.5, 32: 1.0}
"""Score of a wholly red cell, by its side."""


def grid(stride: int, fields: str, dtype: str = "float") -> str:
    """Nodes that give `f{stride}`, (1, fields, places): of each cell its middle, sides and how red it is."""
    s, kind = stride, {"float": 1, "float16": 10}[dtype]
    return f"""
        pooled{s} = AveragePool<kernel_shape=[{s},{s}], strides=[{s},{s}]>(images)
        red{s} = Slice(pooled{s}, i0, i1, i1)
        shape{s} = Shape(red{s})
        high{s} = Gather(shape{s}, n2)
        wide{s} = Gather(shape{s}, n3)
        columns{s} = Range(n0, wide{s}, n1)
        rows{s} = Range(n0, high{s}, n1)
        upright{s} = Unsqueeze(rows{s}, i1)
        columnsf{s} = Cast<to={kind}>(columns{s})
        rowsf{s} = Cast<to={kind}>(upright{s})
        side32_{s} = Constant<value_float={float(s)}>()
        side{s} = Cast<to={kind}>(side32_{s})
        left{s} = Mul(columnsf{s}, side{s})
        top{s} = Mul(rowsf{s}, side{s})
        half{s} = Mul(side{s}, point5)
        middlex{s} = Add(left{s}, half{s})
        middley{s} = Add(top{s}, half{s})
        rightx{s} = Add(left{s}, side{s})
        bottomy{s} = Add(top{s}, side{s})
        x{s} = Expand(middlex{s}, shape{s})
        y{s} = Expand(middley{s}, shape{s})
        l{s} = Expand(left{s}, shape{s})
        t{s} = Expand(top{s}, shape{s})
        r{s} = Expand(rightx{s}, shape{s})
        b{s} = Expand(bottomy{s}, shape{s})
        w{s} = Expand(side{s}, shape{s})
        above{s} = Sub(red{s}, point8)
        times{s} = Mul(above{s}, five)
        strength32_{s} = Constant<value_float={STRENGTH[s]}>()
        strength{s} = Cast<to={kind}>(strength32_{s})
        only{s} = Relu(times{s})
        score{s} = Mul(only{s}, strength{s})
        none{s} = Sub(score{s}, score{s})
        sure{s} = Add(none{s}, one)
        planes{s} = Concat<axis=1>({", ".join(f"{field}{s}" for field in fields.split())})
        count{s} = Constant<value_ints=[1,{len(fields.split())},-1]>()
        f{s} = Reshape(planes{s}, count{s})
    """


def constants(dtype: str) -> str:
    kind = {"float": 1, "float16": 10}[dtype]
    numbers = {"point5": 0.5, "point8": 0.8, "five": 5.0, "one": 1.0}
    floats = [
        f"{name}_32 = Constant<value_float={value}>() {name} = Cast<to={kind}>({name}_32)"
        for name, value in numbers.items()
    ]
    whole = [f"n{n} = Constant<value_int={n}>()" for n in range(4)]
    return "\n".join([*floats, *whole, "i0 = Constant<value_ints=[0]>()", "i1 = Constant<value_ints=[1]>()"])


BODIES = {
    # Two classes, of which the second sees nothing.
    Layout.ANCHORS_LAST: ("x y w w score none", (8, 16, 32), "output0 = Concat<axis=2>(f8, f16, f32)"),
    Layout.OBJECTNESS: (
        "x y w w score sure",
        (8, 16, 32),
        "all = Concat<axis=2>(f8, f16, f32) output0 = Transpose<perm=[0,2,1]>(all)",
    ),
    Layout.LISTED: ("l t r b score none", (32,), "output0 = Transpose<perm=[0,2,1]>(f32)"),
}

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes a model and returns its path."""

    def write(
        layout: Layout, size: str = "320,320", dtype: str = "float", fields: str = "", last: str = "", outputs: str = ""
    ) -> Path:
        usual, strides, end = BODIES[layout]
        text = f"""
            <ir_version: 10, opset_import: ["" : 17]>
            seer ({dtype}[1,3,{size}] images) => ({outputs or f"{dtype}[a,b,c] output0"}) {{
                {constants(dtype)}
                {"".join(grid(stride, fields or usual, dtype) for stride in strides)}
                {last or end}
            }}
        """
        path = tmp_path / "seer.onnx"
        onnx.save(onnx.parser.parse_model(text), path)
        return path

    return write


def scene(width: int, height: int, *squares: tuple[int, int, int]) -> Pixels:
    """Black, with red squares at (left, top) of some side."""
    pixels = np.zeros((height, width, 3), np.uint8)
    for left, top, side in squares:
        pixels[top : top + side, left : left + side] = (0, 0, 255)
    return pixels


def look(path: Path, pixels: Pixels, **settings: object) -> Detections:
    return OnnxBoxes(OnnxSettings(path, **settings)).detect(pixels, Budget.of(60))  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float", "float16"])
@pytest.mark.parametrize("size", ["320,320", "H,W"])
@pytest.mark.parametrize("layout", list(Layout))
def test_every_layout_gives_boxes_in_pixels_of_the_image(build: Build, layout: Layout, size: str, dtype: str) -> None:
    found = look(build(layout, size, dtype), scene(320, 320, (64, 96, 32), (256, 0, 32)), score=0.8)
    assert sorted(found.xyxy.tolist()) == [[64, 96, 96, 128], [256, 0, 288, 32]]
    assert found.xyxy.dtype == np.float32
    assert np.abs(found.score - 1).max() < 0.01
    assert (found.detector, found.kind, found.text) == ("onnx", ("box", "box"), ("", ""))


def test_a_blue_square_is_not_red(build: Build) -> None:
    pixels = np.ascontiguousarray(scene(320, 320, (64, 96, 32))[..., ::-1])
    assert len(look(build(Layout.ANCHORS_LAST), pixels)) == 0


def test_boxes_below_the_lowest_score_are_left_out(build: Build) -> None:
    path, pixels = build(Layout.ANCHORS_LAST), scene(320, 320, (64, 96, 32))
    assert len(look(path, pixels, score=0.8)) == 1
    assert len(look(path, pixels)) == 1 + 4
    found = look(path, pixels, score=0.05)
    assert len(found) == 1 + 4 + 16
    assert found.score.tolist() == sorted(found.score.tolist(), reverse=True)


def test_a_larger_image_is_shrunk_to_a_fixed_input_and_boxes_come_back_in_its_own_pixels(build: Build) -> None:
    # 640x480 → 320x240, with 40 rows of grey above: a square at 128 … 192, 112 … 176 is a whole cell at 64, 96.
    found = look(build(Layout.LISTED), scene(640, 480, (128, 112, 64)), score=0.8)
    assert found.xyxy.tolist() == [[128, 112, 192, 176]]


def test_a_smaller_image_is_not_enlarged(build: Build) -> None:
    # 160x96 in the middle of 320x320 begins at 80, 112.
    found = look(build(Layout.LISTED), scene(160, 96, (16, 16, 32)), score=0.8)
    assert found.xyxy.tolist() == [[16, 16, 48, 48]]


def test_an_open_input_takes_an_image_of_any_size(build: Build) -> None:
    path = build(Layout.ANCHORS_LAST, "H,W")
    # Up to 32x32, 128x64 and, shrunk to 1280 across, 1280x64: two and four grey rows above.
    assert look(path, scene(32, 32, (0, 0, 32)), score=0.8).xyxy.tolist() == [[0, 0, 32, 32]]
    assert look(path, scene(128, 64, (96, 32, 32)), score=0.8).xyxy.tolist() == [[96, 32, 128, 64]]
    assert look(path, scene(2560, 128, (512, 64, 64)), score=0.8).xyxy.tolist() == [[512, 64, 576, 128]]
    assert look(path, scene(256, 128, (64, 64, 64)), score=0.8, size=(128, 128)).xyxy.tolist() == [[64, 64, 128, 128]]
    assert len(look(path, scene(1, 1))) == 0


def test_boxes_end_where_the_image_does(build: Build) -> None:
    # Cells at the edge of the grey frame reach beyond the image.
    found = look(build(Layout.LISTED), scene(300, 300, (0, 0, 300)), score=0.1)
    assert found.xyxy.min() == 0
    assert found.xyxy.max() == 300
    assert (found.xyxy[:, :2] < found.xyxy[:, 2:]).all()


def test_the_image_is_not_written_to(build: Build) -> None:
    pixels = scene(320, 320, (64, 96, 32))
    pixels.flags.writeable = False
    assert len(look(build(Layout.OBJECTNESS), pixels, score=0.8)) == 1


def test_a_spent_budget_stops_the_look(build: Build) -> None:
    with pytest.raises(DeadlineError):
        OnnxBoxes(OnnxSettings(build(Layout.LISTED))).detect(scene(32, 32), Budget.of(0))


def test_of_boxes_that_are_the_same_the_best_stays() -> None:
    boxes = np.array([[0, 0, 100, 40], [2, 1, 101, 41], [0, 100, 100, 140], [0, 0, 50, 40]], np.float32)
    assert drop_repeats(boxes, np.array([0.6, 0.9, 0.5, 0.4], np.float32)).tolist() == [1, 2, 3]
    assert drop_repeats(np.zeros((0, 4), np.float32), np.zeros(0, np.float32)).tolist() == []


def test_a_box_that_is_no_number_is_left_out() -> None:
    rows = np.array([[np.nan, 0, 9, 9, 0.9, 0], [0, 0, 9, 9, 0.8, 0]], np.float32)
    boxes, score = decode(rows, Layout.LISTED, 0.25)
    assert boxes.tolist() == [[0, 0, 9, 9]]
    assert score.tolist() == pytest.approx([0.8])


def test_the_frame_is_grey_and_the_image_in_its_middle() -> None:
    framed, shrink, margin = letterbox(np.full((50, 200, 3), 255, np.uint8), 100, 64)
    assert (shrink, margin) == (0.5, (0, 19))
    assert set(framed[:19].ravel()) == {114}
    assert set(framed[19:44].ravel()) == {255}
    assert set(framed[44:].ravel()) == {114}


@pytest.mark.parametrize(
    ("shape", "size", "layout"),
    [
        pytest.param((1, 84, 8400), (640, 640), Layout.ANCHORS_LAST, id="YOLOv8, 80 classes"),
        pytest.param((1, 5, 8400), (640, 640), Layout.ANCHORS_LAST, id="YOLO11, one class"),
        pytest.param((1, 6, 8400), (640, 640), Layout.ANCHORS_LAST, id="YOLO11, two classes"),
        pytest.param((1, 84, 21), (32, 32), None, id="too small to tell"),
        pytest.param((1, 84, 525), (160, 160), Layout.ANCHORS_LAST, id="a small grid"),
        pytest.param((1, 5, 34000), (640, 640), Layout.ANCHORS_LAST, id="a P2 grid"),
        pytest.param((1, 25200, 85), (640, 640), Layout.OBJECTNESS, id="YOLOv5, 80 classes"),
        pytest.param((1, 25200, 6), (640, 640), Layout.OBJECTNESS, id="YOLOv5, one class"),
        pytest.param((1, 8400, 6), (640, 640), Layout.OBJECTNESS, id="one box a place, one class"),
        pytest.param((1, 25500, 6), (640, 640), Layout.OBJECTNESS, id="YOLOv5 P6, one class"),
        pytest.param((1, 300, 6), (640, 640), Layout.LISTED, id="YOLOv10"),
        pytest.param((1, 3000, 6), (640, 640), Layout.LISTED, id="a long list"),
        pytest.param((1, 0, 6), (640, 640), Layout.LISTED, id="an empty list"),
        pytest.param((1, 300, 84), (640, 640), None, id="RT-DETR"),
        pytest.param((2, 84, 8400), (640, 640), None, id="two images"),
        pytest.param((100, 7), (640, 640), None, id="YOLOv7 end to end"),
        pytest.param((1, 3, 80, 80, 85), (640, 640), None, id="raw heads"),
        pytest.param((1, 1000), (224, 224), None, id="a classifier"),
    ],
)
def test_layouts_are_told_by_shape(shape: tuple[int, ...], size: tuple[int, int], layout: Layout | None) -> None:
    if layout is not None:
        assert tell_layout(shape, size, "m.onnx") is layout
        return
    with pytest.raises(DetectorMissingError) as caught:
        tell_layout(shape, size, "m.onnx")
    assert str(shape) in str(caught.value)
    for known in ("(1, 4 + C, N)", "(1, N, 5 + C)", "(1, N, 6)"):
        assert known in str(caught.value)


def test_without_a_model_it_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PATH_VARIABLE, raising=False)
    assert PATH_VARIABLE in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=PATH_VARIABLE):
        PLUGIN.make()
    info = PLUGIN.describe()
    assert (info.name, info.kinds, info.model_bytes, info.default_enabled) == ("onnx", ("box",), 0, False)


def test_with_a_model_nothing_is_missing(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build(Layout.ANCHORS_LAST)
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    monkeypatch.setenv(SCORE_VARIABLE, "0.8")
    assert PLUGIN.missing() == ""
    assert PLUGIN.describe().model_bytes == path.stat().st_size
    assert len(PLUGIN.make().detect(scene(320, 320, (64, 96, 32)), Budget.of(60))) == 1


def test_a_file_that_changes_is_looked_at_anew(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build(Layout.ANCHORS_LAST)
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    assert PLUGIN.missing() == ""
    path.write_bytes(b"nothing of the kind")
    assert "no model that ONNX Runtime reads" in PLUGIN.missing()


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        pytest.param(PATH_VARIABLE, "/no/such/model.onnx", "model.onnx, which is no file here", id="no such file"),
        pytest.param(PATH_VARIABLE, ".", "no file here", id="a folder"),
        pytest.param(PATH_VARIABLE, __file__, "no model that ONNX Runtime reads", id="not a model"),
        pytest.param(SIZE_VARIABLE, "big", "set it to 640, 1280 or 1280x800", id="size in words"),
        pytest.param(SIZE_VARIABLE, "650", "multiple of 32", id="odd size"),
        pytest.param(SIZE_VARIABLE, "0", "multiple of 32", id="no size"),
        pytest.param(SIZE_VARIABLE, "640", "320x320 only: unset", id="not the model's size"),
        pytest.param(SCORE_VARIABLE, "high", "over 0 and up to 1", id="score in words"),
        pytest.param(SCORE_VARIABLE, "25", "over 0 and up to 1", id="score in per cent"),
        pytest.param(SCORE_VARIABLE, "nan", "over 0 and up to 1", id="score that is no number"),
    ],
)
def test_what_cannot_be_right_is_said(
    build: Build, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(PATH_VARIABLE, str(build(Layout.ANCHORS_LAST)))
    monkeypatch.setenv(variable, value)
    assert words in PLUGIN.missing()
    assert "/no/such" not in PLUGIN.missing()
    with pytest.raises(DetectorMissingError, match=re.escape(words)):
        PLUGIN.make()


def test_a_size_that_is_the_models_own_is_fine(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PATH_VARIABLE, str(build(Layout.ANCHORS_LAST)))
    monkeypatch.setenv(SIZE_VARIABLE, "320")
    assert PLUGIN.missing() == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"last": "output0 = Transpose<perm=[0,2,1]>(pooled8_)"}, "no model", id="a broken graph"),
        pytest.param(
            {
                "last": "output0 = Identity(f8) more = Identity(f16)",
                "outputs": "float[a,b,c] output0, float[d,e,f] more",
            },
            "2 outputs (output0",
            id="two outputs",
        ),
    ],
)
def test_models_that_are_no_detector_are_refused_before_they_run(
    build: Build, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], words: str
) -> None:
    path = build(Layout.ANCHORS_LAST, **options)
    monkeypatch.setenv(PATH_VARIABLE, str(path))
    assert words in PLUGIN.missing()


def test_a_model_that_takes_bytes_is_refused_with_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '<ir_version: 10, opset_import: ["" : 17]> odd (uint8[1,9,9,3] i) => (uint8[1,9,9,3] o) { o = Identity(i) }'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "odd.onnx")
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path / "odd.onnx"))
    assert "odd.onnx takes i tensor(uint8) [1, 9, 9, 3]: export it to take one image" in PLUGIN.missing()


@pytest.mark.parametrize("size", ["320,320", "H,W"])
def test_an_unknown_layout_is_refused_when_made_at_the_latest(build: Build, size: str) -> None:
    path = build(Layout.ANCHORS_LAST, size, fields="x y w w")
    with pytest.raises(DetectorMissingError, match="a layout that is not known"):
        OnnxBoxes(OnnxSettings(path))


def test_scores_without_a_sigmoid_are_an_error_and_no_boxes(build: Build) -> None:
    # The cell's width in the score's place.
    path = build(Layout.ANCHORS_LAST, fields="x y w w w")
    with pytest.raises(DetectorMissingError, match="scores up to 32: export it with the sigmoid"):
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
    found = look(build(Layout.OBJECTNESS, "H,W"), pixels, score=0.8)
    assert sorted(found.xyxy.tolist()) == [
        [640, 320, 672, 352],
        [640, 352, 672, 384],
        [672, 320, 704, 352],
        [672, 352, 704, 384],
    ]
