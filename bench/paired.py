"""Two sides on the same samples: how they differ, how sure that is, and what got worse. Pure.

Rule 1: a comparison is paired: only samples that both sides have count, and how many were left out is said.
Rule 2: what is resampled are pages, not samples: a page's viewports, and its tasks, are not independent of each other
(the cluster bootstrap; Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8).
Rule 3: an interval that holds "no difference" is reported as `no difference shown`, which is a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from perception.bench.seen import Score, Tally

RESAMPLES = 4000
"""The ends of a 95 % interval then move by about a fiftieth of its width from seed to seed (simulated)."""

LEVEL = 0.95

SEED = 20260101

BLOCK = 500
"""Resamples drawn at once, so that memory stays at BLOCK × pages."""

Floats = NDArray[np.float64]


class Verdict(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    NONE = "no difference shown"
    UNKNOWN = "too few pages"


@dataclass(frozen=True, slots=True)
class Difference:
    """B against A.

    Attributes:
        a, b: each side's Σhit / Σof over the shared samples.
        value, low, high: `b - a` of a share, `b / a` of a cost; the ends are None with fewer than two pages.
        pages, samples: how many count; `unpaired`: samples that only one side has.
        verdict: by the interval, given which way is up.
    """

    measure: str
    a: float
    b: float
    value: float
    low: float | None
    high: float | None
    pages: int
    samples: int
    unpaired: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class McNemar:
    """Exact McNemar test of paired successes: `only_a` and `only_b` are tasks that one side alone solved.

    Tasks of one page are not independent, so that p is too small where pages have many; the bootstrap's interval is
    the one to go by.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    p: float


def paired_difference(
    a: Sequence[Score], b: Sequence[Score], measure: str, *, higher_is_better: bool | None = True, level: float = LEVEL
) -> Difference | None:
    """The difference `b - a` of a share or mean, with a percentile interval over pages. None without shared samples."""
    return _compare(a, b, measure, lambda x, y: y - x, 0.0, higher_is_better, level)


def paired_ratio(
    a: Sequence[Score], b: Sequence[Score], measure: str, *, higher_is_better: bool | None = False, level: float = LEVEL
) -> Difference | None:
    """The ratio `b / a` of a cost (tokens, milliseconds), with a percentile interval over pages. None without shared
    samples, or where A's cost is 0."""
    found = _compare(a, b, measure, _ratio, 1.0, higher_is_better, level)
    return None if found is None or found.a == 0 else found


def mean_interval(scores: Sequence[Score], measure: str, *, level: float = LEVEL) -> tuple[float, float, float] | None:
    """Σhit / Σof of one side, with the ends of its interval over pages (equal to it for a single page). None where
    nothing applies."""
    pages = _by_page([(score, tally) for score in scores if (tally := score.tallies.get(measure))])
    if not len(pages) or not pages[:, 1].sum():
        return None
    value = float(pages[:, 0].sum() / pages[:, 1].sum())
    if len(pages) < 2:
        return value, value, value
    drawn = _draw(pages, lambda sums: _share(sums[:, 0], sums[:, 1]))
    low, high = _ends(drawn, level)
    return value, low, high


def mcnemar(a: Sequence[Score], b: Sequence[Score], measure: str) -> McNemar | None:
    """Over all tasks that both sides have an outcome for. None for none."""
    theirs = {score.sample: score.outcomes[measure] for score in a if measure in score.outcomes}
    pairs = [
        pair
        for score in b
        if measure in score.outcomes and score.sample in theirs
        for pair in zip(theirs[score.sample], score.outcomes[measure], strict=True)
    ]
    if not pairs:
        return None
    counts = {each: pairs.count(each) for each in ((True, True), (True, False), (False, True), (False, False))}
    only_a, only_b = counts[True, False], counts[False, True]
    p = float(binomtest(only_b, only_a + only_b).pvalue) if only_a + only_b else 1.0
    return McNemar(counts[True, True], only_a, only_b, counts[False, False], p)


def strata_of(scores: Sequence[Score], by: Callable[[Score], str]) -> list[str]:
    """The values of a property, in order of their first sample."""
    return list(dict.fromkeys(by(score) for score in scores))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values (Holm 1979), for tests of one family."""
    ordered = sorted(p_values, key=lambda name: p_values[name])
    adjusted: dict[str, float] = {}
    above = 0.0
    for rank, name in enumerate(ordered):
        above = max(above, min(1.0, p_values[name] * (len(ordered) - rank)))
        adjusted[name] = above
    return {name: adjusted[name] for name in p_values}


def _compare(
    a: Sequence[Score],
    b: Sequence[Score],
    measure: str,
    combine: Callable[[Floats, Floats], Floats],
    nothing: float,
    higher_is_better: bool | None,
    level: float,
) -> Difference | None:
    first = {score.sample: (score, tally) for score in a if (tally := score.tallies.get(measure))}
    second = {score.sample: (score, tally) for score in b if (tally := score.tallies.get(measure))}
    shared = [name for name in first if name in second]
    if not shared:
        return None
    pages = np.hstack([_by_page([first[name] for name in shared]), _by_page([second[name] for name in shared])])

    def of(sums: Floats) -> Floats:
        return combine(_share(sums[:, 0], sums[:, 1]), _share(sums[:, 2], sums[:, 3]))

    total = pages.sum(axis=0, keepdims=True)
    value = float(of(total)[0])
    low = high = None
    if len(pages) > 1:
        low, high = _ends(_draw(pages, of), level)
    return Difference(
        measure=measure,
        a=float(_share(total[:, 0], total[:, 1])[0]),
        b=float(_share(total[:, 2], total[:, 3])[0]),
        value=value,
        low=low,
        high=high,
        pages=len(pages),
        samples=len(shared),
        unpaired=len(set(first) ^ set(second)),
        verdict=_judge(low, high, nothing, higher_is_better),
    )


def _judge(low: float | None, high: float | None, nothing: float, higher_is_better: bool | None) -> Verdict:
    if low is None or high is None or not np.isfinite([low, high]).all():
        return Verdict.UNKNOWN
    if higher_is_better is None or low <= nothing <= high:
        return Verdict.NONE
    return Verdict.BETTER if (low > nothing) == higher_is_better else Verdict.WORSE


def _by_page(scores: Sequence[tuple[Score, Tally]]) -> Floats:
    """(pages, 2): hit and of, summed by page, in order of the pages' first sample."""
    sums: dict[str, list[float]] = {}
    for score, tally in scores:
        page = sums.setdefault(score.page, [0.0, 0.0])
        page[0] += tally.hit
        page[1] += tally.of
    return np.asarray(list(sums.values()), float).reshape(-1, 2)


def _draw(pages: Floats, of: Callable[[Floats], Floats]) -> Floats:
    """The statistic of RESAMPLES draws of pages with replacement."""
    random = np.random.default_rng(SEED)
    count = len(pages)
    found = []
    for start in range(0, RESAMPLES, BLOCK):
        size = min(BLOCK, RESAMPLES - start)
        weights = random.multinomial(count, np.full(count, 1 / count), size=size)
        found.append(of(weights @ pages))
    return np.concatenate(found)


def _ends(drawn: Floats, level: float) -> tuple[float, float]:
    # A draw may hold no page to which the measure applies: it says nothing.
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _share(hit: Floats, of: Floats) -> Floats:
    return np.divide(hit, of, out=np.full_like(hit, np.nan), where=of > 0)


def _ratio(x: Floats, y: Floats) -> Floats:
    return np.divide(y, x, out=np.full_like(y, np.nan), where=x > 0)
