"""The report of `tasks`."""

from __future__ import annotations

from collections.abc import Sequence

from perception.bench.comparison.paired import LATENCY, TOTAL_COST
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import scores_of_values
from perception.bench.suite import Comparable
from perception.bench.suites.tasks.outcomes import TaskOutcome, TasksRun

CALLS, TOKENS, SECONDS = "calls", "tokens", "ms of the calls"
"""Measures, as runs are compared by."""


def tasks_report(run: TasksRun) -> Report:
    """Each task in each mode, and the whole."""
    return Report(
        title="Tasks of agents",
        summary=(*(_summary(mode, run.outcomes) for mode in _modes(run)),),
        facts={},
        tables=(_table(run.outcomes), _stumbles(run.outcomes)),
        skipped=(
            *run.left_out,
            *(f"{each.task} ({each.mode}): {each.problem}" for each in run.outcomes if not each.done),
        ),
    )


def _modes(run: TasksRun) -> list[str]:
    return list(dict.fromkeys(each.mode for each in run.outcomes))


def _summary(mode: str, outcomes: Sequence[TaskOutcome]) -> str:
    own = [each for each in outcomes if each.mode == mode]
    done = [each for each in own if each.done]
    tokens, beside = sum(each.tokens for each in done), sum(each.playwright_tokens for each in done)
    return (
        f"{mode}: {len(done)} of {len(own)} tasks are done. These take {sum(each.calls for each in done)} calls and "
        f"{tokens} tokens; Playwright's snapshots at the same steps have {beside}: {tokens / max(beside, 1):.2f} ×."
    )


def _table(outcomes: Sequence[TaskOutcome]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            each.task,
            each.mode,
            "yes" if each.done else "NO",
            each.calls,
            each.actions,
            each.tokens,
            each.largest,
            each.playwright_tokens,
            each.tokens / each.playwright_tokens if each.playwright_tokens else None,
            each.seconds * 1000,
            len(each.stumbles),
        )
        for each in outcomes
    ]
    columns = (
        Column("task"),
        Column("mode"),
        Column("done"),
        Column(CALLS, ColumnUnit.COUNT),
        Column("actions", ColumnUnit.COUNT),
        Column(TOKENS, ColumnUnit.COUNT, "of all answers' texts, o200k"),
        Column("largest answer", ColumnUnit.COUNT, "tokens"),
        Column("Playwright", ColumnUnit.COUNT, "tokens of its AI snapshots: at first and after each action"),
        Column("÷ Playwright", ColumnUnit.RATIO),
        Column("time", ColumnUnit.MILLISECONDS, "of the calls, without a model's"),
        Column("stumbles", ColumnUnit.COUNT, "looks and errors that the answers so far made necessary"),
    )
    return Table("tasks", "Each task", columns, tuple(rows))


def _stumbles(outcomes: Sequence[TaskOutcome]) -> Table:
    rows: list[tuple[Cell, ...]] = [(each.task, each.mode, stumble) for each in outcomes for stumble in each.stumbles]
    return Table(
        "stumbles", "What the answers left open", (Column("task"), Column("mode"), Column("what")), tuple(rows)
    )


def tasks_comparable(run: TasksRun) -> Comparable:
    """By task and mode: calls, tokens and time of those that are done. One that is not is wrong."""
    values = [
        (each.task, f"{each.task}, {each.mode}", measure, float(value))
        for each in run.outcomes
        if each.done
        for measure, value in ((CALLS, each.calls), (TOKENS, each.tokens), (SECONDS, each.seconds * 1000))
    ]
    rules = {CALLS: TOTAL_COST, TOKENS: TOTAL_COST, SECONDS: LATENCY}
    wrong = sum(not each.done for each in run.outcomes)
    return Comparable(scores_of_values("tasks", values), rules, {"tasks that are not done": wrong})
