"""Two stored runs of the same kind: what got better or worse, with intervals. Scores are computed from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from perception.bench.ab import SHARES, estimate_of
from perception.bench.changes import Change, compare_runs
from perception.bench.compare import LATENCY_MARGIN, RULES, Rule, Scale, Verdict
from perception.bench.detecting import found_boxes, read_lines, sightings_of, true_boxes
from perception.bench.metrics.boxes import box_tallies, count_boxes
from perception.bench.metrics.lines import count_lines, line_tallies
from perception.bench.report.model import Cell, Chart, ChartKind, Column, Estimate, Report, Series, Table, Unit
from perception.bench.runstore import Run
from perception.bench.scoring import items_of, score_run
from perception.bench.seen import Score, Tally
from perception.bench.suites import DETECT, LOOKS
from perception.errors import BadInputError

ALL = "all"

MILLISECONDS = "ms"

BOXES = "boxes_per_image"

FALLING = ("stray_", "cer_", "wer_")
"""Beginnings of names, as `line_tallies` gives them, of which less is better."""


def scores_of(run: Run, home: Path) -> list[Score]:
    """A run's scores.

    Raises:
        BadInputError: it is of a kind whose outputs are not scored by sample.
    """
    if run.facts.suite == LOOKS:
        return [score for scores in score_run(run, home, peers=False).scores.values() for score in scores]
    if run.facts.suite == DETECT:
        return _detector_scores(run, home)
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
                MILLISECONDS: Tally(sight.stages["detect"].milliseconds, 1),
            }
            tallies = {name: tally for name, tally in tallies.items() if tally.of}
            names = sample.name, sight.who, sample.page, sample.category, sample.stratum.value
            scores.append(Score(*names, tallies, id=item.id))
    return list({score.sample: score for score in scores}.values())


def rules_for(scores: Sequence[Score]) -> Mapping[str, Rule]:
    """How each measure that occurs is compared."""
    names = dict.fromkeys(name for score in scores for name in score.tallies)
    return {name: RULES.get(name) or _rule(name) for name in names}


def _rule(name: str) -> Rule:
    if name == MILLISECONDS:
        return Rule(False, Scale.PAGES, margin=LATENCY_MARGIN)
    if name == BOXES:
        return Rule(None)
    return Rule(not name.startswith(FALLING))


def compare_stored(before: Run, after: Run, home: Path, command: str) -> tuple[Report, int]:
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
    old, new = scores_of(before, home), scores_of(after, home)
    if not {score.sample for score in old} & {score.sample for score in new}:
        raise BadInputError(f"{before.facts.id} and {after.facts.id} have no sample of the same name")
    found = compare_runs(old, new, names=_names(before, after), rules=rules_for(old))
    ids = {score.sample: score.id for score in old}
    anew = {score.sample for score in new if ids.get(score.sample, score.id) != score.id}
    worse = len(found.regressions())
    losses = [f"{each.who}: {len(each.lost)} samples no longer have {each.measure}" for each in found.losses()]
    apart = [f"{who}: only {before.facts.id} has it" for who in found.only_old]
    apart += [f"{who}: only {after.facts.id} has it" for who in found.only_new]
    return _report(before, after, found.changes, losses, apart, len(anew), command), worse


def _names(before: Run, after: Run) -> dict[str, str]:
    shared = set(before.facts.who) & set(after.facts.who)
    if not shared and len(before.facts.who) == len(after.facts.who) == 1:
        return {before.facts.who[0]: after.facts.who[0]}
    if not shared:
        raise BadInputError(
            f"{before.facts.id} has {', '.join(before.facts.who)}, {after.facts.id} has "
            f"{', '.join(after.facts.who)}: they share nobody"
        )
    return {}


def _report(
    before: Run,
    after: Run,
    changes: Sequence[Change],
    losses: Sequence[str],
    apart: Sequence[str],
    anew: int,
    command: str,
) -> Report:
    judged = [
        each for each in changes if each.difference and each.difference.verdict in (Verdict.WORSE, Verdict.BETTER)
    ]
    judged.sort(
        key=lambda each: (each.difference is not None and each.difference.verdict is Verdict.BETTER, bool(each.group))
    )
    worse = sum(each.difference is not None and each.difference.verdict is Verdict.WORSE for each in judged)
    count = f"{worse} got worse and {len(judged) - worse} better, of {len(changes)} measures and strata."
    return Report(
        title=f"{before.facts.id} → {after.facts.id}",
        summary=(count, *losses, *map(_say, judged)) if judged or losses else (count, "No difference shown."),
        facts={
            "before": f"{before.facts.id}, {before.facts.started}, commit {before.facts.machine.get('commit', '?')}",
            "after": f"{after.facts.id}, {after.facts.started}, commit {after.facts.machine.get('commit', '?')}",
            "data sets": ", ".join(dict.fromkeys((*before.facts.datasets, *after.facts.datasets))),
            "samples taken anew between the runs": str(anew),
        },
        tables=(_table(changes),),
        charts=(_chart(changes),),
        skipped=tuple(apart),
        command=command,
        made=after.facts.started,
    )


def _say(change: Change) -> str:
    found = change.difference
    assert found is not None
    where = change.group or ALL
    if change.measure in SHARES:
        return f"{found.verdict}: {change.measure} of {change.who}, {where}: {found.a:.1%} → {found.b:.1%}"
    return f"{found.verdict}: {change.measure} of {change.who}, {where}: {found.a:.4g} → {found.b:.4g}"


def _table(changes: Sequence[Change]) -> Table:
    cells: list[tuple[Cell, ...]] = []
    for change in changes:
        found = change.difference
        if found is not None:
            estimate = estimate_of(found)
            verdict = str(found.verdict)
            numbers = (found.a, found.b, str(found.scale), Estimate(estimate.value, estimate.low, estimate.high))
            counts = (found.samples, found.pages, len(change.lost))
            cells.append((change.who, change.group or ALL, change.measure, *numbers, verdict, *counts))
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
        Column("pages", Unit.COUNT),
        Column("lost", Unit.COUNT, "samples that only the run before has it for"),
    )
    note = "Times must differ by more than 10 % for a verdict: two runs that were not interleaved differ by that."
    return Table("differences", "All measures", columns, tuple(cells), note)


def _chart(changes: Sequence[Change]) -> Chart:
    series = []
    for who in dict.fromkeys(change.who for change in changes):
        found = [
            (change.measure, estimate_of(change.difference))
            for change in changes
            if change.who == who and not change.group and change.difference and change.measure in SHARES
        ]
        series.append(Series(who, tuple(measure for measure, _ in found), tuple(each for _, each in found)))
    return Chart("changes", "Changes of shares", ChartKind.BARS, "", "after - before", tuple(series), Unit.DIFFERENCE)
