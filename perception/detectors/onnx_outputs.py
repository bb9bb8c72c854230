"""Which outputs of a detection model fit a layout: one function for each layout.

Each takes the model's answer to a blank image, and whether the layout is declared; a declared layout is tested less
strictly. It returns the names of the outputs that fit, in the order in which its reader takes them; empty for none.

Rule 1: pure numpy, no model and no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.detectors.onnx_readers import GRIDS, Numbers, Size, places

MIN_GRID_CELLS = 1000
"""Least number of boxes that is taken as a grid of unknown strides; a DETR has 300 boxes, a 640x640 grid 8,400."""
MIN_QUERIES = 50
"""Least number of boxes that shows whether there is a class "no object"; DETR has 100, others 300."""
MAX_RAW = 32.0
"""Upper bound of undecoded box values: at most 3.0 in a real export for 416x416 and any plain color. The last center of
decoded boxes is this far out even in an input of 64 px."""


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """A model's outputs for a blank image, with facts of its metadata.

    Attributes:
        outputs: outputs by name, in the model's order.
        size: width and height of the blank image, px.
        classes: number of named classes; 0 if unknown.
        keypoints: number of values that a pose model adds to each box.
    """

    outputs: Mapping[str, NDArray[np.generic]]
    size: Size
    classes: int = 0
    keypoints: int = 0

    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of the outputs that could be boxes: those of shape (1, rows, columns)."""
        shapes = [(name, each.shape) for name, each in self.outputs.items()]
        return [(name, shape[1], shape[2]) for name, shape in shapes if len(shape) == 3 and shape[0] == 1]

    def spare(self) -> int:
        """Number of values after a box's class scores: keypoints, and weights of Ultralytics' masks.

        The masks are a second output with a fourth of the input's width and height.
        """
        width, height = self.size
        masks = [each.shape[1] for each in self.outputs.values() if each.shape[2:] == (height // 4, width // 4)]
        return self.keypoints + (masks[0] if len(masks) == 1 else 0)

    def boxes(self, name: str) -> Numbers:
        return without_batch(self.outputs[name])


def without_batch(output: NDArray[np.generic]) -> Numbers:
    """An output for one image, float32, without the batch axis if it has one."""
    array = np.asarray(output, np.float32)
    return array[0] if array.ndim == 3 else array


def _is_grid(count: int, size: Size) -> bool:
    """Whether YOLO's grids have this many boxes, or a third of it: YOLOv5 has three boxes for each cell."""
    return any(count in (places(size, grid), 3 * places(size, grid)) for grid in GRIDS)


def fits_anchors_last(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    """Does not fit if the boxes are a separate output (YOLO-NAS)."""
    sizes = {(rows, columns) for _, rows, columns in answer.planes()}
    for name, rows, columns in answer.planes():
        said = rows - answer.spare()
        looks = _is_grid(columns, answer.size) or columns > MIN_GRID_CELLS or said == 4 + answer.classes > 4
        looks = looks and (4, columns) not in sizes
        if said > 4 and (columns > rows if not declared else rows < MIN_GRID_CELLS) and (declared or looks):
            return (name,)
    return ()


def fits_objectness(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    """Does not fit if the boxes are a separate output (YOLO-NAS)."""
    sizes = {(rows, columns) for _, rows, columns in answer.planes()}
    for name, rows, columns in answer.planes():
        said = columns - answer.spare()
        looks = _is_grid(rows, answer.size) or rows > MIN_GRID_CELLS or said == 5 + answer.classes > 6
        looks = looks and (rows, 4) not in sizes
        if said > 5 and (rows > columns if not declared else columns < MIN_GRID_CELLS) and (declared or looks):
            return (name,)
    return ()


def fits_yolox(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    """Fits if there is one box for each cell and no box value is as large as a decoded one."""
    for name in fits_objectness(answer, declared):
        boxes = answer.boxes(name)[:, :4]
        one_each = any(len(boxes) == places(answer.size, grid) for grid in GRIDS)
        if one_each and np.abs(boxes).max(initial=0) < MAX_RAW and (declared or boxes.std() > 0):
            return (name,)
    return ()


def fits_decoded_yolox(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    """Fits only if it is declared: the outputs are the same as YOLOv6's."""
    for name in fits_objectness(answer, declared) if declared else ():
        if np.abs(answer.boxes(name)[:, :4]).max(initial=0) >= MAX_RAW:
            return (name,)
    return ()


def fits_listed(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    for name, rows, columns in answer.planes():
        if columns - answer.spare() == 6 and (declared or not (_is_grid(rows, answer.size) and rows > columns)):
            rows_of = answer.boxes(name)
            label = rows_of[:, 5]
            if declared or ((label == np.round(label)).all() and not _are_shares(rows_of[:, :4])):
                return (name,)
    return ()


def fits_numbered(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    return tuple(name for name, each in answer.outputs.items() if each.ndim == 2 and each.shape[1] == 7)[:1]


def fits_joined(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    for name, rows, columns in answer.planes():
        fits = columns - answer.spare() > 4 and rows <= MIN_GRID_CELLS and len(answer.planes()) == 1
        if fits and (declared or _are_shares(answer.boxes(name)[:, :4])):
            return (name,)
    return ()


def _are_shares(boxes: Numbers) -> bool:
    """Whether boxes are shares of the input's sides and not pixels; False for a list of zeros only."""
    return bool(boxes.min(initial=0) > -0.5 and 0 < boxes.max(initial=0) < 1.5)


def fits_queries(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    pair = fits_softmax_queries(answer, declared)
    return pair if declared or not _has_no_object(answer, pair) else ()


def fits_softmax_queries(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    logits = "logits" if "logits" in answer.outputs else "pred_logits"
    return _pair(answer, "pred_boxes", logits, renamed=declared)


def fits_rf_detr(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    return _pair(answer, "dets", "labels", renamed=declared)


def _pair(answer: ModelOutput, boxes: str, logits: str, *, renamed: bool) -> tuple[str, ...]:
    """Names of the two outputs, (1, N, 4) and (1, N, C).

    Names are tested first: the scores of three classes and "no object" have the shape of a box.
    """
    sizes = {name: (rows, columns) for name, rows, columns in answer.planes()}
    if renamed and len(sizes) == 2 and not {boxes, logits} <= set(sizes):
        boxes, logits = sorted(sizes, key=lambda name: sizes[name][1] != 4)
        if sizes[logits][1] == 4:
            return ()
    rows = sizes.get(logits, (0, 0))[0]
    return (boxes, logits) if logits in sizes and sizes.get(boxes) == (rows, 4) else ()


def _has_no_object(answer: ModelOutput, pair: tuple[str, ...]) -> bool:
    if not pair:
        return False
    logits = answer.boxes(pair[1])
    if answer.classes:
        return bool(logits.shape[1] == answer.classes + 1)
    if logits.shape[0] < MIN_QUERIES or logits.shape[1] < 2:
        return False
    wins = (logits.argmax(axis=1) == logits.shape[1] - 1) & (logits[:, -1] > 0)
    return bool(wins.mean() > 0.5)


def fits_named(answer: ModelOutput, declared: bool) -> tuple[str, ...]:
    names = ("boxes", "scores", "labels")
    if not set(names) <= set(answer.outputs):
        return ()
    boxes, scores, labels = (answer.outputs[name] for name in names)
    return names if boxes.shape[-1] == 4 and boxes.size == 4 * scores.size == 4 * labels.size else ()
