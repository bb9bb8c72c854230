"""A run of many sessions as it was measured, and the report that is made of it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from perception.bench.report.model import Cell, Chart, ChartKind, Column, Report, Series, Table, Unit

PLAYWRIGHT = "playwright, aria_snapshot"

SLICES = 20
"""Points of a line over time."""


@dataclass(frozen=True, slots=True)
class Census:
    """What there was at a moment: PSS in MiB of all processes and of the first one, processes, open files."""

    second: float
    mebibytes: float
    own_mebibytes: float
    processes: int
    files: int


@dataclass(frozen=True, slots=True)
class Growth:
    """One side at so many sessions. `seconds`: of each snapshot; `clicks`: of each click; `cpu_s`: CPU seconds of all
    its processes."""

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
    """`spent`: by kind of call, when each began and how long it took, in seconds."""

    side: str
    sessions: int
    wall_s: float
    cpu_s: float
    spent: Mapping[str, Sequence[tuple[float, float]]]
    errors: Mapping[str, int]
    censuses: tuple[Census, ...]
    growth: tuple[Growth, ...]


def load_report(run: LoadRun, machine: Mapping[str, str], command: str) -> Report:
    """Latencies, errors, what it took of the machine, and how it grows with the sessions."""
    tables = [_latencies(run), _errors(run)]
    charts = [_over_time(run)]
    if run.censuses:
        tables.append(_resources(run))
        charts.append(_memory(run))
    if run.growth:
        tables.append(_growth(run))
        charts += [
            _growth_chart(run, "rate", "Snapshots a second", lambda each: each.rate),
            _growth_chart(run, "latency", "Median of a snapshot, ms", lambda each: _quantile(each.seconds, 50)),
        ]
    return Report(
        title=f"{run.sessions} sessions for {run.wall_s / 60:.1f} minutes",
        summary=tuple(_summary(run)),
        facts={"side": run.side, "sessions": str(run.sessions), **machine},
        tables=tuple(tables),
        charts=tuple(charts),
        skipped=(),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _summary(run: LoadRun) -> list[str]:
    calls = sum(map(len, run.spent.values()))
    failed = sum(run.errors.values())
    said = [f"{calls:,} calls, {failed:,} failed ({failed / max(1, calls + failed):.3%})."]
    if len(run.censuses) >= 4:
        early, late = _ends(run.censuses)
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
        Column("count", Unit.COUNT),
        *(Column(name, Unit.MILLISECONDS) for name in ("p50", "p90", "p99", "most")),
        Column("a second", Unit.NUMBER),
    )
    note = f"No pause between calls. {run.cpu_s / run.wall_s:.2f} cores were in use, the client's part included."
    return Table("latencies", "What calls took", columns, tuple(rows), note)


def _errors(run: LoadRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(sorted(run.errors.items()))
    return Table("errors", "Errors", (Column("reason"), Column("count", Unit.COUNT)), rows or (("none", 0),))


def _resources(run: LoadRun) -> Table:
    early, late = _ends(run.censuses)
    most = max(run.censuses, key=lambda each: each.mebibytes)
    rows: tuple[tuple[Cell, ...], ...] = (
        ("memory of all, MiB PSS", early.mebibytes, late.mebibytes, most.mebibytes),
        ("the first process, MiB PSS", early.own_mebibytes, late.own_mebibytes, most.own_mebibytes),
        ("processes", early.processes, late.processes, most.processes),
        ("open files", early.files, late.files, most.files),
    )
    columns = (Column(""), *(Column(name, Unit.NUMBER) for name in ("first quarter", "last quarter", "at the most")))
    return Table("resources", "What it took of the machine", columns, rows, "Medians of the quarters.")


def _growth(run: LoadRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in run.growth:
        peer = next(
            (other for other in run.growth if other.side == PLAYWRIGHT and other.sessions == each.sessions), None
        )
        ratio = each.rate / peer.rate if peer and peer.rate and each.side != PLAYWRIGHT else None
        per_core = len(each.seconds) / each.cpu_s if each.cpu_s else None
        quantiles = (_quantile(spent, percent) for spent in (each.seconds, each.clicks) for percent in (50, 99))
        failed = sum(each.errors.values())
        rows.append((each.side, each.sessions, each.rate, ratio, per_core, *quantiles, failed))
    columns = (
        Column("who"),
        Column("sessions", Unit.COUNT),
        Column("snapshots a second", Unit.NUMBER),
        Column("to Playwright's", Unit.RATIO),
        Column("snapshots a CPU second", Unit.NUMBER),
        *(Column(f"{kind} p{percent}", Unit.MILLISECONDS) for kind in ("snapshot", "click") for percent in (50, 99)),
        Column("errors", Unit.COUNT),
    )
    note = "Each snapshot is followed by a click. CPU: of the client, the service and the browser together."
    return Table("growth", "From 1 session up", columns, tuple(rows), note)


def _growth_chart(run: LoadRun, name: str, title: str, value: Callable[[Growth], float | None]) -> Chart:
    series = []
    for side in dict.fromkeys(each.side for each in run.growth):
        points = [each for each in run.growth if each.side == side]
        values = tuple(value(each) for each in points)
        series.append(Series(side, tuple(each.sessions for each in points), values))
    return Chart(f"growth-{name}", title, ChartKind.LINES, "sessions", title, tuple(series))


def _over_time(run: LoadRun) -> Chart:
    """Medians of calls by the time at which they began."""
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
    return Chart("time", "Calls over time, medians", ChartKind.LINES, "minute", "ms", tuple(series), Unit.MILLISECONDS)


def _memory(run: LoadRun) -> Chart:
    minutes = tuple(round(each.second / 60, 2) for each in run.censuses)
    series = (
        Series("all processes", minutes, tuple(each.mebibytes for each in run.censuses)),
        Series("the service's own", minutes, tuple(each.own_mebibytes for each in run.censuses)),
    )
    return Chart("memory", "Memory over time", ChartKind.LINES, "minute", "MiB PSS", series, Unit.MEBIBYTES)


def _ends(censuses: Sequence[Census]) -> tuple[Census, Census]:
    """Medians of the first and the last quarter."""
    count = max(1, len(censuses) // 4)
    return _typical(censuses[:count]), _typical(censuses[-count:])


def _typical(censuses: Sequence[Census]) -> Census:
    return Census(
        statistics.median(each.second for each in censuses),
        statistics.median(each.mebibytes for each in censuses),
        statistics.median(each.own_mebibytes for each in censuses),
        round(statistics.median(each.processes for each in censuses)),
        round(statistics.median(each.files for each in censuses)),
    )


def _quantile(seconds: Sequence[float], percent: int) -> float | None:
    """Milliseconds."""
    if len(seconds) < 2:
        return seconds[0] * 1000 if seconds else None
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000
