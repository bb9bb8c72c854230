"""One short run for real: MiniWoB's pages, a service on its socket, a Chromium that Playwright shares."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from perception.bench.suites.miniwob.run import EPISODE_MEASURES, SUCCESS, TOKENS, Played, run_miniwob, scores_of
from perception.bench.suites.miniwob.wire_lists import seen_of_snapshot
from perception.bench.variant import load_variant
from perception.datasets.sources.manifest import load_manifest
from perception.datasets.sources.miniwob import Episode
from perception.datasets.sources.packages import fetch
from perception.datasets.sources.site_server import serve
from perception.errors import BadInputError
from perception.geometry import Box
from perception.paths import home_folder
from perception.types import Source
from perception.v1 import types_pb2 as pb

SOLVED = ("click-test", "enter-text", "click-checkboxes")
TASKS = (*SOLVED, "drag-circle")
SEEDS = (0, 1)


@pytest.fixture(scope="module")
async def told() -> list[Played]:
    return []


@pytest.fixture(scope="module")
async def played(told: list[Played]) -> tuple[Played, ...]:
    manifest, home = load_manifest(), home_folder()
    pages = [manifest.pages[f"miniwob--{task}"] for task in TASKS]
    await asyncio.to_thread(fetch, pages[0], manifest, home)
    with serve(pages, manifest, home) as served:
        tasks = {task: served.urls[f"miniwob--{task}"] for task in TASKS}
        tasks["gone"] = "http://127.0.0.1:9/"
        variants = [load_variant("text"), load_variant("fused")]
        return await run_miniwob(tasks, SEEDS, variants, on_played=told.append)


def of(played: tuple[Played, ...], task: str) -> list[Played]:
    return [each for each in played if each.episode.task == task]


async def test_every_variant_plays_every_episode_and_each_is_reported(
    played: tuple[Played, ...], told: list[Played]
) -> None:
    assert tuple(told) == played
    expected = {(task, seed, who) for task in (*TASKS, "gone") for seed in SEEDS for who in ("text", "fused")}
    assert {(each.episode.task, each.episode.seed, each.who) for each in played} == expected
    assert len(played) == len(expected)


async def test_the_variants_take_turns_in_being_first(played: tuple[Played, ...]) -> None:
    firsts = [each.who for each in played[::2]]
    assert firsts == ["text", "fused"] * (len(firsts) // 2)


@pytest.mark.parametrize("task", SOLVED)
async def test_what_the_rules_understand_is_solved(played: tuple[Played, ...], task: str) -> None:
    for each in of(played, task):
        assert each.success, each
        assert each.reward == 1.0
        assert each.steps > 0
        assert each.tokens > 0
        assert each.look_ms > 0
        assert each.act_ms > 0


async def test_what_they_do_not_understand_is_unsolved_and_reported(played: tuple[Played, ...]) -> None:
    for each in of(played, "drag-circle"):
        assert (each.success, each.steps, each.error) == (False, 0, "")
        assert "do not understand" in each.note


async def test_a_page_that_does_not_load_is_an_error_and_the_others_are_played(played: tuple[Played, ...]) -> None:
    assert {each.episode.task for each in played if each.error} == {"gone"}


async def test_both_variants_were_asked_the_same(played: tuple[Played, ...]) -> None:
    for episode in {each.episode for each in played}:
        assert len({each.utterance for each in played if each.episode == episode}) == 1


async def test_scores_pair_by_episode_and_leave_out_what_was_not_played(played: tuple[Played, ...]) -> None:
    scores = scores_of(played)
    assert {score.page for score in scores} == set(TASKS)
    ours = {score.sample: score.outcomes[SUCCESS] for score in scores if score.who == "text"}
    theirs = {score.sample: score.outcomes[SUCCESS] for score in scores if score.who == "fused"}
    assert ours.keys() == theirs.keys() == {f"{task}#{seed}" for task in TASKS for seed in SEEDS}
    assert set(scores[0].tallies) == set(EPISODE_MEASURES)


def test_a_score_holds_what_an_episode_cost() -> None:
    played = Played(Episode("a", 1), "text", success=True, reward=0.5, steps=3, tokens=70)
    (score,) = scores_of([played])
    assert (score.sample, score.page, score.who) == ("a#1", "a", "text")
    assert score.outcomes == {SUCCESS: (True,)}
    assert score.tallies[TOKENS].hit == 70
    assert scores_of([replace(played, error="gone")]) == []


async def test_nothing_to_play_is_refused() -> None:
    text = load_variant("text")
    for tasks, seeds, variants in (({}, [1], [text]), ({"a": "b"}, [], [text]), ({"a": "b"}, [1], [])):
        with pytest.raises(BadInputError, match="nothing to play"):
            await run_miniwob(tasks, seeds, variants)


async def test_what_a_client_cannot_ask_for_is_refused() -> None:
    text = load_variant("text")
    changed = replace(text, fusion=replace(text.fusion, same_box=0.9))
    with pytest.raises(BadInputError, match="fusion"):
        await run_miniwob({"a": "b"}, [1], [changed])
    with pytest.raises(BadInputError, match="one name"):
        await run_miniwob({"a": "b"}, [1], [text, text])


def test_a_snapshot_is_read_as_it_came_less_what_is_around_the_task() -> None:
    def element(ref: str, role: str, top: float, **more: object) -> pb.Element:
        return pb.Element(ref=ref, role=role, name=role, box=pb.Box(x=0, y=top, width=100, height=20), **more)  # type: ignore[arg-type]

    snapshot = pb.Snapshot(
        elements=[
            element("", "text", 10),
            element("e1", "button", 60, reachable=True, click_point=pb.Point(x=9, y=70), in_viewport=True),
            element("v1", "text", 100, sources=[pb.SOURCE_OCR], confidence=0.5),
            element("", "heading", 140),
        ],
        text="- button",
        token_count=3,
    )
    seen = seen_of_snapshot(snapshot, "fused", [Box(0, 0, 160, 50)])
    assert [(each.role, each.interactive, each.reachable) for each in seen.elements] == [
        ("button", True, True),
        ("text", False, False),
        ("heading", False, False),
    ]
    assert seen.elements[0].point == (9, 70)
    assert seen.elements[0].box == Box(0, 60, 100, 80)
    assert (seen.elements[1].sources, seen.elements[1].confidence) == ((Source.OCR,), 0.5)
    assert (seen.text, seen.tokens, seen.who) == ("- button", 3, "fused")
