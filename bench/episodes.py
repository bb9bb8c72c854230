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


def write_played(home: Path, played: Sequence[Played]) -> Path:
    """Keeps every episode, a line each; the file."""
    folder = home / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"miniwob-{datetime.now(UTC):%Y%m%d-%H%M%S}.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in played))
    return path


def miniwob_report(
    played: Sequence[Played], variants: Sequence[str], machine: Mapping[str, str], command: str
) -> Report:
    """Success, steps, tokens and time by variant; the first two variants against each other; task by task."""
    scores = {name: [score for score in scores_of(played) if score.who == name] for name in variants}
    tables = [_totals(scores), _tasks(scores)]
    if len(variants) > 1:
        tables.insert(1, _pair(scores, variants[0], variants[1]))
    return Report(
        title="MiniWoB++",
        summary=tuple(_say(name, each) for name, each in scores.items()),
        facts={"episodes": str(len({each.episode.name for each in played})), **machine},
        tables=tuple(table for table in tables if table.rows),
        skipped=left_out((f"{each.episode.name}, {each.who}", each.error) for each in played if each.error),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _say(name: str, scores: Sequence[Score]) -> str:
    solved = sum(score.outcomes[SUCCESS][0] for score in scores)
    return f"{name}: {solved} of {len(scores)} episodes solved by rules that know no task."


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
    by_task: dict[str, dict[str, list[bool]]] = {}
    for name, each in scores.items():
        for score in each:
            by_task.setdefault(score.page, {}).setdefault(name, []).append(score.outcomes[SUCCESS][0])
    rows: list[tuple[Cell, ...]] = [
        (task, *(sum(won[name]) / len(won[name]) if name in won else None for name in scores))
        for task, won in sorted(by_task.items())
    ]
    columns = (Column("task"), *(Column(name, Unit.SHARE) for name in scores))
    return Table("tasks", "Task by task", columns, tuple(rows))
