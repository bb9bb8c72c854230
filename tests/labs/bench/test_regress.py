"""Two stored runs against each other: a planted regression is shown, two equal runs show no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from perception.bench.comparison.paired import Verdict
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.looks.look_score import LookMeasure
from perception.bench.memory_meter import StageCost
from perception.bench.report.html_form import render_html
from perception.bench.report.report_model import Estimate, Report
from perception.bench.run_store import Appender, Run, RunFacts, open_run
from perception.bench.sample_worker import DetectorOutput
from perception.bench.stored_comparison import compare_stored
from perception.bench.suites.detectors.detector_scores import detector_rules, detector_scores
from perception.datasets.sample import Sample, Stratum, TextLine, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.errors import BadInputError
from perception.geometry import Box
from perception.imaging.codec import encode_png
from perception.types import Viewport

PAGES = 8
BOXES = tuple(Box(10 + 50 * number, 10, 50 + 50 * number, 40) for number in range(5))
LISTED = tuple(
    ListedElement(f"e{number}", "button", f"Button {number}", box, True, True) for number, box in enumerate(BOXES)
)
"""Five buttons a page."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    keep(home, "tiny", [f"page{number}@1" for number in range(PAGES)])
    keep(home, "other", ["elsewhere@1"])
    return home


def keep(home: Path, name: str, samples: Sequence[str]) -> None:
    store = Store(home)
    image = store.put_image(encode_png(np.full((300, 400, 3), 255, np.uint8)))
    truth = tuple(TruthElement("button", each.name, box, True, True) for each, box in zip(LISTED, BOXES, strict=True))
    lines = tuple(TextLine(each.name, box) for each, box in zip(LISTED, BOXES, strict=True))
    for number, each in enumerate(samples):
        stratum = Stratum.AX_POOR if number == 0 else Stratum.ACCESSIBLE
        page = each.split("@")[0]
        options = {"stratum": stratum, "complete": True, "truth": truth, "lines": lines}
        sample = Sample(each, "test", page, page, image, Viewport(400, 300), **options)  # type: ignore[arg-type]
        store.dataset(name).add(IndexRow(each, store.put(sample), "key"))


def run_of(home: Path, run_id: str, outputs: Sequence[LookOutput | DetectorOutput], *, suite: str = "looks") -> Run:
    """A stored run with these outputs, each of the sample of its name."""
    store = Store(home)
    ids = {row.name: row.id for name in store.names() for row in store.dataset(name).rows().values()}
    who = tuple(dict.fromkeys(each.who for each in outputs))
    run = open_run(home, RunFacts(run_id, suite, who, {}, ("tiny",), {"commit": run_id}, "today"))
    file = Appender(run.folder / "outputs.jsonl")
    for each in outputs:
        file.add(msgspec.json.encode(replace(each, id=ids[each.sample])))
    file.close()
    return run.fresh()


def looks(who: str = "fused", *, dropped: int = 0, pages: int = PAGES, tokens: int = 100) -> list[LookOutput]:
    """All five buttons of each page; of the first so many pages, one button less, or two."""
    return [
        LookOutput(
            f"page{number}@1", "", who, LISTED[: 5 - (number < dropped) * (1 + number % 2)], "", tokens, {"first": 5.0}
        )
        for number in range(pages)
    ]


def verdicts(report: Report) -> dict[tuple[object, ...], object]:
    """By who, stratum and measure."""
    titles = [each.title for each in report.tables[0].columns]
    return {row[:3]: row[titles.index("verdict")] for row in report.tables[0].rows}


def test_elements_that_are_gone_from_most_pages_are_worse_with_an_interval_without_0(home: Path) -> None:
    """Six pages lose 1, 2, 1, 2, 1, 2 of their five buttons: 9 of 40."""
    before, after = run_of(home, "whole", looks()), run_of(home, "dropped", looks(dropped=6))
    report, worse = compare_stored(before, after, home, "perception bench compare whole dropped")
    assert worse > 0
    assert verdicts(report)["fused", "all", str(LookMeasure.RECALL)] == Verdict.WORSE
    row = next(row for row in report.tables[0].rows if row[:3] == ("fused", "all", str(LookMeasure.RECALL)))
    assert (row[3], row[4]) == (1, 31 / 40)
    found = row[6]
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(-9 / 40)
    assert found.low < found.value < found.high < 0
    assert report.summary[0].startswith(f"{worse} got worse and 0 better, of ")
    assert f"worse: {LookMeasure.RECALL} of fused, all: 100.0% → 77.5%" in report.summary
    assert "commit dropped" in report.facts["after"]
    assert LookMeasure.RECALL in render_html(report)


def test_the_same_the_other_way_round_is_better_and_nothing_is_worse(home: Path) -> None:
    before, after = run_of(home, "whole-2", looks()), run_of(home, "dropped-2", looks(dropped=6))
    report, worse = compare_stored(after, before, home, "")
    assert worse == 0
    assert verdicts(report)["fused", "all", str(LookMeasure.RECALL)] == Verdict.BETTER


def test_two_equal_runs_show_no_difference(home: Path) -> None:
    before, after = run_of(home, "one", looks(dropped=3)), run_of(home, "two", looks(dropped=3))
    report, worse = compare_stored(before, after, home, "")
    assert worse == 0
    assert report.summary[0].startswith("0 got worse and 0 better, of ")
    assert report.summary[1:] == ("No difference shown.",)
    assert verdicts(report)["fused", "all", str(LookMeasure.RECALL)] == Verdict.NOT_SHOWN
    assert verdicts(report)["fused", "ax-poor", str(LookMeasure.RECALL)] == Verdict.TOO_FEW
    assert report.facts["samples taken again between the runs"] == "0"


def test_five_pages_are_too_few_to_call_a_run_worse(home: Path) -> None:
    before = run_of(home, "five", looks(pages=5))
    after = run_of(home, "five-dropped", looks(pages=5, dropped=5))
    report, worse = compare_stored(before, after, home, "")
    assert worse == 0
    assert verdicts(report)["fused", "all", str(LookMeasure.RECALL)] == Verdict.TOO_FEW


def test_who_is_in_both_runs_is_compared_and_the_others_are_named(home: Path) -> None:
    before = run_of(home, "pair", [*looks("text"), *looks("fused")])
    after = run_of(home, "other-pair", [*looks("fused", tokens=200), *looks("vision")])
    report, worse = compare_stored(before, after, home, "")
    assert {row[0] for row in report.tables[0].rows} == {"fused"}
    assert verdicts(report)["fused", "all", str(LookMeasure.TOKENS)] == Verdict.WORSE
    assert worse == 2, "on all pages, and on the accessible ones"
    assert report.skipped == ("text: only pair has it", "vision: only other-pair has it")


def test_a_run_of_one_is_compared_with_a_run_of_another(home: Path) -> None:
    before, after = run_of(home, "text-only", looks("text")), run_of(home, "vision-only", looks("vision", dropped=6))
    report, worse = compare_stored(before, after, home, "")
    assert worse > 0
    assert {row[0] for row in report.tables[0].rows} == {"text"}


def test_samples_that_the_later_run_lost_are_counted(home: Path) -> None:
    before, after = run_of(home, "eight", looks()), run_of(home, "six", looks(pages=6))
    report, worse = compare_stored(before, after, home, "")
    assert worse == 0
    assert f"fused: 2 samples no longer have {LookMeasure.RECALL}" in report.summary


def test_samples_that_were_taken_again_are_counted(tmp_path: Path) -> None:
    keep(tmp_path, "tiny", [f"page{number}@1" for number in range(PAGES)])
    before = run_of(tmp_path, "old", looks())
    keep(tmp_path, "tiny", ["pad@1", "page0@1"])  # page0 is of another stratum now
    report, _ = compare_stored(before, run_of(tmp_path, "new", looks()), tmp_path, "")
    assert report.facts["samples taken again between the runs"] == "1"


def test_runs_that_have_nothing_in_common_are_refused_with_a_clear_line(home: Path) -> None:
    plain = run_of(home, "plain", looks())
    other = run_of(home, "elsewhere", [LookOutput("elsewhere@1", "", "fused", LISTED)])
    detecting = run_of(home, "detecting", [sighting(0)], suite="detect")
    unknown = run_of(home, "unknown", looks(), suite="flying")
    empty = run_of(home, "empty", looks(), suite="miniwob")
    strangers = run_of(home, "strangers", [*looks("a"), *looks("b")])
    for after, said in (
        (other, "plain and elsewhere have no sample of the same name"),
        (detecting, "plain is of kind looks, detecting of kind detect: only runs of one kind can be compared"),
        (strangers, "plain has fused, strangers has a, b: they share no variant"),
    ):
        with pytest.raises(BadInputError, match=said):
            compare_stored(plain, after, home, "")
    with pytest.raises(BadInputError, match="run unknown is of kind flying: no suite of this version reads it"):
        compare_stored(unknown, unknown, home, "")
    with pytest.raises(BadInputError, match=r"empty: it has no result\.json"):
        compare_stored(empty, empty, home, "")


def sighting(number: int, *, dropped: int = 0, typo: bool = False, milliseconds: float = 10.0) -> DetectorOutput:
    """All five buttons' boxes and words; or some less, or one letter in each misread."""
    boxes = [[each.left, each.top, each.right, each.bottom] for each in BOXES[: 5 - dropped]]
    words = [each.name.replace("u", "o") if typo else each.name for each in LISTED[: 5 - dropped]]
    stages = {"detect": StageCost(1, milliseconds, 2**20, None)}
    kinds = ["text"] * len(boxes)
    return DetectorOutput(f"page{number}@1", "", "reader", boxes, [1.0] * len(boxes), kinds, words, stages)


def test_of_detectors_lost_boxes_rising_errors_and_times_are_worse_and_more_boxes_are_neither(home: Path) -> None:
    before = run_of(home, "reader", [sighting(number) for number in range(PAGES)], suite="detect")
    typos = run_of(home, "typos", [sighting(number, typo=True) for number in range(PAGES)], suite="detect")
    report, _ = compare_stored(before, typos, home, "")
    for measure in ("cer_found_lines", "wer_all_lines", "exact_lines"):
        assert verdicts(report)["reader", "all", measure] == Verdict.WORSE
    assert verdicts(report)["reader", "all", "box_recall"] == Verdict.NOT_SHOWN
    fewer = [sighting(number, dropped=1 + number % 2, milliseconds=20) for number in range(PAGES)]
    report, _ = compare_stored(before, run_of(home, "fewer", fewer, suite="detect"), home, "")
    for measure in ("box_recall", "center_recall", "line_recall", "ms"):
        assert verdicts(report)["reader", "all", measure] == Verdict.WORSE
    assert verdicts(report)["reader", "all", "boxes_per_image"] == Verdict.DIFFERENT
    assert render_html(report)


def test_every_measure_of_a_detector_has_its_rule(home: Path) -> None:
    """A measure that is added must be looked at here."""
    stray = replace(sighting(0), xyxy=[[300, 200, 350, 220]] * 5)
    run = run_of(home, "rules", [sighting(0), replace(stray, sample="page1@1")], suite="detect")
    rules = {name: rule.higher_is_better for name, rule in detector_rules(detector_scores(run, home)).items()}
    errors = {f"{kind}_{which}_lines{end}" for kind in ("cer", "wer") for which in ("found", "all") for end in ("", S)}
    assert {name for name, higher in rules.items() if higher is False} == {"ms", "stray_pieces", *errors}
    assert [name for name, higher in rules.items() if higher is None] == ["boxes_per_image"]
    assert {name for name, higher in rules.items() if higher} == {
        *("box_recall", "center_recall", "box_precision", "box_f1", "center_precision"),
        *("line_recall", "exact_lines", "exact_lines" + S),
    }


S = "_without_spaces"
