"""The report of `cluster_faults`."""

from __future__ import annotations

import statistics
from dataclasses import fields

from perception.bench.comparables import compare_faults
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.cluster_faults.outcomes import ClusterFaultsRun, Counts, FaultResult


def cluster_faults_report(run: ClusterFaultsRun) -> Report:
    """A row for each fault in two tables: what came of it, and what was held before and after all its rounds."""
    injected = [each for each in run.results if not each.skipped]
    wrong = [each for each in injected if each.wrong or each.leaks]
    slowest = max((seconds for each in injected for seconds in each.again_s), default=0.0)
    return Report(
        title=f"Faults of a cluster, placement {run.placement}",
        summary=(
            f"{sum(each.rounds for each in injected)} rounds of {len(injected)} faults, {len(wrong)} of them with a "
            f"wrong outcome; at most {slowest:.1f} s until every caller had its work done again.",
            f"{run.workers} workers with {run.slots} slots each, 2 edges, {run.callers} callers that look and press.",
        ),
        facts={},
        tables=(_outcomes(run), _answers(run), _held(run)),
    )


def _outcomes(run: ClusterFaultsRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            each.fault,
            each.rounds,
            statistics.median(each.again_s) if each.again_s else None,
            max(each.again_s, default=None),
            each.quiet_p99_ms,
            each.other_p99_ms,
            each.ratio,
            each.others,
            _verdict(each),
        )
        for each in run.results
    ]
    columns = (
        Column("fault"),
        Column("rounds", ColumnUnit.COUNT),
        Column("s to work again, median", ColumnUnit.NUMBER),
        Column("at most", ColumnUnit.NUMBER),
        Column("quiet p99", ColumnUnit.MILLISECONDS),
        Column("others' p99", ColumnUnit.MILLISECONDS),
        Column("ratio", ColumnUnit.RATIO),
        Column("others' looks", ColumnUnit.COUNT),
        Column("verdict"),
    )
    note = (
        "A round ends when every press was counted once at the most, claims fill exactly all slots, and no session is "
        "left that nobody knows. p99: text snapshots of sessions that the fault is not for."
    )
    return Table("faults", "Faults", columns, tuple(rows), note)


def _answers(run: ClusterFaultsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in run.results:
        told = dict(each.told or {})
        fine = told.pop("OK", 0)
        others = ", ".join(f"{count} {reason}" for reason, count in sorted(told.items(), key=lambda item: -item[1]))
        rows.append((each.fault, fine, others or "nothing else"))
    columns = Column("fault"), Column("OK", ColumnUnit.COUNT), Column("other answers")
    return Table("answers", "What callers were told", columns, tuple(rows))


def _held(run: ClusterFaultsRun) -> Table:
    names = [each.name for each in fields(Counts)]
    rows: list[tuple[Cell, ...]] = [
        (each.fault, *(f"{getattr(each.first, name)} → {getattr(each.last, name)}" for name in names))
        for each in run.results
        if each.first is not None and each.last is not None
    ]
    columns = Column("fault"), *(Column(each.replace("_", " ")) for each in names)
    return Table("held", "Held after the first and the last round", columns, tuple(rows))


def _verdict(result: FaultResult) -> str:
    if result.skipped:
        return f"not injected: {result.skipped}"
    found = [*result.wrong[:3], *([f"and {len(result.wrong) - 3} more"] if len(result.wrong) > 3 else ())]
    if result.leaks:
        found.append(f"leaked: {', '.join(result.leaks)}")
    return "; ".join(found) or "as it should be"


def cluster_faults_comparable(run: ClusterFaultsRun) -> Comparable:
    """By fault, how long it took until everything worked again; wrong outcomes and leaks are counted."""
    again = [(each.fault, seconds) for each in run.results for seconds in each.again_s]
    wrong, leaks = (sum(bool(getattr(each, kind)) for each in run.results) for kind in ("wrong", "leaks"))
    return compare_faults("cluster_faults", again, faults=wrong, leaks=leaks)
