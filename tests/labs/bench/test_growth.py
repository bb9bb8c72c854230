"""Growing pages, for real with small ones; the report with figures of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from perception.bench.run_store import keep_result
from perception.bench.suite import Result
from perception.bench.suites.growth import SUITE
from perception.bench.suites.growth import run as growth
from perception.bench.suites.growth.report import (
    CHANGED,
    ControlsPage,
    GrowthRun,
    GrowthSide,
    PageCondition,
    TimedLook,
    growth_of,
    growth_report,
)
from perception.bench.suites.growth.run import WARM_LOOKS, run_growth

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Told:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.total = 0
        self.lines: list[tuple[str, str]] = []

    def start(self, total: int) -> None:
        self.total = total

    def done(self, name: str, problem: str = "") -> None:
        self.lines.append((name, problem))


async def test_every_side_looks_under_every_condition_that_the_page_is_large_enough_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(growth, "GROWTH_ENOUGH_SECONDS", 600.0)  # however slow the machine is, all looks are made
    told = Told()
    run = await run_growth([3, 12], rounds=1, progress=told)
    found = [(look.size, look.side, look.condition) for look in run.looks]
    for size in (3, 12):
        for side in GrowthSide:
            for condition in PageCondition:
                looks = 1 if condition is PageCondition.FIRST else WARM_LOOKS
                assert found.count((size, side, condition)) == (looks if CHANGED.get(condition, 0) <= size else 0)
    assert all(look.milliseconds > 0 for look in run.looks)
    assert [(page.controls, page.elements > page.controls) for page in run.pages] == [(3, True), (12, True)]
    assert run.skipped == ()
    assert told.total == len(told.lines) == 6


async def test_a_side_that_takes_too_long_is_given_up_with_its_larger_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "GROWTH_LOOK_SECONDS", 1e-6)
    told = Told()
    run = await run_growth([3, 12], rounds=1, progress=told)
    assert run.looks == ()
    assert run.skipped == tuple(f"{side} at 3 controls and more: given up after 1e-06 s" for side in GrowthSide)
    assert [bool(problem) for _, problem in told.lines] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(("sizes", "rounds"), [((), 1), ((0,), 1), ((10,), 0)], ids=["no-size", "empty", "no-round"])
async def test_nothing_to_measure_is_refused(sizes: tuple[int, ...], rounds: int) -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        await run_growth(sizes, rounds=rounds, progress=Told())


@pytest.mark.parametrize(
    ("points", "exponent"),
    [
        ([(1, 5), (10, 5), (100, 5)], 0),
        ([(1, 2), (10, 20), (100, 200)], 1),
        ([(10, 1), (100, 100)], 2),
        ([(10, 1)], None),
        ([(10, 1), (10, 3)], None),
        ([], None),
    ],
    ids=["flat", "in-proportion", "quadratic", "one", "one-place", "none"],
)
def test_growth_is_the_exponent_of_a_power_law(points: list[tuple[float, float]], exponent: float | None) -> None:
    assert growth_of(points) == (None if exponent is None else pytest.approx(exponent))


def made(**milliseconds: float) -> tuple[TimedLook, ...]:
    """Looks by condition's name, of ours; Playwright takes a millisecond for each ten controls, but for the last."""
    looks = []
    for size in (1000, 10_000, 100_000):
        for name, spent in milliseconds.items():
            looks.append(TimedLook(size, 0, GrowthSide.VIEWPORT, PageCondition[name], spent))
            if size < 100_000:
                looks.append(TimedLook(size, 0, GrowthSide.PLAYWRIGHT, PageCondition[name], size / 10))
    return tuple(looks)


RUN = GrowthRun(
    made(FIRST=50.0, UNCHANGED=1.0, ONE=2.0, HUNDRED=20.0),
    (ControlsPage(1000, 1673, 102),),
    1,
    {"cores": "2"},
    ("playwright, page at 100,000 controls and more: given up after 30 s",),
    MADE,
)


def test_the_report_says_times_ratios_growth_and_what_was_given_up() -> None:
    found = growth_report(RUN)
    tables = {table.id: table for table in found.tables}
    assert found.summary == (
        "10,000 controls, text, viewport: first 0.050 ×, 1 changed 0.002 ×, unchanged 0.001 × Playwright's time "
        "(within the goal of 0.1 ×).",
        "One text changed, text, viewport: 2.0 and 2.0 ms at 10,000 and 100,000 controls, "
        "1.0 × (within the goal of 2 ×).",
    )
    assert tables["times"].rows[0] == (1000, "text, viewport", 50, 1, 2, None, 20)
    assert tables["times"].rows[-1] == (100_000, "playwright, page", *[None] * 5)
    assert tables["ratios"].rows[2] == (10_000, "text, viewport", 0.05, 0.001, 0.002, None, 0.02)
    exponents = {row[0]: row[1:] for row in tables["exponents"].rows}
    assert exponents["text, viewport"] == (0, 0, 0, None, 0)
    assert exponents["playwright, page"] == (1, 1, 1, None, 1)
    assert found.facts["1,000 controls"] == "1,673 elements, 102 controls in view"
    assert found.skipped == RUN.skipped


def test_each_condition_is_a_plot_over_sizes_with_logarithmic_axes() -> None:
    charts = {chart.id: chart for chart in growth_report(RUN).charts}
    assert list(charts) == ["growth-first", "growth-unchanged", "growth-1", "growth-100"]
    assert all(chart.logarithmic for chart in charts.values())
    series = {each.name: (each.x, each.y) for each in charts["growth-first"].series}
    assert series["playwright, page"] == ((1000, 10_000), (100, 1000))
    assert series["text, viewport"] == ((1000, 10_000, 100_000), (50, 50, 50))


def test_cost_over_what_changed_is_of_the_largest_page_that_all_looked_at() -> None:
    every = made(ONE=2.0, TEN=4.0, HUNDRED=20.0)
    pages = tuple(
        TimedLook(each.size, 0, GrowthSide.PAGE, each.condition, 7.0)
        for each in every
        if each.side is GrowthSide.VIEWPORT
    )
    charts = {each.id: each for each in growth_report(GrowthRun(every + pages, (), 1, {}, (), MADE)).charts}
    assert charts["changed"].title.startswith("A look at 10,000 controls")
    assert charts["changed"].series[0].x == (1, 10, 100)
    assert charts["changed"].series[0].y == (2, 4, 20)


def test_every_measurement_is_kept_and_read_again(tmp_path: Path) -> None:
    result = SUITE.result(RUN, SUITE.options(), machine=RUN.machine, started=RUN.made)
    stored = keep_result(tmp_path, result.facts, result.data, result.failed)
    assert stored.facts.id == "growth-20260102-030405"
    assert SUITE.load(stored, tmp_path) == Result(stored.facts, RUN)
