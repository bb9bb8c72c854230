"""What the judge of `controls` looks at, and what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.detectors.control_judge import Cells, ControlJudge, Proposals, describe, propose
from perception.detectors.controls import CLASSES, LEAST_SCORES, LIKELY, LIKELY_LINK, STATES, judged_scores


def cells(boxes: list[list[float]], scores: list[float]) -> Cells:
    classes = np.zeros((len(boxes), len(CLASSES)), np.float32)
    classes[:, 0] = scores
    return Cells(np.asarray(boxes, np.float32).reshape(-1, 4), classes, np.zeros((len(boxes), len(STATES)), np.float32))


def test_a_proposed_box_is_where_the_cells_that_agree_say() -> None:
    found = propose(cells([[0, 0, 10, 10], [2, 0, 12, 10], [50, 0, 60, 10], [70, 5, 70, 9]], [0.8, 0.4, 0.9, 0.5]))
    assert found.cells.xyxy == pytest.approx(np.asarray([[50, 0, 60, 10], [0.4, 0, 10.4, 10], [70, 5, 70, 9]]))
    assert found.cells.score == pytest.approx([0.9, 0.8, 0.5])
    assert found.agreement[1, :4] == pytest.approx([2, 1.2, 0.6, 2])


def test_no_cells_propose_nothing_and_nothing_is_likely() -> None:
    found = propose(cells([], []))
    assert found.cells.xyxy.shape == (0, 4)
    assert ControlJudge().likelihood(found).shape == (0,)


PLACES = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), min_size=1, max_size=12, unique=True)


@given(PLACES, st.integers(1, 400), st.integers(1, 400))
def test_a_box_looks_the_same_anywhere_on_a_page(places: list[tuple[int, int]], right: int, down: int) -> None:
    boxes = [[8 * x, 8 * y, 8 * x + 40 + 8 * (x % 3), 8 * y + 24] for x, y in places]
    found = propose(cells(boxes, [0.3 + 0.05 * place for place in range(len(boxes))]))
    moved = replace(found.cells, xyxy=found.cells.xyxy + np.asarray([right, down, right, down], np.float32))
    assert np.allclose(describe(found), describe(Proposals(moved, found.agreement)), atol=1e-3)


def test_a_box_in_a_row_of_likely_ones_is_told_from_one_alone() -> None:
    row = propose(cells([[0, 0, 60, 20], [80, 0, 140, 20], [160, 0, 220, 20]], [0.9, 0.8, 0.4]))
    alone = propose(cells([[160, 0, 220, 20]], [0.4]))
    differ = describe(row)[2] != describe(alone)[0]
    assert differ.any()
    assert ControlJudge().likelihood(row)[2] > ControlJudge().likelihood(alone)[0]


def test_a_link_is_as_likely_as_judged_and_of_others_both_are_asked() -> None:
    named = np.asarray([CLASSES.index(name) for name in ("link", "link", "button", "button", "button")])
    score = np.asarray([0.3, 0.9, 0.5, 0.9, 0.3], np.float32)
    likelihood = np.asarray([LIKELY_LINK, LIKELY_LINK - 0.01, LIKELY, 0.02, 0.9], np.float32)
    told = judged_scores(score, named, likelihood)
    least = np.asarray([LEAST_SCORES[CLASSES[name]] for name in named])
    assert (told >= least).tolist() == [True, False, True, True, True]
    assert told[[0, 2]] == pytest.approx([0.5, 0.5])
    assert 0.9 > told[3] > likelihood[3]
    assert 0.9 > told[4] > score[4]
