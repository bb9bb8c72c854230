"""The report of `recording_cost`."""

from __future__ import annotations

from statistics import median

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.recording_cost.run import OFF, WAYS
from perception.bench.turns import TimedRun, by_what, compare_samples, milliseconds


def recording_cost_report(run: TimedRun) -> Report:
    """Medians over rounds, and the median of each round's ratio to what it took without recording."""
    rows: list[tuple[Cell, ...]] = []
    for what, samples in by_what(run.samples).items():
        base = milliseconds(samples, OFF)
        for way in WAYS:
            taken = milliseconds(samples, way)
            ratios = [taken[number] / base[number] for number in taken.keys() & base.keys() if base[number]]
            rows.append((what, way, median(taken.values()), 100 * (median(ratios) - 1) if ratios else 0.0))
    columns = (
        Column("what"),
        Column("recorded"),
        Column("median", ColumnUnit.MILLISECONDS),
        Column("more than off, %"),
    )
    return Report(
        title="What recording costs",
        summary=tuple(f"{row[0]}, {row[1]}: {row[2]:.1f} ms, {row[3]:+.1f} %." for row in rows),
        facts={"rounds": str(run.rounds)},
        tables=(Table("medians", "Medians over rounds", columns, tuple(rows)),),
    )


def recording_cost_comparable(run: TimedRun) -> Comparable:
    """By round: milliseconds of everything measured, in each way."""
    return compare_samples("recording_cost", run.samples)
