"""The report of `transfers`."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.transfers.run import TransfersRun


def transfers_report(run: TransfersRun, machine: Mapping[str, str], command: str) -> Report:
    """Medians by way, and memory by state."""
    rows: list[tuple[Cell, ...]] = []
    for way in dict.fromkeys(each.way for each in run.transfers):
        seconds = median(each.seconds for each in run.transfers if each.way == way)
        rows.append((way, seconds * 1000, run.mib / seconds))
    base = run.memory[0].mib
    memory: list[tuple[Cell, ...]] = [(each.state, each.mib, each.mib - base) for each in run.memory]
    return Report(
        title="Files by their bytes",
        summary=tuple(f"{row[0]}: {run.mib} MiB in {row[1]:.0f} ms." for row in rows),
        facts={"file": f"{run.mib} MiB", **machine},
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
        command=command,
    )


def transfers_comparable(run: TransfersRun) -> Comparable:
    """Milliseconds of each transfer."""
    values = [(f"round {each.round}", f"round {each.round}", each.way, each.seconds * 1000) for each in run.transfers]
    return compare_times("transfers", values)
