from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.stats import Spread, median_by, paired_ratios, spread_of

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
def test_quartiles_lie_in_order_between_the_extremes(values: list[float]) -> None:
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
