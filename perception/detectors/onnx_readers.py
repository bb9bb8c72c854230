"""Decodes the outputs of a detection model to boxes, scores and classes: one function for each layout.

Each takes the outputs that its layout names, for one image and without the batch axis, and the frame of the input.

Rule 1: pure numpy. Nothing is dropped, sorted or checked here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Boxes

Numbers = NDArray[np.float32]
Size = tuple[int, int]
"""Width and height, pixels."""

GRIDS = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32), (16, 32))
"""Strides of YOLO's grids: all common models, their P6 and P2 variants, and the tiny models."""


@dataclass(frozen=True, slots=True)
class RawDetections:
    """Boxes of a model, before any is dropped.

    Attributes:
        xyxy: (N, 4) px of the input.
        score: (N,).
        label: (N,) class indices; -1 for no class.
    """

    xyxy: Boxes
    score: Numbers
    label: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class InputFrame:
    """Frame of the outputs.

    Attributes:
        size: width and height of the model's input, px.
        image_size: width and height of the image that the model got as an input (RT-DETR, D-FINE), px.
        spare: how many values after a box's class scores are not scores.
    """

    size: Size
    image_size: Size
    spare: int = 0


def places(size: Size, grid: Sequence[int]) -> int:
    """Number of cells of the grids of these strides for an input of this size."""
    return sum(math.ceil(size[0] / stride) * math.ceil(size[1] / stride) for stride in grid)


def read_anchors_last(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    rows = arrays[0].T
    return _by_class(_corners(rows[:, :4]), rows[:, 4 : rows.shape[1] - frame.spare])


def read_objectness(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    (rows,) = arrays
    return _by_class(_corners(rows[:, :4]), rows[:, 4:5] * rows[:, 5 : rows.shape[1] - frame.spare])


def read_yolox(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    """Grids follow one another, each row by row; a center is an offset in cells, a side the logarithm of cells."""
    (rows,) = arrays
    grid = next((grid for grid in GRIDS if places(frame.size, grid) == len(rows)), None)
    if grid is None:
        raise ValueError(f"gives {len(rows)} boxes, which is not a grid of YOLOX for {frame.size[0]}x{frame.size[1]}")
    corners, strides = [], []
    for stride in grid:
        across, down = math.ceil(frame.size[0] / stride), math.ceil(frame.size[1] / stride)
        corners.append(np.stack(np.meshgrid(np.arange(across), np.arange(down)), axis=-1).reshape(-1, 2))
        strides.append(np.full((across * down, 1), stride, np.float32))
    side = np.concatenate(strides)
    boxes = np.concatenate([(rows[:, :2] + np.concatenate(corners)) * side, np.exp(rows[:, 2:4]) * side], axis=1)
    return read_objectness([np.concatenate([boxes.astype(np.float32), rows[:, 4:]], axis=1)], frame)


def read_listed(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    (rows,) = arrays
    return RawDetections(rows[:, :4], rows[:, 4], _whole(rows[:, 5]))


def read_numbered(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    (rows,) = arrays
    return RawDetections(rows[:, 1:5], rows[:, 6], _whole(rows[:, 5]))


def read_joined(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    (rows,) = arrays
    return _by_class(_spread(rows[:, :4], frame.size), rows[:, 4 : rows.shape[1] - frame.spare])


def read_queries(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    boxes, logits = arrays
    score = 0.5 + 0.5 * np.tanh(0.5 * logits[:, : logits.shape[1] - frame.spare])  # the sigmoid, without overflow
    return _by_class(_spread(boxes, frame.size), score)


def read_softmax_queries(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    boxes, logits = arrays
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return _by_class(_spread(boxes, frame.size), (powers / powers.sum(axis=1, keepdims=True))[:, :-1])


def read_named(arrays: Sequence[Numbers], frame: InputFrame) -> RawDetections:
    boxes, scores, labels = arrays
    scale = np.tile(np.divide(frame.size, frame.image_size, dtype=np.float64), 2)
    return RawDetections(
        (boxes.reshape(-1, 4) * scale).astype(np.float32), scores.reshape(-1), _whole(labels.reshape(-1))
    )


def _corners(boxes: Numbers) -> Boxes:
    """Converts center and sides to left, top, right, bottom."""
    return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)


def _spread(boxes: Numbers, size: Size) -> Boxes:
    """Converts center and sides in shares of the input to left, top, right, bottom in input px."""
    return _corners(boxes) * np.tile(np.asarray(size, np.float32), 2)


def _by_class(boxes: Boxes, scores: Numbers) -> RawDetections:
    """The class of a box is the one with its highest score."""
    return RawDetections(boxes, scores.max(axis=1), scores.argmax(axis=1))


def _whole(labels: Numbers) -> NDArray[np.intp]:
    """Converts to class indices; -1 for values that are not finite."""
    return np.nan_to_num(labels, nan=-1, posinf=-1, neginf=-1).astype(np.intp)
