"""The report of `fuzz`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.fuzz.outcomes import FuzzRun

SHOWN = 10
"""Failed cases of each part that the report shows."""


def fuzz_report(run: FuzzRun) -> Report:
    """A row for each part, then the cases that failed."""
    rows: list[tuple[Cell, ...]] = []
    for each in run.parts:
        codes = ", ".join(f"{code} {count}" for code, count in sorted(each.codes.items(), key=lambda item: -item[1]))
        rows.append((each.part, each.cases, each.seconds, codes, len(each.failures), "; ".join(each.notes)))
    failures: list[tuple[Cell, ...]] = [
        (each.part, case.number, case.why, case.sent) for each in run.parts for case in each.failures[:SHOWN]
    ]
    columns = (
        Column("part"),
        Column("cases", ColumnUnit.COUNT),
        Column("seconds", ColumnUnit.NUMBER),
        Column("codes"),
        Column("failures", ColumnUnit.COUNT),
        Column("notes"),
    )
    failure_columns = (Column("part"), Column("case", ColumnUnit.COUNT), Column("why"), Column("sent"))
    tables = (
        Table("parts", "Parts", columns, tuple(rows)),
        Table("failures", "Failed cases", failure_columns, tuple(failures)),
    )
    cases, seconds = sum(each.cases for each in run.parts), sum(each.seconds for each in run.parts)
    return Report(
        title="Fuzzing",
        summary=(f"{cases:,} cases in {seconds:.0f} s, {run.failed()} failed.",),
        facts={},
        tables=tables,
    )


def fuzz_comparable(run: FuzzRun) -> Comparable:
    """How many cases of each part failed."""
    return Comparable(wrong={f"{each.part}, failed cases": len(each.failures) for each in run.parts})
