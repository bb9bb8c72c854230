"""User-interface boxes without a neural network: what is drawn, judged by a small forest of decision trees.

Rectangles, runs of ink and icons are found by contours and components (`marks`), measured (`traits`), and each is
given how likely it is something to act on. The trees were trained on rendered pages by `bench/train_boxes.py`.

Rule 1: sizes are in pixels of the image; the image's own text tells how large it is drawn.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.budget import Budget
from perception.detectors.marks import find_drawn
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.traits import measure
from perception.forest import Forest
from perception.geometry import Boxes, areas, coverage, iou
from perception.types import Detections, Pixels

NAME = "opencv"
MODEL = Path(__file__).with_name("opencv.npz")

LEAST_SCORE = 0.08
"""What is less likely a control is not told of. Over the pages of `packages#dev` that finds 0.90 of the controls by
centre, of what is found 0.47 is right; from 0.13 on it is 0.88 and 0.49, from 0.06 on 0.90 and 0.46."""
SAME = 0.6
"""Intersection over union from which two boxes are one thing."""
BUTTON_ROWS = 5.0
"""Height in rows of text up to which a frame around one run of ink is that run's own."""


ROW = 1.4
"""Height of a row of words in heights of the smallest letters or icons in it."""


class OpenCvBoxes:
    """Finds boxes. Keeps nothing between calls."""

    def __init__(self) -> None:
        self._forest = _load_forest()

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`. A score is how likely the box is a control."""
        budget.check("detect")
        drawn = find_drawn(pixels)
        budget.check("detect")
        score = self._forest.likelihood(measure(drawn, pixels))
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
    """Drops what is the same box again, the only thing in a frame that is as low as a button, and a part of a row of
    words that is no likelier a control than the row.

    Args:
        boxes: (N, 4) xyxy.
        score: (N,); of two alike the likelier stays, of two as likely the first.
        fill: (N,) above 0 for frames.
        unit: height of a row of text.

    Returns:
        (K,) indices of those kept, rising.
    """
    rank = np.lexsort((np.arange(len(boxes)), -score)).argsort()
    once = np.flatnonzero(~((iou(boxes, boxes) > SAME) & (rank[None, :] < rank[:, None])).any(axis=1))
    once = once[~_is_letters(boxes[once], score[once], fill[once])]
    boxes, fill = boxes[once], fill[once]
    inside = _lies_within(boxes)
    low = (fill > 0) & (boxes[:, 3] - boxes[:, 1] <= BUTTON_ROWS * unit)
    label = inside & (low & (inside.sum(axis=0) == 1))[None, :]
    return np.asarray(once[~label.any(axis=1)])


def _lies_within(boxes: Boxes) -> NDArray[np.bool_]:
    """(N, N): the first lies in the second, which is larger."""
    size = areas(boxes)
    return np.asarray((coverage(boxes, boxes) > 0.85) & (size[None, :] > 1.15 * size[:, None]))


def _is_letters(boxes: Boxes, score: NDArray[np.float32], fill: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(N,) a part of a row of words that is no likelier a control than the row."""
    high = boxes[:, 3] - boxes[:, 1]
    row = _lies_within(boxes) & (fill == 0)[None, :] & (high[None, :] <= ROW * high[:, None])
    return np.asarray((row & (score[:, None] < score[None, :])).any(axis=1))


@lru_cache(maxsize=1)
def _load_forest() -> Forest:
    return Forest.load(MODEL)


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Controls by contours, components and a small forest of decision trees.",
        licence="Apache-2.0",
        kinds=("box",),
        version=cv2.__version__,
        limits=(
            "takes some table cells and labels for controls, and says of none which kind it is",
            "links that look like the text around them are missed",
            "trained on lossless screenshots",
        ),
        model_bytes=MODEL.stat().st_size,
        default_enabled=True,
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: "", make=OpenCvBoxes)
