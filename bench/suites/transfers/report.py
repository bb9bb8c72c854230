"""The report of `transfers`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.transfers.run import TransfersRun
from perception.bench.turns import compare_rounds, median_ms


def transfers_report(run: TransfersRun) -> Report:
    """Medians by way, and memory by state."""
    rows: list[tuple[Cell, ...]] = []
    for way in dict.fromkeys(each.way for each in run.transfers):
        taken_ms = median_ms(run.transfers, way)
        rows.append((way, taken_ms, run.mib / taken_ms * 1000))
    base = run.memory[0].mib
    memory: list[tuple[Cell, ...]] = [(each.state, each.mib, each.mib - base) for each in run.memory]
    return Report(
        title="Files by their bytes",
        summary=tuple(f"{row[0]}: {run.mib} MiB in {row[1]:.0f} ms." for row in rows),
        facts={"file": f"{run.mib} MiB"},
        tables=(
            Table(
                "transfers",
                "Medians over rounds",
                (Column("way"), Column("time", ColumnUnit.MILLISECONDS), Column("MiB/s", ColumnUnit.NUMBER)),
                tuple(rows),
            ),
            Table(
                "memory",
                "Resident memory of the service, MiB",
                (
                    Column("state"),
                    Column("memory", ColumnUnit.MEBIBYTES),
                    Column("more than before", ColumnUnit.MEBIBYTES),
                ),
                tuple(memory),
            ),
        ),
    )


def transfers_comparable(run: TransfersRun) -> Comparable:
    """Milliseconds of each transfer."""
    return compare_rounds("transfers", ((each.round, each.way, each.seconds) for each in run.transfers))
