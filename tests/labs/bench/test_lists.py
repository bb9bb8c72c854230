"""The reports of reachability, tokens and grounding: who stands in which table, with which figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from perception.bench.lists.list_report import LIST_MEASURES, list_report
from perception.bench.lists.score_run import Scored
from perception.bench.looks.control_recall import Miss
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import Cell, Estimate, Report
from perception.bench.run_store import Appender, FailedSample, MemoryMark, Run, RunFacts, open_run
from perception.bench.scores import Score, Tally

PAGES = "abcdefgh"


def score(who: str, page: str, stratum: str, **tallies: tuple[float, float]) -> Score:
    """Measures by the names of their members."""
    found = {str(LookMeasure[name]): Tally(*tally) for name, tally in tallies.items()}
    return Score(f"{page}@1", who, page, "", stratum, found)


def stratum_of(page: str) -> str:
    return "ax-poor" if page in "ab" else "accessible"


def ours(who: str, recalls: Sequence[float], tokens: Sequence[float]) -> list[Score]:
    """A look at each of the eight pages, of ten reachable elements each."""
    return [
        score(who, page, stratum_of(page), RECALL=(recall, 10), TOKENS=(spent, 1))
        for page, recall, spent in zip(PAGES, recalls, tokens, strict=True)
    ]


TEXT = ours("text", [0, 2, 8, 9, 10, 9, 8, 10], [100, 200, 300, 400, 500, 600, 700, 800])
FUSED = ours("fused", [6, 8, 8, 9, 10, 9, 8, 10], [150, 300, 300, 400, 500, 600, 700, 800])
PEER = [
    score("playwright", page, stratum_of(page), RECALL=(5, 10), TOKENS=(factor * 100 * (number + 1), 1))
    for number, (page, factor) in enumerate(zip(PAGES[:6], (2, 3, 2, 3, 2, 3), strict=True))
]
BLIND = [score("agent-browser", "a", "ax-poor", TOKENS=(50, 1))]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    facts = RunFacts(
        "looks-x", "looks", ("text", "fused"), {"text": "{}"}, ("packages", "twins"), {"cores": "2"}, "now"
    )
    return open_run(tmp_path, facts)


def report(run: Run, suite: str, *sides: Sequence[Score]) -> Report:
    who = tuple(side[0].who for side in sides if side[0].who in run.facts.who)
    own = Run(run.folder, replace(run.facts, who=who))
    return list_report(suite, own, Scored({side[0].who: list(side) for side in sides}), "perception bench run")


def table(found: Report, wanted: str) -> Mapping[str, tuple[Cell, ...]]:
    """Rows by who."""
    rows = next(each.rows for each in found.tables if each.id == wanted)
    return {str(row[0]): row[1:] for row in rows}


def value(cell: Cell) -> float:
    assert isinstance(cell, Estimate)
    return cell.value


def test_every_lister_has_a_row_with_the_share_of_all_counts_and_an_interval_over_pages(run: Run) -> None:
    rows = table(report(run, "reachability", TEXT, FUSED), "all")
    assert rows["text"][0] == rows["fused"][0] == 8
    assert value(rows["text"][1]) == 56 / 80
    assert value(rows["fused"][1]) == 68 / 80
    found = rows["text"][1]
    assert isinstance(found, Estimate)
    assert 0 < found.low < 0.7 < found.high <= 1


def test_strata_are_separate_in_order_and_only_where_there_are_samples(run: Run) -> None:
    found = report(run, "reachability", TEXT, FUSED)
    assert [each.id for each in found.tables] == ["all", "ax-poor", "accessible"]
    assert [value(row[1]) for row in table(found, "ax-poor").values()] == [2 / 20, 14 / 20]
    assert [value(row[1]) for row in table(found, "accessible").values()] == [54 / 60, 54 / 60]


def test_what_does_not_apply_is_a_dash_and_reported(run: Run) -> None:
    found = report(run, "reachability", BLIND)
    assert table(found, "all")["agent-browser"] == (1, *[None] * len(LIST_MEASURES["reachability"]))
    assert found.summary == (
        "agent-browser: reachable recall does not apply.",
        "agent-browser: controls by role and name does not apply.",
    )


@pytest.mark.parametrize("suite", list(LIST_MEASURES))
def test_a_suite_has_its_own_measures(run: Run, suite: str) -> None:
    found = report(run, suite, TEXT)
    titles = [column.title for column in found.tables[0].columns]
    assert titles == ["who", "samples", *map(str, LIST_MEASURES[suite])]
    assert found.title == suite.capitalize()


def test_peers_that_looked_at_some_pages_are_held_against_ours_on_those_alone(run: Run) -> None:
    found = report(run, "reachability", TEXT, PEER)
    rows = table(found, "beside")
    assert [rows[who][0] for who in ("text", "playwright")] == [6, 6]
    assert value(rows["text"][1]) == 38 / 60
    assert table(found, "all")["text"][0] == 8
    everywhere = report(run, "reachability", TEXT[:6], PEER)
    assert "beside" not in [each.id for each in everywhere.tables], "it would say the same again"


def test_tokens_are_a_ratio_to_each_peers_over_the_pages_that_both_saw(run: Run) -> None:
    """Ours 2100 to the peer's 200 + 600 + 600 + 1200 + 1000 + 1800."""
    found = report(run, "tokens", TEXT, PEER, BLIND)
    assert table(found, "spreads")["text"] == (100, 450, 800, 8)
    (first, other) = next(each.rows for each in found.tables if each.id == "ratios")
    assert (*first[:2], first[3]) == ("text", "playwright", 6)
    assert value(first[2]) == pytest.approx(2100 / 5400)
    assert isinstance(first[2], Estimate)
    assert first[2].high < 0.5
    assert first[2].verdict == "better"
    assert (*other[:2], other[3]) == ("text", "agent-browser", 1)
    assert value(other[2]) == pytest.approx(2)
    assert isinstance(other[2], Estimate)
    assert other[2].verdict == "too few pages"
    assert "ratios" not in [each.id for each in report(run, "reachability", TEXT, PEER).tables]


def test_missed_controls_are_reported_by_kind_the_most_frequent_first(run: Run) -> None:
    missed = [("a", Miss("link", "next", "as generic")), ("a", Miss("link", "back", "as generic"))]
    missed += [("b", Miss("link", "more", "as generic")), ("b", Miss("tab", "one", "as button"))]
    own = Run(run.folder, replace(run.facts, who=("text",)))
    scored = Scored({"text": TEXT}, missed={"text": missed})
    found = list_report("reachability", own, scored, "")
    (rows,) = (each.rows for each in found.tables if each.id == "misses")
    assert rows == (
        ("text", "link", "as generic", 3, 2, "a: next; b: more"),
        ("text", "tab", "as button", 1, 1, "b: one"),
    )
    assert "misses" not in [each.id for each in report(run, "reachability", TEXT).tables]


def test_the_summary_says_each_sides_first_measure(run: Run) -> None:
    found = report(run, "tokens", FUSED[:1])
    assert found.summary == ("fused: tokens 150 [150, 150] over 1 samples.",)
    assert report(run, "reachability", FUSED).summary[0].startswith("fused: reachable recall 85.0% [")


def test_the_report_says_what_ran_and_what_was_left_out(run: Run) -> None:
    failures, memory = Appender(run.folder / "failures.jsonl"), Appender(run.folder / "memory.jsonl")
    for number in range(5):
        failures.add(msgspec.json.encode(FailedSample(f"p{number}", "", "ValueError: too small")))
    memory.add(msgspec.json.encode(MemoryMark(1, 2**20, 3 * 2**20)))
    failures.close()
    memory.close()
    found = report(run, "grounding", TEXT)
    assert found.skipped == ("p0, p1, p2 and 2 more: ValueError: too small",)
    assert found.facts == {
        "data sets": "packages, twins",
        "samples": "8",
        "variant text": "{}",
        "cores": "2",
        "run": "looks-x",
    }
    chart = next(each for each in found.charts if each.id == "memory")
    assert [(each.name, each.x, each.y) for each in chart.series] == [
        ("parent", (1,), (1.0,)),
        ("workers", (1,), (3.0,)),
    ]
    assert (found.command, found.made) == ("perception bench run", "now")
