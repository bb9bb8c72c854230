"""Figures of clicks, worked out by hand."""

from __future__ import annotations

import pytest

from perception.bench.report.report_model import Estimate, Report, Table
from perception.bench.suites.clicks.click_speed import ClickSide, ClickTime
from perception.bench.suites.clicks.report import clicks_report, landed_share
from perception.bench.suites.clicks.run import ClickEnding, ClicksRun, ClickTrial, SkippedTargets, TargetKind

ON, LABEL, INSIDE, TOGGLED, MISS, GONE = (
    ClickTrial(
        "shop", TargetKind.REF, f'e{number} button "Pay"', ending, "hit div" if ending is ClickEnding.MISS else ""
    )
    for number, ending in enumerate(ClickEnding)
)


def report(*trials: ClickTrial, times: tuple[ClickTime, ...] = (), failed: dict[str, str] | None = None) -> Report:
    pages = tuple(dict.fromkeys((*(each.page for each in trials), *(failed or {}))))
    skipped = (SkippedTargets(TargetKind.SELECTOR, "in a shadow tree", 3),)
    found = ClicksRun(pages, trials, skipped, times, failed or {}, ("shop: e9 was not timed",), "156")
    return clicks_report(found)


def table(found: Report, wanted: str) -> Table:
    return next(each for each in found.tables if each.id == wanted)


def test_what_is_no_longer_reachable_is_not_counted_as_tried() -> None:
    found = report(ON, LABEL, INSIDE, TOGGLED, MISS, GONE)
    assert found.summary == ("by ref: 4 of 5 clicks landed, 80.00%; the goal of 99.5% is missed.",)
    assert table(found, "ways").rows == (("by ref", 5, 0.8, 1, 1, 1, 1, 1, 1, 0),)
    assert table(found, "miss").rows == (("shop", "ref", 'e4 button "Pay"', "hit div"),)
    assert table(found, "gone").rows == (("shop", "ref", 'e5 button "Pay"', ""),)


@pytest.mark.parametrize(("misses", "verdict"), [(1, "met"), (2, "missed")])
def test_the_goal_is_met_at_99_5_percent(misses: int, verdict: str) -> None:
    (line,) = report(*[ON] * (200 - misses), *[MISS] * misses).summary
    assert line.endswith(f"the goal of 99.5% is {verdict}.")


def test_the_interval_is_over_pages() -> None:
    pages = [ClickTrial(f"p{page}", TargetKind.REF, "e1", ClickEnding.ON) for page in range(5)]
    share = landed_share([*pages, MISS])
    assert isinstance(share, Estimate)
    assert share.value == 5 / 6
    assert share.low < share.value < share.high
    assert landed_share(pages) == 1.0, "five pages are too few for an interval"


def test_skipped_and_failed_items_are_reported() -> None:
    found = report(ON, failed={"gone": "it does not answer"})
    assert table(found, "skipped").rows == (("by selector", "in a shadow tree", 3),)
    assert found.skipped == ("gone: it does not answer", "shop: e9 was not timed")
    assert found.facts == {"pages": "1"}


def test_times_are_medians_of_a_page_and_ratios_of_those() -> None:
    times = tuple(
        ClickTime(page, "e1", side, heard, answered, 70)
        for page, factor in (("a", 1), ("b", 3))
        for side, heard, answered in (
            (ClickSide.OURS, 10.0 * factor, 20.0 * factor),
            (ClickSide.OURS, 12.0 * factor, 24.0 * factor),
            (ClickSide.OURS, 90.0 * factor, 99.0 * factor),
            (ClickSide.PLAYWRIGHT, 24.0, 48.0),
        )
    )
    found = report(ON, times=times)
    assert found.summary[1:] == (
        "a click by ref takes 1.00 × Playwright's time until it is answered (0.50 … 1.50 over 2 pages; the goal of "
        "1.2 × is met).",
        "a click by ref takes 1.00 × Playwright's time until the page hears of it (0.50 … 1.50 over 2 pages).",
    )
    assert table(found, "times").rows == (
        ("a", 70, 4, 12.0, 24.0, 24.0, 48.0, 0.5, 0.5),
        ("b", 70, 4, 36.0, 24.0, 72.0, 48.0, 1.5, 1.5),
    )


def test_no_clicks_give_no_result() -> None:
    found = report()
    assert found.summary == ()
    assert [each.id for each in found.tables if each.rows] == ["skipped"]
