"""The report of `logins`."""

from __future__ import annotations

from perception.bench.report.report_model import Column, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.logins.run import LoginsRun


def logins_report(run: LoginsRun) -> Report:
    """A row for each application and way in which its session ended."""
    lasted = sum(each.lasted for each in run.outcomes)
    rows = tuple((each.app, each.ending, "yes" if each.lasted else "NO", each.detail) for each in run.outcomes)
    return Report(
        title="Logins that last",
        summary=(f"{lasted} of {len(run.outcomes)} logins lasted.", *run.left_out),
        facts={},
        tables=(
            Table(
                "outcomes",
                "Logins by application and ending",
                (Column("application"), Column("what came between"), Column("still logged in"), Column("detail")),
                rows,
                "Each login is by form, in a session of its own service; the look afterwards is by another service "
                "with another browser. `control` has neither profile nor state, and must not be logged in.",
            ),
        ),
    )


def logins_comparable(run: LoginsRun) -> Comparable:
    """How many logins did not last."""
    return Comparable(wrong={f"{each.app}, {each.ending}": int(not each.lasted) for each in run.outcomes})
