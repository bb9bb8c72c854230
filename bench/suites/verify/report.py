"""The report of `verify`."""

from __future__ import annotations

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.verify.run import VerifyRun

CATCH_GOAL, ALARM_GOAL = 0.95, 0.01
CAUGHT, ALARMS = "tampered numbers caught", "honest texts taken for tampered"
"""Measures, as runs are compared by."""


def verify_report(found: VerifyRun) -> Report:
    """The report of a run."""
    return Report(
        title="Looks that check themselves",
        summary=(_say_caught(found), _say_alarms(found)),
        facts={},
        tables=(_tricks(found), _pages(found), _alarms(found)),
        skipped=tuple(f"{page}: {why}" for page, why in found.failed.items()),
    )


def _say_caught(found: VerifyRun) -> str:
    caught, listed = (sum(getattr(each, name) for each in found.tricks) for name in ("caught", "listed"))
    if not listed:
        return "No tampered number was listed."
    verdict = "met" if caught / listed >= CATCH_GOAL else "missed"
    share = f"{caught} of {listed} tampered numbers caught, {caught / listed:.1%}"
    return f"{share}; the goal of {CATCH_GOAL:.0%} is {verdict}."


def _say_alarms(found: VerifyRun) -> str:
    alarms, checked = sum(len(each.alarms) for each in found.pages), sum(each.checked for each in found.pages)
    texts = sum(each.texts for each in found.pages)
    if not checked:
        return "No honest text was checked."
    verdict = "met" if alarms / checked <= ALARM_GOAL else "missed"
    return (
        f"{alarms} false alarms in {checked} checked texts of honest pages, {alarms / checked:.2%}; the goal of "
        f"{ALARM_GOAL:.0%} is {verdict}. {checked} of {texts} texts in view were checked."
    )


def _tricks(found: VerifyRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.trick, each.numbers, each.listed, each.caught, "; ".join(each.missed)) for each in found.tricks
    )
    columns = (
        Column("trick"),
        Column("numbers", ColumnUnit.COUNT),
        Column("listed", ColumnUnit.COUNT, "the others are taken for hidden, or shown as painted"),
        Column("caught", ColumnUnit.COUNT),
        Column("missed"),
    )
    return Table("tricks", "Tampered numbers", columns, rows)


def _pages(found: VerifyRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            each.page,
            each.texts,
            each.checked,
            len(each.alarms),
            each.plain_s * 1000,
            each.verify_s * 1000,
            each.again_s * 1000,
            each.note.partition("not checked ")[2],
        )
        for each in found.pages
    )
    columns = (
        Column("page"),
        Column("texts", ColumnUnit.COUNT),
        Column("checked", ColumnUnit.COUNT),
        Column("false alarms", ColumnUnit.COUNT),
        Column("ms without", ColumnUnit.NUMBER),
        Column("ms with", ColumnUnit.NUMBER),
        Column("ms again", ColumnUnit.NUMBER, "a second look with it at the same pixels, another view"),
        Column("not checked"),
    )
    return Table("pages", "Honest pages", columns, rows)


def _alarms(found: VerifyRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple((each.page, line[:200]) for each in found.pages for line in each.alarms)
    return Table("alarms", "False alarms", (Column("page"), Column("line")), rows)


def verify_comparable(found: VerifyRun) -> Comparable:
    """By trick and page."""
    scores = [
        Score(each.trick, "verify", each.trick, "", "", {CAUGHT: Tally(each.caught, each.listed)})
        for each in found.tricks
        if each.listed
    ]
    scores += [
        Score(each.page, "verify", each.page, "", "", {ALARMS: Tally(len(each.alarms), each.checked)})
        for each in found.pages
        if each.checked
    ]
    return Comparable(scores, {CAUGHT: ComparisonRule(True), ALARMS: ComparisonRule(False)})
