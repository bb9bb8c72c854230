"""Scores that mean something: of the boxes with a score of 0.7, seven in ten are controls, whatever their class."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.control_matching import control_truth, judge
from perception.bench.sample_worker import read_pixels
from perception.datasets.sample import Reference
from perception.deadline import Deadline
from perception.detectors.controls import CLASSES, ControlBoxes
from perception.imaging.shrink import shrink_all
from perception.types import Detections

LEAST_SCORE = 0.02
"""Boxes with a lower score are not looked at."""
ROUNDS, SECONDS = 60, 120.0
RIDGE = 5.0
"""How strongly the shift of a class is held to the common one. Chosen by hand."""
LEAST_RIGHT = 1000
"""Right boxes of a class from which it may be trusted more than the others: what a few sliders say is chance, and where
charts look like sliders nothing is judged."""


def calibrate(model: Path, references: Iterable[Reference]) -> tuple[float, tuple[float, ...]]:
    """The slope of the log-odds, and their shift for each class, with which a model's scores are closest to the shares
    of right boxes.

    Args:
        model: an exported network whose scores are not calibrated.
        references: screenshots that it was not trained on.
    """
    detector = ControlBoxes(model, least_scores=dict.fromkeys(CLASSES, LEAST_SCORE))
    scores, rights, classes = [], [], []
    for reference in references:
        item = reference.load()
        if item.sample.complete:
            scale = max(item.sample.viewport.scale, 1.0)
            (pixels,) = shrink_all([read_pixels(item)], scale)
            found = detector.detect(pixels, Deadline.of(SECONDS))
            judged = judge(control_truth(item.sample), found.xyxy * np.float32(scale / item.sample.viewport.scale))
            scores.append(found.score[judged.judged])
            rights.append(judged.right[judged.judged])
            classes.append(_classes_of(found)[judged.judged])
    return fit_logistic(np.concatenate(scores), np.concatenate(classes), np.concatenate(rights))


def _classes_of(found: Detections) -> NDArray[np.int64]:
    return np.asarray([CLASSES.index(label.split(",")[0]) for label in found.label], np.int64)


def fit_logistic(
    score: NDArray[np.float32], classes: NDArray[np.int64], right: NDArray[np.bool_]
) -> tuple[float, tuple[float, ...]]:
    """Logistic regression of what is right on the log-odds of the scores: Platt's scaling, by Newton's method, with a
    shift for each class. That of a class with few boxes stays near the common one."""
    odds = np.clip(score.astype(np.float64), 1e-4, 1 - 1e-4)
    own = classes[:, None] == np.arange(len(CLASSES))
    x = np.concatenate([np.log(odds / (1 - odds))[:, None], np.ones((len(odds), 1)), own], axis=1)
    start = np.zeros(x.shape[1])
    start[0] = 1.0
    ridge, weights = np.asarray([1e-3, 1e-3, *[RIDGE] * len(CLASSES)]), start
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (right - likely) - ridge * (weights - start)
        curve = (x * (likely * (1 - likely))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        # A whole step may lead far away from a start where all scores are alike.
        weights = weights + step / max(1.0, float(np.abs(step).max()))
    seen = np.bincount(classes[right], minlength=len(CLASSES)) >= LEAST_RIGHT
    shifts = weights[1] + np.where(seen, weights[2:], np.minimum(weights[2:], 0.0))
    return float(weights[0]), tuple(shifts.tolist())
