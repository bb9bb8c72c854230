"""The measurements of a load run, and its report."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from perception.bench.comparison.paired import LATENCY, LATENCY_MARGIN, ComparisonRule, Scale
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table
from perception.bench.scores import Score, Tally, scores_of_values
from perception.bench.suite import Comparable

PLAYWRIGHT_SIDE = "playwright, aria_snapshot"

SLICES = 20
"""Points of a line over time."""


@dataclass(frozen=True, slots=True)
class ResourceSample:
    """Resources at a moment: PSS in MiB of all processes and of the first one, processes, open files."""

    second: float
    mebibytes: float
    own_mebibytes: float
    processes: int
    files: int


@dataclass(frozen=True, slots=True)
class SessionScaling:
    """One side with this many sessions. `seconds`: of each snapshot; `clicks`: of each click; `cpu_s`: CPU seconds of
    all its processes."""

    side: str
    sessions: int
    rate: float
    cpu_s: float
    wall_s: float
    seconds: tuple[float, ...]
    clicks: tuple[float, ...]
    errors: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LoadRun:
    """`spent`: by kind of call, the start and the duration of each, in seconds."""

    side: str
    sessions: int
    wall_s: float
    cpu_s: float
    spent: Mapping[str, Sequence[tuple[float, float]]]
    errors: Mapping[str, int]
    resources: tuple[ResourceSample, ...]
    scaling: tuple[SessionScaling, ...]


def load_report(run: LoadRun) -> Report:
    """Latencies, errors, resources, and scaling with the sessions."""
    tables = [_latencies(run), _errors(run)]
    charts = [_over_time(run)]
    if run.resources:
        tables.append(_resources(run))
        charts.append(_memory(run))
    if run.scaling:
        tables.append(_growth(run))
        charts += [
            _growth_chart(run, "rate", "Snapshots a second", lambda each: each.rate),
            _growth_chart(run, "latency", "Median of a snapshot, ms", lambda each: _quantile(each.seconds, 50)),
        ]
    return Report(
        title=f"{run.sessions} sessions for {run.wall_s / 60:.1f} minutes",
        summary=tuple(_summary(run)),
        facts={"side": run.side, "sessions": str(run.sessions)},
        tables=tuple(tables),
        charts=tuple(charts),
        skipped=(),
    )


def _summary(run: LoadRun) -> list[str]:
    calls = sum(map(len, run.spent.values()))
    failed = sum(run.errors.values())
    said = [f"{calls:,} calls, {failed:,} failed ({failed / max(1, calls + failed):.3%})."]
    if len(run.resources) >= 4:
        early, late = _ends(run.resources)
        said.append(
            f"From the first quarter to the last: memory {early.mebibytes:.0f} → {late.mebibytes:.0f} MiB, "
            f"the service's own process {early.own_mebibytes:.0f} → {late.own_mebibytes:.0f} MiB, "
            f"processes {early.processes} → {late.processes}, open files {early.files} → {late.files} (medians)."
        )
    return said


def _latencies(run: LoadRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind, spent in run.spent.items():
        seconds = [each for _, each in spent]
        quantiles = (_quantile(seconds, percent) for percent in (50, 90, 99))
        rows.append((kind, len(seconds), *quantiles, max(seconds) * 1000, len(seconds) / run.wall_s))
    columns = (
        Column("call"),
        Column("count", ColumnUnit.COUNT),
        *(Column(name, ColumnUnit.MILLISECONDS) for name in ("p50", "p90", "p99", "most")),
        Column("a second", ColumnUnit.NUMBER),
    )
    note = f"No pause between calls. {run.cpu_s / run.wall_s:.2f} cores were in use, the client's part included."
    return Table("latencies", "What calls took", columns, tuple(rows), note)


def _errors(run: LoadRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(sorted(run.errors.items()))
    return Table("errors", "Errors", (Column("reason"), Column("count", ColumnUnit.COUNT)), rows or (("none", 0),))


def _resources(run: LoadRun) -> Table:
    early, late = _ends(run.resources)
    most = max(run.resources, key=lambda each: each.mebibytes)
    rows: tuple[tuple[Cell, ...], ...] = (
        ("memory of all, MiB PSS", early.mebibytes, late.mebibytes, most.mebibytes),
        ("the first process, MiB PSS", early.own_mebibytes, late.own_mebibytes, most.own_mebibytes),
        ("processes", early.processes, late.processes, most.processes),
        ("open files", early.files, late.files, most.files),
    )
    columns = (
        Column(""),
        *(Column(name, ColumnUnit.NUMBER) for name in ("first quarter", "last quarter", "at the most")),
    )
    return Table("resources", "What it took of the machine", columns, rows, "Medians of the quarters.")


def _growth(run: LoadRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in run.scaling:
        peer = next(
            (other for other in run.scaling if other.side == PLAYWRIGHT_SIDE and other.sessions == each.sessions), None
        )
        ratio = each.rate / peer.rate if peer and peer.rate and each.side != PLAYWRIGHT_SIDE else None
        per_core = len(each.seconds) / each.cpu_s if each.cpu_s else None
        quantiles = (_quantile(spent, percent) for spent in (each.seconds, each.clicks) for percent in (50, 99))
        failed = sum(each.errors.values())
        rows.append((each.side, each.sessions, each.rate, ratio, per_core, *quantiles, failed))
    columns = (
        Column("who"),
        Column("sessions", ColumnUnit.COUNT),
        Column("snapshots a second", ColumnUnit.NUMBER),
        Column("to Playwright's", ColumnUnit.RATIO),
        Column("snapshots a CPU second", ColumnUnit.NUMBER),
        *(
            Column(f"{kind} p{percent}", ColumnUnit.MILLISECONDS)
            for kind in ("snapshot", "click")
            for percent in (50, 99)
        ),
        Column("errors", ColumnUnit.COUNT),
    )
    note = "Each snapshot is followed by a click. CPU: of the client, the service and the browser together."
    return Table("scaling", "From 1 session up", columns, tuple(rows), note)


def _growth_chart(run: LoadRun, name: str, title: str, value: Callable[[SessionScaling], float | None]) -> Chart:
    series = []
    for side in dict.fromkeys(each.side for each in run.scaling):
        points = [each for each in run.scaling if each.side == side]
        values = tuple(value(each) for each in points)
        series.append(Series(side, tuple(each.sessions for each in points), values))
    return Chart(f"scaling-{name}", title, ChartKind.LINES, "sessions", title, tuple(series))


def _over_time(run: LoadRun) -> Chart:
    """Medians of calls by start time."""
    series = []
    start = min((when for spent in run.spent.values() for when, _ in spent), default=0.0)
    for kind, spent in run.spent.items():
        if len(spent) < 2 * SLICES:
            continue
        slices: list[list[float]] = [[] for _ in range(SLICES)]
        for when, seconds in spent:
            slices[min(SLICES - 1, int((when - start) / run.wall_s * SLICES))].append(seconds)
        filled = [(index, each) for index, each in enumerate(slices) if each]
        minutes = tuple(round((index + 0.5) * run.wall_s / SLICES / 60, 2) for index, _ in filled)
        series.append(Series(kind, minutes, tuple(_quantile(each, 50) for _, each in filled)))
    return Chart(
        "time", "Calls over time, medians", ChartKind.LINES, "minute", "ms", tuple(series), ColumnUnit.MILLISECONDS
    )


def _memory(run: LoadRun) -> Chart:
    minutes = tuple(round(each.second / 60, 2) for each in run.resources)
    series = (
        Series("all processes", minutes, tuple(each.mebibytes for each in run.resources)),
        Series("the service's own", minutes, tuple(each.own_mebibytes for each in run.resources)),
    )
    return Chart("memory", "Memory over time", ChartKind.LINES, "minute", "MiB PSS", series, ColumnUnit.MEBIBYTES)


def _ends(resources: Sequence[ResourceSample]) -> tuple[ResourceSample, ResourceSample]:
    """Medians of the first and the last quarter."""
    count = max(1, len(resources) // 4)
    return _typical(resources[:count]), _typical(resources[-count:])


def _typical(resources: Sequence[ResourceSample]) -> ResourceSample:
    return ResourceSample(
        statistics.median(each.second for each in resources),
        statistics.median(each.mebibytes for each in resources),
        statistics.median(each.own_mebibytes for each in resources),
        round(statistics.median(each.processes for each in resources)),
        round(statistics.median(each.files for each in resources)),
    )


def _quantile(seconds: Sequence[float], percent: int) -> float | None:
    """Milliseconds."""
    if len(seconds) < 2:
        return seconds[0] * 1000 if seconds else None
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000


def load_comparable(run: LoadRun) -> Comparable:
    """By slice of the run's time: milliseconds of each kind of call; by number of sessions: snapshots a second."""
    start = min((when for spent in run.spent.values() for when, _ in spent), default=0.0)
    values = []
    for kind, spent in run.spent.items():
        for when, seconds in spent:
            part = f"slice {min(SLICES - 1, int((when - start) / run.wall_s * SLICES)) + 1}"
            values.append((part, part, f"{kind}, ms", seconds * 1000))
    scores = scores_of_values("load", values)
    for each in run.scaling:
        name = f"{each.sessions} sessions"
        scores.append(Score(name, each.side, name, "", "", {RATE: Tally(each.rate, 1)}))
    rules = {f"{kind}, ms": LATENCY for kind in run.spent}
    return Comparable(
        scores, rules | {RATE: ComparisonRule(True, Scale.PAGES, margin=LATENCY_MARGIN)}, dict(run.errors)
    )


RATE = "snapshots a second"
"""The measure of scaling that runs are compared by."""
