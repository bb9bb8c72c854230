from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.datasets.sample import ElementKind, GroundingTask, TextLine, TruthElement
from perception.datasets.truth.instructions import make_tasks
from perception.geometry import Box


def box(x: float, y: float, w: float = 60, h: float = 20) -> Box:
    return Box(x, y, x + w, y + h)


def control(role: str, name: str, where: Box, *, reachable: bool | None = True) -> TruthElement:
    return TruthElement(role, name, where, True, reachable, ElementKind.TEXT)


def icon(where: Box, name: str = "", role: str = "button", *, reachable: bool | None = True) -> TruthElement:
    return TruthElement(role, name, where, True, reachable, ElementKind.ICON)


def line(text: str, x: float, y: float, w: float = 60, h: float = 20) -> TextLine:
    return TextLine(text, box(x, y, w, h))


def said(truth: list[TruthElement], lines: list[TextLine] | None = None, limit: int = 99) -> list[str]:
    return [task.instruction for task in make_tasks(truth, lines or [], limit=limit, seed=0)]


SEARCH = line("Search", 100, 100)


def test_nothing_true_gives_no_instructions() -> None:
    assert make_tasks([], [], limit=12, seed=0) == ()
    assert make_tasks([control("button", "Save", box(0, 0))], [], limit=0, seed=0) == ()


def test_a_task_is_the_true_element_with_its_box_and_kind() -> None:
    truth = [control("link", "Other", box(0, 90)), control("button", "Save", box(10, 10))]
    assert make_tasks(truth, [], limit=12, seed=0)[1] == GroundingTask(
        'click the button "Save"', box(10, 10), ElementKind.TEXT, "name", 1
    )


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("button", 'the button "It"'),
        ("textbox", 'the field "It"'),
        ("searchbox", 'the field "It"'),
        ("combobox", 'the drop-down list "It"'),
        ("radio", 'the radio button "It"'),
        ("menuitem", 'the menu item "It"'),
        ("generic", '"It"'),
        ("columnheader", '"It"'),
        ("", '"It"'),
    ],
)
def test_a_role_is_called_as_people_call_it(role: str, words: str) -> None:
    assert said([control(role, "It", box(0, 0))]) == [f"click {words}"]


@pytest.mark.parametrize(
    "element",
    [
        pytest.param(control("button", "Save", box(0, 0), reachable=False), id="covered"),
        pytest.param(control("button", "Save", box(0, 0), reachable=None), id="out-of-view"),
        pytest.param(TruthElement("button", "Save", box(0, 0), False, True), id="not-interactive"),
        pytest.param(control("button", "x" * 81, box(0, 0)), id="running-text"),
        pytest.param(control("button", 'say "hi"', box(0, 0)), id="quotes"),
        pytest.param(control("button", "→", box(0, 0)), id="no-letters"),
        pytest.param(icon(box(0, 0, 300, 300)), id="nameless-picture"),
    ],
)
def test_what_cannot_be_named_or_clicked_gets_no_instruction(element: TruthElement) -> None:
    assert said([element], [line("Near", 0, 30)]) == []


def test_a_name_is_quoted_on_one_line() -> None:
    assert said([control("button", "  Save\n  all ", box(0, 0))]) == ['click the button "Save all"']


@pytest.mark.parametrize(
    ("other", "unique"),
    [
        pytest.param(control("button", "Save", box(0, 50)), False, id="same-name-and-role"),
        pytest.param(control("button", "SAVE…", box(0, 50)), False, id="same-but-for-case-and-signs"),
        pytest.param(control("button", "Save", box(0, 50), reachable=False), False, id="covered-one-in-view"),
        pytest.param(control("generic", "Save", box(0, 50)), False, id="one-without-a-role-to-call-it-by"),
        pytest.param(control("link", "Save", box(0, 50)), True, id="another-role"),
        pytest.param(control("button", "Save", box(0, 5000), reachable=None), False, id="out-of-view"),
        pytest.param(TruthElement("button", "Save", box(0, 50), False, True), False, id="not-interactive"),
        pytest.param(control("button", "Save as", box(0, 50)), True, id="a-longer-name"),
        pytest.param(control("generic", "Save", box(10, 2, 20, 10)), True, id="inside-it-where-a-click-is-right-too"),
    ],
)
def test_a_name_alone_is_used_only_where_it_is_unambiguous(other: TruthElement, unique: bool) -> None:
    assert ('click the button "Save"' in said([control("button", "Save", box(0, 0)), other])) is unique


def table() -> tuple[list[TruthElement], list[TextLine]]:
    rows = range(3)
    truth = [control("link", "Edit", box(300, 100 + 40 * row)) for row in rows]
    return truth, [line(f"Order {17 + row}", 10, 100 + 40 * row) for row in rows]


def test_links_of_one_name_are_distinguished_by_their_rows() -> None:
    assert said(*table()) == [f'click the link "Edit" in the row of "Order {17 + row}"' for row in range(3)]


def test_links_of_one_name_under_headings_are_distinguished_by_them() -> None:
    truth = [control("link", "More", box(10, 60)), control("link", "More", box(300, 60))]
    lines = [line("Sports", 10, 30), line("Weather", 300, 30)]
    assert said(truth, lines) == ['click the link "More" below "Sports"', 'click the link "More" below "Weather"']


def test_indistinguishable_elements_get_no_instruction() -> None:
    truth, lines = table()
    assert said(truth) == []
    assert said(truth, [TextLine("Order", each.box) for each in lines]) == []


def test_words_that_another_line_holds_too_are_no_anchor() -> None:
    assert said([icon(box(170, 100, 20))], [SEARCH, line("Search results", 500, 500)]) == []


def test_the_words_of_the_thing_itself_are_no_anchor() -> None:
    truth = [control("link", "Edit me", box(300, 100)), control("link", "Edit me", box(300, 140))]
    assert said(truth, [line("Edit me", 305, 102, 50, 16), line("Edit", 200, 140)]) == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        pytest.param(box(170, 100, 20), "to the right of", id="right"),
        pytest.param(box(70, 100, 20), "to the left of", id="left"),
        pytest.param(box(110, 70, 20), "above", id="above"),
        pytest.param(box(110, 130, 20), "below", id="below"),
        pytest.param(box(159, 100, 20), "to the right of", id="a-pixel-over-its-letters"),
    ],
)
def test_an_icon_is_identified_by_its_position(where: Box, words: str) -> None:
    (task,) = make_tasks([icon(where)], [SEARCH], limit=12, seed=0)
    assert task == GroundingTask(f'click the icon {words} "Search"', where, ElementKind.ICON, "neighbour", 0)


@pytest.mark.parametrize(
    "where",
    [
        pytest.param(box(170, 130, 20), id="aslant"),
        pytest.param(box(400, 100, 20), id="far"),
        pytest.param(box(120, 105, 20, 10), id="in-it"),
    ],
)
def test_an_icon_that_is_in_no_line_with_words_gets_no_instruction(where: Box) -> None:
    assert said([icon(where)], [SEARCH]) == []


@pytest.mark.parametrize(
    ("other", "unique"),
    [
        pytest.param(icon(box(200, 100, 20)), False, id="a-second-one-further-on"),
        pytest.param(icon(box(200, 100, 20), "Help"), False, id="one-that-has-a-name"),
        pytest.param(icon(box(200, 100, 20), reachable=False), False, id="one-that-is-covered"),
        pytest.param(icon(box(70, 100, 20)), True, id="one-on-the-other-side"),
        pytest.param(icon(box(200, 100, 20), role="checkbox"), True, id="a-checkbox"),
        pytest.param(control("button", "Go", box(200, 100)), True, id="a-button-with-words"),
        pytest.param(icon(box(172, 102, 10, 10), role="generic"), True, id="its-own-drawing"),
    ],
)
def test_a_place_is_used_only_where_one_icon_fits_it(other: TruthElement, unique: bool) -> None:
    tasks = make_tasks([icon(box(170, 100, 20)), other], [SEARCH], limit=12, seed=0)
    told = any(task.target == 0 and task.instruction.endswith('right of "Search"') for task in tasks)
    assert told is unique


def test_a_nameless_field_is_described_as_a_field() -> None:
    assert said([icon(box(100, 130, 200), role="textbox")], [SEARCH]) == ['click the field below "Search"']


def wide(count: int) -> tuple[list[TruthElement], list[TextLine]]:
    """As many buttons with names as icons beside words of their own."""
    truth = [control("button", f"Button {number:02}", box(900, 40 * number)) for number in range(count)]
    truth += [icon(box(80, 40 * number, 20)) for number in range(count)]
    return truth, [line(f"Label {number:02}", 10, 40 * number) for number in range(count)]


@pytest.mark.parametrize("limit", [2, 6, 12])
def test_both_kinds_of_instructions_get_the_same_share(limit: int) -> None:
    tasks = make_tasks(*wide(20), limit=limit, seed=1)
    assert Counter(task.how for task in tasks) == {"name": limit // 2, "neighbour": limit // 2}


def test_where_one_kind_runs_out_the_other_fills_up() -> None:
    truth, lines = wide(10)
    assert Counter(task.how for task in make_tasks(truth[:12], lines, limit=8, seed=1)) == {"name": 6, "neighbour": 2}


def test_the_seed_decides_which_and_nothing_else_does() -> None:
    truth, lines = wide(20)
    assert make_tasks(truth, lines, limit=6, seed=1) == make_tasks(list(truth), list(lines), limit=6, seed=1)
    assert make_tasks(truth, lines, limit=6, seed=1) != make_tasks(truth, lines, limit=6, seed=2)


def test_an_icon_with_a_name_is_asked_for_once_by_name_or_by_place() -> None:
    truth = [icon(box(80, 40 * number, 20), f"Icon {number:02}") for number in range(10)]
    tasks = make_tasks(truth, [line(f"Label {number:02}", 10, 40 * number) for number in range(10)], limit=99, seed=1)
    assert [task.target for task in tasks] == list(range(10))
    assert Counter(task.how for task in tasks) == {"name": 5, "neighbour": 5}


PLACES = st.builds(box, st.integers(0, 12).map(lambda x: x * 30), st.integers(0, 8).map(lambda y: y * 25), st.just(24))
NAMES = st.sampled_from(["", "Save", "Edit", "Delete", "Open"])
ELEMENTS = st.builds(
    TruthElement,
    st.sampled_from(["button", "link", "checkbox", "generic"]),
    NAMES,
    PLACES,
    st.just(True),
    st.sampled_from([True, True, False, None]),
    st.sampled_from([ElementKind.TEXT, ElementKind.ICON]),
)
LINES = st.lists(st.builds(TextLine, st.sampled_from(["Alpha", "Beta", "Gamma", "Delta"]), PLACES), max_size=6)


@given(st.lists(ELEMENTS, max_size=14), LINES, st.integers(0, 6))
def test_every_task_is_of_one_reachable_element_in_order(
    truth: list[TruthElement], lines: list[TextLine], limit: int
) -> None:
    tasks = make_tasks(truth, lines, limit=limit, seed=0)
    targets = [task.target for task in tasks]
    assert len(tasks) <= limit
    assert targets == sorted(set(targets))
    assert all(truth[task.target].reachable and truth[task.target].box == task.box for task in tasks)


@given(st.lists(ELEMENTS, max_size=14), LINES)
def test_no_two_things_apart_get_the_same_words(truth: list[TruthElement], lines: list[TextLine]) -> None:
    told: dict[str, Box] = {}
    for task in make_tasks(truth, lines, limit=99, seed=0):
        before = told.setdefault(task.instruction, task.box)
        assert before.intersect(task.box) is not None
