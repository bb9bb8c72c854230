"""The A/B of two variants over a small stored data set: what stands in its tables, worked out by hand.

Two pages and what two variants list of them. On `poor`, which is a picture, `text` sees nothing, and `fused` sees both
buttons (one without a name), a thing that is not there, and a thing in a picture that nobody describes. On `rich` both
list the same. `torn` has one side's output alone; two more samples gave none.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from pathlib import Path

import msgspec
import numpy as np
import pytest

from perception.bench.lists.ab_report import ab_report
from perception.bench.lists.score_run import score_run
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import Cell, Estimate, Report, Tone
from perception.bench.run_store import Appender, FailedSample, Run, RunFacts, open_run
from perception.datasets.sample import GroundingTask, PeerView, Sample, Stratum, TextLine, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.geometry import Box
from perception.imaging.codec import decode_image, encode_png
from perception.types import Source, Viewport

SAVE, MENU, HIDDEN = Box(10, 10, 90, 40), Box(100, 10, 180, 40), Box(200, 10, 280, 40)
PICTURE, NOWHERE = Box(300, 200, 400, 300), Box(10, 250, 30, 270)


def sample(name: str, stratum: Stratum, image: str, *, peers: tuple[PeerView, ...] = ()) -> Sample:
    return Sample(
        name,
        "test",
        "g",
        name.split("@")[0],
        image,
        Viewport(400, 300),
        category="form",
        stratum=stratum,
        complete=True,
        truth=(
            TruthElement("button", "Save", SAVE, True, True),
            TruthElement("button", "Menu", MENU, True, True),
            TruthElement("button", "Hidden", HIDDEN, True, False),
        ),
        lines=(TextLine("Save", Box(20, 15, 80, 35)),),
        unknown=(PICTURE,),
        tasks=(GroundingTask('click "Save"', SAVE), GroundingTask('click "Menu"', MENU)),
        peers=peers,
    )


def listed(box: Box, name: str, source: Source = Source.DOM) -> ListedElement:
    return ListedElement("e1", "button", name, box, True, True, sources=(source,))


BOTH = (listed(SAVE, "Save"), listed(MENU, "Menu"))
SEEN = (
    listed(SAVE, "Save", Source.OCR),
    listed(MENU, "", Source.DETECTOR),
    listed(NOWHERE, "", Source.DETECTOR),
    listed(Box(310, 210, 330, 230), "", Source.DETECTOR),
)


def look(
    who: str, name: str, elements: tuple[ListedElement, ...], tokens: int, first: float, warm: float
) -> LookOutput:
    spent = {"first": first, "warm": warm, "first stages": first, "warm stages": warm}
    return LookOutput(name, "", who, elements, f"{who} of {name}", tokens, spent)


LOOKS = (
    look("text", "rich@1", BOTH, 30, 10, 8),
    look("fused", "rich@1", BOTH, 30, 30, 8),
    look("text", "poor@1", (), 10, 20, 10),
    look("fused", "poor@1", SEEN, 40, 120, 20),
    look("text", "torn@1", BOTH, 999, 999, 999),
    look("text", "torn@1", BOTH, 999, 999, 999),
)

PEER = PeerView("playwright", "1", '- button "Save" [ref=e1] [box=10,10,80,30]', (6.0, 5.0))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("home")
    store = Store(home)
    image = store.put_image(encode_png(np.full((300, 400, 3), 255, np.uint8)))
    ids = {}
    for each in (
        sample("poor@1", Stratum.AX_POOR, image),
        sample("rich@1", Stratum.ACCESSIBLE, image, peers=(PEER,)),
        sample("torn@1", Stratum.MIXED, image),
    ):
        ids[each.name] = store.put(each)
        store.dataset("tiny").add(IndexRow(each.name, ids[each.name], "key"))
    facts = RunFacts("looks-x", "looks", ("text", "fused"), {"text": "{}", "fused": "{}"}, ("tiny",), {}, "today")
    run = open_run(home, facts)
    outputs, failures = Appender(run.folder / "outputs.jsonl"), Appender(run.folder / "failures.jsonl")
    for seen in LOOKS:
        outputs.add(msgspec.json.encode(replace(seen, id=ids[seen.sample])))
    for name, reason in (("small@1", "ValueError: too small"), ("tiny.json[3]", "no box")):
        failures.add(msgspec.json.encode(FailedSample(name, "", reason)))
    outputs.close()
    failures.close()
    return run.fresh()


@pytest.fixture(scope="module")
def report(run: Run) -> Report:
    home = run.folder.parent.parent
    return ab_report(run, score_run(run, home), home, cases=5, command="perception ab text fused")


def row(report: Report, table: str, *start: str) -> tuple[Cell, ...]:
    """What follows those cells in the one row that begins with them."""
    rows = next(each.rows for each in report.tables if each.id == table)
    (found,) = [each[len(start) :] for each in rows if each[: len(start)] == start]
    return found


def test_only_samples_that_both_sides_saw_are_in_the_report(report: Report, run: Run) -> None:
    assert len(run.done()) == 2
    assert (report.facts["samples"], report.facts["pages"]) == ("2", "2")
    assert [each[0] for each in next(table.rows for table in report.tables if table.id == "samples")] == [
        "rich@1",
        "poor@1",
    ]


@pytest.mark.parametrize(
    ("measure", "text", "fused", "pages"),
    [
        pytest.param(LookMeasure.RECALL, 2 / 4, 4 / 4, 2, id="recall"),
        pytest.param(LookMeasure.PRECISION, 2 / 2, 2 / 2, 1, id="precision-of-the-pages-own"),
        pytest.param(LookMeasure.GHOSTS, 0, 0, 2, id="ghosts"),
        pytest.param(LookMeasure.NAMED, 2 / 4, 3 / 4, 2, id="named"),
        pytest.param(LookMeasure.NAMES, 2 / 4, 3 / 4, 2, id="right-names"),
        pytest.param(LookMeasure.LINES, 1 / 2, 2 / 2, 2, id="lines"),
        pytest.param(LookMeasure.GROUNDING, 2 / 4, 3 / 4, 2, id="grounding"),
    ],
)
def test_a_share_is_of_both_sides_with_their_difference(
    report: Report, measure: LookMeasure, text: float, fused: float, pages: int
) -> None:
    a, b, found, counted, _ = row(report, "shares", str(measure))
    assert (a, b, counted) == (text, fused, pages)
    assert found == Estimate(fused - text, fused - text, fused - text, "too few pages")


def test_costs_are_ratios_of_totals_or_by_page(report: Report) -> None:
    assert row(report, "strata", "all", "tokens")[:4] == (20, 35, "ratio", pytest.approx(70 / 40))
    assert row(report, "strata", "all", "first look ms")[:3] == (15, 75, "ratio by page")
    assert row(report, "strata", "all", "first look ms")[3] == pytest.approx(sqrt(6 * 3))
    assert row(report, "strata", "all", "warm look ms")[3] == pytest.approx(sqrt(2 * 1))
    assert row(report, "strata", "all", "vision elements")[:4] == (0, 2, "difference", 2)


def test_each_stratum_is_reported_separately(report: Report) -> None:
    recall = str(LookMeasure.RECALL)
    assert row(report, "strata", "ax-poor", recall) == (0, 100, "points", 100, None, None, "too few pages", 1, 1)
    assert row(report, "strata", "accessible", recall)[:4] == (100, 100, "points", 0)
    assert row(report, "strata", "ax-poor", "tokens")[:4] == (10, 40, "ratio", pytest.approx(4))
    strata = {each[0] for table in report.tables if table.id == "strata" for each in table.rows}
    assert strata == {"all", "ax-poor", "accessible"}
    assert row(report, "parts", "test, ax-poor")[:4] == (1, 0, 1, Estimate(1, 1, 1, "too few pages"))
    assert row(report, "categories", "form")[:3] == (2, 0.5, 1)


def test_what_vision_adds_is_counted_with_its_precision_and_what_each_element_costs(report: Report) -> None:
    """Two recovered for 30 tokens, 120 ms at first (100 + 20) and 10 ms warm; of four seen, one cannot be verified."""
    share = Estimate(2 / 3, 2 / 3, 2 / 3)
    assert row(report, "recovered", "all") == (2, 2, 1, 4, 1, share, 15, 60, 5)
    assert row(report, "recovered", "ax-poor") == (1, 2, 1, 4, 1, share, 15, 50, 5)
    assert row(report, "recovered", "accessible") == (1, 0, 0, 0, 0, None, None, None, None)


def test_tasks_are_paired(report: Report) -> None:
    assert row(report, "successes", "all") == (2, 0, 1, 1, 1.0)
    assert row(report, "successes", "ax-poor") == (0, 0, 1, 1, 1.0)


def test_a_peer_is_compared_with_ours_on_the_samples_that_it_looked_at(report: Report) -> None:
    titles = [each.title for table in report.tables if table.id == "peers" for each in table.columns[1:]]
    theirs = dict(zip(titles, row(report, "peers", "playwright"), strict=True))
    ours = dict(zip(titles, row(report, "peers", "fused"), strict=True))
    assert (theirs["samples"], theirs["reachable recall"], theirs["grounding"]) == (1, 0.5, 0.5)
    assert (theirs["first look ms"], theirs["warm look ms"]) == (6, 5)
    assert (ours["samples"], ours["reachable recall"], ours["tokens"]) == (1, 1, 30)


def test_what_failed_is_listed_with_its_reason_and_leaves_the_rest(report: Report) -> None:
    assert report.skipped == ("small@1: ValueError: too small", "tiny.json[3]: no box")


def test_the_summary_says_shares_points_and_factors(report: Report) -> None:
    said = report.summary[0]
    assert "all samples: reachable recall 50.0% → 100.0% (+50.0 points, too few pages)" in said
    assert "tokens ×1.75" in said


def test_the_worst_sample_comes_first_with_both_sides_and_the_truth_over_its_image(run: Run) -> None:
    home = run.folder.parent.parent
    turned = Run(run.folder, replace(run.facts, who=("fused", "text")))
    report = ab_report(turned, score_run(turned, home), home, cases=5, command="")
    assert [each.title for each in report.cases] == ["poor@1", "rich@1"]
    poor = report.cases[0]
    assert (poor.note, poor.width, poor.height) == ("ax-poor; form; recall 100% → 0%", 400, 300)
    assert decode_image(poor.image).shape == (300, 400, 3)
    assert [(pane.title, pane.text) for pane in poor.panes] == [
        ("fused", "fused of poor@1"),
        ("truth", "Save"),
        ("text", "text of poor@1"),
    ]
    fused, truth, text = ([mark.tone for mark in pane.marks] for pane in poor.panes)
    assert fused == [Tone.FOUND, Tone.FOUND, Tone.NEUTRAL, Tone.NEUTRAL]
    assert truth == [Tone.MISSED, Tone.MISSED, Tone.NEUTRAL]
    assert text == []
    assert not ab_report(run, score_run(run, home), home, cases=0, command="").cases


def test_a_look_that_skipped_a_step_is_reported(run: Run, tmp_path: Path) -> None:
    home = run.folder.parent.parent
    other = open_run(tmp_path, replace(run.facts, id="looks-y"))
    outputs = Appender(other.folder / "outputs.jsonl")
    rich = run.done_in_order()[0]
    for who in run.facts.who:
        outputs.add(
            msgspec.json.encode(
                LookOutput("rich@1", rich, who, skipped=("rapidocr: its time was up",) * (who == "fused"))
            )
        )
    outputs.close()
    report = ab_report(other, score_run(other, home), home, cases=0, command="")
    assert report.skipped == ("fused: rich@1: rapidocr: its time was up",)
