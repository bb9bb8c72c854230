"""Detectors over images whose boxes and words are known: real ones on a drawn page, and scores worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.bench.detector_outputs import (
    detector_outputs_of,
    found_boxes,
    installed_detectors,
    read_lines,
    true_boxes,
)
from perception.bench.memory_meter import StageCost
from perception.bench.report.report_model import Cell, Report
from perception.bench.run_store import Appender, Run, RunFacts, open_run
from perception.bench.sample_runs import run_detector
from perception.bench.sample_worker import DetectorOutput
from perception.bench.suites.detectors.detector_scores import ACTS, PLAIN_CONTOURS, SERVED, TOGETHER, score_detectors
from perception.bench.suites.detectors.report import detectors_report
from perception.datasets.sample import Sample, TextLine, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.errors import BadInputError
from perception.geometry import Box
from perception.imaging.codec import encode_png
from perception.types import Viewport

SAVE, DELETE, FIELD = Box(20, 20, 160, 60), Box(200, 20, 340, 60), Box(20, 100, 380, 140)
LINES = (TextLine("Save", Box(50, 27, 98, 54)), TextLine("Delete", Box(230, 27, 296, 54)))
SENTENCE = TextLine("Your orders are on their way", Box(20, 200, 306, 228))


def drawn(scale: int) -> bytes:
    """Two buttons, an empty field and a sentence, as a PNG of 400 × 300 CSS px."""
    image = Image.new("RGB", (400 * scale, 300 * scale), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(22 * scale)
    for box, fill in ((SAVE, "#0a58ca"), (DELETE, "#b02a37"), (FIELD, None)):
        draw.rectangle([side * scale for side in astuple(box)], fill=fill, outline="black", width=scale)
    for line, fill in ((LINES[0], "white"), (LINES[1], "white"), (SENTENCE, "black")):
        draw.text((line.box.left * scale, line.box.top * scale), line.text, fill=fill, font=font)
    return encode_png(np.asarray(image)[:, :, ::-1].copy())


def sample(name: str, image: str = "", **options: Any) -> Sample:
    given = {
        "complete": True,
        "truth": tuple(TruthElement("button", "", box, True, True) for box in (SAVE, DELETE, FIELD)),
        "lines": (*LINES, SENTENCE),
        **options,
    }
    return Sample(name, "drawn", "g", name.split("@")[0], image, given.pop("viewport", Viewport(400, 300)), **given)


def keep(home: Path, *samples: tuple[Sample, bytes]) -> None:
    store = Store(home)
    for each, png in samples:
        kept = replace(each, image_sha256=store.put_image(png))
        store.dataset("drawn").add(IndexRow(kept.name, store.put(kept), "key"))


class Silence:
    def start(self, total: int) -> None: ...

    def done(self, name: str, problem: str = "") -> None: ...


def row(report: Report, table: str, *start: str) -> dict[str, Cell]:
    """The row that begins so, by its columns' titles."""
    found = next(each for each in report.tables if each.id == table)
    (cells,) = [each for each in found.rows if each[: len(start)] == start]
    return {column.title: cell for column, cell in zip(found.columns, cells, strict=True)}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """OpenCV's boxes and RapidOCR, in processes of their own, on the drawn page at one and two px for each CSS px."""
    home = tmp_path_factory.mktemp("home")
    double = sample("page@2", viewport=Viewport(400, 300, 2))
    keep(home, (sample("page@1"), drawn(1)), (double, drawn(2)), (sample("some@1", complete=False), drawn(1)))
    runs = [
        run_detector(name, ["drawn"], home, workers=1, limit=0, progress=Silence())[0] for name in ("controls", "ppocr")
    ]
    scores, skipped = score_detectors(runs, ("controls", "ppocr"), home)
    return detectors_report(scores, skipped, runs, "perception bench run detectors")


def test_controls_finds_every_drawn_control_at_both_scales(report: Report) -> None:
    boxes = row(report, "boxes", "controls")
    assert (boxes["true"], boxes["center recall"]) == (6, 1)
    assert boxes["recall"] in (5 / 6, 1), "the box of one field may be loose"
    assert isinstance(boxes["AP50"], float)
    assert 0.5 < boxes["AP50"] <= 1


def test_rapidocr_reads_every_drawn_line_and_controls_reads_none(report: Report) -> None:
    lines = row(report, "lines", "ppocr")
    assert (lines["lines"], lines["line recall"], lines["exact lines"]) == (6, 1, 1)
    assert (lines["CER"], lines["WER"], lines["stray pieces"]) == (0, 0, 0)
    assert [each[0] for table in report.tables if table.id == "lines" for each in table.rows] == ["ppocr", SERVED]


def test_what_is_enabled_by_default_is_also_judged_together(report: Report) -> None:
    one, other, both = (row(report, "boxes", name)["boxes"] for name in ("controls", "ppocr", TOGETHER))
    assert isinstance(one, int)
    assert isinstance(other, int)
    assert both == one + other
    assert row(report, "boxes", TOGETHER)["center recall"] == 1


def test_the_served_list_is_judged_with_and_without_its_text(report: Report) -> None:
    served, acts, plain = (row(report, "boxes", name) for name in (SERVED, ACTS, PLAIN_CONTOURS))
    assert (served["center recall"], acts["center recall"]) == (1, 1)
    assert isinstance(served["boxes"], int)
    assert isinstance(plain["boxes"], int)
    assert served["boxes"] < plain["boxes"], "a button and its label are one"
    assert row(report, "lines", SERVED)["line recall"] == 1


@pytest.mark.parametrize("name", ["controls", "ppocr"])
@pytest.mark.parametrize("stage", ["load", "decode", "detect"])
def test_each_stage_says_its_time_and_memory(report: Report, name: str, stage: str) -> None:
    cost = row(report, "cost", name, stage)
    times = [cost[each] for each in ("least", "lower quartile", "median", "upper quartile", "most")]
    assert times == sorted(times, key=lambda each: each if isinstance(each, float) else -1)
    assert isinstance(cost["least"], float)
    assert cost["least"] > 0
    assert isinstance(cost["memory after it"], float)
    assert cost["memory after it"] > 20, "MiB: Python with NumPy and OpenCV is more"


def test_an_image_whose_truth_is_not_complete_is_looked_at_and_not_judged(report: Report) -> None:
    assert report.skipped == ("some@1: its truth lists only some of what there is, or nothing",)
    assert report.facts["images"] == "3"
    assert report.summary[0].startswith("controls: 3 images, ")


def stored(home: Path, who: str, *sights: tuple[str, Sequence[Box], Sequence[str]]) -> Run:
    """A run of a detector that saw these boxes in the samples of these names; with words, if it read some."""
    ids = {each.name: each.id for each in Store(home).dataset("drawn").rows().values()}
    run = open_run(home, RunFacts(f"detect-{who}", "detect", (who,), {}, ("drawn",), {}, "today"))
    outputs = Appender(run.folder / "outputs.jsonl")
    for name, boxes, words in sights:
        kinds = ["text" if words else "box"] * len(boxes)
        scores = [0.9 - number / 10 for number in range(len(boxes))]
        stages = {"detect": StageCost(1, 10.0 * (1 + len(boxes)), 2**20, 3 * 2**20)}
        text = list(words) or [""] * len(boxes)
        sight = DetectorOutput(name, ids[name], who, [list(astuple(box)) for box in boxes], scores, kinds, text, stages)
        outputs.add(msgspec.json.encode(sight))
    outputs.close()
    return run.fresh()


def test_scores_are_sums_over_images_that_every_detector_saw(tmp_path: Path) -> None:
    """`one` finds 3 of 3 and one thing more, then 1 of 3; the third image is not `other`'s."""
    blank = encode_png(np.full((300, 400, 3), 255, np.uint8))
    keep(tmp_path, *((sample(name), blank) for name in ("a@1", "b@1", "c@1")))
    stray, inner = Box(300, 200, 320, 220), Box(60, 30, 100, 50)
    one = stored(
        tmp_path, "one", ("a@1", (SAVE, DELETE, FIELD, stray), ()), ("b@1", (SAVE, inner), ()), ("c@1", (), ())
    )
    misread = stored(tmp_path, "other", ("a@1", [LINES[0].box], ["Sove"]), ("b@1", (), ()))
    scores, skipped = score_detectors([one, misread], ("one", "other"), tmp_path)
    report = detectors_report(scores, skipped, [one, misread], "")
    boxes = row(report, "boxes", "one")
    assert (boxes["true"], boxes["boxes"], boxes["boxes an image"]) == (6, 6, 3)
    assert (boxes["precision"], boxes["recall"]) == (4 / 6, 4 / 6)
    assert (boxes["center recall"], boxes["center precision"]) == (4 / 6, 5 / 6)
    lines = row(report, "lines", "other")
    assert (lines["lines"], lines["line recall"], lines["exact lines"], lines["CER"]) == (6, 1 / 6, 0, 1 / 4)
    cost = row(report, "cost", "one", "detect")
    assert (cost["least"], cost["median"], cost["most"], cost["peak in it"]) == (30, 40, 50, 3)
    assert row(report, "boxes", TOGETHER)["boxes"] == 7
    assert len(list(detector_outputs_of(one, one.done_in_order()[2]))) == 1


def test_truth_is_what_can_be_reached_once_and_clipped_to_the_viewport() -> None:
    over = Box(380, 280, 420, 320)
    elements = [(SAVE, True), (SAVE, True), (DELETE, False), (FIELD, None), (over, True), (Box(500, 0, 550, 20), True)]
    truth = tuple(TruthElement("link", "", box, True, reachable) for box, reachable in elements)
    assert true_boxes(sample("x", truth=truth)).tolist() == [[20, 20, 160, 60], [380, 280, 400, 300]]
    assert true_boxes(sample("x", truth=())).shape == (0, 4)


def test_what_a_detector_saw_is_in_css_pixels() -> None:
    sight = DetectorOutput(
        "x", "", "d", [[40, 20, 80, 60], [2, 4, 6, 8]], [1.0, 0.5], ["text", "box"], ["Save", ""], {}
    )
    assert found_boxes([sight, sight], 2).tolist() == [[20, 10, 40, 30], [1, 2, 3, 4]] * 2
    assert read_lines(sight, 2) == [TextLine("Save", Box(20, 10, 40, 30))]
    assert found_boxes([replace(sight, xyxy=[])], 2).shape == (0, 4)


def test_what_cannot_be_used_here_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERCEPTION_ONNX_DETECTOR", raising=False)
    usable, missing = installed_detectors()
    assert {"controls", "ppocr", "rapidocr"} <= set(usable)
    assert missing["onnx"] == "no model is named: set PERCEPTION_ONNX_DETECTOR to the path of an .onnx file"
    # The other two come with packages of their own, which are here or not.
    others = {"fasterpaddle", "onnx", "paddleocr", "ppocr", "rapidocr", "tesseract"}
    assert {*usable, *missing} == {"controls", *others}
    assert installed_detectors(["controls"]) == (["controls"], {})
    with pytest.raises(BadInputError, match="no detector is called eye; known are: controls, fasterpaddle, icons, "):
        installed_detectors(["controls", "eye"])
