"""How a list is judged against the truth."""

from __future__ import annotations

from typing import Any

import pytest

from perception.bench.looks.grounding_policy import Choice
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.looks.look_score import LookMeasure, match_elements, score_look
from perception.bench.scores import Score, Tally
from perception.datasets.sample import GroundingTask, Sample, TextLine, TruthElement
from perception.geometry import Box
from perception.types import Source, Viewport

SAVE, MENU, GHOST = Box(10, 10, 90, 40), Box(100, 10, 130, 40), Box(200, 10, 280, 40)

TRUTH = (
    TruthElement("button", "Save", SAVE, True, True, backend_node_id=7),
    TruthElement("button", "Menu", MENU, True, True, backend_node_id=8),
    TruthElement("button", "Covered", GHOST, True, False, backend_node_id=9),
)


def sample(**options: Any) -> Sample:
    given = {"complete": True, "truth": TRUTH, "lines": (TextLine("Save", Box(20, 15, 80, 35)),), **options}
    return Sample("a@1", "test", "g", "a", "0", Viewport(400, 300), **given)


def listed(box: Box | None, name: str = "Save", **options: Any) -> ListedElement:
    given = {"interactive": True, "reachable": True, **options}
    return ListedElement("e1", "button", name, box, **given)


def score(*elements: ListedElement, of: Sample | None = None) -> Score:
    return score_look(of or sample(), LookOutput("a@1", "id", "ours", elements, tokens=12, milliseconds={"first": 5.0}))


def test_a_complete_list_without_extras_is_perfect() -> None:
    found = score(listed(SAVE), listed(MENU, "Menu"), listed(GHOST, "Covered", reachable=False))
    assert found.tallies[LookMeasure.RECALL] == Tally(2, 2)
    assert found.tallies[LookMeasure.PRECISION] == Tally(2, 2)
    assert found.tallies[LookMeasure.GHOSTS] == Tally(0, 1)
    assert found.tallies[LookMeasure.NAMES] == Tally(2, 2)
    assert found.tallies[LookMeasure.LINES] == Tally(1, 1)
    assert found.tallies[LookMeasure.TOKENS] == Tally(12, 1)
    assert found.tallies[LookMeasure.FIRST] == Tally(5.0, 1)
    assert found.id == "id"


def test_an_empty_list_finds_nothing_and_is_not_imprecise() -> None:
    found = score()
    assert found.tallies[LookMeasure.RECALL] == Tally(0, 2)
    assert LookMeasure.PRECISION not in found.tallies
    assert LookMeasure.WARM not in found.tallies


def test_what_is_covered_and_offered_as_reachable_is_a_ghost_and_imprecise() -> None:
    found = score(listed(GHOST, "Covered"))
    assert found.tallies[LookMeasure.GHOSTS] == Tally(1, 1)
    assert found.tallies[LookMeasure.PRECISION] == Tally(0, 1)


def test_what_is_listed_as_not_reachable_does_not_find_it() -> None:
    assert score(listed(SAVE, reachable=False)).tallies[LookMeasure.RECALL] == Tally(0, 2)
    assert score(listed(SAVE, interactive=False)).tallies[LookMeasure.RECALL] == Tally(0, 2)


@pytest.mark.parametrize(
    ("element", "index"),
    [
        pytest.param(listed(Box(15, 12, 88, 38)), 0, id="by-box"),
        pytest.param(listed(Box(40, 15, 70, 30)), 0, id="by-the-middle-of-its-words"),
        pytest.param(listed(Box(0, 0, 400, 300)), -1, id="a-card-around-it-is-not-it"),
        pytest.param(listed(Box(300, 200, 330, 230)), -1, id="elsewhere"),
        pytest.param(listed(Box(15, 12, 60, 38), backend_node_id=7), 0, id="by-node"),
        pytest.param(listed(Box(300, 200, 330, 230), backend_node_id=7), -1, id="another-frames-node-of-that-id"),
        pytest.param(listed(None), -1, id="without-a-place"),
    ],
)
def test_a_listed_element_matches_one_true_one(element: ListedElement, index: int) -> None:
    assert match_elements(TRUTH, [element]).truth_of == (index,)


def test_two_listed_for_one_true_element_find_it_once() -> None:
    found = score(listed(SAVE), listed(Box(40, 15, 70, 30)))
    assert found.tallies[LookMeasure.RECALL] == Tally(1, 2)
    assert match_elements(TRUTH, [listed(Box(40, 15, 70, 30)), listed(SAVE)]).seen_of[0] == 1


@pytest.mark.parametrize(
    ("said", "right"),
    [("Save", 1), ("save ", 1), ("Sav3", 0), ("", 0), ("Delete", 0)],
)
def test_a_name_is_right_up_to_case_and_space(said: str, right: int) -> None:
    found = score(listed(SAVE, said))
    assert found.tallies[LookMeasure.NAMES] == Tally(right, 2)
    assert found.tallies[LookMeasure.NAMED] == Tally(bool(said), 2)


def seen_by_vision(box: Box, name: str = "") -> ListedElement:
    return listed(box, name, sources=(Source.OCR,))


def test_what_only_vision_saw_is_right_on_truth_or_words_and_unverifiable_in_a_picture() -> None:
    picture = Box(300, 100, 400, 200)
    elements = (
        seen_by_vision(SAVE),
        seen_by_vision(Box(22, 16, 78, 34), "Save"),
        seen_by_vision(Box(310, 110, 330, 130)),
        seen_by_vision(Box(10, 250, 30, 270)),
    )
    found = score(*elements, of=sample(unknown=(picture,)))
    assert found.tallies[LookMeasure.VISION_ADDED] == Tally(4, 1)
    assert found.tallies[LookMeasure.VISION_PRECISION] == Tally(2, 3)
    assert found.tallies[LookMeasure.UNVERIFIABLE] == Tally(1, 1)
    assert LookMeasure.PRECISION not in found.tallies


@pytest.mark.parametrize("elements", [(), (listed(None),)], ids=["empty", "one"])
def test_a_list_without_places_is_judged_by_its_cost_alone(elements: tuple[ListedElement, ...]) -> None:
    seen = LookOutput("a@1", "id", "agent-browser", elements, tokens=12, milliseconds={"first": 5.0}, placed=False)
    found = score_look(sample(tasks=(GroundingTask('click "Save"', SAVE),)), seen)
    assert set(found.tallies) == {LookMeasure.TOKENS, LookMeasure.FIRST}
    assert found.outcomes == {}


def test_of_an_incomplete_truth_only_tasks_are_judged() -> None:
    tasks = (GroundingTask('click "Save"', SAVE), GroundingTask('click "Nowhere"', GHOST))
    found = score(listed(SAVE), of=sample(complete=False, truth=(), lines=(), tasks=tasks))
    assert found.outcomes[LookMeasure.GROUNDING] == (True, False)
    assert found.tallies[LookMeasure.GROUNDING] == Tally(1, 2)
    assert LookMeasure.RECALL not in found.tallies


def test_a_click_on_the_last_edge_of_a_box_misses() -> None:
    tasks = (GroundingTask("anything", SAVE),)

    def at(x: float, y: float) -> bool:
        element = listed(SAVE, point=(x, y))
        seen = LookOutput("a@1", "id", "ours", (element,))
        return score_look(sample(tasks=tasks), seen, lambda *_: Choice(element, (x, y), 1.0)).outcomes["grounding"][0]

    assert at(10, 10)
    assert not at(90, 20)
    assert not at(9.9, 20)
