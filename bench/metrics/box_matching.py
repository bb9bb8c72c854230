"""Matches detected boxes with true boxes. Pure; any one frame, xyxy float32.

Precision and derived measures (F1, center precision, AP) are meaningful only if the truth lists everything: if it lists
some elements only, a box that hits none of them may still be right.

Rule 1: boxes have no class: a button that is found at the position of a link is found.
Rule 2: a truth box without area can never be found: clip the truth to the image and drop empty boxes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.extras import METRIC_LIBRARIES, require
from perception.bench.scores import Tally
from perception.geometry import Boxes, iou

LEAST_IOU = 0.5
"""IoU from which two boxes match: PASCAL VOC's and COCO's AP50."""
MAX_DETECTIONS = 10_000
"""COCO's limit of 100 per image is fewer than a page has elements; the OpenCV detector returns up to 4,000 per
image."""

_CHUNK = 100
"""Images that are passed to faster-coco-eval at once: its Python form of a box takes about 1 kB."""


@dataclass(frozen=True, slots=True)
class BoxCounts:
    """Counts of one image, or their sum over images; `BoxCounts()` is the sum of none.

    Attributes:
        truth, found: numbers of true and of detected boxes.
        matched: matched pairs of the two (`match_boxes`).
        centers_hit: truth boxes that contain the center of some found box.
        centers_right: found boxes whose center is in some truth box.
        precision, recall, f1: each image's own, summed: `hit` is the sum, `of` the number of images that have one. An
            image without found boxes has no precision, one without truth no recall, one with neither no F1.
    """

    images: int = 0
    truth: int = 0
    found: int = 0
    matched: int = 0
    centers_hit: int = 0
    centers_right: int = 0
    precision: Tally = field(default=Tally(0, 0))
    recall: Tally = field(default=Tally(0, 0))
    f1: Tally = field(default=Tally(0, 0))

    def __add__(self, other: BoxCounts) -> BoxCounts:
        return BoxCounts(
            images=self.images + other.images,
            truth=self.truth + other.truth,
            found=self.found + other.found,
            matched=self.matched + other.matched,
            centers_hit=self.centers_hit + other.centers_hit,
            centers_right=self.centers_right + other.centers_right,
            precision=_add(self.precision, other.precision),
            recall=_add(self.recall, other.recall),
            f1=_add(self.f1, other.f1),
        )


@dataclass(frozen=True, slots=True)
class BoxSummary:
    """Shares in [0, 1]; None if the denominator is 0.

    `precision`, `recall` and `f1` are over all boxes together (micro); `mean_…` is the mean over images (macro). Center
    recall alone rewards detecting too many boxes: show it with center precision and `boxes_per_image`.
    """

    images: int
    truth: int
    found: int
    boxes_per_image: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    mean_precision: float | None
    mean_recall: float | None
    mean_f1: float | None
    center_recall: float | None
    center_precision: float | None


@dataclass(frozen=True, slots=True)
class ScoredBoxes:
    """One image for `average_precision`: truth (M, 4), found (N, 4), score (N,).

    Raises:
        ValueError: the number of scores differs from that of found boxes, or a score is not a number.
    """

    truth: Boxes
    found: Boxes
    score: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.score.shape != (len(self.found),):
            raise ValueError(f"{len(self.found)} boxes have scores of shape {self.score.shape}: give one for each")
        if np.isnan(self.score).any():
            raise ValueError("a score is not a number: boxes cannot be put in order by it")


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """`value` in [0, 1], or None and the `reason` for its absence."""

    value: float | None
    reason: str = ""


def match_boxes(truth: Boxes, found: Boxes, *, least_iou: float = LEAST_IOU) -> NDArray[np.intp]:
    """Pairs truth and found boxes one to one: the maximum number of pairs, and of those matchings the one with the
    largest overlap.

    An optimal assignment (Kuhn 1955, by SciPy), as in DETR and the tracking benchmarks, not COCO's greedy matching by
    falling score: some detectors have no meaningful score, and the order in which they list boxes must not change a
    result. If no found box fits two truth boxes, both methods give the same number of pairs.

    Args:
        truth: (M, 4).
        found: (N, 4).
        least_iou: minimum IoU of a pair, over 0.

    Returns:
        (K, 2) indices into truth and found, sorted by the first; (0, 2) if either is empty.
    """
    overlap = iou(truth, found).astype(np.float64)
    possible = overlap >= least_iou
    rows, columns = np.flatnonzero(possible.any(axis=1)), np.flatnonzero(possible.any(axis=0))
    if not len(rows):
        return np.zeros((0, 2), np.intp)
    possible, overlap = possible[np.ix_(rows, columns)], overlap[np.ix_(rows, columns)]
    # One more pair outweighs any sum of overlaps.
    worth = np.where(possible, 1 + overlap / (1 + min(overlap.shape)), 0)
    left, right = _assign(worth)
    kept = possible[left, right]
    return np.stack([rows[left[kept]], columns[right[kept]]], axis=1)


def centers_within(truth: Boxes, found: Boxes) -> NDArray[np.bool_]:
    """(M, N) whether the center of a found box is in a truth box: where a click on it would go.

    The measure of ScreenSpot (SeeClick, 2024), for boxes instead of points. A truth box's right and bottom edges are
    outside.
    """
    centers = (found[:, :2] + found[:, 2:]) / 2
    inside = (truth[:, None, :2] <= centers) & (centers < truth[:, None, 2:])
    return np.asarray(inside.all(axis=2))


def count_boxes(truth: Boxes, found: Boxes) -> BoxCounts:
    """One image's counts.

    Args:
        truth: (M, 4); (0, 4) for none.
        found: (N, 4), same frame; (0, 4) for none.
    """
    matched = len(match_boxes(truth, found))
    within = centers_within(truth, found)
    return BoxCounts(
        images=1,
        truth=len(truth),
        found=len(found),
        matched=matched,
        centers_hit=int(within.any(axis=1).sum()),
        centers_right=int(within.any(axis=0).sum()),
        precision=_own_share(matched, len(found)),
        recall=_own_share(matched, len(truth)),
        f1=_own_share(2 * matched, len(truth) + len(found)),
    )


def summarize(counts: BoxCounts) -> BoxSummary:
    """The shares from counts."""
    return BoxSummary(
        images=counts.images,
        truth=counts.truth,
        found=counts.found,
        boxes_per_image=share(Tally(counts.found, counts.images)),
        precision=share(Tally(counts.matched, counts.found)),
        recall=share(Tally(counts.matched, counts.truth)),
        f1=share(Tally(2 * counts.matched, counts.truth + counts.found)),
        mean_precision=share(counts.precision),
        mean_recall=share(counts.recall),
        mean_f1=share(counts.f1),
        center_recall=share(Tally(counts.centers_hit, counts.truth)),
        center_precision=share(Tally(counts.centers_right, counts.found)),
    )


def box_tallies(counts: BoxCounts, *, complete: bool) -> dict[str, Tally]:
    """The measures by name, for scores and their statistics; measures that do not apply are absent.

    Args:
        complete: the truth lists everything; otherwise only recalls and the number of boxes are returned.
    """
    recalls = {
        "box_recall": Tally(counts.matched, counts.truth),
        "center_recall": Tally(counts.centers_hit, counts.truth),
        "boxes_per_image": Tally(counts.found, counts.images),
    }
    precisions = {
        "box_precision": Tally(counts.matched, counts.found),
        "box_f1": Tally(2 * counts.matched, counts.truth + counts.found),
        "center_precision": Tally(counts.centers_right, counts.found),
    }
    return {name: tally for name, tally in (recalls | (precisions if complete else {})).items() if tally.of}


def share(tally: Tally) -> float | None:
    """`hit / of`; None if `of` is 0."""
    return tally.hit / tally.of if tally.of else None


def average_precision(images: Iterable[ScoredBoxes]) -> AveragePrecision:
    """AP at IoU 0.5 over all images, by faster-coco-eval: COCO's, but for boxes without class and of any number.

    Images are read from the iterable once, and few at a time. Ranking needs about 80 bytes for each found box: 10,000
    images of 250 boxes took 200 MB, and 55 s on one of two busy cores.

    Returns:
        0 if nothing true was found. No value if there is no truth, or if several boxes were found and all have the same
        score: their order would be chance.
    """
    watched = _Watch()
    outcomes: list[Any] = []
    walk = watched.walk(images)
    while chunk := list(islice(walk, _CHUNK)):
        outcomes += _evaluate(chunk)
    if not watched.truth:
        return AveragePrecision(None, "nothing is there to be found in any image")
    if watched.found > 1 and watched.lowest == watched.highest:
        reason = f"all {watched.found} boxes have the score {watched.highest:g}: there is no order to rank them by"
        return AveragePrecision(None, reason)
    return AveragePrecision(_accumulate(outcomes))


@dataclass(slots=True)
class _Watch:
    """Counts of the images seen."""

    truth: int = 0
    found: int = 0
    lowest: float = np.inf
    highest: float = -np.inf

    def walk(self, images: Iterable[ScoredBoxes]) -> Iterator[ScoredBoxes]:
        for image in images:
            self.truth += len(image.truth)
            self.found += len(image.found)
            self.lowest = min(self.lowest, float(image.score.min(initial=np.inf)))
            self.highest = max(self.highest, float(image.score.max(initial=-np.inf)))
            yield image


def _evaluate(images: list[ScoredBoxes]) -> list[Any]:
    """The library's own result for each image."""
    require("average precision", METRIC_LIBRARIES)
    from faster_coco_eval import COCO
    from faster_coco_eval.core.faster_eval_api import COCOeval_faster

    # An annotation's id must not be 0, which means "not matched".
    rows = [(number, box) for number, image in enumerate(images, 1) for box in _xywh(image.truth)]
    annotations = [
        {"id": at, "image_id": number, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
        for at, (number, box) in enumerate(rows, 1)
    ]
    truth = COCO(
        {
            "images": [{"id": number} for number in range(1, len(images) + 1)],
            "annotations": annotations,
            "categories": [{"id": 1}],
        }
    )
    found = [
        {"image_id": number, "category_id": 1, "bbox": box, "score": float(score)}
        for number, image in enumerate(images, 1)
        for box, score in zip(_xywh(image.found), image.score, strict=True)
    ]
    evaluation = COCOeval_faster(truth, truth.loadRes(found), "bbox", separate_eval=True)
    _configure(evaluation.params)
    evaluation.evaluate()
    return list(evaluation._evalImgs_cpp)


def _accumulate(outcomes: list[Any]) -> float:
    from faster_coco_eval.core.cocoeval import Params
    from faster_coco_eval.faster_eval_api_cpp import COCOevalAccumulate

    parameters = Params(iouType="bbox")
    _configure(parameters)
    parameters.imgIds, parameters.catIds = list(range(1, len(outcomes) + 1)), [1]
    # Precision at COCO's 101 recalls; 0 for a recall that is never reached.
    return float(np.mean(COCOevalAccumulate(parameters, outcomes)["precision"]))


def _configure(parameters: Any) -> None:
    parameters.iouThrs = np.array([LEAST_IOU])
    parameters.areaRng, parameters.areaRngLbl = [[0, 1e10]], ["all"]
    parameters.maxDets = [MAX_DETECTIONS]


def _xywh(boxes: Boxes) -> list[list[float]]:
    return [[left, top, right - left, bottom - top] for left, top, right, bottom in boxes.tolist()]


def _assign(worth: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(worth, maximize=True)
    return np.asarray(rows), np.asarray(columns)


def _own_share(hit: int, of: int) -> Tally:
    return Tally(hit / of, 1) if of else Tally(0, 0)


def _add(first: Tally, second: Tally) -> Tally:
    return Tally(first.hit + second.hit, first.of + second.of)
