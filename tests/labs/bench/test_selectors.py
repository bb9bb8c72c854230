"""The suite `selectors` on pages of our own, whose outcome is known beforehand."""

# ruff: noqa: E501  pages read better unbroken

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

import pytest

from perception.bench.suites.selectors.report import selectors_report
from perception.bench.suites.selectors.run import run_selectors
from perception.bench.suites.selectors.selector_trials import (
    SelectorFinding,
    SelectorMaker,
    SelectorsRun,
    SelectorStage,
)

STEADY = """<!doctype html><meta charset=utf-8><title>steady</title><main><nav><a href=/one>One</a><a href=/two>Two</a></nav>
<form><input name=mail class=x7f3><button class=css-1a2b3c type=submit>Send</button></form>
<ul><li><a href=/a>A</a> <button>Drop</button></li><li><a href=/b>B</a> <button>Drop</button></li></ul></main>"""

CHANGING = """<!doctype html><meta charset=utf-8><title>changing</title><button id=same>Same</button><button id=new></button>
<script>document.getElementById('new').textContent = `Number ${Math.random()}`</script>"""


@pytest.fixture(scope="module")
async def ran(site: str) -> SelectorsRun:
    pages = {name: f"{site}/html?body={quote(body)}" for name, body in (("steady", STEADY), ("changing", CHANGING))}
    return await run_selectors({**pages, "gone": "http://127.0.0.1:1/"}, {}, lambda _, __: None, rounds=2)


def findings(
    ran: SelectorsRun, stage: SelectorStage, maker: SelectorMaker, page: str = "steady"
) -> Counter[SelectorFinding]:
    return Counter(
        each.finding for each in ran.sightings if (each.page, each.stage, each.maker) == (page, stage, maker)
    )


@pytest.mark.parametrize("stage", [SelectorStage.NOW, SelectorStage.RELOAD, SelectorStage.REBUILD])
def test_ours_find_their_elements_again(ran: SelectorsRun, stage: SelectorStage) -> None:
    assert findings(ran, stage, SelectorMaker.OURS) == {SelectorFinding.SAME: 8}


@pytest.mark.parametrize("maker", [SelectorMaker.PLAYWRIGHT, SelectorMaker.PATH])
def test_the_others_are_asked_for_the_same_elements(ran: SelectorsRun, maker: SelectorMaker) -> None:
    assert findings(ran, SelectorStage.NOW, maker) == {SelectorFinding.SAME: 8}
    assert findings(ran, SelectorStage.RELOAD, maker) == {SelectorFinding.SAME: 8}


def test_a_rebuild_moves_what_paths_count_on(ran: SelectorsRun) -> None:
    found = findings(ran, SelectorStage.REBUILD, SelectorMaker.PATH)
    assert found[SelectorFinding.SAME] < 8
    assert sum(found.values()) == 8


def test_what_the_page_changes_by_itself_is_not_counted(ran: SelectorsRun) -> None:
    assert findings(ran, SelectorStage.NOW, SelectorMaker.OURS, "changing") == {SelectorFinding.SAME: 2}
    assert findings(ran, SelectorStage.RELOAD, SelectorMaker.OURS, "changing") == {SelectorFinding.SAME: 1}
    assert ran.changed == 1


def test_a_page_that_cannot_be_opened_is_named(ran: SelectorsRun) -> None:
    assert list(ran.failed) == ["gone"]


def test_the_report_says_goals_costs_and_misses(ran: SelectorsRun) -> None:
    report = selectors_report(ran)
    assert report.summary[0].startswith("at once, ours find the same element 10 times of 10, 100.00%; the goal of 100%")
    assert "not counted: 1 elements that the page itself changed" in report.summary[-1]
    costs = next(each for each in report.tables if each.id == "costs")
    assert [row[0] for row in costs.rows] == ["steady", "changing"]
    assert [row[2] for row in costs.rows] == [8, 2]
    assert report.skipped[0].startswith("gone: ")
