"""The report of `faults`."""

from __future__ import annotations

from perception.bench.comparables import compare_faults
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.faults.run import FaultsRun


def faults_report(run: FaultsRun) -> Report:
    """A row for each fault, and the service's resources before and after all of them."""
    rows: list[tuple[Cell, ...]] = [
        (each.way, each.answered, each.again_s, "not injected" if each.skipped else each.wrong or "as it should be")
        for each in run.outcomes
    ]
    columns = (Column("fault"), Column("answers"), Column("s to work again", ColumnUnit.NUMBER), Column("verdict"))
    before, after = run.before, run.after
    held: list[tuple[Cell, ...]] = [
        ("processes", before.processes, after.processes),
        ("open files of the service", before.files, after.files),
        ("its threads", before.threads, after.threads),
        ("temporary folders", before.folders, after.folders),
    ]
    injected = [each for each in run.outcomes if not each.skipped]
    wrong = [each for each in injected if each.wrong]
    slowest = max((each.again_s or 0.0 for each in injected), default=0.0)
    leaks = run.leaks()
    return Report(
        title="Faults",
        summary=(
            f"{len(injected)} faults, {len(wrong)} with a wrong outcome; "
            f"at most {slowest:.1f} s until the service worked again.",
            *([f"Leaked: {', '.join(leaks)}."] if leaks else []),
        ),
        facts={},
        tables=(
            Table("faults", "Faults", columns, tuple(rows), "The site counts the presses that were acknowledged."),
            Table(
                "held",
                "Without a session, before and after all faults",
                (Column(""), Column("before", ColumnUnit.COUNT), Column("after", ColumnUnit.COUNT)),
                tuple(held),
            ),
        ),
    )


def faults_comparable(run: FaultsRun) -> Comparable:
    """By fault, how long the service took to work again; wrong outcomes and leaks are counted."""
    again = [(each.way, each.again_s) for each in run.outcomes if each.again_s is not None]
    wrong = sum(bool(each.wrong) for each in run.outcomes)
    return compare_faults("faults", again, faults=wrong, leaks=len(run.leaks()))
