"""Statistics of repeated measurements. Pure: equal numbers give equal results, since the random seed is fixed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

LEVEL = 0.95
"""Confidence level of intervals: the usual one."""

RESAMPLES = 10_000
"""Hesterberg (2015, see `cluster_interval`) recommends this many if decisions depend on an interval's ends."""

BOOTSTRAP_SEED = 20_150_101
"""Arbitrary; fixed so that the same scores give the same report."""

MAX_CLUSTERS = 1_000
"""More clusters are randomly combined into this many groups, which are resampled instead. A thousand groups give an
interval's width with a standard error of 2 % (1 / √2000), and limit time and memory: 10,000 pages take 0.5 s."""

DRAW_CHUNK = 2_000_000
"""Indices that are drawn at once: 16 MB, and as much for the selected rows."""

Columns = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution: minimum, quartiles, maximum; `count` of the numbers."""

    count: int
    minimum: float
    lower: float
    median: float
    upper: float
    maximum: float


def spread_of(values: Iterable[float]) -> Spread:
    """The spread of at least one number.

    Quartiles are linear between the sorted numbers (R-7, `statistics.quantiles(method="inclusive")`).

    Raises:
        ValueError: there is no number.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("the spread of no numbers is undefined")
    if len(ordered) == 1:
        return Spread(1, *ordered * 5)
    lower, median, upper = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(len(ordered), ordered[0], lower, median, upper, ordered[-1])


def quartiles_text(values: Iterable[float], decimals: int) -> str:
    """Lower and upper quartile as a report shows them. Raises as `spread_of`."""
    spread = spread_of(values)
    return f"{spread.lower:.{decimals}f} to {spread.upper:.{decimals}f}"


def median_by(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The median of each key's numbers, in the order of the keys' first occurrence; empty for none."""
    grouped: dict[str, list[float]] = {}
    for key, value in rows:
        grouped.setdefault(key, []).append(value)
    return {key: statistics.median(values) for key, values in grouped.items()}


def paired_ratios(above: Mapping[str, float], below: Mapping[str, float]) -> dict[str, float]:
    """`above / below` for every key that both have, except where `below` is 0; in the order of `above`."""
    return {key: value / below[key] for key, value in above.items() if below.get(key)}


@dataclass(frozen=True, slots=True)
class Interval:
    """The range of a number, at a confidence level in (0, 1)."""

    low: float
    high: float
    level: float


def fewest_clusters(level: float) -> int:
    """The minimum number of clusters for an interval of that level.

    A bootstrap interval is within its clusters' own values. By chance, all N of them are on one side of a true median
    once in 2^(N-1): at 95 % at least 6 are needed.

    Raises:
        ValueError: the level is not in (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"a level is between 0 and 1, not {level}")
    return math.ceil(1 - math.log2(1 - level))


def cluster_interval(
    sums: Columns, statistic: Callable[[Columns], Columns], *, level: float = LEVEL, seed: int = BOOTSTRAP_SEED
) -> Interval | None:
    """The bootstrap interval of a statistic of sums, when whole clusters are resampled.

    Clusters are what samples have in common (a page in several viewports): only they are independent. The interval is
    the expanded percentile interval of T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
    Statistician 69 (2015): percentiles further out, by the ratio of Student's t to the normal distribution for that
    number of clusters. On simulated pages of very unequal size, 600 worlds each, it covers the truth 94, 92, 93 and 93
    times of a hundred for 6, 12, 30 and 100 pages; plain percentiles 84, 87, 91 and 93 times, BCa 84, 85, 89 and 90
    times. If only one page in five differs at all, it is 81, 92, 91 and 94 times, and the others are again lower.

    Args:
        sums: (K, C) a row for each cluster, which add up over clusters.
        statistic: of (..., C) sums, returns (...).

    Returns:
        An interval that contains the statistic of all clusters. None for fewer clusters than `fewest_clusters`, and if
        the statistic is not finite for some draw.
    """
    count = len(sums)
    if count < fewest_clusters(level):
        return None
    generator = np.random.default_rng(seed)
    if count > MAX_CLUSTERS:
        sums = _put_together(sums, generator)
    drawn = np.concatenate([statistic(part) for part in _draw_sums(sums, generator)])
    estimate = float(statistic(sums.sum(axis=0)))
    if not (np.isfinite(drawn).all() and math.isfinite(estimate)):
        return None
    wider = math.sqrt(count / (count - 1)) * float(special.stdtrit(count - 1, (1 - level) / 2))
    tail = statistics.NormalDist().cdf(wider)
    low, high = (float(end) for end in np.quantile(drawn, [tail, 1 - tail]))
    return Interval(min(low, estimate), max(high, estimate), level)


def _put_together(sums: Columns, generator: np.random.Generator) -> Columns:
    """`MAX_CLUSTERS` groups of clusters, as equal in number as possible."""
    group = generator.permutation(np.arange(len(sums)) % MAX_CLUSTERS)
    together = np.zeros((MAX_CLUSTERS, sums.shape[1]))
    np.add.at(together, group, sums)
    return together


def _draw_sums(sums: Columns, generator: np.random.Generator) -> Iterable[Columns]:
    """Sums of resampled clusters, drawn with replacement: `RESAMPLES` rows, in batches."""
    count, left = len(sums), RESAMPLES
    while left:
        rows = min(left, max(1, DRAW_CHUNK // count))
        picked = generator.integers(0, count, size=(rows, count))
        yield np.stack([column[picked].sum(axis=1) for column in sums.T], axis=-1)
        left -= rows


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two sides' successes at the same tasks.

    Attributes:
        b, c: tasks at which only the first side, and only the second, succeeded.
        p: probability of this split or a more uneven one if both are equally good; two-sided, exact.
    """

    both: int
    b: int
    c: int
    neither: int
    p: float


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> McNemar:
    """McNemar's exact test of paired outcomes: the binomial test of the tasks at which the sides differ.

    It assumes independent tasks. Tasks of one page are not, so that `p` is too small if a page has many: verdicts use
    an interval that resamples pages, and this is shown with it. Without tasks, p is 1.

    Raises:
        ValueError: the sides differ in length.
    """
    from scipy.stats import binomtest  # takes half a second, which commands without comparison save

    counts = [0, 0, 0, 0]
    for first, second in zip(a, b, strict=True):
        counts[2 * (not first) + (not second)] += 1
    both, only_a, only_b, neither = counts
    differing = only_a + only_b
    p = float(binomtest(only_a, differing, 0.5).pvalue) if differing else 1.0
    return McNemar(both, only_a, only_b, neither, p)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values of one family, adjusted for their number (S. Holm, Scandinavian Journal of Statistics 6, 1979); in the
    given order, empty for none."""
    adjusted: dict[str, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, p_values[name] * (len(p_values) - rank)))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}
