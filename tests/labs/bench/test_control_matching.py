"""Served controls against true ones."""

from __future__ import annotations

from typing import Any

import pytest

from perception.bench.metrics.control_matching import control_truth, judge
from perception.datasets.sample import ElementKind, Evidence, Sample, TextLine, TruthElement
from perception.geometry import Box, stack
from perception.types import Viewport

SAVE, FORM, CARD = Box(20, 20, 120, 60), Box(0, 0, 200, 200), Box(220, 20, 380, 120)


def element(role: str, box: Box, *evidence: Evidence, reachable: bool | None = True, **more: Any) -> TruthElement:
    return TruthElement(role, "", box, True, reachable, evidence=evidence or (Evidence.ROLE,), **more)


def sample(*truth: TruthElement, **more: Any) -> Sample:
    return Sample("s@1", "drawn", "g", "s", "", Viewport(400, 300), truth=truth, **({"complete": True} | more))


@pytest.mark.parametrize(
    ("served", "right", "judged", "found"),
    [
        pytest.param([], [], [], [False], id="nothing"),
        pytest.param([SAVE], [True], [True], [True], id="the same"),
        pytest.param([Box(30, 30, 50, 50)], [True], [True], [True], id="its icon"),
        pytest.param([Box(0, 0, 140, 80)], [True], [True], [True], id="less than four times as large"),
        pytest.param([Box(-60, -60, 200, 140)], [False], [True], [False], id="a form around it"),
        pytest.param([Box(20, 100, 120, 140)], [False], [True], [False], id="beside it"),
        pytest.param([Box(240, 40, 260, 60)], [False], [False], [False], id="in what only listens"),
        pytest.param([SAVE, SAVE], [True, False], [True, True], [True], id="twice"),
        pytest.param([Box(60, 30, 80, 50), SAVE], [False, True], [True, True], [True], id="its icon, and the same"),
    ],
)
def test_a_served_control_is_right_wrong_or_at_a_place_that_does_not_count(
    served: list[Box], right: list[bool], judged: list[bool], found: list[bool]
) -> None:
    truth = control_truth(sample(element("button", SAVE), element("generic", CARD, Evidence.LISTENER)))
    judgment = judge(truth, stack(served))
    assert judgment.right.tolist() == right
    assert judgment.judged.tolist() == judged
    assert judgment.found.tolist() == found
    assert judgment.pairs == int(SAVE in served)


def test_what_is_no_control_is_not_to_be_found() -> None:
    truth = control_truth(
        sample(
            element("button", SAVE, reachable=False),
            element("link", Box(500, 0, 520, 20)),
            element("link", Box(0, 0, 3, 50)),
            element("generic", CARD, Evidence.CURSOR),
        )
    )
    assert truth.controls == ()
    assert judge(truth, stack([SAVE])).judged.tolist() == [False], "it may be seen through what covers it"


def test_a_link_around_a_button_is_one_control() -> None:
    truth = control_truth(sample(element("link", SAVE, kind=ElementKind.ICON), element("button", SAVE)))
    (control,) = truth.controls
    assert (control.role, control.wordless) == ("link", True)


def test_a_part_of_the_page_that_takes_the_focus_excuses_nothing() -> None:
    page = element("generic", Box(0, 0, 400, 290), Evidence.FOCUSABLE)
    assert judge(control_truth(sample(page)), stack([SAVE])).judged.tolist() == [True]


def test_in_a_picture_only_what_is_where_the_page_has_text_can_be_wrong() -> None:
    line = TextLine("Sales", Box(230, 30, 300, 50))
    judgment = judge(control_truth(sample(unknown=(CARD,), lines=(line,))), stack([line.box, Box(300, 70, 340, 90)]))
    assert judgment.judged.tolist() == [True, False]


def test_the_background_of_a_page_is_no_picture() -> None:
    page = Box(0, 0, 400, 290)
    lines = tuple(TextLine("x", Box(0, 30.0 * row, 50, 30.0 * row + 20)) for row in range(9))
    assert judge(control_truth(sample(unknown=(page,), lines=lines)), stack([CARD])).judged.tolist() == [True]
    assert judge(control_truth(sample(unknown=(page,), lines=lines[:4])), stack([CARD])).judged.tolist() == [False]


def test_the_control_around_another_is_found_with_it_and_each_is_matched_once() -> None:
    truth = control_truth(sample(element("treeitem", Box(0, 0, 200, 80)), element("checkbox", SAVE)))
    judgment = judge(truth, stack([SAVE, Box(0, 0, 190, 80)]))
    assert judgment.found.tolist() == [True, True]
    assert judgment.served_of.tolist() == [1, 0]
    assert judgment.pairs == 2


def test_where_a_data_set_lists_one_target_nothing_served_is_wrong() -> None:
    target = element("", SAVE, Evidence.ANNOTATION, reachable=None)
    judgment = judge(control_truth(sample(target, complete=False)), stack([SAVE, FORM]))
    assert judgment.found.tolist() == [True]
    assert judgment.judged.tolist() == [True, False]
