"""The report of `subroutines`."""

from __future__ import annotations

import statistics

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.subroutines.app_report import app_summary, app_tables, app_wrong
from perception.bench.suites.subroutines.run import ReplayedPlan, SubroutinesRun


def subroutines_report(run: SubroutinesRun) -> Report:
    """The tasks that the ranking missed, or a row for each plan."""
    right = sum(each.right for each in run.tasks)
    summary = [f"{right} of {len(run.tasks)} tasks ranked right ({right / len(run.tasks):.2%})."] if run.tasks else []
    summary += [_say(plan) for plan in run.plans]
    missed: list[tuple[Cell, ...]] = [(each.task, each.picked, each.score) for each in run.tasks if not each.right]
    columns = (Column("task"), Column("picked"), Column("score", ColumnUnit.NUMBER))
    tables = (Table("missed", "Tasks that were missed", columns, tuple(missed)), _plans(run), *app_tables(run))
    summary += app_summary(run)
    return Report(
        title="Subroutines",
        summary=tuple(summary),
        facts={},
        tables=tables,
    )


def _say(plan: ReplayedPlan) -> str:
    done, wrong = sum(row.success for row in plan.rows), sum(row.wrong for row in plan.rows)
    return (
        f"{plan.site}: {done} of {len(plan.rows)} rows done, {wrong} against the truth, {plan.done_twice} done twice; "
        f"a HAR replay did {sum(row.by_har for row in plan.rows)}."
    )


def _plans(run: SubroutinesRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for plan in run.plans:
        spent = [row.seconds for row in plan.rows]
        done, refused = sum(row.success for row in plan.rows), sum(row.refused for row in plan.rows)
        counts = (len(plan.rows), done, refused, len(plan.rows) - done - refused)
        wrong = (sum(row.wrong for row in plan.rows), plan.done_twice)
        times = (statistics.median(spent), statistics.quantiles(spent, n=10)[-1])
        har = sum(row.by_har for row in plan.rows)
        rows.append((plan.site, plan.plan, *counts, *wrong, *times, 0, plan.snapshot_tokens, har))
    columns = (
        Column("application"),
        Column("plan"),
        Column("rows", ColumnUnit.COUNT),
        Column("succeeded", ColumnUnit.COUNT),
        Column("refused with the site's reason", ColumnUnit.COUNT),
        Column("otherwise", ColumnUnit.COUNT),
        Column("against the truth", ColumnUnit.COUNT),
        Column("done twice", ColumnUnit.COUNT),
        Column("seconds a row, median", ColumnUnit.NUMBER),
        Column("seconds a row, 90th percentile", ColumnUnit.NUMBER),
        Column("tokens a row", ColumnUnit.COUNT),
        Column("tokens of one snapshot of that page", ColumnUnit.COUNT),
        Column("HAR replay, succeeded", ColumnUnit.COUNT),
    )
    return Table("replay", "Rows replayed, with a deployment in the middle", columns, tuple(rows))


def subroutines_comparable(run: SubroutinesRun) -> Comparable:
    """By task, whether it is ranked correctly; by row, its seconds; wrong rows are counted."""
    scores = [
        Score(each.task, "ranking", each.task, "", "", {RANKED_RIGHT: Tally(each.right, 1)}) for each in run.tasks
    ]
    wrong = {}
    for plan in run.plans:
        for index, row in enumerate(plan.rows):
            name = f"{plan.site}, row {index}"
            scores.append(Score(name, "replay", name, "", "", {ROW_SECONDS: Tally(row.seconds, 1)}))
        wrong[f"{plan.site}, rows against the truth"] = sum(row.wrong for row in plan.rows)
        wrong[f"{plan.site}, rows done twice"] = plan.done_twice
    for app_run in run.apps:
        name = f"{app_run.app}: {app_run.task}, {app_run.adversary}"
        scores.append(Score(name, "apps", name, "", "", {ROW_SECONDS: Tally(app_run.seconds, 1)}))
    wrong |= app_wrong(run)
    return Comparable(scores, {RANKED_RIGHT: ComparisonRule(True), ROW_SECONDS: LATENCY}, wrong)


RANKED_RIGHT, ROW_SECONDS = "ranked right", "seconds a row"
"""Measures that runs are compared by."""
