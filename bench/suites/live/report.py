"""The report of `live`."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median, quantiles

from perception.bench.comparison.paired import LATENCY
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import scores_of_values
from perception.bench.suite import Comparable
from perception.bench.suites.live.run import LiveRun


def live_report(run: LiveRun, machine: Mapping[str, str], command: str) -> Report:
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
    step_columns = (
        Column("call"),
        Column("watchers", ColumnUnit.COUNT),
        Column("median", ColumnUnit.MILLISECONDS),
        Column("p90", ColumnUnit.MILLISECONDS),
    )
    return Report(
        title="What watching costs",
        summary=tuple(
            f"{each.page}, {each.watchers} watchers: {each.service_ms:.0f} ms of the service and "
            f"{each.chromium_ms:.0f} ms of Chromium for each second, {each.kib:.0f} KiB/s."
            for each in run.costs
        ),
        facts={"seconds": f"{run.seconds:g}", **machine},
        tables=(
            Table("costs", "Processor time, bytes and pictures", cost_columns, tuple(costs)),
            Table("calls", "The agent's own calls", step_columns, tuple(steps)),
            Table(
                "clicks",
                "A person's click, from sending it until the page has it",
                (
                    Column("page"),
                    Column("watchers", ColumnUnit.COUNT),
                    Column("clicks", ColumnUnit.COUNT),
                    Column("p50", ColumnUnit.MILLISECONDS),
                    Column("p99", ColumnUnit.MILLISECONDS),
                ),
                tuple(_clicks(run)),
            ),
        ),
        command=command,
    )


def _steps(run: LiveRun) -> list[tuple[Cell, ...]]:
    keys = dict.fromkeys((each.call, each.watchers) for each in run.steps)
    rows: list[tuple[Cell, ...]] = []
    for call, watchers in sorted(keys):
        taken = [each.milliseconds for each in run.steps if (each.call, each.watchers) == (call, watchers)]
        rows.append((call, watchers, median(taken), quantiles(taken, n=10)[-1] if len(taken) > 1 else taken[0]))
    return rows


def _clicks(run: LiveRun) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for page, watchers in dict.fromkeys((each.page, each.watchers) for each in run.clicks):
        taken = [each.milliseconds for each in run.clicks if (each.page, each.watchers) == (page, watchers)]
        p99 = quantiles(taken, n=100, method="inclusive")[-1] if len(taken) > 1 else taken[0]
        rows.append((page, watchers, len(taken), median(taken), p99))
    return rows


def live_comparable(run: LiveRun) -> Comparable:
    """Milliseconds of everything measured, by page and by the agent's step."""
    values = [
        (each.page, each.page, f"{what}, {each.watchers} watchers", taken)
        for each in run.costs
        for what, taken in (("service", each.service_ms), ("Chromium", each.chromium_ms))
    ]
    values += [
        (f"step {each.number}", f"step {each.number}", f"{each.call}, {each.watchers} watchers", each.milliseconds)
        for each in run.steps
    ]
    values += [
        (
            f"click {each.number}",
            f"click {each.number}",
            f"click, {each.page}, {each.watchers} watchers",
            each.milliseconds,
        )
        for each in run.clicks
    ]
    return Comparable(scores_of_values("live", values), {measure: LATENCY for *_, measure, _ in values})
