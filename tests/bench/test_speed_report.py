from __future__ import annotations

import json

from perception.bench.speed_report import (
    Measure,
    Sample,
    Size,
    SpeedReport,
    page_medians,
    ratio_spreads,
    render_table,
    to_json,
)

REPORT = SpeedReport(
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
)

TABLE = """\
Milliseconds a look, median of all; rounds: 2, warm looks in each: 5

       text first  text warm  fused first  fused warm  playwright first  playwright warm
inbox           -          5            -           -                 -               20
chart           -          3            -           -                 -                4

Tokens (o200k): medians

       full, viewport  interactive, viewport  full, page  playwright, boxes  playwright, no boxes
inbox               -                      -           -                  -                     -
chart              12                      -           -                  -                     -

Ratios of a page's medians, over pages

                             least  lower  median  upper  most  pages
text warm / playwright warm   0.25   0.38    0.50   0.62  0.75      2

Both sides look at one tab of one browser; each loads the page anew before its first look.
Playwright's text is of the whole page: compare it with `full, page`.

cores 2; Chromium 156

Skipped:
  sheet: rapidocr: not installed
"""


def test_the_table_says_what_was_measured_and_what_was_not() -> None:
    assert render_table(REPORT) == TABLE


def test_a_report_without_a_measurement_is_a_table_without_pages() -> None:
    text = render_table(SpeedReport((), 1, {"cores": "2"}, ("inbox: gone",)))
    assert "inbox: gone" in text
    assert "playwright warm\n\nTokens" in text


def test_medians_are_by_page_over_all_rounds() -> None:
    assert page_medians(REPORT, Measure.TEXT_WARM) == {"inbox": 5, "chart": 3}


def test_ratios_are_made_page_by_page_before_they_are_summed_up() -> None:
    spread = ratio_spreads(REPORT)["text warm", "playwright warm"]
    assert (spread.count, spread.minimum, spread.median, spread.maximum) == (2, 0.25, 0.5, 0.75)


def test_the_json_form_keeps_every_measurement() -> None:
    document = json.loads(to_json(REPORT))
    assert document["samples"][1] == {"page": "inbox", "round": 1, "of": "text warm", "value": 6.0}
    assert len(document["samples"]) == len(REPORT.samples)
    assert document["medians"]["text warm"] == {"inbox": 5.0, "chart": 3.0}
    assert document["ratios"][0]["median"] == 0.5
    assert document["skipped"] == ["sheet: rapidocr: not installed"]
