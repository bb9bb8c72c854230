"""The report of `scale`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.stats import quartiles_text
from perception.bench.suite import Comparable
from perception.bench.suites.scale.run import ScaleRun, ScaleSample

MS = ColumnUnit.MILLISECONDS


def scale_report(run: ScaleRun) -> Report:
    """By number of workers and call: medians at the service and through the edge, and what lies between."""
    rows = [_row(count, what, run) for count, what in _measured(run)]
    columns = (
        *(Column("workers", ColumnUnit.COUNT), Column("call"), Column("calls", ColumnUnit.COUNT)),
        *(Column("service, p50", MS), Column("edge, p50", MS), Column("ratio", ColumnUnit.RATIO)),
        *(Column("added", MS), Column("service, quartiles"), Column("edge, quartiles")),
        *(Column("service, p99", MS), Column("edge, p99", MS)),
    )
    shared = f"{run.cores} cores for the client, the edge, all workers and their Chromiums"
    return Report(
        title="What edges and workers cost",
        summary=(shared, *(_sentence(row) for row in rows if "unchanged" in str(row[1]))),
        facts={"cores, shared by all processes": str(run.cores), "PNG, bytes": str(run.png_bytes)},
        tables=(Table("calls", "Calls, in turns", columns, tuple(rows)), _costs(run), _throughput(run)),
    )


def scale_comparable(run: ScaleRun) -> Comparable:
    """Milliseconds of each call through the edge."""
    values = [
        (f"{each.workers} workers", f"{each.workers} workers, call {number}", each.what, each.ms)
        for number, each in enumerate(run.samples)
    ]
    return compare_times("scale", values)


def _measured(run: ScaleRun) -> Sequence[tuple[int, str]]:
    return list(dict.fromkeys((each.workers, each.what) for each in run.samples))


def _of(samples: Sequence[ScaleSample], workers: int, what: str) -> list[float]:
    return [each.ms for each in samples if (each.workers, each.what) == (workers, what)]


def _row(workers: int, what: str, run: ScaleRun) -> tuple[Cell, ...]:
    edge, direct = _of(run.samples, workers, what), _of(run.direct, workers, what)
    ours, theirs = median(edge), median(direct)
    return (
        *(workers, what, len(edge), theirs, ours, ours / theirs, ours - theirs),
        *(quartiles_text(direct, 1), quartiles_text(edge, 1), _late(direct), _late(edge)),
    )


def _sentence(row: tuple[Cell, ...]) -> str:
    workers, what, _, theirs, ours, ratio, added, *_ = row
    times = f"{theirs:.2f} ms at the service, {ours:.2f} ms through the edge ({ratio:.2f} x, {added:+.2f} ms)"
    return f"{workers} workers, {what}: {times}."


def _late(values: Sequence[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[98] if len(values) > 1 else values[0]


def _costs(run: ScaleRun) -> Table:
    rows = tuple((each.workers, each.process, each.ms) for each in run.costs)
    columns = (Column("workers", ColumnUnit.COUNT), Column("process"), Column("a call", MS))
    return Table("costs", "Processor time of an unchanged text snapshot, without Chromium", columns, rows)


def _throughput(run: ScaleRun) -> Table:
    rows = tuple((each.workers, each.sessions, each.per_second) for each in run.throughput)
    columns = (
        Column("workers", ColumnUnit.COUNT, "0: the service"),
        Column("sessions", ColumnUnit.COUNT),
        Column("clicks and snapshots a second", ColumnUnit.NUMBER),
    )
    return Table("throughput", "Throughput", columns, rows)
