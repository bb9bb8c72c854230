"""Two sides' scores of the same samples, against each other: how much they differ, and whether that is shown. Pure.

Rule 1: everything is paired by sample; what only one side has is named, and is in neither side's number.
Rule 2: pages are what is drawn anew for an interval: a page's viewports and tasks are not independent of each other.
Rule 3: a verdict says what the interval says. Where a measure is looked at group by group, the groups' intervals hold
together at the level (Bonferroni: each at 1 - 0.05 / groups). Holm's procedure would show a little more, but has no
interval that agrees with it.
Rule 4: "no difference shown" is a result; so is "too few pages", which is not the same.

Measures are not corrected for each other: who looks at twenty measures of two equal sides, on all samples, will find
one that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from perception.bench.score import HIGHER_IS_BETTER, Measure
from perception.bench.seen import Score, Tally
from perception.bench.stats import LEVEL, Columns, Interval, McNemar, cluster_interval, fewest_clusters, mcnemar
from perception.errors import BadInputError


class Scale(StrEnum):
    """What is said of two sides."""

    DIFFERENCE = "difference"
    """B - A, each a share or a mean: all hits of all counts."""
    TOTALS = "ratio"
    """B / A of such means: what all of it costs. A large page counts for as much as it costs."""
    PAGES = "ratio by page"
    """The geometric mean of the pages' own B / A, each the median of its samples': every page counts the same, and
    one look that was disturbed does not. For latency."""


class Verdict(StrEnum):
    """What an interval shows."""

    BETTER = "better"
    WORSE = "worse"
    DIFFERENT = "different"
    """Neither way is better by itself."""
    NOT_SHOWN = "no difference shown"
    TOO_FEW = "too few pages"
    """For an interval of the level; see `fewest_clusters`."""
    UNDEFINED = "no interval"
    """Some draws of the pages give no number: a cost of 0 under a fraction."""


class Group(StrEnum):
    """What samples are put together by."""

    STRATUM = "stratum"
    CATEGORY = "category"
    PART = "data set and stratum"


@dataclass(frozen=True, slots=True)
class Rule:
    """How a measure is compared.

    Attributes:
        higher_is_better: None where neither way is better by itself.
        margin: how far off no difference an interval must lie to show one, in the scale's own unit; for a ratio its
            distance from 1, as a factor (0.1: below 1 / 1.1 or above 1.1).
    """

    higher_is_better: bool | None
    scale: Scale = Scale.DIFFERENCE
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.margin < 0:
            raise ValueError(f"a margin is 0 or more, not {self.margin}")


LATENCY_MARGIN = 0.1
"""A machine has its moods, which pages cannot tell from a change of the code: the same code, run four times over 24
looks at 8 pages on two busy cores, had its stages between 0.93 and 1.07 of each other."""

_SCALES = {
    Measure.TOKENS: (Scale.TOTALS, 0.0),
    Measure.FIRST: (Scale.PAGES, LATENCY_MARGIN),
    Measure.WARM: (Scale.PAGES, LATENCY_MARGIN),
    Measure.FIRST_STAGES: (Scale.PAGES, LATENCY_MARGIN),
    Measure.WARM_STAGES: (Scale.PAGES, LATENCY_MARGIN),
}

RULES: Mapping[str, Rule] = {
    measure: Rule(higher, *_SCALES.get(measure, (Scale.DIFFERENCE, 0.0)))
    for measure, higher in HIGHER_IS_BETTER.items()
}
"""For every measure of a look."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two sides.

    Attributes:
        a, b: the sides' means over the samples that count.
        value: by the scale, B - A or B / A.
        interval: holds `value`; None for the verdicts `too few pages` and `no interval`.
        pages, samples: that count.
        only_a, only_b: samples that only one side has the measure for, by name, sorted.
        unusable: samples that do not count though both sides have them: a 0 has no part in a ratio by page. Sorted.
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
    a: Sequence[Score], b: Sequence[Score], measure: str, rule: Rule, *, level: float = LEVEL
) -> Difference | None:
    """How side B differs from side A.

    Args:
        a, b: one score for each sample, in any order. A sample has a measure where its tally counts something.
        level: of the interval.

    Returns:
        None where there is nothing to say: no sample that counts, or a ratio with a side of 0.

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
    return compare_measure(a, b, measure, Rule(higher_is_better, Scale.TOTALS))


def mean_interval(scores: Sequence[Score], measure: str) -> tuple[float, Interval | None] | None:
    """One side's mean, and its interval over pages; that is None for too few pages. None where nothing is counted.

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
    """McNemar's test over the tasks of all samples that both sides have outcomes for.

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
    """Scores by what they are put together by, in alphabetical order; what has none is under the empty name."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(_group_of(score, by), []).append(score)
    return dict(sorted(groups.items()))


def compare_groups(
    a: Sequence[Score], b: Sequence[Score], measure: str, rule: Rule, by: Group
) -> dict[str, Difference | None]:
    """`compare_measure` for each group that side A has, with intervals that hold together at `LEVEL`.

    A sample is in the group that side A has it in: what a page is called may change between two runs. What only side
    B has is in no group.
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


def _judge(interval: Interval, rule: Rule) -> Verdict:
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
    """Of the samples that have the measure: those whose tally counts something. By sample name."""
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
    """(K, C): each page's sums of its rows, in the order of the pages' names, so that the samples' order is nothing."""
    sums: dict[str, Columns] = {}
    for page, row in rows:
        sums[page] = sums.get(page, 0.0) + np.asarray(row, dtype=np.float64)
    return np.stack([sums[page] for page in sorted(sums)]) if sums else np.zeros((0, 4))


_Summary = tuple[Columns, Callable[[Columns], Columns]]
"""A row for each page, and what is made of their sum. A ratio's logarithm, so that which side is first changes nothing
but the sign."""


def _difference(pairs: Sequence[_Pair]) -> _Summary:
    return _page_sums(pairs), lambda sums: sums[..., 2] / sums[..., 3] - sums[..., 0] / sums[..., 1]


def _ratio_of_totals(pairs: Sequence[_Pair]) -> _Summary:
    def divide(sums: Columns) -> Columns:
        with np.errstate(divide="ignore", invalid="ignore"):  # what is not finite is told, as no value or no interval
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
