"""`perception ab` and `perception bench` as a user has them: streams, files, exit codes, and going on after Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from perception.bench import cli
from perception.bench.run_store import load_run
from perception.datasets.sample import Sample, Stratum, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.geometry import Box, Point
from perception.imaging.codec import encode_png
from perception.types import Capture, Element, Opaque, Scroll, Viewport

app = typer.Typer()
app.add_typer(cli.app, name="bench")
app.command()(cli.ab)

ENDS_SECONDS = 120.0
"""Far more than a run of six small samples takes to start, or to end."""

VIEWPORT = Viewport(400, 300)
SAVE, CANVAS, PAINTED = Box(10, 10, 90, 40), Box(0, 60, 400, 300), Box(120, 120, 260, 156)

BOXES = """
name = "boxes"
mode = "fused"
detectors = ["controls"]
"""


def picture(number: int) -> bytes:
    """A canvas with a painted button, each a little different."""
    pixels = np.full((300, 400, 3), 255, np.uint8)
    cv2.rectangle(pixels, (120, 120), (260, 156), (200, 90 + number, 20), -1)
    cv2.putText(pixels, "Export", (160, 144), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return encode_png(pixels)


def keep(home: Path, count: int) -> list[Path]:
    """Builds the data set `tiny`: pages with a button, and another one that is painted; the files of its images."""
    store = Store(home)
    elements = (
        Element("button", "Save", SAVE, backend_node_id=1, interactive=True, reachable=True, click_point=Point(50, 25)),
        Element("canvas", "", CANVAS, backend_node_id=2, opaque=Opaque.CANVAS, reachable=True),
    )
    truth = (
        TruthElement("button", "Save", SAVE, True, True, backend_node_id=1),
        TruthElement("button", "", PAINTED, True, True),
    )
    images = []
    for number in range(count):
        digest = store.put_image(picture(number))
        name = f"page{number}@400x300"
        capture = Capture("u", "t", "l", VIEWPORT, Scroll(0, 0, 400, 300), elements)
        options = {"stratum": Stratum.MIXED, "complete": True, "truth": truth, "capture": capture}
        sample = Sample(name, "tiny", f"g{number}", f"page{number}", digest, VIEWPORT, **options)  # type: ignore[arg-type]
        store.dataset("tiny").add(IndexRow(name, store.put(sample), "key"))
        images.append(store.image(digest))
    return images


def perception(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)


@dataclass(frozen=True)
class Ran:
    """An A/B of seven samples, of which the last one's image is damaged, and its run with a regression planted."""

    folder: Path
    result: Result
    run: str


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("bench")
    home = folder / "home"
    keep(home, 7)[-1].write_bytes(b"\x89PNG, and then nothing")
    (folder / "boxes.toml").write_text(BOXES)
    files = [f"--{each}={folder}/out/ab.{each}" for each in ("html", "markdown", "json")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERCEPTION_HOME", str(home))
        result = perception("ab", "text", folder / "boxes.toml", "--dataset", "tiny", "--workers", 1, *files)
        (made,) = (home / "runs").iterdir()
        plant(made, "planted-1")
        plant(made, "planted-2")
        yield Ran(folder, result, made.name)


def plant(run: Path, name: str) -> None:
    """A copy of a run whose looks by `boxes` have lost all that vision found."""
    copy = shutil.copytree(run, run.parent / name)
    facts = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps({**facts, "id": name}))
    looks = [json.loads(line) for line in (copy / "outputs.jsonl").read_text().splitlines()]
    for look in looks:
        look["elements"] = [each for each in look["elements"] if each["sources"] != ["detector"]]
    (copy / "outputs.jsonl").write_text("".join(json.dumps(look) + "\n" for look in looks))


def tables(report: Path | str) -> dict[str, list[list[object]]]:
    """Rows of a JSON report, by its tables' ids."""
    text = report.read_text() if isinstance(report, Path) else report
    return {each["id"]: each["rows"] for each in json.loads(text)["tables"]}


def test_an_ab_says_on_both_sides_what_was_found_and_which_sample_failed_and_why(ran: Ran) -> None:
    assert ran.result.exit_code == 1, "one of the samples failed"
    assert ran.result.stdout.startswith("# text against boxes\n")
    assert "page6@400x300: BadImageError: " in ran.result.stderr
    assert f"{ran.run}: 6 samples done, 0 there already, 1 failed\n" in ran.result.stderr
    assert "Traceback" not in ran.result.stderr
    found = tables(ran.folder / "out/ab.json")
    assert found["shares"][0][:3] == ["reachable recall", 0.5, 1.0]
    assert found["recovered"][0][:3] == ["all", 6, 6]
    assert [row[0] for row in found["samples"]] == [f"page{number}@400x300" for number in range(6)]


def test_reports_are_written_in_every_form_that_is_asked_for(ran: Ran) -> None:
    page = (ran.folder / "out/ab.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "page0@400x300" in page
    assert (ran.folder / "out/ab.markdown").read_text().rstrip("\n") in ran.result.stdout
    wrote = [line for line in ran.result.stderr.splitlines() if line.startswith("wrote ")]
    assert wrote == [f"wrote {ran.folder}/out/ab.{form}" for form in ("html", "markdown", "json")]


def test_the_list_names_every_run_the_latest_first_and_hides_none_behind_a_broken_one(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ran.folder / "home/runs", tmp_path / "runs")
    (tmp_path / "runs/broken").mkdir()
    (tmp_path / "runs/broken/run.json").write_text("{}")
    for age, name in enumerate(("planted-2", "broken", ran.run, "planted-1")):
        os.utime(tmp_path / "runs" / name, (0, 1e9 - age))
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    result = perception("bench", "list")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["planted-2", ran.run, "planted-1"]
    assert "  6 samples of tiny  commit " in result.stdout
    assert "broken: run.json is not of this version" in result.stderr
    assert result.exit_code == 0


def test_the_report_of_a_stored_run_has_the_same_tables(ran: Ran, tmp_path: Path) -> None:
    result = perception("bench", "report", ran.run[:14], "--json", tmp_path / "again.json")
    assert result.exit_code == 0
    assert tables(tmp_path / "again.json") == tables(ran.folder / "out/ab.json")
    assert "# text against boxes" in result.stdout


def test_a_planted_regression_ends_with_1_and_an_equal_run_with_0(ran: Ran, tmp_path: Path) -> None:
    worse = perception("bench", "compare", ran.run, "planted-1", "--html", tmp_path / "compare.html")
    assert worse.exit_code == 1
    assert "- worse: reachable recall of boxes, all: 100.0% → 50.0%\n" in worse.stdout
    assert "planted-1" in (tmp_path / "compare.html").read_text()
    equal = perception("bench", "compare", "planted-1", ran.folder / "home/runs/planted-2")
    assert equal.exit_code == 0
    assert "- No difference shown.\n" in equal.stdout


def test_agreement_needs_no_run(ran: Ran) -> None:
    result = perception("bench", "run", "agreement", "--page", "demo")
    assert result.exit_code == 0
    assert result.stdout.startswith("# Agreement with Chromium's accessibility tree\n")


TINY = ("--dataset", "tiny")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["ab", "text", "fused", "--dataset", "nope"], "no data set 'nope', and no such folder", id="data"),
        pytest.param(["ab", "text", "fused", "--dataset", "nope:/tmp"], "layout 'nope' is not known", id="layout"),
        pytest.param(["ab", "text", "fused", "--dataset", "coco:/no/such"], "there is no such folder", id="folder"),
        pytest.param(["ab", "text", "fused", *TINY, *TINY], "data set tiny is named twice", id="data-twice"),
        pytest.param(["ab", "text", "fussed", *TINY], "no variant 'fussed'", id="variant"),
        pytest.param(["ab", "text", "text", *TINY], "variants are distinguished by name", id="one-name"),
        pytest.param(["ab", "text", "fused", *TINY, "--html", f"{__file__}/a.html"], "cannot be written", id="html"),
        pytest.param(["ab", "text", "fused", *TINY, "--json", "/"], "/ cannot be written", id="json-is-a-folder"),
        pytest.param(["bench", "run", "tokens", "--dataset", "nope"], "no data set 'nope'", id="run"),
        pytest.param(["bench", "run", "tokens", "--variant", "x", *TINY], "no variant 'x'", id="run-variant"),
        pytest.param(["bench", "run", "agreement", "--page", "nope"], "'nope' is not a page", id="agreement"),
        pytest.param(["bench", "run", "clicks", "--page", "nope"], "'nope' is not a page", id="clicks"),
        pytest.param(["bench", "run", "content", "--page", "nope"], "'nope' is not a page", id="content"),
        pytest.param(["bench", "run", "detectors", "--detector", "eye"], "no detector is called eye", id="detector"),
        pytest.param(["bench", "run", "detectors", "--detector", "onnx"], "none of onnx can be used", id="no-model"),
        pytest.param(["bench", "run", "speed", "--page", "nosuch"], "'nosuch' is not a page", id="page"),
        pytest.param(["bench", "report", "nosuch"], "no run is called 'nosuch': there are ", id="no-run"),
        pytest.param(["bench", "report", "/no/such/folder"], "no run is called '/no/such/folder'", id="no-run-folder"),
        pytest.param(["bench", "report", "**"], "no run is called '**'", id="no-pattern"),
        pytest.param(["bench", "report", "planted"], "2 runs begin with 'planted': name one of ", id="ambiguous"),
        pytest.param(["bench", "report", "planted-1", "--markdown", "/"], "cannot be written", id="markdown"),
        pytest.param(["bench", "compare", "planted-1", "nosuch"], "no run is called 'nosuch'", id="compare"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.delenv("PERCEPTION_ONNX_DETECTOR", raising=False)
    runs = set((ran.folder / "home/runs").iterdir())
    result = perception(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("without ")]
    assert line.startswith("error: ")
    assert said in line
    assert set((ran.folder / "home/runs").iterdir()) == runs, "nothing was begun"


INTERRUPTED = "interrupted: what is done is kept; the same command goes on from here\n"


def start(home: Path, **environment: object) -> subprocess.Popen[str]:
    """A run in a process group of its own, as a terminal starts it; Ctrl-C is not ignored, whatever it is here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "perception", *"bench run tokens --variant text --workers 1 --dataset tiny".split()],
            env={**os.environ, "PERCEPTION_HOME": str(home), **{key: str(each) for key, each in environment.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def opened(pipe: Path, process: subprocess.Popen[str]) -> Iterator[BinaryIO]:
    """A named pipe, once the process has come to read it; or has ended."""

    def release() -> None:
        process.wait()
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))

    guard = threading.Thread(target=release)
    guard.start()
    with pipe.open("wb") as file:
        yield file
    process.wait(ENDS_SECONDS)
    guard.join()


def test_ctrl_c_ends_with_130_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """The fourth image comes out of a pipe, so that its worker waits for us; two at least are kept by then."""
    image = keep(tmp_path, 6)[3]
    image.unlink()
    os.mkfifo(image)
    process = start(tmp_path)
    with opened(image, process) as pipe:
        os.killpg(process.pid, signal.SIGINT)
        pipe.write(picture(3))
    output, errors = process.communicate()
    assert (process.returncode, output) == (130, "")
    assert errors == INTERRUPTED
    image.unlink()
    image.write_bytes(picture(3))
    again = start(tmp_path)
    output, errors = again.communicate(timeout=ENDS_SECONDS)
    assert again.returncode == 0, errors
    (run,) = (tmp_path / "runs").iterdir()
    stored = load_run(tmp_path, run.name)
    lines = len((run / "outputs.jsonl").read_text().splitlines())
    assert lines == len(stored.done()) == 6, "nothing is done twice"
    done, kept = (int(errors.split(word)[0].split()[-1]) for word in (" samples done", " there already"))
    assert kept >= 2
    assert done + kept == 6
    assert output.startswith("# Tokens\n")


def test_ctrl_c_while_workers_start_prints_one_line(tmp_path: Path) -> None:
    """A worker that starts reads from a pipe before anything else, so that it waits for us."""
    keep(tmp_path, 1)
    os.mkfifo(tmp_path / "starting")
    wait = 'import os, sys\nif "--multiprocessing-fork" in sys.orig_argv:\n    open(os.environ["STARTING"]).read()\n'
    (tmp_path / "sitecustomize.py").write_text(wait)
    process = start(tmp_path, PYTHONPATH=tmp_path, STARTING=tmp_path / "starting")
    with opened(tmp_path / "starting", process):
        os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", INTERRUPTED)
