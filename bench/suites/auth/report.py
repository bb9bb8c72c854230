"""The report of `auth`."""

from __future__ import annotations

from perception.bench.report.report_model import Cell, Column, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.auth.run import AuthRun


def auth_report(run: AuthRun) -> Report:
    """A row for each rpc, a column for each kind of credential."""
    kinds = list(dict.fromkeys(kind for row in run.rows for kind in row.answers))
    rows: list[tuple[Cell, ...]] = [
        (row.rpc, *(f"{'WRONG: ' if kind in row.wrong else ''}{row.answers[kind].shown}" for kind in kinds))
        for row in run.rows
    ]
    calls, wrong = sum(len(row.answers) for row in run.rows), sum(len(row.wrong) for row in run.rows)
    return Report(
        title="Authentication",
        summary=(f"{len(run.rows)} rpcs, {calls} calls, {wrong} wrong answers.",),
        facts={},
        tables=(
            Table(
                "answers",
                "Answers by rpc and credential",
                (Column("rpc"), *(Column(kind) for kind in kinds)),
                tuple(rows),
                "`mine` is the caller whose session the call is about; `another's` is a second, valid caller.",
            ),
        ),
    )


def auth_comparable(run: AuthRun) -> Comparable:
    """How many answers to each kind of credential are wrong."""
    kinds = dict.fromkeys(kind for row in run.rows for kind in row.answers)
    return Comparable(
        wrong={f"answers to credential {kind!r}": sum(kind in row.wrong for row in run.rows) for kind in kinds}
    )
