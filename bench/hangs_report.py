"""The report of `hangs`."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from perception.bench.census import Census
from perception.bench.hangs import DEADLINE_SECONDS, Ran
from perception.bench.report.model import Cell, Column, Report, Table, Unit

GOAL_SECONDS = 0.15
"""By how much a call may miss its deadline, in 99 of 100 calls."""

OWN_CLOCK = "-"
"""The reason of calls that only gRPC's own clock ended."""

_HELD: Mapping[str, Callable[[Census], float]] = {
    "processes of the browser": lambda census: census.processes,
    "file descriptors of the service": lambda census: census.files,
    "memory of the service, MiB": lambda census: census.service_bytes / 2**20,
    "memory of the browser, MiB": lambda census: census.browser_bytes / 2**20,
    "DevTools targets": lambda census: census.targets,
}


def write_ran(home: Path, ran: Sequence[Ran], censuses: Sequence[Census]) -> Path:
    """Keeps everything; the file."""
    path = home / "runs" / f"hangs-{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"ran": [asdict(each) for each in ran], "censuses": [asdict(each) for each in censuses]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path


def hangs_report(ran: Sequence[Ran], censuses: Sequence[Census], machine: Mapping[str, str], command: str) -> Report:
    """What the calls took, what they said, whether the tab could be used afterwards, and what was left behind.

    Args:
        censuses: before the first round and after each.
    """
    over = overshoots(ran)
    lost = [each for each in ran if each.after]
    own = sum(each.reason != OWN_CLOCK for each in ran)
    worst = nearest_rank(over, 0.99)
    return Report(
        title="Ways to hang a page",
        summary=(
            f"{len({each.way for each in ran})} ways, {len(ran)} calls with {DEADLINE_SECONDS:g} s each: 99 of 100 "
            f"ended at most {worst * 1000:.0f} ms after their deadline (goal {GOAL_SECONDS * 1000:.0f} ms: "
            f"{'met' if worst <= GOAL_SECONDS else 'missed'}), the last one {max(over) * 1000:+.0f} ms.",
            f"{own} of {len(ran)} were answered by the service, the others by gRPC's own clock.",
            f"In {len(ran) - len(lost)} of {len(ran)} the same tab was clicked, typed into and looked at afterwards, "
            f"in {sum(not each.in_place for each in ran)} without leaving the page.",
        ),
        facts=dict(machine),
        tables=(_calls(ran), _ways(ran), _held(censuses)),
        skipped=tuple(f"{each.way}, round {each.round + 1}: {each.after}" for each in lost),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def overshoots(ran: Sequence[Ran]) -> list[float]:
    """By how much calls missed their deadline (s), negative where they came before it."""
    return [each.wall_s - DEADLINE_SECONDS for each in ran]


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest of the values, at least one, that so large a share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def growth_per_round(values: Sequence[float]) -> float | None:
    """The slope of a line through values, one a round, by least squares; None for fewer than two."""
    return statistics.linear_regression(range(len(values)), values).slope if len(values) > 1 else None


def _calls(ran: Sequence[Ran]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (what, *(nearest_rank(values, share) * 1000 for share in (0.5, 0.9, 0.99, 1.0)))
        for what, values in (
            ("after the deadline", overshoots(ran)),
            ("slowest use of the tab afterwards", [each.use_s for each in ran]),
            ("longest look of another session meanwhile", [each.witness_s for each in ran]),
        )
    ]
    columns = (Column("time"), *(Column(title, Unit.MILLISECONDS) for title in ("median", "p90", "p99", "longest")))
    note = "Negative: before the deadline. Percentiles by nearest rank."
    return Table("calls", "Times", columns, tuple(rows), note)


def _ways(ran: Sequence[Ran]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for way in dict.fromkeys(each.way for each in ran):
        own = [each for each in ran if each.way == way]
        rows.append(
            (
                way,
                ", ".join(dict.fromkeys(each.reason or "answered" for each in own)),
                max(overshoots(own)) * 1000,
                sum(not each.in_place for each in own) / len(own),
                sum(not each.after for each in own) / len(own),
                max(each.use_s for each in own) * 1000,
                max(each.witness_s for each in own) * 1000,
                next((each.in_place for each in own if each.in_place), "")[:120],
            )
        )
    columns = (
        Column("way"),
        Column("answer"),
        Column("after the deadline", Unit.MILLISECONDS, "the latest"),
        Column("used in place", Unit.SHARE, "clicked, typed and looked without leaving the page"),
        Column("used", Unit.SHARE, "so, or after Navigate"),
        Column("use", Unit.MILLISECONDS, "the slowest call"),
        Column("elsewhere", Unit.MILLISECONDS, "the longest look of another session meanwhile"),
        Column("in place"),
    )
    note = f"{OWN_CLOCK}: ended by gRPC's own clock, without words of the service."
    return Table("ways", "Each way", columns, tuple(rows), note)


def _held(censuses: Sequence[Census]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for what, held in _HELD.items():
        values = [held(each) for each in censuses]
        # The first round brings in what is kept for good, such as tokenizers and the browser's own caches.
        rows.append((what, values[0], values[1], values[-1], growth_per_round(values[1:])))
    columns = (
        Column("what is held"),
        Column("before", Unit.NUMBER),
        Column("after the first round", Unit.NUMBER),
        Column("after the last", Unit.NUMBER),
        Column("a round", Unit.NUMBER, "slope from the first round on, by least squares"),
    )
    return Table("held", "What is left behind", columns, tuple(rows))
