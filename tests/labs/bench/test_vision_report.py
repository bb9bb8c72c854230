from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perception.bench.metrics.line_matching import LineCounts
from perception.bench.metrics.text_errors import Edits, TextErrors
from perception.bench.report.html_form import render_html
from perception.bench.report.json_form import render_json
from perception.bench.report.markdown_form import render_markdown
from perception.bench.report.report_model import Cell, Report
from perception.bench.run_store import keep_result
from perception.bench.suite import ReportContext, Result
from perception.bench.suites.vision import SUITE
from perception.bench.suites.vision.readers import OURS, THEIRS, Comparison, PictureRead, ReaderCost
from perception.bench.suites.vision.report import (
    AX_POOR_SHARE,
    VISION_GOALS,
    PageKind,
    StageTime,
    VisionMeasure,
    VisionRun,
    VisionSample,
    vision_report,
)

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def lines(found: int, edits: int) -> LineCounts:
    """Ten lines of a hundred letters each, so many of them found."""
    reading = TextErrors(Edits(edits, 100 * found), Edits(edits // 2, 100 * found))
    return LineCounts(1, 10, found, found, found, 10, 0, 0, reading, TextErrors())


READERS = Comparison(
    costs=(ReaderCost(OURS, 400, 500 * 2**20), ReaderCost(THEIRS, 900, None)),
    reads=(
        PictureRead("a", OURS, 300, lines(9, 18), lines(10, 10), {"boxes of lines": 20, "all else": 40}),
        PictureRead("a", THEIRS, 1000, lines(8, 16), lines(10, 20), {"all else": 1900}),
        PictureRead("b", THEIRS, 1000, lines(9, 0), lines(9, 0)),
        PictureRead("b", OURS, 500, lines(9, 0), lines(9, 0)),
        PictureRead("only ours", OURS, 1, lines(0, 0), lines(0, 0)),
    ),
    skipped=("rapidocr: only ours: its time was up",),
)

RUN = VisionRun(
    samples=(
        VisionSample("form", 0, VisionMeasure.FIRST, 90),
        VisionSample("form", 1, VisionMeasure.FIRST, 110),
        VisionSample("form", 0, VisionMeasure.TEXT, 30),
        VisionSample("form", 0, VisionMeasure.TEXT_AND_PNG, 80),
        VisionSample("form", 0, VisionMeasure.RAPIDOCR, 1000),
        VisionSample("form", 0, VisionMeasure.CHANGED, 50),
        VisionSample("form", 0, VisionMeasure.UNCHANGED, 30),
        VisionSample("form", 0, VisionMeasure.PNG, 20),
        VisionSample("list", 0, VisionMeasure.FIRST, 300),
        VisionSample("list", 0, VisionMeasure.RAPIDOCR, 1000),
        VisionSample("chart", 0, VisionMeasure.FIRST, 900),
        VisionSample("chart", 0, VisionMeasure.RAPIDOCR, 1000),
    ),
    stages=(
        StageTime("form", 0, VisionMeasure.FIRST, "capture", 10),
        StageTime("form", 1, VisionMeasure.FIRST, "capture", 30),
        StageTime("list", 0, VisionMeasure.FIRST, "capture", 60),
        StageTime("chart", 0, VisionMeasure.FIRST, "capture", 5),
        StageTime("chart", 0, VisionMeasure.FIRST, "ocr", 700),
    ),
    pictures={"form": 0.1, "list": 0.33, "chart": AX_POOR_SHARE},
    rounds=2,
    machine={"cores": "2"},
    skipped=("gone: no such page",),
    made=MADE,
    readers=READERS,
)


def rows(report: Report, table: str) -> list[tuple[Cell, ...]]:
    return [row for each in report.tables if each.id == table for row in each.rows]


@pytest.fixture(scope="module")
def report() -> Report:
    return vision_report(RUN)


def test_pages_are_apart_by_how_much_of_them_pictures_cover(report: Report) -> None:
    assert [RUN.kind(page) for page in RUN.pictures] == [PageKind.EXPLAINED, PageKind.EXPLAINED, PageKind.AX_POOR]
    assert report.facts["explains itself, pages"] == "form, list"
    assert report.facts["AX-poor, pages"] == "chart"


def test_ratios_are_of_each_pages_medians_and_are_shown_with_their_goals(report: Report) -> None:
    found = {row[:2]: row[2:] for row in rows(report, "ratios")}
    assert found["explains itself", "first / rapidocr"] == pytest.approx((0.1, 0.15, 0.2, 0.25, 0.3, 2, 0.12))
    assert found["explains itself", "changed / rapidocr"][-1] == 0.15
    assert found["explains itself", "unchanged / screenshot, PNG"][2:] == (1.5, 1.5, 1.5, 1, 1.15)
    assert found["AX-poor", "first / rapidocr"][2:] == (0.9, 0.9, 0.9, 1, 0.5)
    assert found["whole screenshots", "ppocr / rapidocr"][2:] == (0.4, 0.45, 0.5, 2, 0.4)


def test_every_ratio_with_a_goal_that_was_measured_is_a_sentence(report: Report) -> None:
    assert report.summary == (
        "explains itself: first takes 1.250 × first, text + screenshot "
        "(1.250 … 1.250 over 1; within the goal of 1.5 ×).",
        "explains itself: first takes 0.200 × rapidocr (0.100 … 0.300 over 2; over the goal of 0.12 ×).",
        "explains itself: changed takes 0.050 × rapidocr (0.050 … 0.050 over 1; within the goal of 0.15 ×).",
        "explains itself: unchanged takes 1.500 × screenshot, PNG (1.500 … 1.500 over 1; over the goal of 1.15 ×).",
        "AX-poor: first takes 0.900 × rapidocr (0.900 … 0.900 over 1; over the goal of 0.5 ×).",
        "whole screenshots: ppocr takes 0.400 × rapidocr (0.300 … 0.500 over 2; within the goal of 0.4 ×).",
    )
    assert {kind for kind, _, _ in VISION_GOALS} == {PageKind.EXPLAINED, PageKind.AX_POOR}


def test_stages_are_medians_over_pages_of_each_pages_median(report: Report) -> None:
    assert rows(report, "stages") == [("explains itself", "first", 40, None), ("AX-poor", "first", 5, 700)]


def test_pages_have_a_row_each_with_what_was_measured_of_them(report: Report) -> None:
    assert rows(report, "milliseconds")[0] == ("form", 0.1, 100, 30, 50, None, 30, 80, 1000, 20, None)
    assert [row[0] for row in rows(report, "milliseconds")] == ["form", "list", "chart"]


def test_readers_are_judged_by_the_pictures_that_both_have_read(report: Report) -> None:
    found = {(row[0], row[2]): (row[1], *row[3:]) for row in rows(report, "reading")}
    assert found["all", "line recall"] == pytest.approx((20, 0.9, 0.85, 0.05, 0.99))
    assert found["all", "CER"] == pytest.approx((20, 18 / 1800, 16 / 1700, 18 / 1800 - 16 / 1700, 0.02))
    assert found["legible", "CER, no spaces"] == pytest.approx((20, 5 / 1900, 10 / 1900, -5 / 1900, 0.008))
    assert found["legible", "exact lines"][-1] is None
    assert [row[:4] for row in rows(report, "pictures")] == [("a", 10, 300, 1000), ("b", 10, 500, 1000)]


def test_costs_are_shown_with_the_goals_of_our_reader(report: Report) -> None:
    assert rows(report, "readers") == [
        (OURS, 400, 300, 500),
        (THEIRS, 900, 1000, None),
        (f"goal of {OURS}", 500, None, 600),
    ]


def test_steps_are_shown_beside_the_other_readers_total(report: Report) -> None:
    assert rows(report, "steps") == [
        (OURS, "boxes of lines", 20),
        (OURS, "all else", 40),
        (OURS, "in all", 60),
        (THEIRS, "all else", 1900),
        (THEIRS, "in all", 1900),
    ]


def test_skipped_pages_and_pictures_are_reported(report: Report) -> None:
    assert report.skipped == ("gone: no such page", "rapidocr: only ours: its time was up")


def test_the_report_is_drawn_in_every_form(report: Report) -> None:
    assert "| AX-poor | first / rapidocr |" in render_markdown(report)
    assert "Text of whole screenshots" in render_html(report)
    assert json.loads(render_json(report))["title"] == report.title


def test_a_run_without_a_measurement_is_a_report_without_tables() -> None:
    run = VisionRun((), (), {}, 1, {"cores": "2"}, ("inbox: gone",), MADE)
    result = SUITE.result(run, SUITE.options(), machine=run.machine)
    found = SUITE.report(result, ReportContext(Path(), "perception bench run vision"))
    assert found.tables == found.summary == ()
    assert "inbox: gone" in render_markdown(found)


def test_every_measurement_is_kept_and_read_again(tmp_path: Path) -> None:
    result = SUITE.result(RUN, SUITE.options(), machine=RUN.machine, started=RUN.made)
    stored = keep_result(tmp_path, result.facts, result.data, result.failed)
    assert stored.facts.id == "vision-20260102-030405"
    assert SUITE.load(stored, tmp_path) == Result(stored.facts, RUN)
