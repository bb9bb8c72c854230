"""The report of `egress_cost`."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.egress_cost.run import DIRECT, PROXY, EgressCostRun


def egress_cost_report(run: EgressCostRun, machine: Mapping[str, str], command: str) -> Report:
    """Medians over rounds, with the proxy and without."""
    rows: list[tuple[Cell, ...]] = []
    for what in dict.fromkeys(each.what for each in run.samples):
        medians = [
            median(each.seconds * 1000 for each in run.samples if (each.way, each.what) == (way, what))
            for way in (DIRECT, PROXY)
        ]
        rows.append((what, *medians, medians[1] - medians[0]))
    columns = (Column("what"), *(Column(name, ColumnUnit.MILLISECONDS) for name in (DIRECT, PROXY, "difference")))
    return Report(
        title="What a session's proxy costs",
        summary=tuple(f"{row[0]}: {row[1]:.1f} direct, {row[2]:.1f} by the proxy." for row in rows),
        facts={"rounds": str(run.rounds), **machine},
        tables=(Table("medians", "Medians over rounds", columns, tuple(rows)),),
        command=command,
    )


def egress_cost_comparable(run: EgressCostRun) -> Comparable:
    """By round: milliseconds of everything measured, with the proxy and without."""
    values = [
        (f"round {each.round}", f"round {each.round}", f"{each.what}, {each.way}", each.seconds * 1000)
        for each in run.samples
    ]
    return compare_times("egress_cost", values)
