from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from perception.bench.stats import (
    Interval,
    Spread,
    cluster_interval,
    fewest_clusters,
    holm,
    mcnemar,
    median_by,
    paired_ratios,
    spread_of,
)

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1)


@pytest.mark.parametrize(
    ("values", "spread"),
    [
        pytest.param([7], Spread(1, 7, 7, 7, 7, 7), id="one"),
        pytest.param([2, 1], Spread(2, 1, 1.25, 1.5, 1.75, 2), id="two"),
        pytest.param([5, 1, 4, 2, 3], Spread(5, 1, 2, 3, 4, 5), id="five-unsorted"),
        pytest.param([3, 3, 3], Spread(3, 3, 3, 3, 3, 3), id="all-the-same"),
    ],
)
def test_quartiles_are_linear_between_the_sorted_numbers(values: list[float], spread: Spread) -> None:
    assert spread_of(values) == spread


def test_no_numbers_have_no_spread() -> None:
    with pytest.raises(ValueError, match="no numbers"):
        spread_of([])


@given(NUMBERS)
def test_quartiles_are_in_order_between_the_extremes(values: list[float]) -> None:
    spread = spread_of(values)
    slack = 1e-6 * max(1, *map(abs, values))  # interpolation rounds
    ordered = [spread.minimum, spread.lower, spread.median, spread.upper, spread.maximum]
    assert all(low <= high + slack for low, high in itertools.pairwise(ordered))
    assert (spread.minimum, spread.maximum) == (min(values), max(values))


@given(NUMBERS, st.randoms())
def test_order_of_numbers_does_not_matter(values: list[float], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert spread_of(shuffled) == spread_of(values)


@pytest.mark.parametrize(
    ("rows", "medians"),
    [
        pytest.param([], {}, id="empty"),
        pytest.param([("b", 3), ("a", 1), ("b", 1), ("b", 2)], {"b": 2, "a": 1}, id="keys-as-they-come"),
        pytest.param([("a", 1), ("a", 2)], {"a": 1.5}, id="even-count"),
    ],
)
def test_each_key_has_the_median_of_its_own_numbers(rows: list[tuple[str, float]], medians: dict[str, float]) -> None:
    assert list(median_by(rows).items()) == list(medians.items())


@pytest.mark.parametrize(
    ("above", "below", "ratios"),
    [
        pytest.param({}, {}, {}, id="empty"),
        pytest.param({"a": 1.0, "b": 3.0}, {"b": 2.0, "a": 4.0}, {"a": 0.25, "b": 1.5}, id="paired-by-key"),
        pytest.param({"a": 1.0, "b": 1.0}, {"b": 1.0, "c": 1.0}, {"b": 1.0}, id="only-what-both-have"),
        pytest.param({"a": 1.0}, {"a": 0.0}, {}, id="nothing-to-divide-by"),
    ],
)
def test_ratios_are_paired(above: dict[str, float], below: dict[str, float], ratios: dict[str, float]) -> None:
    assert paired_ratios(above, below) == ratios


Sums = NDArray[np.float64]


def share(sums: Sums) -> Sums:
    return np.asarray(sums[..., 0] / sums[..., 1])


@pytest.mark.parametrize(("level", "count"), [(0.5, 2), (0.95, 6), (0.975, 7), (0.99, 8)])
def test_fewer_clusters_than_chance_can_put_on_one_side_have_no_interval(level: float, count: int) -> None:
    sums = np.array([[number, 10.0] for number in range(count)])
    assert fewest_clusters(level) == count
    assert cluster_interval(sums, share, level=level) is not None
    assert cluster_interval(sums[1:], share, level=level) is None


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0])
def test_a_level_is_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        fewest_clusters(level)


def test_no_clusters_have_no_interval() -> None:
    assert cluster_interval(np.zeros((0, 2)), share) is None


def test_a_statistic_that_some_draws_do_not_have_has_no_interval() -> None:
    with np.errstate(divide="ignore", invalid="ignore"):
        assert cluster_interval(np.array([[1.0, 0.0]] * 9 + [[1.0, 2.0]]), share) is None


def test_clusters_that_are_alike_have_an_interval_without_width() -> None:
    assert cluster_interval(np.array([[1.0, 4.0]] * 12), share) == Interval(0.25, 0.25, 0.95)


def test_the_same_sums_give_the_same_interval_and_a_higher_level_a_wider_one() -> None:
    sums = np.random.default_rng(3).uniform(1, 2, (30, 2))
    first, wider = cluster_interval(sums, share), cluster_interval(sums, share, level=0.99)
    assert first == cluster_interval(sums, share)
    assert first is not None
    assert wider is not None
    assert wider.low < first.low < first.high < wider.high


def test_whole_clusters_are_drawn_and_not_their_parts() -> None:
    """Twenty alike samples in each of ten clusters know no more than one of each does."""
    hits = np.array([0.0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
    thin = cluster_interval(np.stack([hits, np.ones(10)], axis=1), share)
    thick = cluster_interval(np.stack([hits, np.ones(10)], axis=1) * 20, share)
    assert thin == thick


def test_very_many_clusters_in_groups_have_nearly_the_interval_of_theory() -> None:
    values = np.random.default_rng(7).normal(10, 2, 10_000)
    interval = cluster_interval(np.stack([values, np.ones(10_000)], axis=1), share)
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * values.std() / 100, rel=0.1)
    assert interval.low < values.mean() < interval.high


@pytest.mark.parametrize(
    ("count", "least", "most"),
    [
        # 2.5 standard errors of 400 worlds are 2.7 points. Pages as unequal as these are known a little less well
        # than 95 % however many there are; without the wider percentiles it is 87 % at 12 pages.
        pytest.param(12, 0.89, 0.98, id="few-pages"),
        pytest.param(40, 0.905, 0.98, id="many-pages"),
    ],
)
def test_an_interval_covers_the_truth_about_as_often_as_its_level(count: int, least: float, most: float) -> None:
    random = np.random.default_rng(11)
    truth = 0.75  # the mean of the shares below, which do not depend on a page's size
    held = 0
    for world in range(400):
        sizes = np.ceil(np.exp(random.normal(2.5, 0.8, count)))
        hits = random.binomial(sizes.astype(int), random.beta(6, 2, count)).astype(float)
        interval = cluster_interval(np.stack([hits, sizes], axis=1), share, seed=world)
        held += interval is not None and interval.low <= truth <= interval.high
    assert least <= held / 400 <= most


@pytest.mark.parametrize(
    ("a", "b", "counts"),
    [
        pytest.param([], [], (0, 0, 0, 0), id="empty"),
        pytest.param([True, True, False, False], [True, False, True, False], (1, 1, 1, 1), id="one-of-each"),
        pytest.param([True] * 3, [True] * 3, (3, 0, 0, 0), id="alike"),
    ],
)
def test_tasks_are_counted_by_who_succeeded(a: list[bool], b: list[bool], counts: tuple[int, ...]) -> None:
    test = mcnemar(a, b)
    assert (test.both, test.b, test.c, test.neither) == counts
    assert test.p == 1.0


def test_mcnemar_is_exact() -> None:
    # Agresti, Categorical Data Analysis: the doubled tail of the binomial of the 10 that differ, 1 against 9.
    test = mcnemar([True] + [False] * 9 + [True] * 5, [False] + [True] * 9 + [True] * 5)
    assert (test.b, test.c) == (1, 9)
    assert test.p == pytest.approx(2 * 11 / 1024)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_mcnemar_does_not_care_which_side_is_first(pairs: list[tuple[bool, bool]]) -> None:
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    one, other = mcnemar(a, b), mcnemar(b, a)
    assert (one.b, one.c, one.p) == (other.c, other.b, other.p)
    assert one.both + one.b + one.c + one.neither == len(pairs)


def test_outcomes_of_unequal_number_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        mcnemar([True, False], [True])


def test_holm_steps_down_from_the_smallest() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )
    assert holm({}) == {}
