"""The report of `hangs`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.hangs.process_count import ProcessCounts
from perception.bench.suites.hangs.run import HANG_DEADLINE_SECONDS, HangOutcome, HangsRun

GOAL_SECONDS = 0.15
"""Maximum lateness of a call, in 99 of 100 calls."""

LATE, IN_PLACE, SLOWEST = "ms after the deadline", "used in place", "slowest use, ms"
"""Measures, as runs are compared by."""

OWN_CLOCK = "-"
"""The reason of calls that were ended only by gRPC's own timer."""

_HELD_RESOURCES: Mapping[str, Callable[[ProcessCounts], float]] = {
    "processes of the browser": lambda census: census.processes,
    "file descriptors of the service": lambda census: census.files,
    "memory of the service, MiB": lambda census: census.service_bytes / 2**20,
    "memory of the browser, MiB": lambda census: census.browser_bytes / 2**20,
    "DevTools targets": lambda census: census.targets,
}


def hangs_report(ran: Sequence[HangOutcome], censuses: Sequence[ProcessCounts]) -> Report:
    """Durations and answers of the calls, whether the tab could be used afterwards, and leftovers.

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
            f"{len({each.way for each in ran})} ways, {len(ran)} calls with {HANG_DEADLINE_SECONDS:g} s each: "
            f"99 of 100 ended by {_beside(worst)} (goal {_beside(GOAL_SECONDS)}: "
            f"{'met' if worst <= GOAL_SECONDS else 'missed'}), the last one {_beside(max(over))}.",
            f"{own} of {len(ran)} were answered by the service, the others by gRPC's own clock.",
            f"In {len(ran) - len(lost)} of {len(ran)} the same tab was clicked, typed into and looked at afterwards, "
            f"in {sum(not each.in_place for each in ran)} without leaving the page.",
        ),
        facts={},
        tables=(_calls(ran), _ways(ran), _held(censuses)),
        skipped=tuple(f"{each.way}, round {each.round + 1}: {each.after}" for each in lost),
    )


def overshoots(ran: Sequence[HangOutcome]) -> list[float]:
    """How late calls ended (s), negative if they ended before the deadline."""
    return [each.wall_s - HANG_DEADLINE_SECONDS for each in ran]


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest value, of at least one, that this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def growth_per_round(values: Sequence[float]) -> float | None:
    """The slope of a line through values, one per round, by least squares; None for fewer than two."""
    return statistics.linear_regression(range(len(values)), values).slope if len(values) > 1 else None


def _beside(seconds: float) -> str:
    """A time by the deadline, in words."""
    return f"{abs(seconds) * 1000:.0f} ms {'before' if seconds < 0 else 'after'} their deadline"


def _calls(ran: Sequence[HangOutcome]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (what, *(nearest_rank(values, share) * 1000 for share in (0.5, 0.9, 0.99, 1.0)))
        for what, values in (
            ("after the deadline", overshoots(ran)),
            ("slowest use of the tab afterwards", [each.use_s for each in ran]),
            ("longest look of another session meanwhile", [each.witness_s for each in ran]),
        )
    ]
    columns = (
        Column("time"),
        *(Column(title, ColumnUnit.MILLISECONDS) for title in ("median", "p90", "p99", "longest")),
    )
    note = "Negative: before the deadline. Percentiles by nearest rank."
    return Table("calls", "Times", columns, tuple(rows), note)


def _ways(ran: Sequence[HangOutcome]) -> Table:
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
        Column("after the deadline", ColumnUnit.MILLISECONDS, "the latest"),
        Column("used in place", ColumnUnit.SHARE, "clicked, typed and looked without leaving the page"),
        Column("used", ColumnUnit.SHARE, "so, or after Navigate"),
        Column("use", ColumnUnit.MILLISECONDS, "the slowest call"),
        Column("elsewhere", ColumnUnit.MILLISECONDS, "the longest look of another session meanwhile"),
        Column("in place"),
    )
    note = f"{OWN_CLOCK}: ended by gRPC's own clock, without words of the service."
    return Table("ways", "Each way", columns, tuple(rows), note)


def _held(censuses: Sequence[ProcessCounts]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for what, held in _HELD_RESOURCES.items():
        values = [held(each) for each in censuses]
        # The first round loads what is kept permanently, such as tokenizers and the browser's own caches.
        rows.append((what, values[0], values[1], values[-1], growth_per_round(values[1:])))
    columns = (
        Column("what is held"),
        Column("before", ColumnUnit.NUMBER),
        Column("after the first round", ColumnUnit.NUMBER),
        Column("after the last", ColumnUnit.NUMBER),
        Column("a round", ColumnUnit.NUMBER, "slope from the first round on, by least squares"),
    )
    return Table("held", "What is left behind", columns, tuple(rows))


def hangs_comparable(run: HangsRun) -> Comparable:
    """By case and round: how late the call ended, and whether the tab worked afterwards. A tab that did not is
    wrong."""
    scores = []
    for each in run.outcomes:
        tallies = {
            LATE: Tally(max(0.0, each.wall_s - HANG_DEADLINE_SECONDS) * 1000, 1),
            IN_PLACE: Tally(not each.in_place, 1),
            SLOWEST: Tally(each.use_s * 1000, 1),
        }
        scores.append(Score(f"{each.way}, round {each.round}", "hangs", each.way, "", "", tallies))
    rules = {LATE: ComparisonRule(False), IN_PLACE: ComparisonRule(True), SLOWEST: LATENCY}
    return Comparable(scores, rules, {"tabs that did not work again": sum(bool(each.after) for each in run.outcomes)})
