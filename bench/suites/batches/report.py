"""The report of `batches`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.batches.run import BATCH, CALLS, BatchesRun
from perception.bench.turns import compare_rounds, median_ms


def batches_report(run: BatchesRun) -> Report:
    """Medians over rounds, and each way's share of the time of calls with a diff each."""
    ways = list(dict.fromkeys(each.way for each in run.samples))
    medians = {way: median_ms(run.samples, way) for way in ways}
    rows: list[tuple[Cell, ...]] = [(way, medians[way], medians[way] / medians[CALLS]) for way in ways]
    columns = (Column("way"), Column("time", ColumnUnit.MILLISECONDS), Column("share of calls"))
    return Report(
        title="A form by one batch",
        summary=(
            f"{run.fields} fields by one batch take {medians[BATCH] / medians[CALLS]:.2f} of the time of "
            f"{run.fields} calls.",
        ),
        facts={"fields": str(run.fields), "rounds": str(run.rounds)},
        tables=(Table("medians", "Medians over rounds", columns, tuple(rows)),),
    )


def batches_comparable(run: BatchesRun) -> Comparable:
    """By round: milliseconds of each way."""
    return compare_rounds("batches", ((each.round, each.way, each.seconds) for each in run.samples))
