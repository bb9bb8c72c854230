"""The part of the report about tasks of real applications."""

from __future__ import annotations

from collections.abc import Iterable

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Table
from perception.bench.suites.subroutines.app_outcomes import AppRun, RunCounts, TaskCost, count_runs
from perception.bench.suites.subroutines.effects import Ending
from perception.bench.suites.subroutines.run import SubroutinesRun

_COUNTS = (
    Column("runs", ColumnUnit.COUNT),
    Column("right effect", ColumnUnit.COUNT),
    Column("refused before anything was sent", ColumnUnit.COUNT),
    Column("failed after something was sent", ColumnUnit.COUNT),
    Column("unverified", ColumnUnit.COUNT),
    Column("done, and said to have failed", ColumnUnit.COUNT),
    Column("done, and its answer lost", ColumnUnit.COUNT),
    Column("wrong effect", ColumnUnit.COUNT),
    Column("double effect", ColumnUnit.COUNT),
    Column("false success", ColumnUnit.COUNT),
    Column("false refusals", ColumnUnit.COUNT),
    Column("seconds a row, median", ColumnUnit.NUMBER),
)


def app_summary(run: SubroutinesRun) -> list[str]:
    """The totals in sentences; empty without runs."""
    if not run.apps and not run.left_out:
        return []
    counts = count_runs(run.apps)
    tasks = {(each.app, each.task) for each in run.apps}
    said = [
        f"{counts.runs} runs of {len(tasks)} tasks in {len({app for app, _ in tasks})} applications: "
        f"{counts.right} right, {counts.refused} refused before anything was sent, {counts.failed} failed after "
        f"something was sent, {counts.unverified} unverified, {counts.unreported} done and said to have failed, "
        f"{counts.lost} done and said to have failed as their answer was lost; "
        f"{counts.wrong} wrong effects, {counts.double} double effects, {counts.false_success} false successes.",
        f"{counts.false_refusals} of {counts.doable} runs that could be done were refused or failed "
        f"({counts.false_refusal_share:.1%}).",
    ]
    return said + [f"Left out: {line}" for line in run.left_out]


def app_tables(run: SubroutinesRun) -> tuple[Table, ...]:
    """The endings by task and by adversary, the costs, and each run that must not be."""
    by_task = _grouped(run.apps, "task")
    by_adversary = _grouped(run.apps, "adversary")
    return (
        Table("apps", "Tasks of real applications", (Column("task"), *_COUNTS), tuple(by_task)),
        Table("adversaries", "What stood in the way", (Column("adversary"), *_COUNTS), tuple(by_adversary)),
        _costs(run.costs, run.apps),
        _forbidden(run.apps),
    )


def app_wrong(run: SubroutinesRun) -> dict[str, int]:
    """How many runs ended in each way whose goal is 0; empty without runs."""
    if not run.apps:
        return {}
    counts = count_runs(run.apps)
    return {
        "apps, wrong effects": counts.wrong,
        "apps, double effects": counts.double,
        "apps, false successes": counts.false_success,
    }


def _grouped(runs: Iterable[AppRun], by: str) -> list[tuple[Cell, ...]]:
    groups: dict[str, list[AppRun]] = {}
    for run in runs:
        groups.setdefault(f"{run.app}: {run.task}" if by == "task" else run.adversary, []).append(run)
    return [(name, *_cells(count_runs(of_group))) for name, of_group in groups.items()]


def _cells(counts: RunCounts) -> tuple[Cell, ...]:
    honest = (counts.right, counts.refused, counts.failed, counts.unverified, counts.unreported, counts.lost)
    bad = (counts.wrong, counts.double, counts.false_success)
    return (counts.runs, *honest, *bad, counts.false_refusals, counts.seconds)


def _costs(costs: Iterable[TaskCost], runs: Iterable[AppRun]) -> Table:
    done = [run for run in runs if run.adversary == "none" and run.ending in (Ending.RIGHT, Ending.UNVERIFIED)]
    rows: list[tuple[Cell, ...]] = []
    for cost in costs:
        plain = [run for run in done if (run.app, run.task) == (cost.app, cost.task)]
        seconds = count_runs(plain).seconds if plain else None
        title = f"{cost.app}: {cost.task}"
        parameters = ", ".join(cost.parameters)
        rows.append((title, cost.plan, seconds, 0, cost.seconds, cost.actions, cost.tokens, parameters, cost.problem))
    columns = (
        Column("task"),
        Column("plan"),
        Column("seconds a row", ColumnUnit.NUMBER),
        Column("tokens a row", ColumnUnit.COUNT),
        Column("seconds by snapshots, without a model's", ColumnUnit.NUMBER),
        Column("actions by snapshots", ColumnUnit.COUNT),
        Column("tokens of the snapshots", ColumnUnit.COUNT),
        Column("parameters"),
        Column("problem"),
    )
    return Table("costs", "A row by a subroutine, and by snapshots", columns, tuple(rows))


def _forbidden(runs: Iterable[AppRun]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (f"{run.app}: {run.task}", run.adversary, run.plan, run.ending.value, "; ".join(run.stray), run.error)
        for run in runs
        if run.is_finding
    ]
    names = ("task", "adversary", "plan", "ending", "other changes", "answer")
    return Table(
        "findings", "Runs that should have ended otherwise", tuple(Column(each) for each in names), tuple(rows)
    )
