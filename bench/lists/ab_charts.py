"""The charts of an A/B comparison: shares by stratum, the sides sample by sample, and the spread of times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perception.bench.comparison.measure_estimates import mean_estimate
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import Chart, ChartKind, ColumnUnit, Series
from perception.bench.scores import Score

ALL = "all"
"""All samples, in place of a stratum."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a comparison: their names, and a score for each of their samples."""

    a: str
    b: str
    scores_a: Sequence[Score]
    scores_b: Sequence[Score]

    def only(self, keep: Callable[[Score], bool]) -> Sides:
        return Sides(
            self.a,
            self.b,
            [each for each in self.scores_a if keep(each)],
            [each for each in self.scores_b if keep(each)],
        )


def value_of(score: Score, measure: LookMeasure) -> float | None:
    """A score's mean of a measure; None if it does not apply."""
    tally = score.tallies.get(measure)
    return tally.hit / tally.of if tally is not None and tally.of else None


def ab_charts(sides: Sides, strata: Sequence[str]) -> list[Chart]:
    """All charts that have data."""
    charts = []
    for measure in (LookMeasure.RECALL, LookMeasure.GROUNDING):
        series = []
        for name, scores in ((sides.a, sides.scores_a), (sides.b, sides.scores_b)):
            found = [mean_estimate(list(filter(_is_of(each), scores)), measure) for each in [ALL, *strata]]
            series.append(Series(name, (ALL, *strata), tuple(found)))
        if any(y is not None for each in series for y in each.y):
            charts.append(
                Chart(
                    f"{measure.name.lower()}-strata",
                    f"{measure} by stratum".capitalize(),
                    ChartKind.BARS,
                    "",
                    str(measure),
                    tuple(series),
                    ColumnUnit.SHARE,
                    note="Bars are shares over all samples; whiskers 95 % intervals over pages.",
                )
            )
    charts += [
        _scatter(sides, strata, LookMeasure.RECALL, ColumnUnit.SHARE),
        _scatter(sides, strata, LookMeasure.TOKENS, ColumnUnit.NUMBER),
        _spread(sides, LookMeasure.WARM),
        _spread(sides, LookMeasure.FIRST),
    ]
    return [chart for chart in charts if any(each.y for each in chart.series)]


def _is_of(stratum: str) -> Callable[[Score], bool]:
    return lambda score: stratum in (ALL, score.stratum)


def _scatter(sides: Sides, strata: Sequence[str], measure: LookMeasure, unit: ColumnUnit) -> Chart:
    theirs = {score.sample: score for score in sides.scores_a}
    series = []
    for stratum in strata:
        points = [
            (x, y, score.sample)
            for score in sides.scores_b
            if score.stratum == stratum
            and score.sample in theirs
            and (x := value_of(theirs[score.sample], measure)) is not None
            and (y := value_of(score, measure)) is not None
        ]
        series.append(
            Series(
                stratum,
                tuple(x for x, _, _ in points),
                tuple(y for _, y, _ in points),
                tuple(name for *_, name in points),
            )
        )
    return Chart(
        f"{measure.name.lower()}-samples",
        f"{measure}, sample by sample".capitalize(),
        ChartKind.POINTS,
        sides.a,
        sides.b,
        tuple(series),
        unit,
        diagonal=True,
        note=f"Above the line {sides.b} has more.",
    )


def _spread(sides: Sides, measure: LookMeasure) -> Chart:
    series = [
        Series(name, (), tuple(value for each in scores if (value := value_of(each, measure)) is not None))
        for name, scores in ((sides.a, sides.scores_a), (sides.b, sides.scores_b))
    ]
    return Chart(
        f"{measure.name.lower()}-spread",
        str(measure).capitalize(),
        ChartKind.DISTRIBUTION,
        "",
        "ms",
        tuple(series),
        ColumnUnit.MILLISECONDS,
    )
