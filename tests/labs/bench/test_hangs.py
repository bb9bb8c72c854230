"""The suite `hangs`: what its report counts, and that every way is served."""

from __future__ import annotations

import urllib.request
from dataclasses import replace

import pytest

from perception.bench.suites.hangs.hang_cases import HangCall, hang_cases, serve_hang_cases
from perception.bench.suites.hangs.process_count import ProcessCounts
from perception.bench.suites.hangs.report import growth_per_round, hangs_report, nearest_rank
from perception.bench.suites.hangs.run import HANG_DEADLINE_SECONDS, HangOutcome

RAN = HangOutcome("loop", 0, HANG_DEADLINE_SECONDS - 0.2, "DEADLINE", "late", "", "", 0.5, 0.1)
CENSUS = ProcessCounts(10, 20, 100 * 2**20, 900 * 2**20, 6)


def test_there_are_many_ways_and_each_has_a_name_of_its_own() -> None:
    names = [way.id for way in hang_cases()]
    assert len(set(names)) == len(names) >= 30
    assert {way.call for way in hang_cases()} == set(HangCall)


def test_the_page_of_a_way_is_served_with_what_hangs_it() -> None:
    way = next(each for each in hang_cases() if each.id == "loop in a frame of another site")
    with serve_hang_cases() as origin:
        page = urllib.request.urlopen(way.url(origin), timeout=20).read().decode()
    assert "id=b" in page
    assert f"src={origin.replace('127.0.0.1', 'localhost')}/frame" in page


def test_the_report_shows_late_calls_lost_tabs_and_growth() -> None:
    late = replace(
        RAN, round=1, wall_s=HANG_DEADLINE_SECONDS + 0.3, reason="-", in_place="click: x", after="navigate: y"
    )
    found = hangs_report([RAN, late], [CENSUS, CENSUS, replace(CENSUS, processes=12)])
    assert "99 of 100 ended by 300 ms after their deadline (goal 150 ms after" in found.summary[0]
    assert "missed" in found.summary[0]
    assert found.summary[1].startswith("1 of 2 were answered by the service")
    assert found.summary[2].startswith("In 1 of 2 the same tab")
    assert found.skipped == ("loop, round 2: navigate: y",)
    held = next(table for table in found.tables if table.id == "held")
    assert held.rows[0] == ("processes of the browser", 10, 10, 12, 2.0)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        pytest.param([5.0], 0.99, 5.0, id="one"),
        pytest.param([3.0, 1.0, 2.0], 0.5, 2.0, id="middle"),
        pytest.param([float(n) for n in range(1, 101)], 0.99, 99.0, id="hundred"),
        pytest.param([1.0, 2.0], 1.0, 2.0, id="largest"),
    ],
)
def test_percentiles_are_by_nearest_rank(values: list[float], share: float, expected: float) -> None:
    assert nearest_rank(values, share) == expected


def test_growth_needs_two_rounds() -> None:
    assert growth_per_round([1.0]) is None
    assert growth_per_round([1.0, 3.0, 5.0]) == 2.0
