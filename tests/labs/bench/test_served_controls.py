"""The served list, judged: real detectors on a drawn page, scores worked out by hand, and clicks in a real Chromium."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from perception.bench.detector_outputs import default_detectors
from perception.bench.looks.look_output import ListedElement
from perception.bench.metrics.control_matching import control_truth, judge
from perception.bench.pages.painted_page import Medium, write_painted
from perception.bench.run_store import Appender, Run, RunFacts, open_run
from perception.bench.sample_runs import Part, run_readers
from perception.bench.suites.controls import report
from perception.bench.suites.controls.control_scores import judge_run, role_pairs
from perception.bench.suites.controls.parsing import FuseTask, ParseTask, Reader, ReadImage
from perception.bench.suites.controls.pictures import MISSED, RIGHT, WRONG, write_pictures
from perception.bench.suites.controls.report import controls_report
from perception.bench.suites.painted.run import Ending, ServedControl, visit_painted, what_is_meant
from perception.client import AsyncClient
from perception.datasets.sample import Evidence, Item, Sample, TextLine, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.datasets.sources.site_server import serve_folder
from perception.geometry import Box, stack
from perception.imaging.codec import decode_image, encode_png
from perception.types import Viewport

SAVE, DELETE, FIELD = Box(40, 40, 180, 84), Box(220, 40, 360, 84), Box(40, 130, 360, 170)
NAMES = {"Save": SAVE, "Delete": DELETE}
READER = Reader("served", default_detectors())


def drawn() -> bytes:
    """Two buttons and a field, 400 × 300 px."""
    pixels = np.full((300, 400, 3), 255, np.uint8)
    for box, fill in ((SAVE, (202, 88, 10)), (DELETE, (55, 42, 176)), (FIELD, (255, 255, 255))):
        corners = (int(box.left), int(box.top)), (int(box.right) - 1, int(box.bottom) - 1)
        cv2.rectangle(pixels, *corners, fill, cv2.FILLED)
        cv2.rectangle(pixels, *corners, (90, 90, 90), 1)
    for word, box in NAMES.items():
        place = (int(box.left) + 32, int(box.top) + 29)
        cv2.putText(pixels, word, place, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    return encode_png(pixels)


@pytest.fixture(scope="module")
def item(tmp_path_factory: pytest.TempPathFactory) -> Item:
    home = tmp_path_factory.mktemp("home")
    store = Store(home)
    truth = [("button", "Save", SAVE), ("button", "Delete", DELETE), ("textbox", "", FIELD)]
    sample = Sample(
        "page@1",
        "drawn",
        "g",
        "page",
        store.put_image(drawn()),
        Viewport(400, 300),
        complete=True,
        truth=tuple(TruthElement(role, name, box, True, True, evidence=(Evidence.ROLE,)) for role, name, box in truth),
        lines=tuple(TextLine(name, box) for name, box in NAMES.items()),
    )
    store.dataset("drawn").add(IndexRow(sample.name, digest := store.put(sample), "key"))
    return store.load(digest)


def home_of(item: Item) -> Path:
    return next(each for each in item.image.parents if (each / "datasets").exists())


def keep(home: Path, name: str, *outputs: ReadImage) -> Run:
    """A stored run with these outputs."""
    who = tuple(dict.fromkeys(each.who for each in outputs))
    config = {each: msgspec.json.encode(replace(READER, name=each)).decode() for each in who}
    run = open_run(home, RunFacts(name, "controls", who, config, ("drawn",), {}, "today"))
    lines = Appender(run.folder / "outputs.jsonl")
    for each in outputs:
        lines.add(msgspec.json.encode(each))
    lines.close()
    return run.fresh()


class Silence:
    def start(self, total: int) -> None: ...

    def done(self, name: str, problem: str = "") -> None: ...


def run(task: ParseTask | FuseTask, home: Path, part: Part) -> Run:
    config = {each.name: msgspec.json.encode(each).decode() for each in task.readers}
    done, outcome = run_readers("controls", task, config, ["drawn"], home, workers=1, part=part, progress=Silence())
    assert (outcome.done, outcome.failed) == (1, {})
    return done


def test_the_served_list_of_a_drawn_page_is_read_and_fused_again_from_the_store(item: Item) -> None:
    home = home_of(item)
    read = run(ParseTask((READER,)), home, Part())
    (image,) = judge_run(read, home)["served"]
    assert image.output.skipped == ()
    assert {each.detector for each in image.output.found} == set(READER.detectors)
    assert image.judgment.found.tolist()[:2] == [True, True]
    assert image.lines_read == 2
    task = FuseTask((READER,), read.facts.id, str(home))
    (again,) = judge_run(run(task, home, Part(only=frozenset(read.done()), run=read.facts.id)), home)["served"]
    assert again.output.elements == image.output.elements


def listed(role: str, box: Box, confidence: float) -> ListedElement:
    return ListedElement("v1", role, "Save" if box == SAVE else "", box, role != "text", True, confidence=confidence)


def test_the_report_adds_up_what_readers_served(item: Item, tmp_path: Path) -> None:
    stray = Box(40, 220, 100, 260)
    elements = (
        listed("button", SAVE, 0.9),
        listed("link", FIELD, 0.7),
        listed("img", stray, 0.3),
        listed("text", DELETE, 1),
    )
    stored = keep(
        home_of(item),
        "by hand",
        ReadImage("page@1", item.id, "ours", elements, 30, 12.0, 20.0, (), ()),
        ReadImage("page@1", item.id, "peer", (), 1, 2.0, 3.0, ("eye: late",), ()),
    )
    judged = judge_run(stored, home_of(item))
    made = controls_report(stored, judged, "")
    tables = {each.id: each for each in made.tables}
    titles = [column.title for column in tables["readers"].columns]
    ours, peer = (dict(zip(titles, row, strict=True)) for row in tables["readers"].rows)
    assert (ours["true"], ours["served"], ours["not judged"], ours["tokens"]) == (3, 3, 0, 30)
    assert (ours["control recall"], ours["control precision"]) == (2 / 3, 2 / 3)
    assert (ours["recall at IoU .5"], ours["right roles"]) == (2 / 3, 1 / 2)
    assert ours["lines read"] is None, "this reader reads no text"
    assert (peer["control recall"], peer["control precision"], peer["ms"]) == (0, None, 2)
    assert role_pairs(judged["ours"][0]) == [("button", "button"), ("textbox", "link")]
    assert [row[:3] for row in tables["heights"].rows] == [("25 to 48", 3, 2 / 3)]
    assert tables["calibration"].note.startswith("Expected calibration error: 23.3%")
    assert made.skipped == ("peer: page@1: eye: late",)


def test_the_report_compares_the_time_for_dense_screenshots(item: Item, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = (ReadImage("page@1", item.id, who, (), 1, ms, 9.0, (), ()) for who, ms in (("ours", 3.0), ("peer", 12.0)))
    stored = keep(home_of(item), "times", *outputs)
    judged = judge_run(stored, home_of(item))
    assert "times" not in [each.id for each in controls_report(stored, judged, "").tables]
    monkeypatch.setattr(report, "DENSE_LINES", len(item.sample.lines))
    (times,) = (each for each in controls_report(stored, judged, "").tables if each.id == "times")
    assert times.rows == (("ours", 1, 3.0, 1.0), ("peer", 1, 12.0, 0.25))


def test_pictures_show_right_wrong_and_missed_controls_in_three_colors(item: Item, tmp_path: Path) -> None:
    elements = (listed("button", SAVE, 0.9), listed("img", Box(40, 220, 100, 260), 0.3))
    stored = keep(home_of(item), "pictures", ReadImage("page@1", item.id, "a/b", elements, 1, 1.0, 1.0, (), ()))
    assert write_pictures(tmp_path, stored, home_of(item)) == 1
    pixels = decode_image((tmp_path / "page@1.a_b.png").read_bytes())
    for color, (x, y) in {RIGHT: (179, 60), WRONG: (99, 240), MISSED: (359, 60)}.items():
        assert tuple(pixels[y, x]) == color


def test_a_name_says_which_control_is_meant_and_else_its_place(item: Item) -> None:
    truth = control_truth(item.sample)
    served = [
        ServedControl("v1", "Delete", SAVE),
        ServedControl("v2", "", FIELD),
        ServedControl("v3", "Help", Box(0, 200, 40, 240)),
    ]
    meant = what_is_meant(truth, served, judge(truth, stack(each.box for each in served)))
    assert [(each.served.ref, each.control, each.by_name) for each in meant] == [("v1", 1, True), ("v2", 2, False)]


@pytest.mark.parametrize("medium", Medium)
async def test_clicks_on_painted_controls_are_told_by_the_page(
    client: AsyncClient, item: Item, tmp_path: Path, medium: Medium
) -> None:
    truth = control_truth(item.sample)
    file = write_painted(item, [each.box for each in truth.controls], medium, tmp_path)
    with serve_folder(tmp_path) as origin:
        page = await visit_painted(client, f"{origin}/{file}", item, truth, medium, 0)
    assert page.controls == 3
    assert page.found >= 2, "the buttons at least"
    assert page.fused_tokens > page.text_tokens
    assert {each.ending for each in page.clicks} == {Ending.LANDED}
