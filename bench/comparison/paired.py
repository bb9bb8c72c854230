"""Compares two sides' scores of the same samples: the difference, and whether it is significant. Pure.

Rule 1: all comparisons are paired by sample. A sample that only one side has is named and counts for neither side.
Rule 2: pages are resampled for an interval: a page's viewports and tasks are not independent of each other.
Rule 3: a verdict follows from the interval. If a measure is compared by group, the groups' intervals hold
simultaneously at the level (Bonferroni: each at 1 - 0.05 / groups). Holm's procedure has slightly more power, but no
intervals that agree with it.
Rule 4: "no difference shown" is a result; so is "too few pages", which is not the same.

Measures are not corrected for each other: of twenty measures of two equal sides, on all samples, one is expected to
differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from perception.bench.looks.look_score import HIGHER_IS_BETTER, LookMeasure
from perception.bench.scores import Score, Tally
from perception.bench.stats import LEVEL, Columns, Interval, McNemar, cluster_interval, fewest_clusters, mcnemar
from perception.errors import BadInputError


class Scale(StrEnum):
    """How two sides are compared."""

    DIFFERENCE = "difference"
    """B - A, each a share or a mean: all hits divided by all counts."""
    TOTALS = "ratio"
    """B / A of such means: the total cost. A large page weighs as much as it costs."""
    PAGES = "ratio by page"
    """The geometric mean of B / A per page, where each page's value is the median of its samples: every page weighs the
    same, and a single disturbed look has no effect. For latency."""


class Verdict(StrEnum):
    """The conclusion from an interval."""

    BETTER = "better"
    WORSE = "worse"
    DIFFERENT = "different"
    """Neither direction is better."""
    NOT_SHOWN = "no difference shown"
    TOO_FEW = "too few pages"
    """Too few for an interval of the level; see `fewest_clusters`."""
    UNDEFINED = "no interval"
    """Some resamples have no finite value: a cost of 0 in a denominator."""


class Group(StrEnum):
    """How samples are grouped."""

    STRATUM = "stratum"
    CATEGORY = "category"
    PART = "data set and stratum"


@dataclass(frozen=True, slots=True)
class ComparisonRule:
    """How a measure is compared.

    Attributes:
        higher_is_better: None if neither direction is better.
        margin: minimum distance of an interval from "no difference" to show one, in the scale's unit; for a ratio, its
            distance from 1 as a factor (0.1: below 1 / 1.1 or above 1.1).
    """

    higher_is_better: bool | None
    scale: Scale = Scale.DIFFERENCE
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.margin < 0:
            raise ValueError(f"a margin is 0 or more, not {self.margin}")


LATENCY_MARGIN = 0.1
"""A machine's speed varies, and pages cannot tell that from a change of the code: the same code, run four times over 24
looks at 8 pages on two busy cores, had stage times between 0.93 and 1.07 of each other."""

LATENCY = ComparisonRule(False, Scale.PAGES, margin=LATENCY_MARGIN)
"""For milliseconds."""

TOTAL_COST = ComparisonRule(False, Scale.TOTALS)
"""For tokens and other costs that do not vary between two runs of the same code."""

_SCALES = {
    LookMeasure.TOKENS: (Scale.TOTALS, 0.0),
    LookMeasure.FIRST: (Scale.PAGES, LATENCY_MARGIN),
    LookMeasure.WARM: (Scale.PAGES, LATENCY_MARGIN),
    LookMeasure.FIRST_STAGES: (Scale.PAGES, LATENCY_MARGIN),
    LookMeasure.WARM_STAGES: (Scale.PAGES, LATENCY_MARGIN),
}

RULES: Mapping[str, ComparisonRule] = {
    measure: ComparisonRule(higher, *_SCALES.get(measure, (Scale.DIFFERENCE, 0.0)))
    for measure, higher in HIGHER_IS_BETTER.items()
}
"""For every measure of a look."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two sides.

    Attributes:
        a, b: the sides' means over the counted samples.
        value: by the scale, B - A or B / A.
        interval: contains `value`; None for the verdicts `too few pages` and `no interval`.
        pages, samples: how many were counted.
        only_a, only_b: samples for which only one side has the measure, by name, sorted.
        unusable: samples that both sides have but that do not count: a ratio by page excludes 0. Sorted.
    """

    measure: str
    scale: Scale
    a: float
    b: float
    value: float
    interval: Interval | None
    verdict: Verdict
    pages: int
    samples: int
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pair:
    page: str
    a: Tally
    b: Tally


def compare_measure(
    a: Sequence[Score], b: Sequence[Score], measure: str, rule: ComparisonRule, *, level: float = LEVEL
) -> Difference | None:
    """How side B differs from side A.

    Args:
        a, b: one score for each sample, in any order. A sample has a measure if its tally is not empty.
        level: of the interval.

    Returns:
        None if there is no value: no sample counts, or a ratio has a side of 0.

    Raises:
        BadInputError: a side has two scores for one sample.
    """
    first, second = tallies_of(a, measure), tallies_of(b, measure)
    both = sorted(first.keys() & second.keys())
    unusable = [name for name in both if rule.scale is Scale.PAGES and not (first[name].hit and second[name].hit)]
    page_of = {score.sample: score.page for score in a}
    pairs = [_Pair(page_of[name], first[name], second[name]) for name in sorted({*both} - {*unusable})]
    columns, statistic = _SUMMARIES[rule.scale](pairs)
    value = _finite(statistic(columns.sum(axis=0))) if pairs else None
    if value is None:
        return None
    interval = cluster_interval(columns, statistic, level=level)
    if rule.scale is not Scale.DIFFERENCE:
        value, interval = float(np.exp(value)), interval and _exponential(interval)
    few = len(columns) < fewest_clusters(level)
    return Difference(
        measure,
        rule.scale,
        a=_mean(pair.a for pair in pairs),
        b=_mean(pair.b for pair in pairs),
        value=value,
        interval=interval,
        verdict=_judge(interval, rule) if interval else Verdict.TOO_FEW if few else Verdict.UNDEFINED,
        pages=len(columns),
        samples=len(pairs),
        only_a=tuple(sorted(first.keys() - second.keys())),
        only_b=tuple(sorted(second.keys() - first.keys())),
        unusable=tuple(unusable),
    )


def paired_ratio(
    a: Sequence[Score], b: Sequence[Score], measure: str, *, higher_is_better: bool | None = False
) -> Difference | None:
    """`compare_measure` as a ratio of totals: tokens."""
    return compare_measure(a, b, measure, ComparisonRule(higher_is_better, Scale.TOTALS))


def mean_interval(scores: Sequence[Score], measure: str) -> tuple[float, Interval | None] | None:
    """One side's mean, and its interval over pages, which is None for too few pages. None if nothing is counted.

    Raises:
        BadInputError: there are two scores for one sample.
    """
    tallies = tallies_of(scores, measure)
    if not tallies:
        return None
    page_of = {score.sample: score.page for score in scores}
    sums = _add_up((page_of[name], (tallies[name].hit, tallies[name].of)) for name in sorted(tallies))
    return _mean(tallies.values()), cluster_interval(sums, _first_by_second)


def paired_successes(a: Sequence[Score], b: Sequence[Score], measure: str) -> McNemar:
    """McNemar's test over the tasks of all samples for which both sides have outcomes.

    Raises:
        BadInputError: a side has two scores for one sample, or the sides had different tasks of one.
    """
    first = {name: score.outcomes[measure] for name, score in by_sample(a).items() if measure in score.outcomes}
    second = {name: score.outcomes[measure] for name, score in by_sample(b).items() if measure in score.outcomes}
    names = sorted(first.keys() & second.keys())
    for name in names:
        if len(first[name]) != len(second[name]):
            raise BadInputError(
                f"{name}: one side has {len(first[name])} outcomes of {measure!r}, the other {len(second[name])}: "
                "run both on the same data set"
            )
    return mcnemar([each for name in names for each in first[name]], [each for name in names for each in second[name]])


def stratify(scores: Iterable[Score], by: Group) -> dict[str, list[Score]]:
    """Scores by group, in alphabetical order; scores without a group are under the empty name."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(_group_of(score, by), []).append(score)
    return dict(sorted(groups.items()))


def compare_groups(
    a: Sequence[Score], b: Sequence[Score], measure: str, rule: ComparisonRule, by: Group
) -> dict[str, Difference | None]:
    """`compare_measure` for each group of side A, with intervals that hold simultaneously at `LEVEL`.

    A sample is in its group of side A: a page's attributes may change between two runs. A sample that only side B has
    is in no group.
    """
    groups = stratify(a, by)
    second = by_sample(b)
    level = 1 - (1 - LEVEL) / max(1, len(groups))
    return {
        name: compare_measure(
            scores, [second[each.sample] for each in scores if each.sample in second], measure, rule, level=level
        )
        for name, scores in groups.items()
    }


def _judge(interval: Interval, rule: ComparisonRule) -> Verdict:
    if rule.scale is Scale.DIFFERENCE:
        low, high = -rule.margin, rule.margin
    else:
        low, high = 1 / (1 + rule.margin), 1 + rule.margin
    if interval.low <= high and interval.high >= low:
        return Verdict.NOT_SHOWN
    if rule.higher_is_better is None:
        return Verdict.DIFFERENT
    return Verdict.BETTER if (interval.low > high) is rule.higher_is_better else Verdict.WORSE


def _group_of(score: Score, by: Group) -> str:
    match by:
        case Group.STRATUM:
            return score.stratum
        case Group.CATEGORY:
            return score.category
        case Group.PART:
            return f"{score.source}, {score.stratum}"


def by_sample(scores: Iterable[Score]) -> dict[str, Score]:
    """Raises BadInputError for two scores of one sample."""
    found: dict[str, Score] = {}
    for score in scores:
        if score.sample in found:
            who = " and ".join(dict.fromkeys((found[score.sample].who, score.who)))
            raise BadInputError(f"{score.sample}: one side has two scores for it, of {who}: give each sample once")
        found[score.sample] = score
    return found


def tallies_of(scores: Iterable[Score], measure: str) -> dict[str, Tally]:
    """The samples that have the measure, with a tally that is not empty. By sample name."""
    tallies = {name: score.tallies.get(measure) for name, score in by_sample(scores).items()}
    return {name: tally for name, tally in tallies.items() if tally is not None and tally.of > 0}


def _mean(tallies: Iterable[Tally]) -> float:
    hits, counts = zip(*((tally.hit, tally.of) for tally in tallies), strict=True)
    return float(sum(hits) / sum(counts))


def _finite(value: Columns) -> float | None:
    return float(value) if np.isfinite(value) else None


def _exponential(interval: Interval) -> Interval:
    return Interval(float(np.exp(interval.low)), float(np.exp(interval.high)), interval.level)


def _add_up(rows: Iterable[tuple[str, Sequence[float]]]) -> Columns:
    """(K, C): each page's sums of its rows, in the order of the pages' names, so that the samples' order does not
    matter."""
    sums: dict[str, Columns] = {}
    for page, row in rows:
        sums[page] = sums.get(page, 0.0) + np.asarray(row, dtype=np.float64)
    return np.stack([sums[page] for page in sorted(sums)]) if sums else np.zeros((0, 4))


_Summary = tuple[Columns, Callable[[Columns], Columns]]
"""A row for each page, and a function of their sum. Ratios are compared by logarithm, so that swapping the sides only
changes the sign."""


def _difference(pairs: Sequence[_Pair]) -> _Summary:
    return _page_sums(pairs), lambda sums: sums[..., 2] / sums[..., 3] - sums[..., 0] / sums[..., 1]


def _ratio_of_totals(pairs: Sequence[_Pair]) -> _Summary:
    def divide(sums: Columns) -> Columns:
        with np.errstate(divide="ignore", invalid="ignore"):  # what is not finite becomes no value or no interval
            logs = np.log(sums)
            return np.asarray(logs[..., 2] - logs[..., 3] - (logs[..., 0] - logs[..., 1]))

    return _page_sums(pairs), divide


def _ratio_by_page(pairs: Sequence[_Pair]) -> _Summary:
    logs: dict[str, list[float]] = {}
    for pair in pairs:
        logs.setdefault(pair.page, []).append(float(np.log(pair.b.hit / pair.b.of) - np.log(pair.a.hit / pair.a.of)))
    return _add_up((page, (float(np.median(each)), 1.0)) for page, each in logs.items()), _first_by_second


def _first_by_second(sums: Columns) -> Columns:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _page_sums(pairs: Iterable[_Pair]) -> Columns:
    """(K, 4): both sides' hits and counts."""
    return _add_up((pair.page, (pair.a.hit, pair.a.of, pair.b.hit, pair.b.of)) for pair in pairs)


_SUMMARIES: Mapping[Scale, Callable[[Sequence[_Pair]], _Summary]] = {
    Scale.DIFFERENCE: _difference,
    Scale.TOTALS: _ratio_of_totals,
    Scale.PAGES: _ratio_by_page,
}
