"""Output layouts of detection models: the table of layouts, how a model's layout is found, and how it is decoded.

`OUTPUT_LAYOUTS` is the table. N is the number of boxes, C the number of classes.

If shapes do not decide, a model's answer to a blank image does:
- YOLOv5 and YOLOX have the same shape. A YOLOX export returns offsets within a cell and logarithms of sides, all of
  them single digits; centers of decoded boxes are spread over the input, so the last are as far out as it is wide.
- RT-DETR and DETR have the same shape. DETR's last class is "no object", which wins nearly all boxes of a blank image;
  in a model without that class the last class does not.
- A list of six values and RT-DETR with two classes, as Ultralytics exports it, have the same shape. The list's boxes
  are in pixels and its sixth value is whole; RT-DETR's boxes are shares of the input, and the sixth value is a score.

Rule 1: pure numpy, no model and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.detectors.onnx_frames import IMAGENET_MEAN, IMAGENET_STD, InputForm, Order, Resize
from perception.detectors.onnx_outputs import (
    ModelOutput,
    fits_anchors_last,
    fits_decoded_yolox,
    fits_joined,
    fits_listed,
    fits_named,
    fits_numbered,
    fits_objectness,
    fits_queries,
    fits_rf_detr,
    fits_softmax_queries,
    fits_yolox,
    without_batch,
)
from perception.detectors.onnx_readers import (
    InputFrame,
    Numbers,
    RawDetections,
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

MAX_CANDIDATES = 30_000
"""Maximum number of boxes for non-maximum suppression, best first: Ultralytics' `max_nms`."""


@dataclass(frozen=True, slots=True)
class OutputLayout:
    """One output layout.

    Attributes:
        names: names by which it can be declared.
        says: outputs and their shapes, for people.
        form: usual input form of models with this layout.
        fits: names of the outputs that have this layout, empty for none; the second argument says whether the layout
            is declared, which makes the test less strict.
        read: decodes these outputs to boxes.
        repeats: whether several boxes may show the same thing, so that non-maximum suppression is needed.
        scores: number of classes that these outputs score; 0 if they hold a class index instead.
    """

    names: tuple[str, ...]
    says: str
    form: InputForm
    fits: Callable[[ModelOutput, bool], tuple[str, ...]]
    read: Callable[[Sequence[Numbers], InputFrame], RawDetections]
    repeats: bool = False
    scores: Callable[[Sequence[Numbers], int], int] = lambda arrays, spare: 0


@dataclass(frozen=True, slots=True)
class LayoutMatch:
    """The layout of a model.

    Attributes:
        layout: the first layout that fits.
        outputs: names of the outputs, in the order in which the layout reads them.
        spare: number of values after a box's class scores that are not scores.
    """

    layout: OutputLayout
    outputs: tuple[str, ...]
    spare: int = 0


def find_layout(answer: ModelOutput, declared: str = "") -> LayoutMatch | None:
    """Finds the first layout of the table that fits a model's answer; None if none fits.

    Args:
        answer: outputs for a blank image.
        declared: one of `LAYOUT_NAMES`, to test only layouts of this name; empty to test all.
    """
    for layout in OUTPUT_LAYOUTS:
        if not declared or declared in layout.names:
            outputs = layout.fits(answer, bool(declared))
            if outputs:
                return LayoutMatch(layout, outputs, _spare_classes(layout, outputs, answer))
    return None


def class_count(reader: LayoutMatch, answer: ModelOutput) -> int:
    """Number of classes that a model scores; 0 if its outputs hold a class index instead."""
    return reader.layout.scores([answer.boxes(name) for name in reader.outputs], reader.spare)


def decode(
    reader: LayoutMatch,
    outputs: Mapping[str, NDArray[np.generic]],
    frame: InputFrame,
    *,
    least_score: float,
    overlap: float,
) -> RawDetections:
    """Decodes a model's outputs to boxes, best first.

    Args:
        reader: the model's layout.
        outputs: outputs by name, for one image.
        frame: sizes of the input and of the image.
        least_score: boxes with a lower score are dropped.
        overlap: intersection over union from which the weaker of two boxes is dropped, for any classes: a
            button that is also a link is one thing to click.

    Raises:
        ValueError: the scores are invalid; the message says why.
    """
    frame = InputFrame(frame.size, frame.image_size, reader.spare)
    with np.errstate(all="ignore"):  # values that are not finite are dropped or refused below
        seen = reader.layout.read([without_batch(outputs[name]) for name in reader.outputs], frame)
    if np.isnan(seen.score).any():
        raise ValueError("gives scores that are not numbers: export it again, in 32 bits if it was in 16")
    low, high = seen.score.min(initial=0), seen.score.max(initial=0)
    if low < -0.01 or high > 1.01:  # half precision rounds a certain 1 up to 1.0005
        raise ValueError(f"gives scores of {low:.3g} … {high:.3g}: export it with the sigmoid at its end, for 0 … 1")
    good = np.flatnonzero((seen.score >= least_score) & np.isfinite(seen.xyxy).all(axis=1))
    good = good[np.argsort(-seen.score[good], kind="stable")[:MAX_CANDIDATES]]
    seen = RawDetections(seen.xyxy[good], seen.score[good].clip(0, 1), seen.label[good])
    if reader.layout.repeats:
        kept = suppress_overlaps(seen.xyxy, seen.score, overlap)
        seen = RawDetections(seen.xyxy[kept], seen.score[kept], seen.label[kept])
    return seen


def suppress_overlaps(boxes: Boxes, score: Numbers, overlap: float) -> NDArray[np.intp]:
    """Non-maximum suppression.

    Args:
        boxes: (N, 4) xyxy.
        score: (N,).
        overlap: intersection over union from which the weaker of two boxes is dropped.

    Returns:
        (K,) indices of the kept boxes, best first.
    """
    if not len(boxes):
        return np.zeros(0, np.intp)
    sides = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    kept = cv2.dnn.NMSBoxes(sides.tolist(), score.tolist(), 0.0, overlap)
    return np.asarray(kept, np.intp).reshape(-1)


def _spare_classes(layout: OutputLayout, outputs: tuple[str, ...], answer: ModelOutput) -> int:
    if layout is not RF_DETR:
        return 0 if layout in (QUERIES, SOFTMAX_QUERIES) else answer.spare()
    # A model trained by the user has one more score than classes, the last: "no object". The public model has not.
    return int(answer.outputs[outputs[1]].shape[2] == answer.classes + 1)


# The table. The first layout that fits an answer is used.

_YOLO = InputForm()
_YOLOX = InputForm(order=Order.BGR, high=255, resize=Resize.CORNER)
_STRETCHED = InputForm(resize=Resize.STRETCH)
_IMAGENET = InputForm(mean=IMAGENET_MEAN, std=IMAGENET_STD, resize=Resize.STRETCH)

LISTED = OutputLayout(
    ("end-to-end", "yolov10", "yolo26"),
    "one output (1, N, 6): left, top, right, bottom, score and class, with nothing to be dropped",
    _YOLO,
    fits_listed,
    read_listed,
)
NUMBERED = OutputLayout(
    ("yolov7-end-to-end",),
    "one output (N, 7): image, left, top, right, bottom, class and score, with nothing to be dropped",
    _YOLO,
    fits_numbered,
    read_numbered,
)
ANCHORS_LAST = OutputLayout(
    ("yolov8", "yolov9", "yolo11", "yolo12"),
    "one output (1, 4 + C, N): x, y, width, height and a score for each class",
    _YOLO,
    fits_anchors_last,
    read_anchors_last,
    repeats=True,
    scores=lambda arrays, spare: arrays[0].shape[0] - 4 - spare,
)
YOLOX = OutputLayout(
    ("yolox",),
    "one output (1, N, 5 + C): x, y, width and height of a grid of cells, objectness and a score for each class",
    _YOLOX,
    fits_yolox,
    read_yolox,
    repeats=True,
    scores=lambda arrays, spare: arrays[0].shape[1] - 5 - spare,
)
DECODED_YOLOX = OutputLayout(
    ("yolox",),
    "the same with the grid undone",
    _YOLOX,
    fits_decoded_yolox,
    read_objectness,
    repeats=True,
    scores=YOLOX.scores,
)
OBJECTNESS = OutputLayout(
    ("yolov5", "yolov6", "yolov7"),
    "one output (1, N, 5 + C): x, y, width, height, objectness and a score for each class",
    _YOLO,
    fits_objectness,
    read_objectness,
    repeats=True,
    scores=YOLOX.scores,
)
NAMED = OutputLayout(
    ("rt-detr", "d-fine"),
    "outputs boxes (1, N, 4), scores (1, N) and labels (1, N), where the image's size is an input of the model",
    _STRETCHED,
    fits_named,
    read_named,
)
QUERIES = OutputLayout(
    ("rt-detr", "d-fine"),
    "outputs pred_boxes (1, N, 4) in shares of the input and logits (1, N, C), each class by itself",
    _STRETCHED,
    fits_queries,
    read_queries,
    scores=lambda arrays, spare: arrays[1].shape[1],
)
SOFTMAX_QUERIES = OutputLayout(
    ("detr",),
    'outputs pred_boxes (1, N, 4) in shares of the input and logits (1, N, C + 1), the last for "no object"',
    _IMAGENET,
    fits_softmax_queries,
    read_softmax_queries,
    scores=lambda arrays, spare: arrays[1].shape[1] - 1,
)
RF_DETR = OutputLayout(
    ("rf-detr",),
    "outputs dets (1, N, 4) in shares of the input and labels (1, N, C), each class by itself",
    _IMAGENET,
    fits_rf_detr,
    read_queries,
    scores=lambda arrays, spare: arrays[1].shape[1] - spare,
)
JOINED = OutputLayout(
    ("rt-detr",),
    "one output (1, N, 4 + C): x, y, width and height in shares of the input and a score for each class",
    _STRETCHED,
    fits_joined,
    read_joined,
    scores=lambda arrays, spare: arrays[0].shape[1] - 4 - spare,
)

OUTPUT_LAYOUTS = (
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
LAYOUT_NAMES = tuple(dict.fromkeys(name for layout in OUTPUT_LAYOUTS for name in layout.names))
