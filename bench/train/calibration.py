"""Scores that mean something: of the boxes with a score of 0.7, seven in ten are controls."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.control_matching import control_truth, judge
from perception.bench.sample_worker import read_pixels
from perception.datasets.sample import Reference
from perception.deadline import Deadline
from perception.detectors.controls import ControlBoxes
from perception.imaging.shrink import shrink_all

LEAST_SCORE = 0.02
"""Boxes with a lower score are not looked at."""
ROUNDS, SECONDS = 25, 120.0


def calibrate(model: Path, references: Iterable[Reference]) -> tuple[float, float]:
    """Slope and shift of the log-odds with which a model's scores are closest to the shares of right boxes.

    Args:
        model: an exported network whose scores are not calibrated.
        references: screenshots that it was not trained on.
    """
    detector, scores, rights = ControlBoxes(model, least_score=LEAST_SCORE), [], []
    for reference in references:
        item = reference.load()
        if item.sample.complete:
            scale = max(item.sample.viewport.scale, 1.0)
            (pixels,) = shrink_all([read_pixels(item)], scale)
            found = detector.detect(pixels, Deadline.of(SECONDS))
            judged = judge(control_truth(item.sample), found.xyxy * np.float32(scale / item.sample.viewport.scale))
            scores.append(found.score[judged.judged])
            rights.append(judged.right[judged.judged])
    return fit_logistic(np.concatenate(scores), np.concatenate(rights))


def fit_logistic(score: NDArray[np.float32], right: NDArray[np.bool_]) -> tuple[float, float]:
    """Logistic regression of what is right on the log-odds of the scores: Platt's scaling, by Newton's method."""
    odds = np.clip(score.astype(np.float64), 1e-4, 1 - 1e-4)
    x = np.stack([np.log(odds / (1 - odds)), np.ones(len(odds))], axis=1)
    weights = np.asarray([1.0, 0.0])
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (right - likely) - 1e-3 * (weights - [1, 0])
        curve = (x * (likely * (1 - likely))[:, None]).T @ x + 1e-3 * np.eye(2)
        weights = weights + np.linalg.solve(curve, slope)
    return float(weights[0]), float(weights[1])
