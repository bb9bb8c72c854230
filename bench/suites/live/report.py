"""The report of `live`."""

from __future__ import annotations

from statistics import median, quantiles

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suite import Comparable
from perception.bench.suites.live.run import LiveRun


def live_report(run: LiveRun) -> Report:
    """What each page costs by watchers, and the agent's calls beside them."""
    costs: list[tuple[Cell, ...]] = [
        (each.page, each.watchers, each.service_ms, each.chromium_ms, each.kib, each.pictures) for each in run.costs
    ]
    steps = list(_steps(run))
    cost_columns = (
        Column("page"),
        Column("watchers", ColumnUnit.COUNT),
        Column("service, for each s", ColumnUnit.MILLISECONDS),
        Column("Chromium, for each s", ColumnUnit.MILLISECONDS),
        Column("KiB/s", ColumnUnit.NUMBER),
        Column("pictures/s to each", ColumnUnit.NUMBER),
    )
    films: list[tuple[Cell, ...]] = [
        (each.page, each.service_ms, each.chromium_ms, each.kib, each.pictures) for each in run.films
    ]
    film_columns = (cost_columns[0], *cost_columns[2:5], Column("pictures/s", ColumnUnit.NUMBER))
    step_columns = (
        Column("call"),
        Column("watchers", ColumnUnit.COUNT),
        Column("median", ColumnUnit.MILLISECONDS),
        Column("p90", ColumnUnit.MILLISECONDS),
    )
    click_columns = (
        Column("page"),
        Column("clicks", ColumnUnit.COUNT),
        Column("p50", ColumnUnit.MILLISECONDS),
        Column("p99", ColumnUnit.MILLISECONDS),
    )
    return Report(
        title="What watching costs",
        summary=tuple(
            f"{each.page}, {each.watchers} watchers: {each.service_ms:.0f} ms of the service and "
            f"{each.chromium_ms:.0f} ms of Chromium for each second, {each.kib:.0f} KiB/s."
            for each in run.costs
        )
        + tuple(
            f"{each.page}, filmed: {each.service_ms:.0f} ms of the service and {each.chromium_ms:.0f} ms of Chromium "
            f"for each second, {each.kib:.0f} KiB/s."
            for each in run.films
        ),
        facts={"seconds": f"{run.seconds:g}"},
        tables=(
            Table("costs", "Processor time, bytes and pictures", cost_columns, tuple(costs)),
            Table("videos", "While a video is made and nobody watches", film_columns, tuple(films)),
            Table("calls", "The agent's own calls", step_columns, tuple(steps)),
            Table("clicks", "A person's click through the viewer while pictures flow", click_columns, _clicks(run)),
        ),
    )


def _steps(run: LiveRun) -> list[tuple[Cell, ...]]:
    keys = dict.fromkeys((each.call, each.watchers) for each in run.steps)
    rows: list[tuple[Cell, ...]] = []
    for call, watchers in sorted(keys):
        taken = [each.milliseconds for each in run.steps if (each.call, each.watchers) == (call, watchers)]
        rows.append((call, watchers, median(taken), quantiles(taken, n=10)[-1] if len(taken) > 1 else taken[0]))
    return rows


def _clicks(run: LiveRun) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = []
    for page in dict.fromkeys(each.page for each in run.clicks):
        taken = [each.milliseconds for each in run.clicks if each.page == page]
        rows.append((page, len(taken), median(taken), quantiles(taken, n=100)[-1] if len(taken) > 1 else taken[0]))
    return tuple(rows)


def live_comparable(run: LiveRun) -> Comparable:
    """Milliseconds of everything measured, by page and by the agent's step."""
    values = [
        (each.page, each.page, f"{what}, {each.watchers} watchers", taken)
        for each in run.costs
        for what, taken in (("service", each.service_ms), ("Chromium", each.chromium_ms))
    ]
    values += [
        (each.page, each.page, f"{what}, filmed", taken)
        for each in run.films
        for what, taken in (("service", each.service_ms), ("Chromium", each.chromium_ms))
    ]
    values += [
        (f"step {each.number}", f"step {each.number}", f"{each.call}, {each.watchers} watchers", each.milliseconds)
        for each in run.steps
    ]
    return compare_times("live", values)
