"""The measurements of a growth run, and its report."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from perception.bench.comparison.paired import LATENCY
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table
from perception.bench.scores import scores_of_values
from perception.bench.suite import Comparable


class GrowthSide(StrEnum):
    """Who looks, and at which part of the page."""

    VIEWPORT = "text, viewport"
    PAGE = "text, page"
    PLAYWRIGHT = "playwright, page"


class PageCondition(StrEnum):
    """The state of the page before the look: loaded, unchanged, or with this many of its texts changed."""

    FIRST = "first"
    UNCHANGED = "unchanged"
    ONE = "1 changed"
    TEN = "10 changed"
    HUNDRED = "100 changed"


CHANGED = {PageCondition.ONE: 1, PageCondition.TEN: 10, PageCondition.HUNDRED: 100}

GOAL_SIZE = 10_000
GROWTH_GOALS = {GrowthSide.VIEWPORT: 0.1, GrowthSide.PAGE: 0.4}
"""Maximum of our time for a look at a page of this many controls, as a share of Playwright's."""

CHANGE_SIZES, CHANGE_GOAL = (10_000, 100_000), 2.0
"""Maximum of what a look at the viewport takes after a change of one text of the larger page, as a multiple of the
smaller one."""

LARGE, LARGE_ROUNDS = 50_000, 1
"""Pages of so many controls are visited in so many rounds: a visit takes up to a minute, and what it measures differs
little from round to round."""

GOAL_CONDITIONS = (PageCondition.FIRST, PageCondition.ONE, PageCondition.UNCHANGED)


@dataclass(frozen=True, slots=True)
class TimedLook:
    """One measurement. `size` is the page's number of controls."""

    size: int
    round: int
    side: GrowthSide
    condition: PageCondition
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ControlsPage:
    """The content of a generated page: all elements, and how many of its controls are in view."""

    controls: int
    elements: int
    in_view: int


@dataclass(frozen=True, slots=True)
class GrowthRun:
    """A run as it was measured.

    Attributes:
        machine: facts about the machine and the software, by name.
        skipped: what was skipped, and why; one line each.
        made: when it began, in UTC.
    """

    looks: tuple[TimedLook, ...]
    pages: tuple[ControlsPage, ...]
    rounds: int
    machine: Mapping[str, str]
    skipped: tuple[str, ...]
    made: datetime

    @property
    def sizes(self) -> list[int]:
        """The pages with measurements, in order of size."""
        return sorted({look.size for look in self.looks})

    def median(self, size: int, side: GrowthSide, condition: PageCondition) -> float | None:
        """Milliseconds; None if there is no such look."""
        wanted = (size, side, condition)
        found = [each.milliseconds for each in self.looks if (each.size, each.side, each.condition) == wanted]
        return statistics.median(found) if found else None

    def ratio(self, size: int, side: GrowthSide, condition: PageCondition) -> float | None:
        """A side's median divided by Playwright's; None if one of them is missing."""
        ours, theirs = self.median(size, side, condition), self.median(size, GrowthSide.PLAYWRIGHT, condition)
        return ours / theirs if ours is not None and theirs else None


def growth_of(points: Sequence[tuple[float, float]]) -> float | None:
    """The exponent of the power law through points (x, y), all positive, by least squares of logarithms: 0 if y does
    not depend on x, 1 if it is proportional. None for fewer than two different x."""
    if len({x for x, _ in points}) < 2:
        return None
    fit = statistics.linear_regression([math.log(x) for x, _ in points], [math.log(y) for _, y in points])
    return fit.slope


def growth_report(run: GrowthRun) -> Report:
    """Times and ratios by size, their growth exponents, and plots of both."""
    return Report(
        title="How the cost of a look grows",
        summary=tuple(_say_goal(run)),
        facts={
            "rounds": f"{run.rounds}; {LARGE_ROUNDS} of pages with {LARGE:,} controls or more",
            **{f"{page.controls:,} controls": _facts(page) for page in run.pages},
        },
        tables=(_times(run), _ratios(run), _exponents(run)),
        charts=(*(_chart(run, condition) for condition in PageCondition if _has(run, condition)), *_change_charts(run)),
        skipped=run.skipped,
    )


def _facts(page: ControlsPage) -> str:
    return f"{page.elements:,} elements, {page.in_view:,} controls in view"


def _has(run: GrowthRun, condition: PageCondition) -> bool:
    return any(look.condition is condition for look in run.looks)


def _say_goal(run: GrowthRun) -> list[str]:
    said = []
    for side, goal in GROWTH_GOALS.items():
        found = {each: run.ratio(GOAL_SIZE, side, each) for each in GOAL_CONDITIONS}
        ratios = {each: ratio for each, ratio in found.items() if ratio is not None}
        if ratios:
            words = ", ".join(f"{each} {ratio:.3f} ×" for each, ratio in ratios.items())
            verdict = "within" if max(ratios.values()) <= goal else "over"
            said.append(f"{GOAL_SIZE:,} controls, {side}: {words} Playwright's time ({verdict} the goal of {goal} ×).")
    small, large = (run.median(size, GrowthSide.VIEWPORT, PageCondition.ONE) for size in CHANGE_SIZES)
    if small and large:
        sizes = " and ".join(f"{size:,}" for size in CHANGE_SIZES)
        verdict = "within" if large / small <= CHANGE_GOAL else "over"
        said.append(
            f"One text changed, {GrowthSide.VIEWPORT}: {small:.1f} and {large:.1f} ms at {sizes} controls, "
            f"{large / small:.1f} × ({verdict} the goal of {CHANGE_GOAL:g} ×)."
        )
    return said


def _times(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (size, side, *(run.median(size, side, condition) for condition in PageCondition))
        for size in run.sizes
        for side in GrowthSide
    ]
    columns = (
        Column("controls", ColumnUnit.COUNT),
        Column("who"),
        *(Column(each, ColumnUnit.MILLISECONDS) for each in PageCondition),
    )
    note = "So many texts of the page were changed by its own script, spread over all of it, and had two frames' time."
    return Table("times", "Milliseconds a look, medians", columns, tuple(rows), note)


def _ratios(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (size, side, *(run.ratio(size, side, condition) for condition in PageCondition))
        for size in run.sizes
        for side in (GrowthSide.VIEWPORT, GrowthSide.PAGE)
    ]
    columns = (
        Column("controls", ColumnUnit.COUNT),
        Column("ours"),
        *(Column(each, ColumnUnit.RATIO) for each in PageCondition),
    )
    return Table("ratios", "Ours to Playwright's", columns, tuple(rows), "Playwright lists the whole page.")


def _exponents(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for side in GrowthSide:
        found = [growth_of(_points(run, side, condition)) for condition in PageCondition]
        rows.append((side, *(each if each is None else round(each, 2) for each in found)))
    columns = (Column("who"), *(Column(each, ColumnUnit.NUMBER) for each in PageCondition))
    note = "The exponent of the page's size in what a look takes: 0 where it does not matter, 1 where twice the page "
    return Table("exponents", "How steeply it grows", columns, tuple(rows), note + "takes twice the time.")


def _points(run: GrowthRun, side: GrowthSide, condition: PageCondition) -> list[tuple[int, float]]:
    found = [(size, run.median(size, side, condition)) for size in run.sizes]
    return [(size, value) for size, value in found if value is not None]


def _chart(run: GrowthRun, condition: PageCondition) -> Chart:
    """Milliseconds by number of controls, both logarithmic, a line for each side."""
    series = []
    for side in GrowthSide:
        points = _points(run, side, condition)
        if points:
            series.append(Series(side, tuple(size for size, _ in points), tuple(value for _, value in points)))
    name = condition.split()[0]
    return Chart(
        f"growth-{name}",
        f"A look: {condition}",
        ChartKind.LINES,
        "controls",
        "ms",
        tuple(series),
        ColumnUnit.MILLISECONDS,
        logarithmic=True,
    )


def _change_charts(run: GrowthRun) -> list[Chart]:
    """Milliseconds by number of changes, for the largest page that all sides looked at."""
    shared = [size for size in run.sizes if all(run.median(size, side, PageCondition.HUNDRED) for side in GrowthSide)]
    if not shared:
        return []
    size = shared[-1]
    series = []
    for side in GrowthSide:
        values = {count: run.median(size, side, condition) for condition, count in CHANGED.items()}
        series.append(Series(side, tuple(values), tuple(values.values())))
    title = f"A look at {size:,} controls, by how many texts changed"
    return [
        Chart(
            "changed",
            title,
            ChartKind.LINES,
            "texts changed",
            "ms",
            tuple(series),
            ColumnUnit.MILLISECONDS,
            logarithmic=True,
        )
    ]


def growth_comparable(run: GrowthRun) -> Comparable:
    """By size and round: milliseconds of each side under each condition."""
    values = (
        (
            f"{each.size} controls",
            f"{each.size} controls, round {each.round}",
            f"{each.side}, {each.condition}",
            each.milliseconds,
        )
        for each in run.looks
    )
    measures = (f"{side}, {condition}" for side in GrowthSide for condition in PageCondition)
    return Comparable(scores_of_values("looks", values), dict.fromkeys(measures, LATENCY))
