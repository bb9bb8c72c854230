"""How detection models say what they found: a table of layouts, which of them a model has, and how each is read.

`LAYOUTS` is the table. N is any number of boxes, C of classes.

What shapes cannot tell, a model's answer to a blank image does:
- YOLOv5 and YOLOX have one shape. A YOLOX export gives offsets within a cell and logarithms of sides, single digits
  all; decoded boxes are centred all over the input, so the last are as far out as the input is wide.
- RT-DETR and DETR have one shape. DETR's last class is "no object" and wins nearly all boxes of a blank image; a model
  without that class has no reason to see its last class there.
- A list of six numbers and RT-DETR with two classes, as Ultralytics exports it, have one shape. The list's boxes are in
  pixels and its sixth number is whole; the other's boxes are shares of the input, and the sixth a score.

Rule 1: pure numpy, no model and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.detectors.onnx_frames import IMAGENET_MEAN, IMAGENET_STD, InputForm, Order, Resize
from perception.detectors.onnx_readers import (
    GRIDS,
    Asked,
    Numbers,
    Seen,
    Size,
    places,
    read_anchors_last,
    read_joined,
    read_listed,
    read_named,
    read_numbered,
    read_objectness,
    read_queries,
    read_softmax_queries,
    read_yolox,
)
from perception.geometry import Boxes

LEAST_GRID = 1000
"""Places from which a grid is believed that is none of these; a DETR gives 300 boxes, a 640x640 grid has 8,400."""
LEAST_QUERIES = 50
"""From which a blank image says whether there is a class for "no object"; DETR gives 100 boxes, the others 300."""
MAX_RAW = 32.0
"""What undecoded boxes stay below: 3.0 at most in a real export for 416x416, whatever plain colour it is shown. The
last centre of decoded ones is that far out in an input of 64 px already."""
MAX_CANDIDATES = 30_000
"""That are compared with each other, the best first: Ultralytics' `max_nms`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says of a blank image, and what is known of it beside.

    Args:
        outputs: by name, in the model's order.
        size: of the blank image.
        classes: how many are named; 0 for unknown.
        keypoints: how many numbers a pose model adds to each box.
    """

    outputs: Mapping[str, NDArray[np.generic]]
    size: Size
    classes: int = 0
    keypoints: int = 0

    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of the outputs that could be boxes: (1, rows, columns)."""
        shapes = [(name, each.shape) for name, each in self.outputs.items()]
        return [(name, shape[1], shape[2]) for name, shape in shapes if len(shape) == 3 and shape[0] == 1]

    def spare(self) -> int:
        """How many numbers after a box's class scores are none: keypoints, and weights of Ultralytics' masks.

        The masks come as a second output, a fourth as large as the input each way.
        """
        width, height = self.size
        masks = [each.shape[1] for each in self.outputs.values() if each.shape[2:] == (height // 4, width // 4)]
        return self.keypoints + (masks[0] if len(masks) == 1 else 0)

    def boxes(self, name: str) -> Numbers:
        return _numbers(self.outputs[name])


@dataclass(frozen=True, slots=True)
class Layout:
    """One way of saying what was found.

    Args:
        names: what it may be declared as.
        says: outputs and their shapes, for people.
        form: what models of that layout take, unless declared otherwise.
        fits: which outputs of an answer have it, empty for none; less is asked of a layout that was declared.
        read: those outputs as boxes.
        repeats: whether boxes of the same thing are still to be dropped.
        scores: how many classes these outputs score; 0 where classes are numbered instead.
    """

    names: tuple[str, ...]
    says: str
    form: InputForm
    fits: Callable[[Answer, bool], tuple[str, ...]]
    read: Callable[[Sequence[Numbers], Asked], Seen]
    repeats: bool = False
    scores: Callable[[Sequence[Numbers], int], int] = lambda arrays, spare: 0


@dataclass(frozen=True, slots=True)
class Reader:
    """The layout that a model has, the outputs that have it and the numbers in them that are no class's score."""

    layout: Layout
    outputs: tuple[str, ...]
    spare: int = 0


def tell_layout(answer: Answer, declared: str = "") -> Reader | None:
    """Which layout an answer has: the first of the table that fits; None for none.

    Args:
        declared: one of `LAYOUT_NAMES`; others are then not looked at.
    """
    for layout in LAYOUTS:
        if not declared or declared in layout.names:
            outputs = layout.fits(answer, bool(declared))
            if outputs:
                return Reader(layout, outputs, _spare_classes(layout, outputs, answer))
    return None


def class_count(reader: Reader, answer: Answer) -> int:
    """How many classes a model scores; 0 where it numbers them."""
    return reader.layout.scores([answer.boxes(name) for name in reader.outputs], reader.spare)


def decode(
    reader: Reader, outputs: Mapping[str, NDArray[np.generic]], asked: Asked, *, least_score: float, overlap: float
) -> Seen:
    """What a model found, the best first; empty for nothing.

    Args:
        least_score: what has less is dropped.
        overlap: intersection over union from which the weaker of two boxes is dropped, whatever their classes: a
            button that is a link too is one thing to click.

    Raises:
        ValueError: scores that are none; says why.
    """
    told = Asked(asked.size, asked.told, reader.spare)
    with np.errstate(all="ignore"):  # what is no number is left out or refused below
        seen = reader.layout.read([_numbers(outputs[name]) for name in reader.outputs], told)
    if np.isnan(seen.score).any():
        raise ValueError("gives scores that are no numbers: export it again, in 32 bits if it was in 16")
    low, high = seen.score.min(initial=0), seen.score.max(initial=0)
    if low < -0.01 or high > 1.01:  # half precision rounds a certain 1 up to 1.0005
        raise ValueError(f"gives scores of {low:.3g} … {high:.3g}: export it with the sigmoid at its end, for 0 … 1")
    good = np.flatnonzero((seen.score >= least_score) & np.isfinite(seen.xyxy).all(axis=1))
    good = good[np.argsort(-seen.score[good], kind="stable")[:MAX_CANDIDATES]]
    seen = Seen(seen.xyxy[good], seen.score[good].clip(0, 1), seen.label[good])
    if reader.layout.repeats:
        kept = drop_repeats(seen.xyxy, seen.score, overlap)
        seen = Seen(seen.xyxy[kept], seen.score[kept], seen.label[kept])
    return seen


def drop_repeats(boxes: Boxes, score: Numbers, overlap: float) -> NDArray[np.intp]:
    """Non-maximum suppression.

    Returns:
        Indices of those kept, the best first.
    """
    if not len(boxes):
        return np.zeros(0, np.intp)
    sides = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    kept = cv2.dnn.NMSBoxes(sides.tolist(), score.tolist(), 0.0, overlap)
    return np.asarray(kept, np.intp).reshape(-1)


def _is_grid(count: int, size: Size) -> bool:
    """As many boxes as YOLO's grids give, or three times as many: YOLOv5 has three a place."""
    return any(count in (places(size, grid), 3 * places(size, grid)) for grid in GRIDS)


def _numbers(output: NDArray[np.generic]) -> Numbers:
    """One image's output, without the batch; a plain list of numbers stays one."""
    array = np.asarray(output, np.float32)
    return array[0] if array.ndim == 3 else array


def _spare_classes(layout: Layout, outputs: tuple[str, ...], answer: Answer) -> int:
    if layout is not RF_DETR:
        return 0 if layout in (QUERIES, SOFTMAX_QUERIES) else answer.spare()
    # A model of one's own has one slot more than it has classes, the last: "no object". The public one has none.
    return int(answer.outputs[outputs[1]].shape[2] == answer.classes + 1)


# Which outputs fit.


def _fits_anchors_last(answer: Answer, declared: bool) -> tuple[str, ...]:
    """Not where the boxes are an output of their own (YOLO-NAS)."""
    sizes = {(rows, columns) for _, rows, columns in answer.planes()}
    for name, rows, columns in answer.planes():
        said = rows - answer.spare()
        looks = _is_grid(columns, answer.size) or columns > LEAST_GRID or said == 4 + answer.classes > 4
        looks = looks and (4, columns) not in sizes
        if said > 4 and (columns > rows if not declared else rows < LEAST_GRID) and (declared or looks):
            return (name,)
    return ()


def _fits_objectness(answer: Answer, declared: bool) -> tuple[str, ...]:
    """Not where the boxes are an output of their own (YOLO-NAS)."""
    sizes = {(rows, columns) for _, rows, columns in answer.planes()}
    for name, rows, columns in answer.planes():
        said = columns - answer.spare()
        looks = _is_grid(rows, answer.size) or rows > LEAST_GRID or said == 5 + answer.classes > 6
        looks = looks and (rows, 4) not in sizes
        if said > 5 and (rows > columns if not declared else columns < LEAST_GRID) and (declared or looks):
            return (name,)
    return ()


def _fits_yolox(answer: Answer, declared: bool) -> tuple[str, ...]:
    """One box a place, and none of them where it would be once decoded."""
    for name in _fits_objectness(answer, declared):
        boxes = answer.boxes(name)[:, :4]
        one_each = any(len(boxes) == places(answer.size, grid) for grid in GRIDS)
        if one_each and np.abs(boxes).max(initial=0) < MAX_RAW and (declared or boxes.std() > 0):
            return (name,)
    return ()


def _fits_decoded_yolox(answer: Answer, declared: bool) -> tuple[str, ...]:
    """Undeclared, it is not to be told from YOLOv6."""
    for name in _fits_objectness(answer, declared) if declared else ():
        if np.abs(answer.boxes(name)[:, :4]).max(initial=0) >= MAX_RAW:
            return (name,)
    return ()


def _fits_listed(answer: Answer, declared: bool) -> tuple[str, ...]:
    for name, rows, columns in answer.planes():
        if columns - answer.spare() == 6 and (declared or not (_is_grid(rows, answer.size) and rows > columns)):
            rows_of = answer.boxes(name)
            label = rows_of[:, 5]
            if declared or ((label == np.round(label)).all() and not _are_shares(rows_of[:, :4])):
                return (name,)
    return ()


def _fits_numbered(answer: Answer, declared: bool) -> tuple[str, ...]:
    return tuple(name for name, each in answer.outputs.items() if each.ndim == 2 and each.shape[1] == 7)[:1]


def _fits_joined(answer: Answer, declared: bool) -> tuple[str, ...]:
    for name, rows, columns in answer.planes():
        fits = columns - answer.spare() > 4 and rows <= LEAST_GRID and len(answer.planes()) == 1
        if fits and (declared or _are_shares(answer.boxes(name)[:, :4])):
            return (name,)
    return ()


def _are_shares(boxes: Numbers) -> bool:
    """Of an input's sides, which no box of pixels is within; a list that is padded with nothing is none."""
    return bool(boxes.min(initial=0) > -0.5 and 0 < boxes.max(initial=0) < 1.5)


def _fits_queries(answer: Answer, declared: bool) -> tuple[str, ...]:
    pair = _fits_softmax_queries(answer, declared)
    return pair if declared or not _has_no_object(answer, pair) else ()


def _fits_softmax_queries(answer: Answer, declared: bool) -> tuple[str, ...]:
    logits = "logits" if "logits" in answer.outputs else "pred_logits"
    return _pair(answer, "pred_boxes", logits, renamed=declared)


def _fits_rf_detr(answer: Answer, declared: bool) -> tuple[str, ...]:
    return _pair(answer, "dets", "labels", renamed=declared)


def _pair(answer: Answer, boxes: str, logits: str, *, renamed: bool) -> tuple[str, ...]:
    """Names of the two outputs, (1, N, 4) and (1, N, C).

    By name first: three classes and a fourth for "no object" look as a box does.
    """
    sizes = {name: (rows, columns) for name, rows, columns in answer.planes()}
    if renamed and len(sizes) == 2 and not {boxes, logits} <= set(sizes):
        boxes, logits = sorted(sizes, key=lambda name: sizes[name][1] != 4)
        if sizes[logits][1] == 4:
            return ()
    rows = sizes.get(logits, (0, 0))[0]
    return (boxes, logits) if logits in sizes and sizes.get(boxes) == (rows, 4) else ()


def _has_no_object(answer: Answer, pair: tuple[str, ...]) -> bool:
    if not pair:
        return False
    logits = answer.boxes(pair[1])
    if answer.classes:
        return bool(logits.shape[1] == answer.classes + 1)
    if logits.shape[0] < LEAST_QUERIES or logits.shape[1] < 2:
        return False
    wins = (logits.argmax(axis=1) == logits.shape[1] - 1) & (logits[:, -1] > 0)
    return bool(wins.mean() > 0.5)


def _fits_named(answer: Answer, declared: bool) -> tuple[str, ...]:
    names = ("boxes", "scores", "labels")
    if not set(names) <= set(answer.outputs):
        return ()
    boxes, scores, labels = (answer.outputs[name] for name in names)
    return names if boxes.shape[-1] == 4 and boxes.size == 4 * scores.size == 4 * labels.size else ()


# The table. The first that fits an answer is its layout.

_YOLO = InputForm()
_YOLOX = InputForm(order=Order.BGR, high=255, resize=Resize.CORNER)
_STRETCHED = InputForm(resize=Resize.STRETCH)
_IMAGENET = InputForm(mean=IMAGENET_MEAN, std=IMAGENET_STD, resize=Resize.STRETCH)

LISTED = Layout(
    ("end-to-end", "yolov10", "yolo26"),
    "one output (1, N, 6): left, top, right, bottom, score and class, with nothing to be dropped",
    _YOLO,
    _fits_listed,
    read_listed,
)
NUMBERED = Layout(
    ("yolov7-end-to-end",),
    "one output (N, 7): image, left, top, right, bottom, class and score, with nothing to be dropped",
    _YOLO,
    _fits_numbered,
    read_numbered,
)
ANCHORS_LAST = Layout(
    ("yolov8", "yolov9", "yolo11", "yolo12"),
    "one output (1, 4 + C, N): x, y, width, height and a score for each class",
    _YOLO,
    _fits_anchors_last,
    read_anchors_last,
    repeats=True,
    scores=lambda arrays, spare: arrays[0].shape[0] - 4 - spare,
)
YOLOX = Layout(
    ("yolox",),
    "one output (1, N, 5 + C): x, y, width and height of a grid of cells, objectness and a score for each class",
    _YOLOX,
    _fits_yolox,
    read_yolox,
    repeats=True,
    scores=lambda arrays, spare: arrays[0].shape[1] - 5 - spare,
)
DECODED_YOLOX = Layout(
    ("yolox",),
    "the same with the grid undone",
    _YOLOX,
    _fits_decoded_yolox,
    read_objectness,
    repeats=True,
    scores=YOLOX.scores,
)
OBJECTNESS = Layout(
    ("yolov5", "yolov6", "yolov7"),
    "one output (1, N, 5 + C): x, y, width, height, objectness and a score for each class",
    _YOLO,
    _fits_objectness,
    read_objectness,
    repeats=True,
    scores=YOLOX.scores,
)
NAMED = Layout(
    ("rt-detr", "d-fine"),
    "outputs boxes (1, N, 4), scores (1, N) and labels (1, N), where the model is told the image's size",
    _STRETCHED,
    _fits_named,
    read_named,
)
QUERIES = Layout(
    ("rt-detr", "d-fine"),
    "outputs pred_boxes (1, N, 4) in shares of the input and logits (1, N, C), each class by itself",
    _STRETCHED,
    _fits_queries,
    read_queries,
    scores=lambda arrays, spare: arrays[1].shape[1],
)
SOFTMAX_QUERIES = Layout(
    ("detr",),
    'outputs pred_boxes (1, N, 4) in shares of the input and logits (1, N, C + 1), the last for "no object"',
    _IMAGENET,
    _fits_softmax_queries,
    read_softmax_queries,
    scores=lambda arrays, spare: arrays[1].shape[1] - 1,
)
RF_DETR = Layout(
    ("rf-detr",),
    "outputs dets (1, N, 4) in shares of the input and labels (1, N, C), each class by itself",
    _IMAGENET,
    _fits_rf_detr,
    read_queries,
    scores=lambda arrays, spare: arrays[1].shape[1] - spare,
)
JOINED = Layout(
    ("rt-detr",),
    "one output (1, N, 4 + C): x, y, width and height in shares of the input and a score for each class",
    _STRETCHED,
    _fits_joined,
    read_joined,
    scores=lambda arrays, spare: arrays[0].shape[1] - 4 - spare,
)

LAYOUTS = (
    LISTED,
    NUMBERED,
    ANCHORS_LAST,
    YOLOX,
    DECODED_YOLOX,
    OBJECTNESS,
    NAMED,
    QUERIES,
    SOFTMAX_QUERIES,
    RF_DETR,
    JOINED,
)
LAYOUT_NAMES = tuple(dict.fromkeys(name for layout in LAYOUTS for name in layout.names))
