"""User-interface boxes without a neural network: drawn shapes, scored by a small forest of decision trees.

Rectangles, runs of ink and icons are found by contours and connected components (`drawn_marks`) and measured
(`mark_features`); the forest returns how likely each is a control. `perception bench run train_boxes` trained the trees
on rendered pages.

Rule 1: sizes are in pixels of the image; the height of the image's own text gives the scale.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.drawn_marks import find_drawn
from perception.detectors.mark_features import measure
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.trees import Trees
from perception.geometry import Boxes, areas, coverage, iou
from perception.types import Detections, Pixels

NAME = "opencv"
MODEL = Path(__file__).with_name("opencv.onnx")

LEAST_SCORE = 0.08
"""Boxes with a lower score are dropped. On the pages of `packages#dev` recall of controls by center is 0.90 and
precision 0.47; at 0.13 they are 0.88 and 0.49, at 0.06 0.90 and 0.46."""
BOX_SAME = 0.6
"""Intersection over union from which two boxes are one thing."""
BUTTON_ROWS = 5.0
"""Height in rows of text up to which a frame around one run of ink is that run's own."""


ROW = 1.4
"""Height of a row of words in heights of the smallest letters or icons in it."""


class OpenCvBoxes:
    """Finds boxes. Keeps nothing between calls."""

    def __init__(self) -> None:
        self._trees = _load_trees()

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. A score is how likely the box is a control."""
        deadline.check("detect")
        drawn = find_drawn(pixels)
        deadline.check("detect")
        score = self._trees.likelihood(measure(drawn, pixels))
        likely = np.flatnonzero(score >= LEAST_SCORE)
        kept = likely[keep_once(drawn.boxes[likely], score[likely], drawn.fill[likely], drawn.unit)]
        return Detections(
            detector=NAME,
            xyxy=drawn.boxes[kept],
            score=score[kept],
            kind=("box",) * len(kept),
            text=("",) * len(kept),
        )


def keep_once(boxes: Boxes, score: NDArray[np.float32], fill: NDArray[np.float32], unit: float) -> NDArray[np.intp]:
    """Drops duplicates, the only content of a frame that is as low as a button, and parts of a row of words that are
    no likelier a control than the row.

    Args:
        boxes: (N, 4) xyxy, px of the image.
        score: (N,); of two duplicates the likelier stays, of equal ones the first.
        fill: (N,) above 0 for frames.
        unit: height of a row of text, px.

    Returns:
        (K,) indices of the kept boxes, ascending.
    """
    rank = np.lexsort((np.arange(len(boxes)), -score)).argsort()
    once = np.flatnonzero(~((iou(boxes, boxes) > BOX_SAME) & (rank[None, :] < rank[:, None])).any(axis=1))
    once = once[~_is_letters(boxes[once], score[once], fill[once])]
    boxes, fill = boxes[once], fill[once]
    inside = _lies_within(boxes)
    low = (fill > 0) & (boxes[:, 3] - boxes[:, 1] <= BUTTON_ROWS * unit)
    label = inside & (low & (inside.sum(axis=0) == 1))[None, :]
    return np.asarray(once[~label.any(axis=1)])


def _lies_within(boxes: Boxes) -> NDArray[np.bool_]:
    """(N, N): whether the first is in the second, which is larger."""
    size = areas(boxes)
    return np.asarray((coverage(boxes, boxes) > 0.85) & (size[None, :] > 1.15 * size[:, None]))


def _is_letters(boxes: Boxes, score: NDArray[np.float32], fill: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(N,) whether a box is a part of a row of words and no likelier a control than the row."""
    high = boxes[:, 3] - boxes[:, 1]
    row = _lies_within(boxes) & (fill == 0)[None, :] & (high[None, :] <= ROW * high[:, None])
    return np.asarray((row & (score[:, None] < score[None, :])).any(axis=1))


@lru_cache(maxsize=1)
def _load_trees() -> Trees:
    return Trees(MODEL)


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Controls by contours, components and a small forest of decision trees.",
        licence="Apache-2.0",
        kinds=("box",),
        version=cv2.__version__,
        limits=(
            "reports some table cells and labels as controls, and the kind of none",
            "links that look like the text around them are missed",
            "trained on lossless screenshots",
        ),
        model_bytes=MODEL.stat().st_size,
        default_enabled=True,
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: "", make=OpenCvBoxes)
