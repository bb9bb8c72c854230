from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from perception.bench.report.markdown import render_markdown
from perception.bench.speed_report import (
    Measure,
    Sample,
    Size,
    SpeedRun,
    page_medians,
    ratio_spreads,
    speed_report,
    to_json,
    write_measured,
)

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

RUN = SpeedRun(
    samples=(
        Sample("inbox", 0, Measure.TEXT_WARM, 4.0),
        Sample("inbox", 1, Measure.TEXT_WARM, 6.0),
        Sample("inbox", 0, Measure.PLAYWRIGHT_WARM, 20.0),
        Sample("chart", 0, Measure.TEXT_WARM, 3.0),
        Sample("chart", 0, Measure.PLAYWRIGHT_WARM, 4.0),
        Sample("chart", 0, Size.FULL, 12),
    ),
    rounds=2,
    machine={"cores": "2", "Chromium": "156"},
    skipped=("sheet: rapidocr: not installed",),
    made=MADE,
)


def test_the_report_says_what_was_measured_and_what_was_not() -> None:
    found = speed_report(RUN, "perception bench run speed")
    tables = {table.id: table for table in found.tables}
    assert found.summary == ("text warm takes 0.50 × playwright warm (0.25 … 0.75 over 2 pages).",)
    assert tables["ratios"].rows == (("text warm / playwright warm", 0.25, 0.375, 0.5, 0.625, 0.75, 2),)
    assert [column.title for column in tables["milliseconds"].columns] == ["page", "text warm", "playwright warm"]
    assert tables["milliseconds"].rows == (("inbox", 5.0, 20.0), ("chart", 3.0, 4.0))
    assert tables["tokens"].rows == (("inbox", None), ("chart", 12))
    assert found.skipped == ("sheet: rapidocr: not installed",)
    assert {series.name: series.y for series in found.charts[0].series} == {
        "text warm": (4.0, 6.0, 3.0),
        "playwright warm": (20.0, 4.0),
    }


def test_a_run_without_a_measurement_is_a_report_without_pages() -> None:
    found = speed_report(SpeedRun((), 1, {"cores": "2"}, ("inbox: gone",), MADE), "")
    assert "inbox: gone" in render_markdown(found)
    assert all(not table.rows for table in found.tables)


def test_every_measurement_is_kept(tmp_path: Path) -> None:
    path = write_measured(tmp_path, RUN)
    assert path.name == "speed-20260102-030405.json"
    assert json.loads(path.read_text())["samples"][1]["value"] == 6.0


def test_medians_are_by_page_over_all_rounds() -> None:
    assert page_medians(RUN, Measure.TEXT_WARM) == {"inbox": 5, "chart": 3}


def test_ratios_are_made_page_by_page_before_they_are_summed_up() -> None:
    spread = ratio_spreads(RUN)["text warm", "playwright warm"]
    assert (spread.count, spread.minimum, spread.median, spread.maximum) == (2, 0.25, 0.5, 0.75)


def test_the_json_form_keeps_every_measurement() -> None:
    document = json.loads(to_json(RUN))
    assert document["samples"][1] == {"page": "inbox", "round": 1, "of": "text warm", "value": 6.0}
    assert len(document["samples"]) == len(RUN.samples)
    assert document["medians"]["text warm"] == {"inbox": 5.0, "chart": 3.0}
    assert document["ratios"][0]["median"] == 0.5
    assert document["skipped"] == ["sheet: rapidocr: not installed"]
