"""Which layout an answer has, and what is dropped of it."""

from __future__ import annotations

import numpy as np
import pytest

from perception.detectors.onnx_layouts import (
    ANCHORS_LAST,
    DECODED_YOLOX,
    JOINED,
    LAYOUT_NAMES,
    LISTED,
    NAMED,
    NUMBERED,
    OBJECTNESS,
    QUERIES,
    RF_DETR,
    SOFTMAX_QUERIES,
    YOLOX,
    LayoutMatch,
    OutputLayout,
    class_count,
    decode,
    find_layout,
    suppress_overlaps,
)
from perception.detectors.onnx_outputs import ModelOutput
from perception.detectors.onnx_readers import InputFrame

Array = np.ndarray
WHOLE = InputFrame((640, 640), (640, 640))


def answer_of(
    *shapes: tuple[int, ...], size: tuple[int, int] = (640, 640), classes: int = 0, **known: int
) -> ModelOutput:
    """Outputs of these shapes whose boxes lie all over the input."""
    outputs = {f"output{i}": np.zeros(shape, np.float32) for i, shape in enumerate(shapes)}
    for each in outputs.values():
        each.reshape(-1)[:] = np.linspace(0, max(size), each.size).round()
    return ModelOutput(outputs, size, classes, **known)


@pytest.mark.parametrize(
    ("shape", "size", "layout"),
    [
        pytest.param((1, 84, 8400), (640, 640), ANCHORS_LAST, id="YOLOv8, 80 classes"),
        pytest.param((1, 5, 8400), (640, 640), ANCHORS_LAST, id="YOLO11, one class"),
        pytest.param((1, 6, 8400), (640, 640), ANCHORS_LAST, id="YOLO11, two classes"),
        pytest.param((1, 84, 21), (32, 32), None, id="too small to tell"),
        pytest.param((1, 84, 525), (160, 160), ANCHORS_LAST, id="a small grid"),
        pytest.param((1, 84, 300), (80, 160), None, id="no grid"),
        pytest.param((1, 84, 280), (104, 128), ANCHORS_LAST, id="a grid of parts of cells"),
        pytest.param((1, 5, 34000), (640, 640), ANCHORS_LAST, id="a P2 grid"),
        pytest.param((1, 25200, 85), (640, 640), OBJECTNESS, id="YOLOv5, 80 classes"),
        pytest.param((1, 25200, 6), (640, 640), OBJECTNESS, id="YOLOv5, one class"),
        pytest.param((1, 8400, 6), (640, 640), OBJECTNESS, id="YOLOv6, one class"),
        pytest.param((1, 25500, 6), (640, 640), OBJECTNESS, id="YOLOv5 P6, one class"),
        pytest.param((1, 300, 6), (640, 640), LISTED, id="YOLOv10"),
        pytest.param((1, 3000, 6), (640, 640), LISTED, id="a long list"),
        pytest.param((1, 0, 6), (640, 640), LISTED, id="an empty list"),
        pytest.param((0, 7), (640, 640), NUMBERED, id="YOLOv7 end to end"),
        pytest.param((2, 84, 8400), (640, 640), None, id="two images"),
        pytest.param((1, 3, 80, 80, 85), (640, 640), None, id="raw heads"),
        pytest.param((1, 1000), (224, 224), None, id="a classifier"),
    ],
)
def test_the_layout_of_a_single_output_is_recognized_by_its_shape(
    shape: tuple[int, ...], size: tuple[int, int], layout: OutputLayout | None
) -> None:
    told = find_layout(answer_of(shape, size=size))
    assert (told and told.layout) is layout


def raw_yolox() -> Array:
    return np.random.default_rng(5).normal(0, 2, (1, 8400, 7)).astype(np.float32)


def test_a_grid_that_is_not_undone_is_yolox_and_one_that_is_is_not() -> None:
    raw, undone = raw_yolox(), raw_yolox()
    undone[0, :, :4] *= 100
    assert _told(raw) is YOLOX
    assert _told(undone) is OBJECTNESS
    assert _told(np.zeros_like(raw)) is OBJECTNESS
    assert _told(np.tile(raw, (1, 3, 1))) is OBJECTNESS  # three boxes a place are YOLOv5's
    assert _told(raw, "yolox") is YOLOX
    assert _told(undone, "yolox") is DECODED_YOLOX
    assert _told(raw, "yolov5") is OBJECTNESS


def _told(array: Array, declared: str = "") -> OutputLayout | None:
    told = find_layout(ModelOutput({"output": array}, (640, 640)), declared)
    return told and told.layout


def queries(last: float, classes: int, *, rows: int = 300) -> dict[str, Array]:
    logits = np.full((1, rows, classes), -4.0, np.float32)
    logits[0, : int(rows * 0.9), -1] = last
    return {"logits": logits, "pred_boxes": np.full((1, rows, 4), 0.5, np.float32)}


@pytest.mark.parametrize(
    ("outputs", "classes", "layout"),
    [
        pytest.param(queries(-3, 80), 0, QUERIES, id="RT-DETR"),
        pytest.param(queries(-3, 1), 0, QUERIES, id="RT-DETR, one class"),
        pytest.param(queries(5, 1), 0, QUERIES, id="one class that it is sure of"),
        pytest.param(queries(5, 92, rows=100), 0, SOFTMAX_QUERIES, id="DETR"),
        pytest.param(queries(5, 92, rows=9), 0, QUERIES, id="few boxes"),
        pytest.param(queries(5, 92), 92, QUERIES, id="as many names as logits"),
        pytest.param(queries(-3, 92), 91, SOFTMAX_QUERIES, id="one name less than logits"),
        pytest.param({"dets": np.zeros((1, 300, 4)), "labels": np.zeros((1, 300, 4))}, 0, RF_DETR, id="RF-DETR"),
        pytest.param(
            {"labels": np.zeros((1, 300)), "boxes": np.zeros((1, 300, 4)), "scores": np.zeros((1, 300))},
            0,
            NAMED,
            id="D-FINE",
        ),
        pytest.param({"labels": np.zeros(0), "boxes": np.zeros((0, 4)), "scores": np.zeros(0)}, 0, NAMED, id="none"),
        pytest.param({"a": np.zeros((1, 300, 4)), "b": np.zeros((1, 300, 80))}, 0, None, id="nameless"),
        pytest.param({"a": np.ones((1, 8400, 4)), "b": np.ones((1, 8400, 80))}, 0, None, id="YOLO-NAS"),
        pytest.param({"a": np.ones((1, 4, 8400)), "b": np.ones((1, 80, 8400))}, 0, None, id="a head cut in two"),
    ],
)
def test_layouts_of_several_outputs_are_recognized_by_their_names(
    outputs: dict[str, Array], classes: int, layout: OutputLayout | None
) -> None:
    told = find_layout(ModelOutput(outputs, (640, 640), classes))
    assert (told and told.layout) is layout


@pytest.mark.parametrize(
    ("declared", "layout"), [("rt-detr", QUERIES), ("detr", SOFTMAX_QUERIES), ("rf-detr", RF_DETR)]
)
def test_outputs_of_other_names_are_paired_by_shape_once_their_layout_is_declared(
    declared: str, layout: OutputLayout
) -> None:
    boxes, logits, alike = np.zeros((1, 300, 4)), np.zeros((1, 300, 80)), np.zeros((1, 300, 4))
    told = find_layout(ModelOutput({"a": logits, "b": boxes}, (640, 640)), declared)
    assert told is not None
    assert (told.layout, told.outputs) == (layout, ("b", "a"))
    assert find_layout(ModelOutput({"a": alike, "b": boxes}, (640, 640)), declared) is None


def test_boxes_in_shares_of_the_input_are_ultralytics_rt_detr() -> None:
    rows = np.random.default_rng(5).uniform(0.01, 0.99, (1, 300, 6)).astype(np.float32)
    assert _told(rows) is JOINED
    assert _told(rows[..., :5]) is JOINED
    rows[..., :4] *= 640
    rows[..., 5] = 1
    assert _told(rows) is LISTED


def test_names_identify_an_unknown_grid() -> None:
    assert find_layout(answer_of((1, 7, 50))) is None
    assert (told := find_layout(answer_of((1, 7, 50), classes=3))) is not None
    assert told.layout is ANCHORS_LAST


@pytest.mark.parametrize("declared", LAYOUT_NAMES)
def test_a_declared_layout_is_the_only_one_looked_at(declared: str) -> None:
    told = find_layout(answer_of((1, 25200, 6)), declared)
    assert (told is not None) == (
        declared in {"end-to-end", "yolov10", "yolo26", "yolov5", "yolov6", "yolov7", "yolox"}
    )
    assert told is None or declared in told.layout.names


def test_classes_are_counted_without_masks_keypoints_and_no_object() -> None:
    masked = answer_of((1, 116, 8400), (1, 32, 160, 160))
    posed = answer_of((1, 56, 8400), keypoints=51)
    named = ModelOutput({"dets": np.zeros((1, 9, 4)), "labels": np.zeros((1, 9, 4))}, (640, 640), classes=3)
    detr = ModelOutput(queries(5, 92), (640, 640))
    counts = [class_count(told, each) for each in (masked, posed, named, detr) if (told := find_layout(each))]
    assert counts == [80, 1, 3, 91]


def test_of_boxes_that_are_the_same_the_best_stays() -> None:
    boxes = np.array([[0, 0, 100, 40], [2, 1, 101, 41], [0, 100, 100, 140], [0, 0, 50, 40]], np.float32)
    score = np.array([0.6, 0.9, 0.5, 0.4], np.float32)
    assert suppress_overlaps(boxes, score, 0.7).tolist() == [1, 2, 3]
    assert suppress_overlaps(boxes, score, 0.3).tolist() == [1, 2]
    assert suppress_overlaps(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), 0.7).tolist() == []


def test_a_box_that_is_no_number_is_left_out() -> None:
    rows = np.array([[[np.nan, 0, 9, 9, 0.9, 0], [0, 0, 9, 9, 0.8, np.nan], [0, 0, 9, 9, 0.1, 1]]], np.float32)
    seen = decode(LayoutMatch(LISTED, ("a",)), {"a": rows}, WHOLE, least_score=0.25, overlap=0.7)
    assert seen.xyxy.tolist() == [[0, 0, 9, 9]]
    assert seen.score.tolist() == pytest.approx([0.8])
    assert seen.label.tolist() == [-1]


def test_a_score_is_that_of_the_best_class_if_there_is_an_object_at_all() -> None:
    rows = np.array([[[5, 5, 4, 4, 0.5, 0.2, 0.8], [50, 50, 4, 4, 0.1, 0.9, 0.9]]], np.float32)
    seen = decode(LayoutMatch(OBJECTNESS, ("a",)), {"a": rows}, WHOLE, least_score=0.25, overlap=0.7)
    assert seen.score.tolist() == pytest.approx([0.4])
    assert (seen.xyxy.tolist(), seen.label.tolist()) == ([[3, 3, 7, 7]], [1])


def test_a_grid_of_yolox_that_does_not_fit_the_input_is_an_error() -> None:
    with pytest.raises(ValueError, match="gives 8400 boxes, which is not a grid of YOLOX for 320x320"):
        decode(
            LayoutMatch(YOLOX, ("a",)),
            {"a": raw_yolox()},
            InputFrame((320, 320), (320, 320)),
            least_score=0.25,
            overlap=0.7,
        )


def test_a_yolox_cell_counts_from_its_own_grid_and_a_side_is_a_power() -> None:
    rows = np.zeros((1, 8400, 6), np.float32)
    rows[0, 80 + 2, :6] = [0.5, 0.25, np.log(4), np.log(2), 0.9, 1]  # stride 8, row 1, column 2
    rows[0, 6400 + 40 * 3 + 1, :6] = [0, 0, 0, 0, 0.8, 1]  # stride 16, row 3, column 1
    rows[0, 6400 + 1600 + 19, :6] = [1, 1, 100, 0, 0.7, 1]  # stride 32, endless
    seen = decode(LayoutMatch(YOLOX, ("a",)), {"a": rows}, WHOLE, least_score=0.25, overlap=0.7)
    assert seen.xyxy[:2].round(3).tolist() == [[4, 2, 36, 18], [8, 40, 24, 56]]
    assert np.isfinite(seen.xyxy).all()
