"""Comparing two sides: by pages, with intervals that are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.paired import Verdict, holm, mcnemar, mean_interval, paired_difference, paired_ratio
from perception.bench.seen import Score, Tally

HIT = "hit"


def score(sample: str, hit: float, of: float = 10, *, page: str = "", outcomes: tuple[bool, ...] = ()) -> Score:
    return Score(sample, "x", page or sample, "form", "mixed", {HIT: Tally(hit, of)}, {HIT: outcomes})


def side(rates: list[float], seed: int, samples: int = 3) -> list[Score]:
    """Samples of pages whose rates differ; what a page's samples have in common is their rate."""
    random = np.random.default_rng(seed)
    return [
        score(f"{page}-{index}", float(random.binomial(10, rate)), page=str(page))
        for page, rate in enumerate(rates)
        for index in range(samples)
    ]


def test_a_side_against_itself_shows_no_difference() -> None:
    same = side([0.2, 0.5, 0.9], 1)
    found = paired_difference(same, same, HIT)
    assert found is not None
    assert (found.value, found.low, found.high, found.verdict) == (0, 0, 0, Verdict.NONE)


def test_a_planted_loss_is_found_and_a_gain_is_its_mirror() -> None:
    rates = list(np.linspace(0.3, 0.9, 40))
    before, after = side(rates, 1), side([rate - 0.15 for rate in rates], 2)
    lost, won = paired_difference(before, after, HIT), paired_difference(after, before, HIT)
    assert lost is not None
    assert won is not None
    assert lost.verdict is Verdict.WORSE
    assert won.verdict is Verdict.BETTER
    assert lost.value == pytest.approx(-won.value)
    assert (lost.low, lost.high) == pytest.approx((-(won.high or 0), -(won.low or 0)), abs=0.02)


def test_the_way_up_decides_which_verdict_it_is() -> None:
    rates = list(np.linspace(0.1, 0.5, 40))
    more = paired_difference(side(rates, 1), side([rate + 0.3 for rate in rates], 2), HIT, higher_is_better=False)
    assert more is not None
    assert more.verdict is Verdict.WORSE
    neither = paired_difference(side(rates, 1), side([rate + 0.3 for rate in rates], 2), HIT, higher_is_better=None)
    assert neither is not None
    assert neither.verdict is Verdict.NONE


def test_one_page_has_no_interval_however_many_samples_it_has() -> None:
    found = paired_difference(side([0.2], 1, samples=50), side([0.9], 2, samples=50), HIT)
    assert found is not None
    assert found.low is None
    assert found.verdict is Verdict.UNKNOWN


def test_what_one_side_alone_has_is_counted_and_left_out() -> None:
    found = paired_difference([score("a", 5), score("b", 5), score("c", 0)], [score("a", 5), score("b", 5)], HIT)
    assert found is not None
    assert (found.samples, found.unpaired, found.value) == (2, 1, 0)
    assert paired_difference([score("a", 5)], [score("b", 5)], HIT) is None


def test_shares_are_of_sums_and_not_means_of_shares() -> None:
    found = mean_interval([score("a", 1, 1), score("b", 0, 9)], HIT)
    assert found is not None
    assert found[0] == pytest.approx(0.1)
    assert mean_interval([score("a", 0, 0)], HIT) is None
    assert mean_interval([], HIT) is None


def test_a_cost_is_compared_by_its_ratio() -> None:
    cheap, dear = ([score(str(index), cost + index, 1) for index in range(30)] for cost in (100, 200))
    found = paired_ratio(cheap, dear, HIT)
    assert found is not None
    assert found.value == pytest.approx(sum(200 + index for index in range(30)) / sum(100 + index for index in range(30)))
    assert found.verdict is Verdict.WORSE
    assert paired_ratio([score("a", 0, 1)], [score("a", 1, 1)], HIT) is None


def test_intervals_hold_the_true_difference_about_as_often_as_they_say() -> None:
    rates = list(np.random.default_rng(3).uniform(0.2, 0.9, 40))
    held = 0
    for trial in range(150):
        found = paired_difference(side(rates, 1000 + trial), side(rates, 9000 + trial), HIT)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert 0.88 <= held / 150 <= 0.99  # three standard deviations of a binomial of 0.95 around 0.94


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_the_interval_holds_what_was_found(pairs: list[tuple[int, int]]) -> None:
    a = [score(str(index), first, 5) for index, (first, _) in enumerate(pairs)]
    b = [score(str(index), second, 5) for index, (_, second) in enumerate(pairs)]
    found = paired_difference(a, b, HIT)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_mcnemar_counts_tasks_and_tests_those_that_differ() -> None:
    a = [score("a", 0, outcomes=(True, False, False, True)), score("b", 0, outcomes=(False,) * 8)]
    b = [score("a", 0, outcomes=(True, True, False, False)), score("b", 0, outcomes=(True,) * 8)]
    found = mcnemar(a, b, HIT)
    assert found is not None
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 1, 9, 1)
    assert found.p == pytest.approx(22 / 1024)  # two-sided binomial: 9 or more of 10, or 1 or fewer
    same = mcnemar(a, a, HIT)
    assert same is not None
    assert same.p == 1
    assert mcnemar([], b, HIT) is None


def test_holm_raises_p_by_how_many_tests_are_left() -> None:
    assert holm({"a": 0.04, "b": 0.01, "c": 0.5}) == pytest.approx({"a": 0.08, "b": 0.03, "c": 0.5})
    assert holm({}) == {}
