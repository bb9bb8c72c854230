"""The report of `egress`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.egress.run import EgressRun


def egress_report(run: EgressRun) -> Report:
    """A row for each attempt, and for each attempt on the service's own ports."""
    rows: list[tuple[Cell, ...]] = [
        (each.name, each.error or None, each.hits, each.control if each.control >= 0 else None) for each in run.attempts
    ]
    own: list[tuple[Cell, ...]] = [(each.name, "REACHED" if each.reached else "refused") for each in run.own_ports]
    columns = (
        Column("attempt"),
        Column("error"),
        Column("hits", ColumnUnit.COUNT, "connections that the forbidden server took"),
        Column("control", ColumnUnit.COUNT, "the same where every host is allowed"),
    )
    tables = (
        Table("attempts", "Attempts", columns, tuple(rows)),
        Table("own-ports", "The service's own ports, every host allowed", (Column("page to"), Column("")), tuple(own)),
    )
    hits, silent = sum(each.hits for each in run.attempts), run.silent()
    reached = sum(each.reached for each in run.own_ports)
    return Report(
        title="Ways out of a session",
        summary=(
            f"{len(run.attempts)} attempts, {hits} hits; {len(run.own_ports)} tries at the service's own ports, "
            f"{reached} reached.",
            f"Control: {len(run.attempts) - len(silent)} attempts hit where every host is allowed; "
            f"not: {', '.join(silent) or 'none'}.",
        ),
        facts={},
        tables=tables,
    )


def egress_comparable(run: EgressRun) -> Comparable:
    """Hits, own ports reached, and inconclusive attempts."""
    return Comparable(
        wrong={
            "hits": sum(each.hits for each in run.attempts),
            "own ports reached": sum(each.reached for each in run.own_ports),
            "attempts that prove nothing": len(run.silent()),
        }
    )
