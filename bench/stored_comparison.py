"""Two stored runs of one suite: what got better or worse, with intervals where there are samples.

Scores are computed from the store by the suite (`Suite.comparable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perception.bench.comparison.measure_estimates import SHARES, estimate_of
from perception.bench.comparison.paired import Verdict
from perception.bench.comparison.run_changes import MeasureChange, RunComparison, compare_runs
from perception.bench.report.report_model import (
    Cell,
    Chart,
    ChartKind,
    Column,
    ColumnUnit,
    Estimate,
    Report,
    Series,
    Table,
)
from perception.bench.run_store import Run
from perception.bench.suite import Comparable, suite_of_run
from perception.errors import BadInputError

ALL = "all"


@dataclass(frozen=True, slots=True)
class Measured:
    """One side of a comparison.

    Attributes:
        id: its name in the report.
        who: names of what was measured.
        made: ISO 8601, and the commit, in words.
        inputs: data sets or pages.
        comparable: the scores.
    """

    id: str
    who: tuple[str, ...]
    made: str
    inputs: tuple[str, ...]
    comparable: Comparable


def compare_stored(before: Run, after: Run, home: Path, command: str) -> tuple[Report, int]:
    """`compare_measured` of two stored runs.

    Raises:
        BadInputError: the runs are of different suites, or share no variant or no sample.
    """
    if before.facts.suite != after.facts.suite:
        raise BadInputError(
            f"{before.facts.id} is of kind {before.facts.suite}, {after.facts.id} of kind {after.facts.suite}: "
            "only runs of one kind can be compared"
        )
    suite = suite_of_run(before.facts)

    def measured(run: Run) -> Measured:
        facts = run.facts
        made = f"{facts.started}, commit {facts.machine.get('commit', '?')}"
        return Measured(facts.id, facts.who, made, facts.datasets, suite.comparable(suite.load(run, home), home))

    report, worse = compare_measured(measured(before), measured(after), command)
    return replace(report, made=after.facts.started), worse


def compare_measured(before: Measured, after: Measured, command: str) -> tuple[Report, int]:
    """The report, and how many measures got worse or outcomes became wrong.

    Compares what both sides measured; two sides with one variant each are compared even if their names differ.

    Raises:
        BadInputError: they share no variant or no sample.
    """
    old, new = before.comparable, after.comparable
    if old.scores and not {score.sample for score in old.scores} & {score.sample for score in new.scores}:
        raise BadInputError(f"{before.id} and {after.id} have no sample of the same name")
    found = compare_runs(
        old.scores, new.scores, names=_names(before, after) if old.scores else {}, rules={**new.rules, **old.rules}
    )
    ids = {score.sample: score.id for score in old.scores}
    retaken = {score.sample for score in new.scores if ids.get(score.sample, score.id) != score.id}
    counts = [CountChange(kind, old.wrong.get(kind, 0), new.wrong.get(kind, 0)) for kind in {**old.wrong, **new.wrong}]
    comparison = _Comparison(before, after, found, counts, len(retaken))
    return _report(comparison, command), len(found.regressions()) + sum(each.rose for each in counts)


@dataclass(frozen=True, slots=True)
class CountChange:
    """How many outcomes of one kind are wrong, before and after."""

    kind: str
    before: int
    after: int

    @property
    def rose(self) -> bool:
        return self.after > self.before

    @property
    def verdict(self) -> Verdict:
        if self.before == self.after:
            return Verdict.NOT_SHOWN
        return Verdict.WORSE if self.rose else Verdict.BETTER


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two sides and their differences. `retaken`: samples that were taken again between them."""

    before: Measured
    after: Measured
    found: RunComparison
    counts: Sequence[CountChange]
    retaken: int


def _names(before: Measured, after: Measured) -> dict[str, str]:
    shared = set(before.who) & set(after.who)
    if not shared and len(before.who) == len(after.who) == 1:
        return {before.who[0]: after.who[0]}
    if not shared:
        raise BadInputError(
            f"{before.id} has {', '.join(before.who)}, {after.id} has {', '.join(after.who)}: they share no variant"
        )
    return {}


def _report(comparison: _Comparison, command: str) -> Report:
    before, after, changes = comparison.before, comparison.after, comparison.found.changes
    apart = [f"{who}: only {before.id} has it" for who in comparison.found.only_old]
    apart += [f"{who}: only {after.id} has it" for who in comparison.found.only_new]
    return Report(
        title=f"{before.id} → {after.id}",
        summary=tuple(_summary(comparison)),
        facts={
            "before": f"{before.id}, {before.made}",
            "after": f"{after.id}, {after.made}",
            "data sets": ", ".join(dict.fromkeys((*before.inputs, *after.inputs))),
            "samples taken again between the runs": str(comparison.retaken),
        },
        tables=tuple(table for table in (_count_table(comparison.counts), _table(changes)) if table.rows),
        charts=(_chart(changes),) if changes else (),
        skipped=tuple(apart),
        command=command,
    )


def _summary(comparison: _Comparison) -> list[str]:
    """How many measures changed, then each of them: regressions first, and all samples before a stratum."""
    changes, counts = comparison.found.changes, comparison.counts
    judged = [
        each for each in changes if each.difference and each.difference.verdict in (Verdict.WORSE, Verdict.BETTER)
    ]
    judged.sort(
        key=lambda each: (each.difference is not None and each.difference.verdict is Verdict.BETTER, bool(each.group))
    )
    changed = [each for each in counts if each.before != each.after]
    worse = sum(each.difference is not None and each.difference.verdict is Verdict.WORSE for each in judged)
    worse += sum(each.rose for each in changed)
    better = len(judged) + len(changed) - worse
    measures = f"{len(changes)} measures and strata" if changes else f"{len(counts)} counts"
    losses = [
        f"{each.who}: {len(each.lost)} samples no longer have {each.measure}" for each in comparison.found.losses()
    ]
    said = [
        *(f"{each.verdict}: {each.kind}: {each.before} → {each.after}" for each in changed),
        *losses,
        *map(_say, judged),
    ]
    return [f"{worse} got worse and {better} better, of {measures}.", *(said or ["No difference shown."])]


def _count_table(counts: Sequence[CountChange]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.kind, each.before, each.after, str(each.verdict)) for each in counts
    )
    columns = (
        Column("wrong"),
        Column("before", ColumnUnit.COUNT),
        Column("after", ColumnUnit.COUNT),
        Column("verdict"),
    )
    return Table("wrong", "Wrong outcomes", columns, rows, "One more is a regression: these are no estimates.")


def _say(change: MeasureChange) -> str:
    found = change.difference
    assert found is not None
    where = change.group or ALL
    if change.measure in SHARES:
        return f"{found.verdict}: {change.measure} of {change.who}, {where}: {found.a:.1%} → {found.b:.1%}"
    return f"{found.verdict}: {change.measure} of {change.who}, {where}: {found.a:.4g} → {found.b:.4g}"


def _table(changes: Sequence[MeasureChange]) -> Table:
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
        Column("before", ColumnUnit.NUMBER),
        Column("after", ColumnUnit.NUMBER),
        Column("compared by"),
        Column("value", ColumnUnit.NUMBER, "95 % interval over pages"),
        Column("verdict"),
        Column("samples", ColumnUnit.COUNT),
        Column("pages", ColumnUnit.COUNT),
        Column("lost", ColumnUnit.COUNT, "samples that only the run before has it for"),
    )
    note = "Times must differ by more than 10 % for a verdict: two runs that were not interleaved differ by that."
    return Table("differences", "All measures", columns, tuple(cells), note)


def _chart(changes: Sequence[MeasureChange]) -> Chart:
    series = []
    for who in dict.fromkeys(change.who for change in changes):
        found = [
            (change.measure, estimate_of(change.difference))
            for change in changes
            if change.who == who and not change.group and change.difference and change.measure in SHARES
        ]
        series.append(Series(who, tuple(measure for measure, _ in found), tuple(each for _, each in found)))
    return Chart(
        "changes", "Changes of shares", ChartKind.BARS, "", "after - before", tuple(series), ColumnUnit.DIFFERENCE
    )
