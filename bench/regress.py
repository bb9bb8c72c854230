"""Two stored runs of the same kind: what got better or worse, with intervals. Scores are computed from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from perception.bench.ab import COSTS, estimate_of
from perception.bench.detecting import found_boxes, read_lines, sightings_of, true_boxes
from perception.bench.metrics.boxes import box_tallies, count_boxes
from perception.bench.metrics.lines import count_lines, line_tallies
from perception.bench.paired import Difference, Verdict, paired_difference, paired_ratio
from perception.bench.report.model import Cell, Chart, ChartKind, Column, Estimate, Report, Series, Table, Unit
from perception.bench.runstore import Run
from perception.bench.score import HIGHER_IS_BETTER, Measure
from perception.bench.scoring import items_of, score_run
from perception.bench.seen import Score, Tally
from perception.bench.suites import DETECT, LOOKS
from perception.errors import BadInputError

ALL = "all"

MILLISECONDS = "ms"

LOWER_IS_BETTER = {
    MILLISECONDS,
    "stray pieces",
    "errors",
    *(str(each) for each, up in HIGHER_IS_BETTER.items() if up is False),
}

NEUTRAL = {str(each) for each, up in HIGHER_IS_BETTER.items() if up is None}

NOISY = {MILLISECONDS, str(Measure.FIRST), str(Measure.WARM)}
"""Times: two runs that were not interleaved differ by what else the machine did. They are shown, and not judged."""


def scores_of(run: Run, home: Path) -> dict[str, list[Score]]:
    """A run's scores by who looked.

    Raises:
        BadInputError: it is of a kind whose outputs are not scored by sample.
    """
    if run.facts.suite == LOOKS:
        return score_run(run, home, peers=False).scores
    if run.facts.suite == DETECT:
        return {run.facts.who[0]: _detector_scores(run, home)}
    raise BadInputError(f"run {run.facts.id} is of kind {run.facts.suite}: runs of {LOOKS} and {DETECT} are compared")


def _detector_scores(run: Run, home: Path) -> list[Score]:
    scores = []
    for item in items_of(run, home):
        sample = item.sample
        for sight in sightings_of(run, item.id):
            boxes = count_boxes(true_boxes(sample), found_boxes([sight], sample.viewport.scale))
            lines = count_lines(sample.lines, read_lines(sight, sample.viewport.scale))
            tallies = {
                **box_tallies(boxes, complete=sample.complete),
                **(line_tallies(lines) if "text" in sight.kind else {}),
                MILLISECONDS: Tally(sight.milliseconds, 1),
            }
            tallies = {name: tally for name, tally in tallies.items() if tally.of}
            scores.append(Score(sample.name, sight.who, sample.page, sample.category, sample.stratum.value, tallies))
    return scores


def compare_runs(before: Run, after: Run, home: Path, command: str) -> tuple[Report, int]:
    """The report, and how many measures got worse.

    Whoever both runs have is compared; a run of one with a run of another one, too.

    Raises:
        BadInputError: the runs are of different kinds, share nobody or no sample.
    """
    if before.facts.suite != after.facts.suite:
        raise BadInputError(
            f"{before.facts.id} is of kind {before.facts.suite}, {after.facts.id} of kind {after.facts.suite}: "
            "only runs of one kind can be compared"
        )
    sides = scores_of(before, home), scores_of(after, home)
    rows, worse, better = [], 0, 0
    for who_before, who_after in _pairs(before, after, *sides):
        a, b = sides[0][who_before], sides[1][who_after]
        who = who_before if who_before == who_after else f"{who_before} → {who_after}"
        for stratum in (ALL, *_strata(a)):
            kept_a, kept_b = (_only(scores, stratum) for scores in (a, b))
            for measure in dict.fromkeys(name for score in kept_a for name in score.tallies):
                found = compare_measure(kept_a, kept_b, measure)
                if found is not None:
                    rows.append((who, stratum, measure, found))
                    if measure not in NOISY:
                        worse += found.verdict is Verdict.WORSE
                        better += found.verdict is Verdict.BETTER
    if not rows:
        raise BadInputError(f"{before.facts.id} and {after.facts.id} have no sample of the same name")
    return _report(before, after, rows, worse, better, command), worse


def compare_measure(a: Sequence[Score], b: Sequence[Score], measure: str) -> Difference | None:
    """A difference of shares, a ratio of costs; None without shared samples."""
    up = None if measure in NEUTRAL else measure not in LOWER_IS_BETTER
    compare = paired_ratio if measure in {*map(str, COSTS), MILLISECONDS} else paired_difference
    return compare(a, b, measure, higher_is_better=up)


def _pairs(
    before: Run, after: Run, a: Mapping[str, Sequence[Score]], b: Mapping[str, Sequence[Score]]
) -> list[tuple[str, str]]:
    shared = [(who, who) for who in a if who in b]
    if not shared and len(a) == len(b) == 1:
        shared = [(next(iter(a)), next(iter(b)))]
    if not shared:
        raise BadInputError(
            f"{before.facts.id} has {', '.join(a)}, {after.facts.id} has {', '.join(b)}: they share nobody"
        )
    return shared


def _strata(scores: Sequence[Score]) -> list[str]:
    found = list(dict.fromkeys(score.stratum for score in scores))
    return found if len(found) > 1 else []


def _only(scores: Sequence[Score], stratum: str) -> list[Score]:
    return [score for score in scores if stratum in (ALL, score.stratum)]


def _report(
    before: Run,
    after: Run,
    rows: Sequence[tuple[str, str, str, Difference]],
    worse: int,
    better: int,
    command: str,
) -> Report:
    judged = [row for row in rows if row[2] not in NOISY and row[3].verdict in (Verdict.WORSE, Verdict.BETTER)]
    said = [
        f"{found.verdict}: {measure} of {who}, {stratum}: {found.a:.4g} → {found.b:.4g}"
        for who, stratum, measure, found in sorted(judged, key=lambda row: row[3].verdict is not Verdict.WORSE)
    ]
    count = f"{worse} measures got worse, {better} better, of {len(rows)}."
    return Report(
        title=f"{before.facts.id} → {after.facts.id}",
        summary=(count, *said) if said else (count, "No difference shown in anything that is judged."),
        facts={
            "before": f"{before.facts.id}, {before.facts.started}, commit {before.facts.machine.get('commit', '?')}",
            "after": f"{after.facts.id}, {after.facts.started}, commit {after.facts.machine.get('commit', '?')}",
            "data sets before": ", ".join(before.facts.datasets),
            "data sets after": ", ".join(after.facts.datasets),
        },
        tables=(_table(rows),),
        charts=(_chart(rows),),
        command=command,
        made=after.facts.started,
    )


def _table(rows: Sequence[tuple[str, str, str, Difference]]) -> Table:
    cells: list[tuple[Cell, ...]] = [
        (
            who,
            stratum,
            measure,
            found.a,
            found.b,
            "ratio" if measure in {*map(str, COSTS), MILLISECONDS} else "difference",
            estimate_of(found),
            "not judged" if measure in NOISY else str(found.verdict),
            found.samples,
            found.unpaired,
        )
        for who, stratum, measure, found in rows
    ]
    columns = (
        Column("who"),
        Column("stratum"),
        Column("measure"),
        Column("before", Unit.NUMBER),
        Column("after", Unit.NUMBER),
        Column("compared by"),
        Column("value", Unit.NUMBER, "95 % interval over pages"),
        Column("verdict"),
        Column("samples", Unit.COUNT),
        Column("in one only", Unit.COUNT),
    )
    note = "Times of two runs that were not interleaved are shown and not judged: compare them within one run."
    return Table("differences", "All measures", columns, tuple(cells), note)


def _chart(rows: Sequence[tuple[str, str, str, Difference]]) -> Chart:
    series = []
    for who in dict.fromkeys(row[0] for row in rows):
        found = [
            (measure, difference)
            for each, stratum, measure, difference in rows
            if each == who
            and stratum == ALL
            and measure in {str(name) for name in Measure}
            and HIGHER_IS_BETTER[Measure(measure)]
        ]
        ys = tuple(
            Estimate(
                each.value, each.value if each.low is None else each.low, each.value if each.high is None else each.high
            )
            for _, each in found
        )
        series.append(Series(who, tuple(measure for measure, _ in found), ys))
    return Chart("changes", "Changes of shares", ChartKind.BARS, "", "after - before", tuple(series), Unit.DIFFERENCE)
