"""Boxes against boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from perception.bench.metrics.box_matching import (
    BoxCounts,
    ScoredBoxes,
    average_precision,
    box_tallies,
    centers_within,
    count_boxes,
    match_boxes,
    summarize,
)
from perception.bench.scores import Tally
from perception.geometry import Boxes, iou

Row = tuple[float, float, float, float]


def boxes(*rows: Row) -> Boxes:
    return np.asarray(rows, np.float32).reshape(-1, 4)


def scored(truth: Boxes, found: Boxes, *score: float) -> ScoredBoxes:
    return ScoredBoxes(truth, found, np.asarray(score, np.float32))


@st.composite
def some_boxes(draw: st.DrawFn, most: int = 8) -> Boxes:
    """Boxes with sides, close enough together to overlap."""
    count = draw(st.integers(0, most))
    numbers = draw(hnp.arrays(np.int64, (count, 4), elements=st.integers(1, 30)))
    return np.concatenate([numbers[:, :2], numbers[:, :2] + numbers[:, 2:]], axis=1).astype(np.float32)


A, B, FAR = (0, 0, 100, 40), (0, 60, 100, 100), (500, 500, 540, 540)


@pytest.mark.parametrize(
    ("truth", "found", "pairs"),
    [
        pytest.param(boxes(), boxes(), [], id="nothing at all"),
        pytest.param(boxes(A), boxes(), [], id="nothing found"),
        pytest.param(boxes(), boxes(A), [], id="nothing there"),
        pytest.param(boxes(A, B), boxes(B, A), [[0, 1], [1, 0]], id="in another order"),
        pytest.param(boxes(A), boxes((0, 0, 100, 20)), [[0, 0]], id="exactly half"),
        pytest.param(boxes(A), boxes((0, 0, 100, 19.9)), [], id="just under half"),
        pytest.param(boxes(A), boxes((0, 0, 90, 40), A), [[0, 1]], id="one of two: the better"),
        pytest.param(boxes(A, A), boxes(A), [[0, 0]], id="one found for two of the same"),
        pytest.param(boxes((5, 5, 5, 9)), boxes((5, 5, 5, 9)), [], id="no area"),
    ],
)
def test_boxes_are_paired_one_to_one(truth: Boxes, found: Boxes, pairs: list[list[int]]) -> None:
    assert match_boxes(truth, found).tolist() == pairs


def test_a_box_that_suits_two_leaves_the_one_that_has_no_other() -> None:
    # The first found box suits both, and the first better; the second suits the first only.
    truth = boxes((0, 0, 100, 100), (0, 40, 100, 140))
    found = boxes((0, 15, 100, 115), (0, 0, 100, 60))
    assert (iou(truth, found) >= 0.5).tolist() == [[True, True], [True, False]]
    assert iou(truth, found)[0].argmax() == 0
    assert match_boxes(truth, found).tolist() == [[0, 1], [1, 0]]


@given(some_boxes(), some_boxes(), st.integers(0, 99))
def test_no_order_changes_the_counts(truth: Boxes, found: Boxes, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(found)
    assert count_boxes(truth, shuffled) == count_boxes(truth, found)


@given(some_boxes(), some_boxes())
def test_pairs_are_one_to_one_good_enough_and_no_fewer_than_a_greedy_walk_finds(truth: Boxes, found: Boxes) -> None:
    pairs, overlap = match_boxes(truth, found), iou(truth, found)
    assert len(set(pairs[:, 0])) == len(set(pairs[:, 1])) == len(pairs)
    assert (overlap[pairs[:, 0], pairs[:, 1]] >= 0.5).all()
    free = set(range(len(truth)))
    greedy = 0
    for column in range(len(found)):
        best = max(free, key=lambda row: overlap[row, column], default=None)
        if best is not None and overlap[best, column] >= 0.5:
            free.remove(best)
            greedy += 1
    assert len(pairs) >= greedy


def test_a_center_on_the_left_edge_is_inside_and_on_the_right_edge_outside() -> None:
    truth = boxes((10, 10, 20, 20))
    found = boxes((9, 9, 11, 11), (19, 19, 21, 21), (10, 15, 10, 15), (0, 0, 100, 100))
    assert centers_within(truth, found).tolist() == [[True, False, True, False]]


def test_center_hits_count_elements_once_and_boxes_each() -> None:
    counts = count_boxes(boxes(A, FAR), boxes((40, 10, 60, 30), (10, 10, 20, 20), (300, 300, 310, 310)))
    assert (counts.centers_hit, counts.centers_right, counts.matched) == (1, 2, 0)
    summary = summarize(counts)
    assert summary.center_recall == 0.5
    assert summary.center_precision == pytest.approx(2 / 3)
    assert summary.boxes_per_image == 3


def test_figures_of_one_image() -> None:
    summary = summarize(count_boxes(boxes(A, B, FAR), boxes(A, B, (200, 0, 240, 40), (300, 0, 340, 40))))
    assert summary.precision == 0.5
    assert summary.recall == pytest.approx(2 / 3)
    assert summary.f1 == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))


def test_micro_weighs_boxes_and_the_mean_weighs_images() -> None:
    many = boxes(*((50 * at, 0, 50 * at + 40, 40) for at in range(9)))
    counts = count_boxes(many, many) + count_boxes(boxes(FAR), boxes(A))
    summary = summarize(counts)
    assert (summary.recall, summary.precision, summary.f1) == (0.9, 0.9, 0.9)
    assert (summary.mean_recall, summary.mean_precision, summary.mean_f1) == (0.5, 0.5, 0.5)


def test_an_image_that_has_no_truth_counts_against_precision_and_not_against_recall() -> None:
    summary = summarize(count_boxes(boxes(A), boxes(A)) + count_boxes(boxes(), boxes(A, B)))
    assert (summary.recall, summary.mean_recall) == (1, 1)
    assert summary.precision == pytest.approx(1 / 3)
    assert summary.mean_precision == 0.5
    assert summary.images == 2


def test_of_nothing_there_are_no_figures() -> None:
    for counts in (BoxCounts(), count_boxes(boxes(), boxes())):
        summary = summarize(counts)
        assert {summary.precision, summary.recall, summary.f1, summary.mean_f1, summary.center_recall} == {None}
    assert box_tallies(count_boxes(boxes(), boxes()), complete=True) == {"boxes_per_image": Tally(0, 1)}


def test_truth_that_is_not_complete_gives_recalls_only() -> None:
    counts = count_boxes(boxes(A), boxes(A, B))
    assert box_tallies(counts, complete=False) == {
        "box_recall": Tally(1, 1),
        "center_recall": Tally(1, 1),
        "boxes_per_image": Tally(2, 1),
    }
    assert box_tallies(counts, complete=True)["box_f1"] == Tally(2, 3)


@given(st.lists(st.tuples(some_boxes(4), some_boxes(4)), max_size=5))
def test_counts_add_up_in_any_grouping(images: list[tuple[Boxes, Boxes]]) -> None:
    counts = [count_boxes(*image) for image in images]
    forwards, backwards = sum(counts, BoxCounts()), sum(reversed(counts), BoxCounts())
    assert (forwards.matched, forwards.centers_hit, forwards.images) == (
        backwards.matched,
        backwards.centers_hit,
        len(images),
    )
    assert forwards.f1.hit == pytest.approx(backwards.f1.hit)


@pytest.mark.parametrize(
    ("images", "value"),
    [
        pytest.param([scored(boxes(A), boxes(A), 0.9)], 1, id="all right"),
        pytest.param([scored(boxes(A), boxes())], 0, id="nothing found"),
        pytest.param([scored(boxes(A), boxes(FAR), 0.9)], 0, id="all wrong"),
        pytest.param([scored(boxes(A), boxes(A, FAR), 0.9, 0.1)], 1, id="wrong ones last"),
        pytest.param([scored(boxes(A), boxes(A, FAR), 0.1, 0.9)], 0.5, id="wrong one first"),
        # Precision 1 up to recall 0.5, that is at 51 of the 101 recalls.
        pytest.param([scored(boxes(A, B), boxes(A), 0.9)], 51 / 101, id="half of them"),
        pytest.param([scored(boxes(A), boxes(A, A), 0.9, 0.8)], 1, id="one found twice"),
        pytest.param(
            [scored(boxes(A), boxes(A), 0.5), scored(boxes(), boxes(B), 0.9)], 0.5, id="an image without truth"
        ),
        pytest.param(
            [scored(boxes(A), boxes(A), 0.5), scored(boxes(B), boxes())], 51 / 101, id="an image without detections"
        ),
        pytest.param([scored(boxes(), boxes()), scored(boxes(A), boxes(A), 0.5)], 1, id="an image without either"),
    ],
)
def test_average_precision_of_simple_cases(images: list[ScoredBoxes], value: float) -> None:
    assert average_precision(images).value == pytest.approx(value)


def test_average_precision_takes_more_than_a_hundred_boxes_an_image() -> None:
    many = boxes(*((10 * at, 0, 10 * at + 8, 8) for at in range(400)))
    assert average_precision([scored(many, many, *np.linspace(0.1, 0.9, 400))]).value == pytest.approx(1)


def test_average_precision_over_parts_is_what_the_library_gives_for_the_whole() -> None:
    images = list(noisy_images(230))
    assert average_precision(iter(images)).value == pytest.approx(whole(images), abs=1e-12)
    assert 0.1 < whole(images) < 0.9


def test_average_precision_is_none_without_truth_or_order_and_says_why() -> None:
    nothing = average_precision([scored(boxes(), boxes(A, B), 0.1, 0.2)])
    assert (nothing.value, nothing.reason) == (None, "nothing is there to be found in any image")
    assert average_precision([]).value is None
    flat = average_precision([scored(boxes(A), boxes(A), 0.4), scored(boxes(A), boxes(B), 0.4)])
    assert flat.value is None
    assert "all 2 boxes have the score 0.4" in flat.reason


def test_scores_that_cannot_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="give one for each"):
        scored(boxes(A), boxes(A, B), 0.5)
    with pytest.raises(ValueError, match="not a number"):
        scored(boxes(A), boxes(A), np.nan)


def noisy_images(count: int) -> Iterator[ScoredBoxes]:
    random = np.random.default_rng(7)
    for _ in range(count):
        corner = random.uniform(0, 900, (random.integers(0, 9), 2))
        truth = np.concatenate([corner, corner + np.array([60, 30])], axis=1).astype(np.float32)
        near = truth + random.normal(0, 5, truth.shape).astype(np.float32)
        corner = random.uniform(0, 900, (random.integers(0, 9), 2))
        wrong = np.concatenate([corner, corner + np.array([60, 30])], axis=1).astype(np.float32)
        found = np.concatenate([near, wrong])
        yield ScoredBoxes(truth, found, random.random(len(found)).astype(np.float32))


def whole(images: list[ScoredBoxes]) -> float:
    """By the library's front door, with all boxes in memory."""
    from faster_coco_eval import COCO
    from faster_coco_eval.core.faster_eval_api import COCOeval_faster

    def rows(box: Boxes) -> list[list[float]]:
        return [[left, top, right - left, bottom - top] for left, top, right, bottom in box.tolist()]

    truth = [(number, box) for number, image in enumerate(images, 1) for box in rows(image.truth)]
    reference = COCO(
        {
            "images": [{"id": number} for number in range(1, len(images) + 1)],
            "annotations": [
                {"id": at, "image_id": number, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
                for at, (number, box) in enumerate(truth, 1)
            ],
            "categories": [{"id": 1}],
        }
    )
    found = [
        {"image_id": number, "category_id": 1, "bbox": box, "score": float(score)}
        for number, image in enumerate(images, 1)
        for box, score in zip(rows(image.found), image.score, strict=True)
    ]
    evaluation = COCOeval_faster(reference, reference.loadRes(found), "bbox")
    evaluation.params.maxDets = [1, 100, 10_000]
    evaluation.evaluate()
    evaluation.accumulate()
    return float(evaluation.eval["precision"][0, :, 0, 0, -1].mean())
