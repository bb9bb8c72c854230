"""The report of `stability`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.metrics.box_matching import share
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.stability.stability_trials import PageChange, StabilityRun, StabilityTrial

BUCKETS = (0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.01)
"""Limits of the ranges of stability that are reported apart."""

SURE, SURE_GOAL, UNSURE = 0.8, 0.98, 0.5
"""Of selectors with at least the first stability this share must survive; what does not survive must have at most the
last."""

LONG = 150
"""A selector with more characters is hard to read and to send."""

CHANGES = (PageChange.RELOAD, PageChange.DEPLOYMENT)


def stability_report(found: StabilityRun) -> Report:
    """The report of a run."""
    parts = sorted({each.part for each in found.trials})
    return Report(
        title="Whether selectors last as long as they promise",
        summary=tuple(_say(found.trials, part) for part in parts),
        facts={"pages": str(len(found.pages) - len(found.failed))},
        tables=(*(_ranges(found.trials, part) for part in parts), _pages(found), _misses(found)),
        skipped=tuple(f"{page}: {why}" for page, why in found.failed.items()),
    )


def survivors(trials: Iterable[StabilityTrial], change: PageChange) -> Tally:
    """Those that found their element each time, of those that were asked."""
    known = [each.survives(change) for each in trials if each.survives(change) is not None]
    return Tally(sum(map(bool, known)), len(known))


def _say(trials: Sequence[StabilityTrial], part: str) -> str:
    own = [each for each in trials if each.part == part]
    sure = [each for each in own if each.stability >= SURE]
    shares = ", ".join(f"{share(survivors(own, change)) or 0:.1%} {change}" for change in CHANGES)
    promised = " and ".join(f"{share(survivors(sure, change)) or 0:.1%} {change}" for change in CHANGES)
    lost = [each for each in own if any(each.survives(change) is False for change in CHANGES)]
    wrong = sum(each.stability > UNSURE for each in lost)
    is_met = all((share(survivors(sure, change)) or 0) >= SURE_GOAL for change in CHANGES)
    return (
        f"{part}: of {len(own)} selectors {shares} find the same element. With a stability of {SURE:g} or more it is "
        f"{promised}; the goal of {SURE_GOAL:.0%} is {'met' if is_met else 'missed'}. Of {len(lost)} that do not last, "
        f"{wrong} promised more than {UNSURE:g}."
    )


def _ranges(trials: Sequence[StabilityTrial], part: str) -> Table:
    own = [each for each in trials if each.part == part]
    rows: list[tuple[Cell, ...]] = []
    for low, high in pairwise(BUCKETS):
        of = [each for each in own if low <= each.stability < high]
        shares = (share(survivors(of, change)) for change in CHANGES)
        rows.append((f"{low:g} … {min(high, 1):g}", len(of), *shares))
    columns = (
        Column("stability"),
        Column("selectors", ColumnUnit.COUNT),
        *(Column(str(change), ColumnUnit.SHARE) for change in CHANGES),
    )
    return Table(f"ranges-{part}", f"How many last, by their stability: {part}", columns, tuple(rows))


def _pages(found: StabilityRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for page in found.pages:
        own = [each for each in found.trials if each.page == page]
        if own:
            shares = (share(survivors(own, change)) for change in CHANGES)
            by_position = sum(":nth-" in each.selector for each in own)
            long = sum(len(each.selector) > LONG for each in own)
            rows.append((page, own[0].part, len(own), by_position, long, *shares))
    columns = (
        Column("page"),
        Column("part"),
        Column("selectors", ColumnUnit.COUNT),
        Column("by position", ColumnUnit.COUNT),
        Column(f"over {LONG} characters", ColumnUnit.COUNT),
        *(Column(str(change), ColumnUnit.SHARE) for change in CHANGES),
    )
    return Table("pages", "Each page", columns, tuple(rows))


def _misses(found: StabilityRun) -> Table:
    """What promised to last, and did not."""
    lost = [
        each
        for each in found.trials
        if each.stability > UNSURE and any(each.survives(change) is False for change in CHANGES)
    ]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.page, each.element, each.selector, each.reason, f"{each.stability:.2f}") for each in lost
    )
    columns = tuple(Column(name) for name in ("page", "element", "selector", "rests on", "stability"))
    return Table("misses", f"Not lasting, with a stability above {UNSURE:g}", columns, rows)


def stability_comparable(found: StabilityRun) -> Comparable:
    """By page: selectors that last, by what changed."""
    scores: list[Score] = []
    rules: dict[str, ComparisonRule] = {}
    for page in found.pages:
        own = [each for each in found.trials if each.page == page]
        tallies = {f"same element {change}": survivors(own, change) for change in CHANGES if own}
        rules |= {name: ComparisonRule(True) for name in tallies}
        scores.append(Score(page, "stability", page, "", "", tallies))
    return Comparable(scores, rules)
