"""The report of `miniwob`: success, steps, tokens and time of the episodes that were played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.bench.comparison.measure_estimates import estimate_of, mean_estimate
from perception.bench.comparison.paired import LATENCY, ComparisonRule, Scale, compare_measure, paired_successes
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.report.run_notes import left_out
from perception.bench.scores import Score
from perception.bench.suite import Comparable
from perception.bench.suites.miniwob.run import (
    ACT_MS,
    EPISODE_MEASURES,
    LOOK_MS,
    SUCCESS,
    MiniwobRun,
    Played,
    scores_of,
)
from perception.bench.variant import EpisodePolicy, Variant

SOLVED_GOAL = 40
"""Task types that players are to solve with every seed."""


def miniwob_report(played: Sequence[Played], variants: Sequence[Variant]) -> Report:
    """Success, steps, tokens and time by variant; the first two variants against each other; task by task."""
    scores = {each.name: [score for score in scores_of(played) if score.who == each.name] for each in variants}
    tables = [_totals(scores), _tasks(scores)]
    if len(variants) > 1:
        tables.insert(1, _pair(scores, variants[0].name, variants[1].name))
    return Report(
        title="MiniWoB++",
        summary=tuple(_say(each, scores[each.name]) for each in variants),
        facts={"episodes": str(len({each.episode.name for each in played}))},
        tables=tuple(tables),
        skipped=left_out((f"{each.episode.name}, {each.who}", each.error) for each in played if each.error),
    )


def _say(variant: Variant, scores: Sequence[Score]) -> str:
    solved = sum(score.outcomes[SUCCESS][0] for score in scores)
    by_task = _outcomes(scores)
    seeds = max(map(len, by_task.values()), default=0)
    whole = sum(all(won) and len(won) == seeds for won in by_task.values())
    who, goal = "rules that know no task", ""
    if variant.policy is EpisodePolicy.PLAYERS:
        who = "players that know the task's kind, and by the rules where there is none"
        goal = f"; goal {SOLVED_GOAL}: {'met' if whole >= SOLVED_GOAL else 'missed'}"
    return (
        f"{variant.name}: {solved} of {len(scores)} episodes solved by {who}; "
        f"{whole} of {len(by_task)} task types solved with all {seeds} seeds{goal}."
    )


def _outcomes(scores: Sequence[Score]) -> dict[str, list[bool]]:
    """Success of each seed, by task."""
    by_task: dict[str, list[bool]] = {}
    for score in scores:
        by_task.setdefault(score.page, []).append(score.outcomes[SUCCESS][0])
    return by_task


def _totals(scores: Mapping[str, Sequence[Score]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, len(each), *(mean_estimate(each, measure) for measure in EPISODE_MEASURES))
        for name, each in scores.items()
    ]
    units = [ColumnUnit.SHARE if measure == SUCCESS else ColumnUnit.NUMBER for measure in EPISODE_MEASURES]
    columns = (
        Column("variant"),
        Column("episodes", ColumnUnit.COUNT),
        *(Column(measure, unit) for measure, unit in zip(EPISODE_MEASURES, units, strict=True)),
    )
    return Table("variants", "By variant", columns, tuple(rows), "Intervals: 95 %, over tasks.")


def _pair(scores: Mapping[str, Sequence[Score]], a: str, b: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure, higher in EPISODE_MEASURES.items():
        rule = ComparisonRule(higher) if measure == SUCCESS else ComparisonRule(higher, Scale.TOTALS)
        found = compare_measure(scores[a], scores[b], measure, rule)
        if found is not None:
            rows.append((measure, found.a, found.b, str(found.scale), estimate_of(found), found.samples))
    test = paired_successes(scores[a], scores[b], SUCCESS)
    columns = (
        Column("measure"),
        Column(a, ColumnUnit.NUMBER),
        Column(b, ColumnUnit.NUMBER),
        Column("compared by"),
        Column("value", ColumnUnit.NUMBER),
        Column("episodes", ColumnUnit.COUNT),
    )
    note = f"Solved by {a} alone: {test.b}, by {b} alone: {test.c}; McNemar's exact p = {test.p:.3g}."
    return Table("pair", f"{a} against {b}", columns, tuple(rows), note)


def _tasks(scores: Mapping[str, Sequence[Score]]) -> Table:
    won = {name: _outcomes(each) for name, each in scores.items()}
    tasks = sorted({task for by_task in won.values() for task in by_task})
    rows: list[tuple[Cell, ...]] = [(task, *(_solved(won[name].get(task, [])) for name in scores)) for task in tasks]
    columns = (Column("task"), *(Column(name) for name in scores))
    return Table("tasks", "Task by task", columns, tuple(rows), "Seeds solved, of those played.")


def _solved(outcomes: Sequence[bool]) -> str | None:
    return f"{sum(outcomes)} of {len(outcomes)}" if outcomes else None


def miniwob_comparable(run: MiniwobRun) -> Comparable:
    """By variant and episode: success, steps, tokens and time."""
    times = {LOOK_MS: LATENCY, ACT_MS: LATENCY}
    rules = {measure: ComparisonRule(higher) for measure, higher in EPISODE_MEASURES.items()}
    return Comparable(scores_of(run.played), rules | times)
