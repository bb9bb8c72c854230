from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from perception.bench.report.markdown_form import render_markdown
from perception.bench.run_store import keep_result
from perception.bench.suite import Result
from perception.bench.suites.speed import SUITE
from perception.bench.suites.speed.report import (
    SPEED_GOALS,
    SpeedMeasure,
    SpeedRun,
    SpeedSample,
    TextSize,
    page_medians,
    ratio_spreads,
    speed_report,
)

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

OURS, THEIRS = SpeedMeasure.TEXT_CHANGED, SpeedMeasure.PLAYWRIGHT_CHANGED

RUN = SpeedRun(
    samples=(
        SpeedSample("inbox", 0, OURS, 4.0, "text"),
        SpeedSample("inbox", 1, OURS, 6.0, "element"),
        SpeedSample("inbox", 0, THEIRS, 20.0, "text"),
        SpeedSample("chart", 0, OURS, 3.0, "text"),
        SpeedSample("chart", 0, THEIRS, 4.0, "text"),
        SpeedSample("chart", 0, TextSize.FULL, 12),
        SpeedSample("chart", 0, TextSize.DIGEST, 140),
        SpeedSample("many", 0, OURS, 1.0, "text"),
        SpeedSample("many", 0, THEIRS, 100.0, "text"),
        SpeedSample("many", 0, TextSize.DIGEST, 9_000),
    ),
    rounds=2,
    machine={"cores": "2", "Chromium": "156"},
    skipped=("sheet: rapidocr: not installed",),
    made=MADE,
    apart=("many",),
)


def test_the_report_says_what_was_measured_and_what_was_not() -> None:
    found = speed_report(RUN)
    tables = {table.id: table for table in found.tables}
    assert tables["ratios"].rows == (("text changed / playwright changed", 0.25, 0.375, 0.5, 0.625, 0.75, 2, 0.3),)
    assert [column.title for column in tables["milliseconds"].columns] == ["page", "text changed", "playwright changed"]
    assert tables["milliseconds"].rows == (
        ("inbox", 5.0, 20.0),
        ("chart", 3.0, 4.0),
        ("many", 1.0, 100.0),
        ("median", 4.0, 12.0),
    )
    assert tables["tokens"].rows[1] == ("chart", 12, 140)
    assert found.skipped == ("sheet: rapidocr: not installed",)
    assert found.facts["3 pages"] == "inbox, chart, many"
    assert {series.name: series.y for series in found.charts[0].series} == {
        "text changed": (4.0, 6.0, 3.0, 1.0),
        "playwright changed": (20.0, 4.0, 100.0),
    }


def test_goals_are_reported_first_with_whether_they_are_met() -> None:
    assert speed_report(RUN).summary == (
        "text changed takes 0.50 × playwright changed (0.25 … 0.75 over 2 pages; over the goal of 0.3 ×).",
        "many: text changed 0.01 × Playwright's time (within the goal of 0.1 ×).",
        "digest takes 140 tokens a page (140 … 140 over 1 pages; within the goal of 150).",
    )
    assert all(0 < goal < 1 for goal in SPEED_GOALS.values())


def test_a_page_apart_is_in_no_ratio_over_pages_but_has_its_own() -> None:
    assert ratio_spreads(RUN)[OURS, THEIRS].minimum == 0.25
    (table,) = (table for table in speed_report(RUN).tables if table.id == "apart")
    assert table.rows == (("text changed / playwright changed", 0.01),)


def test_ratios_are_also_reported_by_kind_of_change() -> None:
    (table,) = (table for table in speed_report(RUN).tables if table.id == "changes")
    assert [column.title for column in table.columns] == ["ratio", "text", "element"]
    assert table.rows == (("text changed / playwright changed", (0.2 + 0.75) / 2, None),)


def test_a_run_without_a_measurement_is_a_report_without_pages() -> None:
    found = speed_report(SpeedRun((), 1, {"cores": "2"}, ("inbox: gone",), MADE))
    assert "inbox: gone" in render_markdown(found)
    assert all(not table.rows for table in found.tables)


def test_every_measurement_is_kept_and_read_again(tmp_path: Path) -> None:
    result = SUITE.result(RUN, SUITE.options(), machine=RUN.machine, started=RUN.made)
    stored = keep_result(tmp_path, result.facts, result.data, result.failed)
    assert stored.facts.id == "speed-20260102-030405"
    assert SUITE.load(stored, tmp_path) == Result(stored.facts, RUN)


def test_medians_are_by_page_over_all_rounds() -> None:
    assert page_medians(RUN, OURS) == {"inbox": 5, "chart": 3, "many": 1}
    assert page_medians(RUN, OURS, change="element") == {"inbox": 6}


def test_ratios_are_made_page_by_page_before_they_are_summed_up() -> None:
    spread = ratio_spreads(RUN)[OURS, THEIRS]
    assert (spread.count, spread.minimum, spread.median, spread.maximum) == (2, 0.25, 0.5, 0.75)
