"""A run of growing pages as it was measured, and the report that is made of it."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from perception.bench.report.model import Cell, Chart, ChartKind, Column, Report, Series, Table, Unit


class Side(StrEnum):
    """Who looks, at how much."""

    VIEWPORT = "text, viewport"
    PAGE = "text, page"
    PLAYWRIGHT = "playwright, page"


class Condition(StrEnum):
    """What happened to the page before the look: it was loaded, nothing, or so many of its texts were changed."""

    FIRST = "first"
    UNCHANGED = "unchanged"
    ONE = "1 changed"
    TEN = "10 changed"
    HUNDRED = "100 changed"


CHANGED = {Condition.ONE: 1, Condition.TEN: 10, Condition.HUNDRED: 100}

GOAL_SIZE, GOAL = 10_000, 0.1
"""A look at a page of so many controls shall take so much of Playwright's time, at most."""

GOAL_CONDITIONS = (Condition.FIRST, Condition.ONE, Condition.UNCHANGED)


@dataclass(frozen=True, slots=True)
class Look:
    """One measurement. `size` is the page's number of controls."""

    size: int
    round: int
    side: Side
    condition: Condition
    milliseconds: float


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a made-up page holds: elements in all, and how many of its controls are in view."""

    controls: int
    elements: int
    in_view: int


@dataclass(frozen=True, slots=True)
class GrowthRun:
    """A run as it was measured.

    Attributes:
        machine: facts of it and of what ran on it, by name.
        skipped: what was given up, and why; a line each.
        made: when it began, in UTC.
    """

    looks: tuple[Look, ...]
    pages: tuple[PageFacts, ...]
    rounds: int
    machine: Mapping[str, str]
    skipped: tuple[str, ...]
    made: datetime

    @property
    def sizes(self) -> list[int]:
        """Of pages that anybody looked at, in their order."""
        return sorted({look.size for look in self.looks})

    def median(self, size: int, side: Side, condition: Condition) -> float | None:
        """Milliseconds; None where there is no such look."""
        wanted = (size, side, condition)
        found = [each.milliseconds for each in self.looks if (each.size, each.side, each.condition) == wanted]
        return statistics.median(found) if found else None

    def ratio(self, size: int, side: Side, condition: Condition) -> float | None:
        """A side's median to Playwright's; None where one of them is missing."""
        ours, theirs = self.median(size, side, condition), self.median(size, Side.PLAYWRIGHT, condition)
        return ours / theirs if ours is not None and theirs else None


def growth_of(points: Sequence[tuple[float, float]]) -> float | None:
    """The exponent of the power law through points (x, y), all positive, by least squares of logarithms: 0 where y
    does not depend on x, 1 where it is proportional. None for fewer than two different x."""
    if len({x for x, _ in points}) < 2:
        return None
    fit = statistics.linear_regression([math.log(x) for x, _ in points], [math.log(y) for _, y in points])
    return fit.slope


def write_grown(home: Path, run: GrowthRun) -> Path:
    """Keeps every measurement; the file."""
    path = home / "runs" / f"growth-{run.made:%Y%m%d-%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**asdict(run), "made": run.made.isoformat(timespec="seconds")}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path


def growth_report(run: GrowthRun, command: str) -> Report:
    """Times and ratios by size, how steeply they grow, and plots of both."""
    return Report(
        title="How the cost of a look grows",
        summary=tuple(_say_goal(run)),
        facts={
            "rounds": str(run.rounds),
            **{f"{page.controls:,} controls": _facts(page) for page in run.pages},
            **run.machine,
        },
        tables=(_times(run), _ratios(run), _exponents(run)),
        charts=(*(_chart(run, condition) for condition in Condition if _has(run, condition)), *_change_charts(run)),
        skipped=run.skipped,
        command=command,
        made=run.made.isoformat(timespec="seconds"),
    )


def _facts(page: PageFacts) -> str:
    return f"{page.elements:,} elements, {page.in_view:,} controls in view"


def _has(run: GrowthRun, condition: Condition) -> bool:
    return any(look.condition is condition for look in run.looks)


def _say_goal(run: GrowthRun) -> list[str]:
    said = []
    for side in (Side.VIEWPORT, Side.PAGE):
        found = {each: run.ratio(GOAL_SIZE, side, each) for each in GOAL_CONDITIONS}
        ratios = {each: ratio for each, ratio in found.items() if ratio is not None}
        if ratios:
            words = ", ".join(f"{each} {ratio:.3f} ×" for each, ratio in ratios.items())
            verdict = "within" if max(ratios.values()) <= GOAL else "over"
            said.append(f"{GOAL_SIZE:,} controls, {side}: {words} Playwright's time ({verdict} the goal of {GOAL} ×).")
    return said


def _times(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (size, side, *(run.median(size, side, condition) for condition in Condition))
        for size in run.sizes
        for side in Side
    ]
    columns = (
        Column("controls", Unit.COUNT),
        Column("who"),
        *(Column(each, Unit.MILLISECONDS) for each in Condition),
    )
    note = "So many texts of the page were changed by its own script, spread over all of it, and had two frames' time."
    return Table("times", "Milliseconds a look, medians", columns, tuple(rows), note)


def _ratios(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (size, side, *(run.ratio(size, side, condition) for condition in Condition))
        for size in run.sizes
        for side in (Side.VIEWPORT, Side.PAGE)
    ]
    columns = (Column("controls", Unit.COUNT), Column("ours"), *(Column(each, Unit.RATIO) for each in Condition))
    return Table("ratios", "Ours to Playwright's", columns, tuple(rows), "Playwright lists the whole page.")


def _exponents(run: GrowthRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for side in Side:
        found = [growth_of(_points(run, side, condition)) for condition in Condition]
        rows.append((side, *(each if each is None else round(each, 2) for each in found)))
    columns = (Column("who"), *(Column(each, Unit.NUMBER) for each in Condition))
    note = "The exponent of the page's size in what a look takes: 0 where it does not matter, 1 where twice the page "
    return Table("exponents", "How steeply it grows", columns, tuple(rows), note + "takes twice the time.")


def _points(run: GrowthRun, side: Side, condition: Condition) -> list[tuple[int, float]]:
    found = [(size, run.median(size, side, condition)) for size in run.sizes]
    return [(size, value) for size, value in found if value is not None]


def _chart(run: GrowthRun, condition: Condition) -> Chart:
    """Milliseconds over controls, both logarithmic, a line for each side."""
    series = []
    for side in Side:
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
        Unit.MILLISECONDS,
        logarithmic=True,
    )


def _change_charts(run: GrowthRun) -> list[Chart]:
    """Milliseconds over how much changed, of the largest page that everybody looked at."""
    shared = [size for size in run.sizes if all(run.median(size, side, Condition.HUNDRED) for side in Side)]
    if not shared:
        return []
    size = shared[-1]
    series = []
    for side in Side:
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
            Unit.MILLISECONDS,
            logarithmic=True,
        )
    ]
