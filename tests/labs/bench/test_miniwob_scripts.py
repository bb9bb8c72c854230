"""The scripted driver: a few tasks for real, each by other hands; and what scripts read a page by."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from perception.bench.suites.miniwob import run as miniwob
from perception.bench.suites.miniwob.report import SOLVED_GOAL, miniwob_report
from perception.bench.suites.miniwob.run import Played, kind_of, run_miniwob
from perception.bench.variant import EpisodePolicy, Variant, load_variant
from perception.datasets import load_manifest
from perception.datasets.sources.miniwob import Episode
from perception.datasets.sources.packages import fetch
from perception.datasets.sources.site_server import serve
from perception.paths import home_folder
from perception.types import Mode
from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts import PLAYERS, SCRIPTS
from tests.labs.bench.miniwob_scripts.driver import StuckError, TaskSnapshot, contains, found, middle, ordinal, quoted

BY_HAND = {
    "choose-date": "turns a calendar's pages",
    "click-menu": "hovers over menus that unfold",
    "click-scroll-list": "selects several options",
    "copy-paste": "copies and pastes by the clipboard",
    "drag-box": "drags onto a point",
    "drag-sort-numbers": "sorts a list by dragging",
    "email-inbox-reply": "opens, types and sends",
    "enter-date": "fills a date field",
    "guess-number": "reads what came of each try",
    "highlight-text": "marks text by dragging over it",
    "scroll-text-2": "scrolls a field",
    "use-slider": "moves a slider by keys",
}
UNSCRIPTED = "click-test"
SCRIPTED = Path(__file__).with_name("miniwob_scripts") / "scripted.toml"
SEED = 1


@pytest.fixture(scope="module")
async def played() -> tuple[Played, ...]:
    manifest, home = load_manifest(), home_folder()
    pages = [manifest.pages[f"miniwob--{task}"] for task in (*BY_HAND, UNSCRIPTED)]
    await asyncio.to_thread(fetch, pages[0], manifest, home)
    with serve(pages, manifest, home) as served, pytest.MonkeyPatch.context() as patch:
        patch.setattr(miniwob, "PLAYER_SECONDS", 300.0)  # the longest episode takes 10 s on a quiet machine
        return await run_miniwob(served.urls, [SEED], [load_variant(str(SCRIPTED))], players=PLAYERS)


@pytest.mark.parametrize("task", BY_HAND, ids=BY_HAND.get)
async def test_a_script_solves_its_kind_of_task(played: tuple[Played, ...], task: str) -> None:
    (each,) = (each for each in played if kind_of(each.episode.task) == task)
    assert task in SCRIPTS
    assert each.success, each
    assert each.steps > 0
    assert each.tokens > 0


async def test_what_has_no_script_is_played_by_the_rules(played: tuple[Played, ...]) -> None:
    (each,) = (each for each in played if kind_of(each.episode.task) == UNSCRIPTED)
    assert UNSCRIPTED not in SCRIPTS
    assert each.success, each


def test_every_script_is_for_a_task_that_there_is() -> None:
    pages = load_manifest().pages
    assert [kind for kind in SCRIPTS if f"miniwob--{kind}" not in pages] == []


def element(role: str, name: str, left: float = 0, **more: object) -> pb.Element:
    return pb.Element(role=role, name=name, box=pb.Box(x=left, y=10, width=40, height=20), **more)  # type: ignore[arg-type]


def test_a_sight_is_searched_by_role_and_words_in_any_case() -> None:
    sight = TaskSnapshot(
        (element("button", "Submit"), element("text", "submit"), element("row", "", text="Year | 2011"))
    )
    assert [each.role for each in sight.all(name="SUBMIT")] == ["button", "text"]
    assert sight.one("button", name="submit").role == "button"
    assert [each.role for each in sight.all(says=r"year.*\d")] == ["row"]
    assert sight.words() == "Submit submit Year | 2011"
    assert TaskSnapshot(()).all() == []


def test_an_unlisted_element_leaves_a_script_stuck_and_is_named() -> None:
    with pytest.raises(StuckError, match="no button 'Go' at 0: 0 are listed"):
        TaskSnapshot((element("text", "Go"),)).one("button", name="Go")
    with pytest.raises(StuckError, match="at 1: 1 are listed"):
        TaskSnapshot((element("text", "Go"),)).one("text", nth=1)
    with pytest.raises(StuckError, match="not understood: Hello"):
        found(r"(\d+)", "Hello")


def test_what_is_below_a_landmark_comes_after_it_in_the_list() -> None:
    first, post, icon = element("generic", "a"), element("text", "post"), element("generic", "b")
    assert TaskSnapshot((first, post, icon)).below(post, "generic") == [icon]


def test_instructions_are_read_by_their_quotes_and_numbers() -> None:
    assert quoted('Enter "a" and "b c".') == ["a", "b c"]
    assert ordinal("the 22nd word") == 22


def test_a_point_is_in_a_box_that_holds_it() -> None:
    outer = element("generic", "", 100)
    assert middle(outer) == (120, 20)
    assert contains(outer, (100, 10))
    assert not contains(outer, (140, 20))


@pytest.mark.parametrize(("whole", "says"), [(SOLVED_GOAL, "met"), (SOLVED_GOAL - 1, "missed")])
def test_the_report_counts_the_tasks_that_are_solved_with_every_seed(whole: int, says: str) -> None:
    scripted = Variant("scripted", Mode.TEXT, policy=EpisodePolicy.PLAYERS)
    played = [
        Played(Episode(f"t{task}", seed), "scripted", success=task < whole or seed > 1)
        for task in range(SOLVED_GOAL + 5)
        for seed in (1, 2)
    ]
    report = miniwob_report(played, [scripted])
    (line,) = report.summary
    assert f"{whole} of {SOLVED_GOAL + 5} task types solved with all 2 seeds; goal {SOLVED_GOAL}: {says}." in line
    rows = dict(report.tables[-1].rows)
    assert (rows["t0"], rows[f"t{SOLVED_GOAL + 1}"]) == ("2 of 2", "1 of 2")


def test_a_seed_that_could_not_be_played_is_not_solved() -> None:
    text = Variant("text", Mode.TEXT)
    played = [Played(Episode("a", seed), "text", success=True) for seed in (1, 2)]
    played += [Played(Episode("b", 1), "text", success=True), Played(Episode("b", 2), "text", error="gone")]
    (line,) = miniwob_report(played, [text]).summary
    assert "1 of 2 task types solved with all 2 seeds." in line
