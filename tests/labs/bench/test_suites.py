"""Suites as the command line has them: found by their folders, quick to list, stored, reported and compared alike."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from perception.bench import cli
from perception.bench.metrics.line_matching import LineCounts
from perception.bench.pages.painted_page import Medium
from perception.bench.run_store import Run, keep_result
from perception.bench.scores import Tally
from perception.bench.suite import ReportContext, load_suite, suite_names
from perception.bench.suites.agreement.judgment import AgreementRun, ComparedNode, PageNodes
from perception.bench.suites.auth import SUITE as AUTH
from perception.bench.suites.auth import AuthOptions
from perception.bench.suites.auth.run import AuthRun, RpcAnswer, RpcAnswers
from perception.bench.suites.batches.run import BARE, BATCH, CALLS, BatchesRun, BatchSample
from perception.bench.suites.cluster_faults.outcomes import ClusterFaultsRun, Counts, FaultResult
from perception.bench.suites.diffs.run import DiffsRun, StepDiff
from perception.bench.suites.doors.outcomes import DoorsRun, PageOutcome, ServerStart, ToolList
from perception.bench.suites.egress.run import AttemptOutcome, EgressRun, OwnPort
from perception.bench.suites.faults.injections import WAYS
from perception.bench.suites.faults.run import FaultOutcome, FaultsRun, HeldResources
from perception.bench.suites.fuzz.outcomes import FailedCase, FuzzRun, PartOutcome
from perception.bench.suites.hangs.process_count import ProcessCounts
from perception.bench.suites.hangs.run import HangOutcome, HangsRun
from perception.bench.suites.hidden.false_alarms import FalseAlarms
from perception.bench.suites.hidden.run import FUSED, PLAYWRIGHT, TEXT, HiddenRun, TrickAnswer
from perception.bench.suites.hidden.tricks import trick_pages
from perception.bench.suites.live.run import AgentStep, FilmCost, LiveRun, PersonClick, WatchCost
from perception.bench.suites.load.report import LoadRun, ResourceSample
from perception.bench.suites.logins.run import LoginOutcome, LoginsRun
from perception.bench.suites.miniwob.run import MiniwobRun, Played
from perception.bench.suites.neighbours.run import FloodOutcome, NeighborCalls, NeighborsRun
from perception.bench.suites.painted.run import Ending as ClickEnding
from perception.bench.suites.painted.run import PaintedClick, PaintedPage, PaintedRun
from perception.bench.suites.placement_simulation.run import SimulationRun, SizeOutcome
from perception.bench.suites.ray_detectors.run import HERE, ON_RAY, LookSample, RayDetectorsRun
from perception.bench.suites.ray_detectors.run import Throughput as LooksPerSecond
from perception.bench.suites.reach.judgment import Finding, PageReach, ReachRun, RouteKind, Thing
from perception.bench.suites.recording_cost.run import WAYS as RECORDING_WAYS
from perception.bench.suites.scale.run import CallCost, ScaleRun, ScaleSample, Throughput
from perception.bench.suites.scripts.run import ScriptLines, ScriptsRun
from perception.bench.suites.settling.run import SettlingOutcome, SettlingRun
from perception.bench.suites.speed import SUITE as SPEED
from perception.bench.suites.speed import SpeedOptions
from perception.bench.suites.speed.report import SpeedMeasure, SpeedRun, SpeedSample
from perception.bench.suites.stability.stability_trials import PageChange, StabilityRun, StabilityTrial
from perception.bench.suites.subroutines.app_outcomes import AppRun, TaskCost
from perception.bench.suites.subroutines.effects import Ending
from perception.bench.suites.subroutines.run import RankedTask, SubroutinesRun
from perception.bench.suites.tasks.outcomes import TaskOutcome, TasksRun
from perception.bench.suites.train_detector.run import TrainedDetector
from perception.bench.suites.train_icons.run import IconCheck, TrainedIcons
from perception.bench.suites.train_judge.run import TrainedJudge
from perception.bench.suites.train_scripts.run import ScriptCheck, TrainedScripts
from perception.bench.suites.transfers.run import Memory, Transfer, TransfersRun
from perception.bench.suites.values.judgment import FieldPart, PageValues, Place, ValuesRun
from perception.bench.suites.verify.run import HonestPage, TamperedPage, VerifyRun
from perception.bench.suites.words.judgment import MissedWord, PageWords, WordsRun, WrongNumber
from perception.bench.train.training_plan import TrainingStep
from perception.bench.turns import TimedRun, TimedSample
from perception.bench.variant import Variant
from perception.datasets.sources.miniwob import Episode
from perception.types import Mode

app = typer.Typer()
app.add_typer(cli.app, name="bench")

HEAVY = ("cv2", "grpc", "numpy", "onnxruntime", "playwright", "scipy")


def perception(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", suite_names())
def test_a_suites_folder_exports_it_and_its_command_shows_its_options(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    assert suite.summary.endswith(".")
    shown = perception("bench", "run", name, "--help")
    assert shown.exit_code == 0
    options = {each.name.replace("_", "-") for each in dataclasses.fields(suite.options)} - {"part"}
    wanted = options | {"html", "markdown", "json"}
    assert all(f"--{each}" in shown.stdout or f"{{{each}}}" in shown.stdout for each in wanted)


def test_listing_suites_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom perception.bench.cli import suite_command\n"
        "from perception.bench.suite import load_suite, suite_names\n"
        "assert all(suite_command(load_suite(name)) for name in suite_names())\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_suite_is_bad_input() -> None:
    assert perception("bench", "run", "nope").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(
            ["faults", "--way", "nope"], f"no fault's name has nope in it: there are {'; '.join(WAYS)}", id="way"
        ),
        pytest.param(["cluster_faults", "--way", "nope"], "no fault's name has nope in it", id="cluster fault"),
        pytest.param(
            ["cluster_faults", "--placement", "x"], "no placement is called 'x': there are static", id="place"
        ),
        pytest.param(["hangs", "--page", "nope"], "no way's name has nope in it", id="hang"),
        pytest.param(["settling", "--page", "nope"], "no case's name has nope in it", id="settling"),
        pytest.param(["egress", "--only", "nope"], "no attempt's name has 'nope' in it", id="attempt"),
        pytest.param(["load", "--steps", "1,x"], "give numbers of sessions", id="steps"),
        pytest.param(["load", "--mode", "sight"], "there are text, fused, vision", id="mode"),
        pytest.param(["miniwob", "--players", "no.such"], "no module with PLAYERS", id="players"),
    ],
)
def test_options_that_name_nothing_are_one_clear_line_and_exit_code_2(
    home: Path, arguments: list[str], said: str
) -> None:
    result = perception("bench", "run", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert not (home / "runs").exists()


def keep_auth(home: Path, wrong: tuple[str, ...]) -> Run:
    answers = {"none": RpcAnswer("UNAUTHENTICATED", "UNAUTHENTICATED"), "mine": RpcAnswer("OK")}
    data = AuthRun((RpcAnswers("SessionService/CreateSession", answers, wrong),))
    result = AUTH.result(data, AuthOptions(), machine={"commit": "c0ffee"}, failed=len(wrong))
    return keep_result(home, result.facts, result.data, result.failed)


def test_a_judgment_is_compared_by_its_wrong_outcomes(home: Path) -> None:
    before, after = keep_auth(home, ()), keep_auth(home, ("none",))
    worse = perception("bench", "compare", before.folder, after.folder)
    assert worse.exit_code == 1
    assert "- 1 got worse and 0 better, of 2 counts.\n- worse: answers to credential 'none': 0 → 1\n" in worse.stdout
    assert perception("bench", "compare", after.folder, before.folder).exit_code == 0
    equal = perception("bench", "compare", before.folder, before.folder)
    assert equal.exit_code == 0
    assert "- No difference shown.\n" in equal.stdout


def test_a_stored_result_is_listed_and_reported_again(home: Path) -> None:
    stored = keep_auth(home, ("none",))
    listed = perception("bench", "list")
    assert listed.stdout == f"{stored.facts.id}  {stored.facts.started}  a result  commit c0ffee\n"
    report = perception("bench", "report", stored.facts.id)
    assert report.exit_code == 0
    assert f"Made {stored.facts.started}" in report.stdout
    assert "- 1 rpcs, 2 calls, 1 wrong answers." in report.stdout
    assert "WRONG: UNAUTHENTICATED" in report.stdout
    assert "commit: c0ffee" in report.stdout
    again = AUTH.report(AUTH.load(stored, home), ReportContext(home, "perception bench report"))
    assert again.command == "perception bench report"


def keep_speed(home: Path, factor: float) -> Run:
    samples = tuple(
        SpeedSample(f"page{page}", number, SpeedMeasure.TEXT_FIRST, factor * (10 + page + number))
        for page in range(8)
        for number in range(3)
    )
    run = SpeedRun(samples, 3, {"cores": "2"}, (), datetime(2026, 1, 2, tzinfo=UTC))
    result = SPEED.result(run, SpeedOptions(), machine=run.machine, inputs=("page0",), started=run.made)
    return keep_result(home, result.facts, result.data, result.failed)


def test_times_are_compared_page_by_page_with_an_interval(home: Path) -> None:
    before, after = keep_speed(home, 1.0), keep_speed(home, 1.5)
    assert (before.facts.id, after.facts.id) == ("speed-20260102-000000", "speed-20260102-000000-2")
    worse = perception("bench", "compare", before.facts.id, after.facts.id)
    assert worse.exit_code == 1
    assert "- worse: text first of looks, all: 14.5" in worse.stdout
    assert "ratio by page" in worse.stdout


def test_results_of_two_suites_are_not_compared(home: Path) -> None:
    refused = perception("bench", "compare", keep_auth(home, ()).folder, keep_speed(home, 1.0).folder)
    assert refused.exit_code == 2
    assert "only runs of one kind can be compared" in refused.stderr


def test_a_result_of_another_version_is_bad_input(home: Path) -> None:
    stored = keep_auth(home, ())
    (stored.folder / "result.json").write_text('{"failed": 0, "data": {"rows": 1}}')
    refused = perception("bench", "report", stored.facts.id)
    assert refused.exit_code == 2
    assert "result.json is not of this version" in refused.stderr


MACHINE = {"commit": "c0ffee"}
BYTES = PartOutcome("bytes", 2, 1.0, {"OK": 2}, [FailedCase(1, "0a", "why")], ["note"])
FLOODED = tuple(
    FloodOutcome(name, name == "burn", NeighborCalls((0.1, 0.2), (0.1, 0.2)), calls, (100.0, 150.0, 120.0), came, notes)
    for name, calls, came, notes in (
        ("burn", NeighborCalls((0.1, 0.2), (0.1, 0.2)), {"open": "answered"}, ()),
        ("console", NeighborCalls((0.1, 0.9), (), {"DEADLINE": 1}), {"open": "DEADLINE"}, ("slowed",)),
    )
)
COSTS = TimedSample(0, "direct", "a", 1.0), TimedSample(0, "proxy", "a", 2.0)
LOOP = HangOutcome("loop", 0, 1.1, "-", "", "", "", 0.5, 0.1)
NODES = PageNodes("a", (ComparedNode("button", "x", "button", "x"),), Tally(1, 1))
PAINTED = PaintedPage(
    "a@1", "a", Medium.CANVAS, 4, 2, 3, 2, 20, 80, (PaintedClick("link", "v1", ClickEnding.NOTHING, False, "at 1, 2"),)
)
PLAYED = Played(Episode("t", 1), "text", success=True)
LISTED_THING = Thing("/0", "div", "tab", "Tab", ("click",), RouteKind.INSIDE, "e1", finding=Finding.OTHER, detail="why")

RESULTS = [
    pytest.param("fuzz", FuzzRun((BYTES,)), id="fuzz"),
    pytest.param(
        "faults",
        FaultsRun((FaultOutcome("kill", "OK", 1.5),), HeldResources(1, 2, 3, 4), HeldResources(1, 2, 3, 5)),
        id="faults",
    ),
    pytest.param(
        "cluster_faults",
        ClusterFaultsRun(
            "static",
            3,
            2,
            4,
            (
                FaultResult(
                    "kill", 1, {"OK": 2}, (1.5,), 9.0, 4, 8.0, first=Counts(4, 3, 2, 1, 0), last=Counts(4, 3, 2, 1, 0)
                ),
                FaultResult("cut", skipped="not on ray"),
            ),
        ),
        id="cluster faults",
    ),
    pytest.param(
        "doors",
        DoorsRun(
            (
                PageOutcome("perception", "form", True, "", 4, 300, 90, 2048, 1.5),
                PageOutcome(
                    "Playwright MCP", "form", False, "no answer has button", 5, 900, 90, 4096, 1.2, ("a look",)
                ),
            ),
            (ServerStart("perception", 2.5),),
            (ToolList("perception", 11, 1234), ToolList("a peer", problem="not to be had")),
            ("table: not fetched",),
        ),
        id="doors",
    ),
    pytest.param("egress", EgressRun((AttemptOutcome("img", "", 0, 1),), (OwnPort("DevTools", False),)), id="egress"),
    pytest.param("diffs", DiffsRun("text", (StepDiff("sort", 10, 32, 504, True, False),)), id="diffs"),
    pytest.param("logins", LoginsRun((LoginOutcome("django", "control", True, "Log in"),)), id="logins"),
    pytest.param(
        "batches",
        BatchesRun(12, 1, tuple(BatchSample(0, way, 1.0) for way in (CALLS, BARE, BATCH))),
        id="batches",
    ),
    pytest.param(
        "egress_cost",
        TimedRun(1, COSTS),
        id="cost",
    ),
    pytest.param(
        "ray_detectors",
        RayDetectorsRun(
            "ppocr",
            1,
            58,
            True,
            (LookSample(1, HERE, 368.0), LookSample(1, ON_RAY, 439.0, "late")),
            (LooksPerSecond(1, HERE, 2.7), LooksPerSecond(1, ON_RAY, 0.0)),
        ),
        id="ray detectors",
    ),
    pytest.param(
        "recording_cost",
        TimedRun(1, tuple(TimedSample(0, way, "calls: time", 0.1) for way in RECORDING_WAYS)),
        id="recording cost",
    ),
    pytest.param(
        "live",
        LiveRun(
            1.0,
            (WatchCost("still", 1, 1.0, 2.0, 3.0, 0.5),),
            (AgentStep(1, 0, "click", 20.0),),
            (PersonClick("still", 0, 12.0), PersonClick("still", 1, 14.0)),
            (FilmCost("still", 1.0, 2.0, 3.0, 0.5),),
        ),
        id="live",
    ),
    pytest.param(
        "transfers",
        TransfersRun(1, (Transfer("download", 1, 0.5),), (Memory("before", 100.0), Memory("8 senders", 101.0))),
        id="transfers",
    ),
    pytest.param(
        "load",
        LoadRun("text", 1, 10.0, 5.0, {"click": [(1.0, 0.5)]}, {"DEADLINE": 1}, (ResourceSample(0, 1, 1, 1, 1),), ()),
        id="load",
    ),
    pytest.param(
        "scale",
        ScaleRun(
            2,
            1_200_000,
            (ScaleSample(1, "click", 9.0), ScaleSample(1, "click", 11.0)),
            (ScaleSample(1, "click", 8.0), ScaleSample(1, "click", 8.5)),
            (CallCost(1, "edge", 1.2),),
            (Throughput(0, 6, 40.0), Throughput(1, 6, 42.0)),
        ),
        id="scale",
    ),
    pytest.param(
        "placement_simulation",
        SimulationRun(
            3,
            16,
            "by hand",
            (SizeOutcome(10, {"sessions": 5}, 9.0, (5.0, 20.0), 4e4, (0.4, 3.0), 0.1, 2.5, 0.02, 1.6, 0),),
        ),
        id="placement simulation",
    ),
    pytest.param("neighbours", NeighborsRun(2, 1.0, FLOODED), id="neighbours"),
    pytest.param("subroutines", SubroutinesRun((RankedTask("a", "POST /", 0.5, False),)), id="subroutines"),
    pytest.param(
        "subroutines",
        SubroutinesRun(
            apps=(AppRun("trac", "comment", "none", True, Ending.WRONG, False, ("x/1 created",), "", "", 1.5, "DOM"),),
            costs=(TaskCost("trac", "comment", 500, 2, 1.5, "DOM", parameters=("comment",)),),
            left_out=("mlflow: cannot be installed",),
        ),
        id="subroutines of applications",
    ),
    pytest.param(
        "tasks",
        TasksRun(
            (TaskOutcome("bold", "text", True, "", 4, 3, 194, 146, 1055, 1.6, ("no button",)),), ("pdf: not fetched",)
        ),
        id="tasks",
    ),
    pytest.param(
        "train_detector",
        TrainedDetector(
            ("composed",), 1, 9, 50, 100, (TrainingStep(50, {"score": 0.5}, 40.0),), 700_000, "c.onnx", "0a"
        ),
        id="train-detector",
    ),
    pytest.param(
        "train_icons",
        TrainedIcons(
            ("tabler (MIT)",),
            9,
            50,
            100,
            (TrainingStep(50, {"loss": 0.5}, 40.0),),
            1.1,
            (IconCheck("carbon", 9, 4, 7, 6, 1, 8),),
            "icon_names.onnx",
            "0a",
        ),
        id="train-icons",
    ),
    pytest.param(
        "train_judge",
        TrainedJudge(("fresh",), 5, 3, 90, 700, 80, "control_judge.onnx", "0a"),
        id="train judge",
    ),
    pytest.param(
        "train_scripts",
        TrainedScripts("fonts", "icons", 9, (ScriptCheck("Thai", 4, 3, 3),), "scripts.npz", "0a"),
        id="train scripts",
    ),
    pytest.param(
        "scripts",
        ScriptsRun((ScriptLines("p", "Thai", LineCounts(1, 2), LineCounts(1, 2, 1), 2, 1),), (12.0,)),
        id="scripts",
    ),
    pytest.param(
        "hangs",
        HangsRun((LOOP,), (ProcessCounts(1, 2, 3, 4, 5),) * 2),
        id="hangs",
    ),
    pytest.param(
        "settling",
        SettlingRun((SettlingOutcome("fetch", True, False, "", True, 0.1, 1.5, 0.0, 0.0, (), (), ""),)),
        id="settling",
    ),
    pytest.param(
        "agreement",
        AgreementRun((NODES,), {}),
        id="agreement",
    ),
    pytest.param(
        "miniwob",
        MiniwobRun((PLAYED,), (Variant("text", Mode.TEXT),)),
        id="miniwob",
    ),
    pytest.param("reach", ReachRun((PageReach("a", (LISTED_THING,), 1, ("cut",)),), {"b": "why"}, "156"), id="reach"),
    pytest.param(
        "words",
        WordsRun(
            (
                PageWords(
                    "a", 9, 1, 1, 1, (MissedWord("x", "w x y", "xy", "<p>"),), 3, (WrongNumber("7", '- text "7"'),)
                ),
            ),
            {"b": "why"},
            "156",
        ),
        id="words",
    ),
    pytest.param(
        "values",
        ValuesRun((PageValues("a", 2, 3, 1, 0, (FieldPart("x", Place.AWAY, "- combobox", "<b>"),), 0, ()),), {}, "156"),
        id="values",
    ),
    pytest.param("painted", PaintedRun((PAINTED,), {"b@1 as video": "why"}), id="painted"),
    pytest.param(
        "hidden",
        HiddenRun(
            tuple(TrickAnswer(trick_pages()[0], who, False, "") for who in (TEXT, FUSED, PLAYWRIGHT)),
            (FalseAlarms("a", "text", 2, ("x",)),),
            {},
        ),
        id="hidden",
    ),
    pytest.param(
        "verify",
        VerifyRun(
            (HonestPage("a", 3, 2, ('- text "12" [pixels show "72"]',), "verified 2 of 3 texts", 0.1, 0.5, 0.2),),
            (TamperedPage("canvas over it", 10, 9, 8, ("81%",)),),
            {},
        ),
        id="verify",
    ),
    pytest.param(
        "stability",
        StabilityRun(
            ("a",),
            (StabilityTrial("a", "train", "button", "#a", 0.98, "id", {PageChange.RELOAD: 2}, {PageChange.RELOAD: 1}),),
            {"a": 1},
            {},
            "Chromium 1",
        ),
        id="stability",
    ),
]


@pytest.mark.parametrize(("name", "data"), RESULTS)
def test_a_result_is_the_same_once_it_is_stored(home: Path, name: str, data: object) -> None:
    suite = load_suite(name)
    made = suite.result(data, None, machine=MACHINE)  # type: ignore[attr-defined]
    stored = keep_result(home, made.facts, made.data, made.failed)
    again = suite.load(stored, home)
    assert again.data == data
    context = ReportContext(home, "")
    assert cli.report_of(suite, again, context) == cli.report_of(suite, made, context)
    assert suite.comparable(again, home) == suite.comparable(made, home)
    assert perception("bench", "compare", stored.folder, stored.folder).exit_code == 0
