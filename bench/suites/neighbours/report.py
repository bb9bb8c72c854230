"""The report of `neighbours`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import quantiles

from perception.bench.comparison.paired import ComparisonRule, Scale
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.neighbours.run import FloodOutcome, NeighborCalls, NeighborsRun

GOAL_RATIO, GOAL_MORE_MS = 3.0, 200.0
"""A neighbor's slowest calls (p99) may take so many times as long as in the quiet before, and so much more, ms."""

GOAL_MEMORY = 1.1
"""Memory after a flood may be so many times that before it."""

ERRORS = "neighbors' errors"


def neighbors_report(run: NeighborsRun) -> Report:
    """What each flood cost its neighbors, the machine and itself."""
    floods = [each for each in run.outcomes if not each.is_control]
    errors = sum(sum(each.flooded.errors.values()) for each in floods)
    slow = [each.name for each in floods if not _is_within(each)]
    heavy = [each.name for each in floods if each.memory_mib[2] > GOAL_MEMORY * each.memory_mib[0]]
    return Report(
        title=f"{run.sessions} sessions beside {len(floods)} floods of one browser",
        summary=(
            f"{errors} errors of neighbors; in {len(floods) - len(slow)} of {len(floods)} floods their p99 stays "
            f"within {GOAL_RATIO:g} times that of the quiet before and {GOAL_MORE_MS:g} ms"
            + (f" (not: {', '.join(slow)})." if slow else "."),
            f"Memory is back within {GOAL_MEMORY - 1:.0%} after {len(floods) - len(heavy)} of {len(floods)}"
            + (f" (not: {', '.join(heavy)})." if heavy else "."),
        ),
        facts={"sessions": str(run.sessions), "seconds": f"{run.seconds:g}"},
        tables=(_calls(run), _memory(run), _own(run)),
    )


def _calls(run: NeighborsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in run.outcomes:
        cells: list[Cell] = []
        for kind in ("looks", "clicks"):
            for percent in (50, 99):
                quiet, flooded = (_quantile(getattr(calls, kind), percent) for calls in (each.quiet, each.flooded))
                cells += [quiet, flooded, flooded / quiet if quiet and flooded else None]
        rows.append((_label(each), *cells, sum(each.flooded.errors.values())))
    columns = [Column("flood")]
    for kind in ("look", "click"):
        for percent in (50, 99):
            columns += [
                Column(f"{kind} p{percent}, quiet", ColumnUnit.MILLISECONDS),
                Column("flooded", ColumnUnit.MILLISECONDS),
                Column("ratio", ColumnUnit.RATIO),
            ]
    columns.append(Column("errors", ColumnUnit.COUNT))
    note = "Controls keep a core busy and send no events."
    return Table("calls", "What the neighbors' calls took", tuple(columns), tuple(rows), note)


def _memory(run: NeighborsRun) -> Table:
    rows = tuple((_label(each), *each.memory_mib, each.memory_mib[2] / each.memory_mib[0]) for each in run.outcomes)
    columns = (
        Column("flood"),
        *(Column(name, ColumnUnit.NUMBER) for name in ("before", "during", "after")),
        Column("after to before", ColumnUnit.RATIO),
    )
    return Table("memory", "Service and browser, MiB PSS", columns, rows)


def _own(run: NeighborsRun) -> Table:
    rows = tuple(
        (_label(each), ", ".join(f"{call} {came}" for call, came in each.own_calls.items()), "; ".join(each.notes))
        for each in run.outcomes
    )
    return Table("own", "The flooding session itself", (Column("flood"), Column("calls"), Column("notes")), rows)


def neighbors_comparable(run: NeighborsRun) -> Comparable:
    """By flood: how many times as long the neighbors' slowest calls take, and their errors."""
    scores, rules, failures = [], dict[str, ComparisonRule](), dict[str, int]()
    for each in run.outcomes:
        tallies = {f"{kind} p99 to quiet": Tally(ratio, 1) for kind, ratio in _ratios(each).items()}
        scores.append(Score(each.name, "", each.name, "", "", tallies))
        rules |= {measure: ComparisonRule(False, Scale.PAGES, margin=1.0) for measure in tallies}
        failures[ERRORS] = failures.get(ERRORS, 0) + sum(each.flooded.errors.values())
    return Comparable(scores, rules, failures)


def _ratios(outcome: FloodOutcome) -> dict[str, float]:
    """Of p99, flooded to quiet, by kind of call; none where a side has no calls."""
    found = {}
    for kind in ("looks", "clicks"):
        quiet, flooded = (_p99(calls, kind) for calls in (outcome.quiet, outcome.flooded))
        if quiet and flooded:
            found[kind] = flooded / quiet
    return found


def _is_within(outcome: FloodOutcome) -> bool:
    """Whether the goal is met; not where a side has no calls of a kind, or a call failed."""
    pairs = [(_p99(outcome.quiet, kind), _p99(outcome.flooded, kind)) for kind in ("looks", "clicks")]
    in_time = (quiet and flooded and flooded <= GOAL_RATIO * quiet + GOAL_MORE_MS for quiet, flooded in pairs)
    return not outcome.flooded.errors and all(in_time)


def _p99(calls: NeighborCalls, kind: str) -> float | None:
    return _quantile(getattr(calls, kind), 99)


def _quantile(seconds: Sequence[float], percent: int) -> float | None:
    """Milliseconds; None for too few."""
    if len(seconds) < 2:
        return None
    return quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000


def _label(outcome: FloodOutcome) -> str:
    return f"{outcome.name} (control)" if outcome.is_control else outcome.name
