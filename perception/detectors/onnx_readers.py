"""A detection model's outputs as boxes, scores and classes: one function for each way of writing them.

Each takes the outputs that its layout names, of one image and without the batch, and what they were asked about.

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
"""Strides of YOLO's grids: all common models, their P6 and P2 kin, and the tiny ones."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Boxes as a layout has them: (N, 4) xyxy in pixels of the input, (N,) scores and (N,) numbers of classes."""

    xyxy: Boxes
    score: Numbers
    label: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the outputs are about: an input of `size`, of a model that was told that the image is `told`."""

    size: Size
    told: Size
    spare: int = 0


def places(size: Size, grid: Sequence[int]) -> int:
    """How many cells the grids of these strides have for an input of that size."""
    return sum(math.ceil(size[0] / stride) * math.ceil(size[1] / stride) for stride in grid)


def read_anchors_last(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    rows = arrays[0].T
    return _by_class(_corners(rows[:, :4]), rows[:, 4 : rows.shape[1] - asked.spare])


def read_objectness(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    (rows,) = arrays
    return _by_class(_corners(rows[:, :4]), rows[:, 4:5] * rows[:, 5 : rows.shape[1] - asked.spare])


def read_yolox(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    """The grids stand one after another, each row by row; a centre is an offset in cells, a side a logarithm."""
    (rows,) = arrays
    grid = next((grid for grid in GRIDS if places(asked.size, grid) == len(rows)), None)
    if grid is None:
        raise ValueError(f"gives {len(rows)} boxes, which is no grid of YOLOX for {asked.size[0]}x{asked.size[1]}")
    corners, strides = [], []
    for stride in grid:
        across, down = math.ceil(asked.size[0] / stride), math.ceil(asked.size[1] / stride)
        corners.append(np.stack(np.meshgrid(np.arange(across), np.arange(down)), axis=-1).reshape(-1, 2))
        strides.append(np.full((across * down, 1), stride, np.float32))
    side = np.concatenate(strides)
    boxes = np.concatenate([(rows[:, :2] + np.concatenate(corners)) * side, np.exp(rows[:, 2:4]) * side], axis=1)
    return read_objectness([np.concatenate([boxes.astype(np.float32), rows[:, 4:]], axis=1)], asked)


def read_listed(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    (rows,) = arrays
    return Seen(rows[:, :4], rows[:, 4], _whole(rows[:, 5]))


def read_numbered(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    (rows,) = arrays
    return Seen(rows[:, 1:5], rows[:, 6], _whole(rows[:, 5]))


def read_joined(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    (rows,) = arrays
    return _by_class(_spread(rows[:, :4], asked.size), rows[:, 4 : rows.shape[1] - asked.spare])


def read_queries(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    boxes, logits = arrays
    score = 0.5 + 0.5 * np.tanh(0.5 * logits[:, : logits.shape[1] - asked.spare])  # the sigmoid, without overflow
    return _by_class(_spread(boxes, asked.size), score)


def read_softmax_queries(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    boxes, logits = arrays
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return _by_class(_spread(boxes, asked.size), (powers / powers.sum(axis=1, keepdims=True))[:, :-1])


def read_named(arrays: Sequence[Numbers], asked: Asked) -> Seen:
    boxes, scores, labels = arrays
    scale = np.tile(np.divide(asked.size, asked.told, dtype=np.float64), 2)
    return Seen((boxes.reshape(-1, 4) * scale).astype(np.float32), scores.reshape(-1), _whole(labels.reshape(-1)))


def _corners(boxes: Numbers) -> Boxes:
    """Centre and sides as left, top, right, bottom."""
    return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)


def _spread(boxes: Numbers, size: Size) -> Boxes:
    """Centre and sides as shares of the input as left, top, right, bottom in its pixels."""
    return _corners(boxes) * np.tile(np.asarray(size, np.float32), 2)


def _by_class(boxes: Boxes, scores: Numbers) -> Seen:
    """Each box is of the class that it has the highest score for."""
    return Seen(boxes, scores.max(axis=1), scores.argmax(axis=1))


def _whole(labels: Numbers) -> NDArray[np.intp]:
    """-1 for what is no number."""
    return np.nan_to_num(labels, nan=-1, posinf=-1, neginf=-1).astype(np.intp)
