"""The report of `egress_cost`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.egress_cost.run import DIRECT, PROXY
from perception.bench.turns import TimedRun, by_what, compare_samples, median_ms


def egress_cost_report(run: TimedRun) -> Report:
    """Medians over rounds, with the proxy and without."""
    rows: list[tuple[Cell, ...]] = []
    for what, samples in by_what(run.samples).items():
        medians = [median_ms(samples, way) for way in (DIRECT, PROXY)]
        rows.append((what, *medians, medians[1] - medians[0]))
    columns = (Column("what"), *(Column(name, ColumnUnit.MILLISECONDS) for name in (DIRECT, PROXY, "difference")))
    return Report(
        title="What a session's proxy costs",
        summary=tuple(f"{row[0]}: {row[1]:.1f} direct, {row[2]:.1f} by the proxy." for row in rows),
        facts={"rounds": str(run.rounds)},
        tables=(Table("medians", "Medians over rounds", columns, tuple(rows)),),
    )


def egress_cost_comparable(run: TimedRun) -> Comparable:
    """By round: milliseconds of everything measured, with the proxy and without."""
    return compare_samples("egress_cost", run.samples)
