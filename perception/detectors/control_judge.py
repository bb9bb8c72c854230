"""Judges the boxes that the network of `controls` proposes: boosted trees look at a box together with the others.

The network scores each box by itself. What else the page shows tells more: alike boxes in a row or a column, boxes
around and within, how many cells agree.
`perception bench run train_judge` trained the trees, on pages that the network was not trained on.

Rule 1: columns only add up, compare and count; none depends on where on the page a box is, since a part of a page is
looked at, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.detectors.onnx_layouts import suppress_overlaps
from perception.detectors.onnx_model import open_model
from perception.geometry import Boxes, areas, intersections, iou

MODEL = Path(__file__).with_name("control_judge.onnx")

Numbers = NDArray[np.float32]
Pairs = NDArray[np.bool_]

SAME = 0.55
"""Intersection over union from which cells propose one box: more than of boxes of one control, of which the best is
chosen later."""
ALIKE = 0.6
"""Intersection over union from which cells tell where the box is."""
CELL = 64
"""Square pixels of a cell."""
MOST_PROPOSALS = 250
"""Of one image, the likeliest. 94 % of the controls are among the boxes with a score of 0.25 and more."""
NEAR = (60.0, 150.0, 300.0)
"""Pixels between centers, across or down, up to which boxes are near."""
LIKELY = 0.3
"""Least score of a box that counts among the near ones."""


@dataclass(frozen=True, slots=True)
class Cells:
    """What the network says of cells, one row each.

    Attributes:
        xyxy: (N, 4) px of the image.
        classes: (N, classes) scores.
        states: (N, states) likelihoods.
    """

    xyxy: Boxes
    classes: Numbers
    states: Numbers

    @property
    def score(self) -> Numbers:
        """(N,) of the likeliest class."""
        return np.asarray(self.classes.max(axis=1), np.float32)

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """These cells alone, in this order."""
        return Cells(self.xyxy[rows], self.classes[rows], self.states[rows])


@dataclass(frozen=True, slots=True)
class Proposals:
    """Boxes that may be controls, the likeliest first.

    Attributes:
        cells: the best cell of each; its box is the mean of those that agree.
        agreement: (N, 5) how many cells agree and how much: see `propose`.
    """

    cells: Cells
    agreement: Numbers


def propose(cells: Cells) -> Proposals:
    """The boxes that cells propose: one of those that overlap much, where all of them say it is.

    The columns of `agreement` are: cells that overlap by half, the sum of their scores, its mean, cells that overlap by
    0.3, and the first for each CELL of the box.
    """
    score = cells.score
    kept = suppress_overlaps(cells.xyxy, score, SAME)[:MOST_PROPOSALS]
    best = cells.take(kept)
    overlaps = iou(best.xyxy, cells.xyxy)
    weight = (overlaps >= ALIKE) * (score * score)[None]
    weight[np.arange(len(kept)), kept] = score[kept] ** 2  # a box without area overlaps nothing
    mean = np.asarray(weight @ cells.xyxy / weight.sum(axis=1, keepdims=True), np.float32)
    half = overlaps >= 0.5
    count, told = half.sum(axis=1), half @ score
    share = count / np.maximum(areas(mean) / CELL, 1)
    agreement = [count, told, told / np.maximum(count, 1), (overlaps >= 0.3).sum(axis=1), share]
    return Proposals(replace(best, xyxy=mean), _columns(agreement))


def describe(proposals: Proposals) -> Numbers:
    """(N, columns) what the judge looks at, float32."""
    cells = proposals.cells
    boxes, score = cells.xyxy, cells.score
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    overlaps, shared = iou(boxes, boxes), intersections(boxes, boxes)
    np.fill_diagonal(overlaps, 0)
    np.fill_diagonal(shared, 0)
    shape = [width, height, width / np.maximum(height, 1), width * height, score, cells.classes.argmax(axis=1)]
    groups = (
        _columns(shape),
        cells.classes / np.maximum(score, 1e-6)[:, None],
        cells.states,
        proposals.agreement,
        _rivals(overlaps, score),
        _nesting(boxes, shared, score),
        _neighbors(boxes, overlaps, cells),
    )
    return np.concatenate(groups, axis=1, dtype=np.float32)


def _rivals(overlaps: Numbers, score: Numbers) -> Numbers:
    """Boxes that overlap: how many, the best score, how many with a better one, the largest overlap with such."""
    rival, better = overlaps > 0.3, score[None] > score[:, None]
    best = _best(rival, score)
    return _columns([rival.sum(axis=1), best, (rival & better).sum(axis=1), (overlaps * better).max(axis=1, initial=0)])


def _nesting(boxes: Boxes, shared: Numbers, score: Numbers) -> Numbers:
    """Boxes within a box, and around it: how many, how likely, how large, how far from the middle."""
    size = np.maximum(areas(boxes), 1e-6)
    holds = (shared >= 0.8 * size[None]) & (size[None] < size[:, None])
    within = holds.T
    filled = (shared * (holds & (score > LIKELY)[None])).sum(axis=1) / size
    inner = [holds.sum(axis=1), _best(holds, score), (holds & (score > 0.4)[None]).sum(axis=1), filled]
    around, nested = (within * score[None]).argmax(axis=1), within.any(axis=1)
    middle = (boxes[:, 0] + boxes[:, 2]) / 2
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    off = np.abs(middle - middle[around]) / np.maximum(width[around], 1)
    outer = [within.sum(axis=1), _best(within, score), np.where(nested, size / size[around], 1)]
    outer += [nested * height[around], nested * width[around], nested * off]
    return _columns([*inner, *outer])


def _neighbors(boxes: Boxes, overlaps: Numbers, cells: Cells) -> Numbers:
    """Boxes near, and alike ones in the row, in the column and anywhere: how many and how likely, how far the next."""
    score, (left, top, right, bottom) = cells.score, boxes.T
    across, down = (np.abs(_differences((low + high) / 2)) for low, high in ((left, right), (top, bottom)))
    columns: list[NDArray[np.generic]] = []
    for reach in NEAR:
        near = np.maximum(across, down) < reach
        columns += [(near & (score > LIKELY)[None]).sum(axis=1) - 1, near @ score / near.sum(axis=1)]
    apart = overlaps < 0.1
    as_high, as_wide = _alike(bottom - top, 2.0), _alike(right - left, 3.0)
    row = as_high & (down < 4) & apart
    column = as_high & ((np.abs(_differences(left)) < 4) | (across < 4)) & apart
    for alike in (row, column, as_high & as_wide & apart):
        count = alike.sum(axis=1)
        columns += [count, alike @ score / np.maximum(count, 1), _best(alike, score)]
    named = cells.classes.argmax(axis=1)
    same = named[:, None] == named[None]
    columns += [
        _next(row, left, right),
        _next(column, top, bottom),
        (row & same).sum(axis=1),
        (column & same).sum(axis=1),
    ]
    return _columns(columns)


def _alike(side: Numbers, least: float) -> Pairs:
    """(N, N) whether sides are alike: within a tenth, or `least` px."""
    return np.asarray(np.abs(_differences(side)) < np.maximum(least, 0.1 * side)[:, None])


def _differences(values: Numbers) -> Numbers:
    return np.asarray(values[:, None] - values[None])


def _best(pairs: Pairs, score: Numbers) -> Numbers:
    """(N,) the best score of a box's pairs; 0 without any."""
    return np.asarray((pairs * score[None]).max(axis=1, initial=0), np.float32)


def _next(pairs: Pairs, low: Numbers, high: Numbers) -> Numbers:
    """(N,) px to the nearest of a box's pairs, -50 to 500; 500 without any."""
    gap = np.maximum(low[:, None], low[None]) - np.minimum(high[:, None], high[None])
    return np.asarray(np.where(pairs, gap, 500.0).min(axis=1, initial=500.0).clip(-50, 500), np.float32)


def _columns(columns: list[NDArray[np.generic]]) -> Numbers:
    return np.stack(columns, axis=1).astype(np.float32)


class ControlJudge:
    """Says how likely proposed boxes are controls. The constructor loads the model."""

    def __init__(self, model: Path = MODEL) -> None:
        self._session = open_model(model, optimized=True)

    def likelihood(self, proposals: Proposals) -> Numbers:
        """(N,) how likely each is the box of a control, 0 to 1. Of several boxes of a control one is."""
        if not len(proposals.agreement):
            return np.zeros(0, np.float32)
        (likely,) = self._session.run(["likelihood"], {"table": describe(proposals)})
        return np.asarray(likely, np.float32).reshape(-1)
