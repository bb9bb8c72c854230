"""MiniWoB++ episodes as they were played: kept, and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from perception.bench.ab import estimate_of, mean_estimate
from perception.bench.compare import Rule, Scale, compare_measure, paired_successes
from perception.bench.miniwob import HIGHER_IS_BETTER, SUCCESS, Played, scores_of
from perception.bench.ran import left_out
from perception.bench.report.model import Cell, Column, Report, Table, Unit
from perception.bench.seen import Score
from perception.bench.variant import Policy, Variant

GOAL = 40
"""Task types that the scripted driver is to solve with every seed."""


def write_played(home: Path, played: Sequence[Played]) -> Path:
    """Keeps every episode, a line each; the file."""
    folder = home / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"miniwob-{datetime.now(UTC):%Y%m%d-%H%M%S}.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in played))
    return path


def miniwob_report(
    played: Sequence[Played], variants: Sequence[Variant], machine: Mapping[str, str], command: str
) -> Report:
    """Success, steps, tokens and time by variant; the first two variants against each other; task by task."""
    scores = {each.name: [score for score in scores_of(played) if score.who == each.name] for each in variants}
    tables = [_totals(scores), _tasks(scores)]
    if len(variants) > 1:
        tables.insert(1, _pair(scores, variants[0].name, variants[1].name))
    return Report(
        title="MiniWoB++",
        summary=tuple(_say(each, scores[each.name]) for each in variants),
        facts={"episodes": str(len({each.episode.name for each in played})), **machine},
        tables=tuple(table for table in tables if table.rows),
        skipped=left_out((f"{each.episode.name}, {each.who}", each.error) for each in played if each.error),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _say(variant: Variant, scores: Sequence[Score]) -> str:
    solved = sum(score.outcomes[SUCCESS][0] for score in scores)
    by_task = _outcomes(scores)
    seeds = max(map(len, by_task.values()), default=0)
    whole = sum(all(won) and len(won) == seeds for won in by_task.values())
    who, goal = "rules that know no task", ""
    if variant.policy is Policy.SCRIPTS:
        who = "scripts that know the task's kind, and by the rules where there is none"
        goal = f"; goal {GOAL}: {'met' if whole >= GOAL else 'missed'}"
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
        (name, len(each), *(mean_estimate(each, measure) for measure in HIGHER_IS_BETTER))
        for name, each in scores.items()
    ]
    units = [Unit.SHARE if measure == SUCCESS else Unit.NUMBER for measure in HIGHER_IS_BETTER]
    columns = (
        Column("variant"),
        Column("episodes", Unit.COUNT),
        *(Column(measure, unit) for measure, unit in zip(HIGHER_IS_BETTER, units, strict=True)),
    )
    return Table("variants", "By variant", columns, tuple(rows), "Intervals: 95 %, over tasks.")


def _pair(scores: Mapping[str, Sequence[Score]], a: str, b: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure, higher in HIGHER_IS_BETTER.items():
        rule = Rule(higher) if measure == SUCCESS else Rule(higher, Scale.TOTALS)
        found = compare_measure(scores[a], scores[b], measure, rule)
        if found is not None:
            rows.append((measure, found.a, found.b, str(found.scale), estimate_of(found), found.samples))
    test = paired_successes(scores[a], scores[b], SUCCESS)
    columns = (
        Column("measure"),
        Column(a, Unit.NUMBER),
        Column(b, Unit.NUMBER),
        Column("compared by"),
        Column("value", Unit.NUMBER),
        Column("episodes", Unit.COUNT),
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
