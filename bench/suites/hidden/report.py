"""The report of `hidden`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.hidden.false_alarms import FalseAlarms
from perception.bench.suites.hidden.run import FUSED, PLAYWRIGHT, TEXT, HiddenRun, TrickAnswer

CAUGHT, IN_FULL, ALARMS = "tricks caught", "honest pages in full", "visible lines taken for hidden"
"""Measures, as runs are compared by."""

WORST = 20
"""Pages with false alarms that are named."""

_HOW = {
    "text": "live pages, style and geometry",
    "fused": "live pages, with pixels",
    "stored": "kept captures, pixels alone",
}


def hidden_report(verdicts: Sequence[TrickAnswer], alarms: Sequence[FalseAlarms], failed: Mapping[str, str]) -> Report:
    """The report of a run. `failed`: why pages could not be judged, by page."""
    return Report(
        title="Text that no person can see",
        summary=tuple(_say(verdicts, who) for who in (TEXT, FUSED, PLAYWRIGHT)),
        facts={},
        tables=(_sums(verdicts), _cases(verdicts), _alarms(alarms), _worst(alarms)),
        skipped=tuple(f"{page}: {why}" for page, why in failed.items()),
    )


def _count(verdicts: Sequence[TrickAnswer], who: str, *, hides: bool) -> tuple[int, int]:
    """How many are correct, of how many."""
    own = [each for each in verdicts if each.who == who and each.case.hides is hides]
    return sum(each.is_right for each in own), len(own)


def _say(verdicts: Sequence[TrickAnswer], who: str) -> str:
    (caught, tricks), (shown, honest) = (_count(verdicts, who, hides=hides) for hides in (True, False))
    return f"{who}: {caught} of {tricks} tricks caught, {shown} of {honest} honest pages listed in full."


def _sums(verdicts: Sequence[TrickAnswer]) -> Table:
    rows = []
    for who in (TEXT, FUSED, PLAYWRIGHT):
        (caught, tricks), (shown, honest) = (_count(verdicts, who, hides=hides) for hides in (True, False))
        rows.append((who, caught, tricks, shown, honest))
    columns = (
        Column("who looks"),
        Column("caught", ColumnUnit.COUNT),
        Column("tricks", ColumnUnit.COUNT),
        Column("on_page", ColumnUnit.COUNT),
        Column("honest pages", ColumnUnit.COUNT, "the same pages without the trick, and such as only look like one"),
    )
    return Table("sums", "Tricks and honest pages", columns, tuple(rows))


def _cases(verdicts: Sequence[TrickAnswer]) -> Table:
    by_case: dict[tuple[str, bool, bool], dict[str, bool]] = {}
    for each in verdicts:
        by_case.setdefault((each.case.id, each.case.hides, each.case.by_pixels), {})[each.who] = each.is_right
    rows: list[tuple[Cell, ...]] = [
        (name, *("yes" if right[who] else "no" for who in (TEXT, FUSED, PLAYWRIGHT)), "by pixels alone" * pixels)
        for (name, hides, pixels), right in by_case.items()
        if hides
    ]
    columns = tuple(Column(title) for title in ("trick", TEXT, FUSED, PLAYWRIGHT, "note"))
    note = "Whether the hidden sentence is left out of what a model is given."
    return Table("tricks", "Each trick", columns, tuple(rows), note)


def _alarms(alarms: Sequence[FalseAlarms]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for how, what in _HOW.items():
        own = [each for each in alarms if each.how == how]
        lines, wrong = sum(each.lines for each in own), sum(len(each.unseen) for each in own)
        if lines:
            rows.append((what, len(own), lines, wrong, wrong / lines))
    columns = (
        Column("looked at"),
        Column("pages", ColumnUnit.COUNT),
        Column("visible lines", ColumnUnit.COUNT),
        Column("taken for hidden", ColumnUnit.COUNT),
        Column("share", ColumnUnit.SHARE),
    )
    return Table("alarms", "False alarms", columns, tuple(rows), "What is visible is Chromium's own word.")


def _worst(alarms: Sequence[FalseAlarms]) -> Table:
    worst = sorted((each for each in alarms if each.unseen), key=lambda each: -len(each.unseen))[:WORST]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.page, _HOW[each.how], len(each.unseen), each.lines, "; ".join(each.unseen[:5])[:200]) for each in worst
    )
    columns = (
        Column("page"),
        Column("looked at"),
        Column("taken for hidden", ColumnUnit.COUNT),
        Column("visible lines", ColumnUnit.COUNT),
        Column("for example"),
    )
    return Table("worst", "Pages with false alarms", columns, rows)


def hidden_comparable(run: HiddenRun) -> Comparable:
    """By lister: tricks that are detected, honest pages that are listed in full; by page: false alarms."""
    scores = []
    for each in run.answers:
        measure = CAUGHT if each.case.hides else IN_FULL
        sample = f"{each.case.id}, {'hidden' if each.case.hides else 'twin' if each.case.twin else 'honest'}"
        scores.append(Score(sample, each.who, each.case.id, "", "", {measure: Tally(each.is_right, 1)}))
    for alarm in run.alarms:
        if alarm.lines:
            tallies = {ALARMS: Tally(len(alarm.unseen), alarm.lines)}
            scores.append(Score(alarm.page, f"alarms, {alarm.how}", alarm.page, "", "", tallies))
    return Comparable(
        scores, {CAUGHT: ComparisonRule(True), IN_FULL: ComparisonRule(True), ALARMS: ComparisonRule(False)}
    )
