"""A diff's text: short, whole lines, within its budget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.geometry import Box
from perception.render.diff import diff_elements
from perception.render.diff_text import diff_lines, limit_lines
from perception.render.ref_ranges import join_refs
from perception.render.text import render_page
from perception.render.tokens import count_tokens
from perception.types import Element, NodeKey, Reach, Scrollable

BOX = Box(10, 20, 110, 60)


def element(number: int, role: str = "button", name: str = "Save", **given: object) -> Element:
    filled = {"ref": f"e{number}", "node": NodeKey("L", number), "box": BOX, "interactive": True, "reachable": True}
    return Element(role, name, **{**filled, **given})  # type: ignore[arg-type]


def words(number: int, said: str, **given: object) -> Element:
    return element(number, "text", said, **{"ref": "", "interactive": False, "reachable": False, **given})


def said(old: tuple[Element, ...], new: tuple[Element, ...], max_tokens: int = 0) -> str:
    lines = diff_lines(old, new, diff_elements(old, new), lambda some: render_page(some).text)
    text = limit_lines(lines, max_tokens)
    assert text.token_count == count_tokens(text.text)
    return text.text


@pytest.mark.parametrize(
    ("after", "line"),
    [
        pytest.param({"value": "b\nc"}, '~ e1 value "" → "b\\nc"', id="value-on-one-line"),
        pytest.param({"states": ("checked", "focused")}, "~ e1 +checked +focused", id="states"),
        pytest.param({"name": "Saved", "ref": "e7"}, '~ e1 → e7 name "Save" → "Saved"', id="name"),
        pytest.param({"role": "link", "ref": "e7"}, "~ e1 → e7 role button → link", id="role"),
        pytest.param({"reachable": False, "blocker": "e9"}, "~ e1 covered by e9", id="covered"),
        pytest.param({"reachable": False, "reach": Reach.SCROLL}, "~ e1 out of view", id="out-of-view"),
        pytest.param({"box": BOX.shift(5, -300)}, "~ e1 moved 5,-300", id="moved"),
        pytest.param({"box": Box(10, 20, 210, 60)}, "~ e1 size 200x40", id="resized"),
        pytest.param({"visible": False}, "~ e1 hidden", id="hidden"),
        pytest.param({"options": ("S", "M")}, '~ e1 options "S | M"', id="options"),
        pytest.param({"text": "Total"}, '~ e1 reads "Total"', id="text"),
        pytest.param({"scrollable": Scrollable(10, 90)}, "~ e1 scrolled, 10 up and 90 down are left", id="scrolled"),
        pytest.param(
            {"scrollable": Scrollable(left=300, right=400)},
            "~ e1 scrolled, 300 left and 400 right are left",
            id="scrolled-sideways",
        ),
        pytest.param({"nth": 3}, "", id="nothing-to-tell"),
    ],
)
def test_a_change_is_a_line(after: dict[str, object], line: str) -> None:
    assert said((element(1),), (replace(element(1), **after),)) == (f"{line}\n" if line else "")  # type: ignore[arg-type]


def test_those_that_changed_alike_share_a_line() -> None:
    old = tuple(element(number) for number in range(1, 9))
    new = tuple(replace(each, states=("disabled",)) if each.ref not in ("e5",) else each for each in old)
    assert said(old, new) == "~ e1-e4 e6-e8 +disabled\n"


def test_a_new_order_is_told_by_refs_in_that_order_and_by_names() -> None:
    rows = [element(number, "listitem", f"Row {number}", ref="") for number in (1, 3, 5, 7)]
    buttons = [element(number + 1, name="Edit", parent=2 * at) for at, number in enumerate((1, 3))]
    old = (rows[0], buttons[0], rows[1], buttons[1], rows[2], rows[3])
    new = (rows[3], rows[2], rows[1], replace(buttons[1], parent=2), rows[0], replace(buttons[0], parent=4))
    assert said(old, new) == '~ order "Row 7" "Row 5" e4\n'


def test_what_came_to_another_place_is_told_with_its_neighbor_and_what_it_came_into() -> None:
    lists = [element(1, "region", "To do"), element(2, "region", "Done")]
    cards = [replace(element(number, "group", f"Card {number}"), parent=0) for number in (3, 4, 5)]
    old = (lists[0], *cards, lists[1])
    there = replace(cards[0], parent=3)
    assert said(old, (lists[0], *cards[1:], lists[1], there)) == "~ e3 placed first in e2\n"
    old = (lists[0], *cards[1:], lists[1], there)
    nameless = (replace(lists[0], name="", ref=""), *cards[1:], replace(lists[1], name="", ref=""), there)
    assert said((lists[0], *cards, lists[1]), nameless).splitlines()[-1] == "~ e3 placed first in region"
    heading = replace(element(6, "heading", "Both", ref=""), parent=0)
    old = (lists[0], heading, *cards, lists[1])
    assert said(old, (lists[0], heading, cards[1], cards[0], cards[2], lists[1])) == '~ e4 placed after "Both"\n'


def test_many_different_moves_are_one_line() -> None:
    old = tuple(element(number) for number in range(1, 7))
    new = tuple(replace(each, box=BOX.shift(0, 10 * at + 10)) for at, each in enumerate(old))
    assert said(old, new) == "~ 6 elements moved or resized\n"
    lines = diff_lines(old, new, diff_elements(old, new), lambda some: render_page(some, boxed=True).text, boxed=True)
    assert lines == [f"~ e{at} moved 0,{10 * at}\n" for at in range(1, 7)], "who has the boxes gets all moves"


def test_many_covered_elements_are_counted() -> None:
    old = tuple(element(2 * number) for number in range(1, 21))
    new = tuple(replace(each, reachable=False, blocker="e1") for each in old)
    assert said(old, new) == "~ 20 elements covered by e1\n"


def test_removed_elements_are_named_by_ref_or_by_text() -> None:
    old = (element(1), element(2), element(3), element(7), words(8, "Loading…"), words(9, "", visible=False))
    assert said(old, ()) == '- e1-e3 e7\n- text "Loading…"\n'
    lines = diff_lines(old, (), diff_elements(old, ()), lambda _: "", out_of_view={"e2", "e3"})
    assert lines == ["- e1 e7\n", "~ e2 e3 out of view\n", '- text "Loading…"\n']


def test_new_elements_are_as_in_the_snapshot_below_new_containers() -> None:
    dialog = element(2, "dialog", "Saved", interactive=False, reachable=False)
    new = (element(1), dialog, element(3, name="OK", parent=1))
    assert said((element(1),), new) == '+ - dialog "Saved" [ref=e2]\n+   - button "OK" [ref=e3]\n'


def test_new_words_of_a_text_are_next_to_the_old_ones() -> None:
    assert said((words(1, "3 items"),), (words(2, "4 items"),)) == '~ text "3 items" → "4 items"\n'


@pytest.mark.parametrize(
    ("was", "now", "line"),
    [
        pytest.param(False, False, "", id="never"),
        pytest.param(True, False, '~ text "1 of 2" → "" hidden\n', id="no-longer"),
        pytest.param(False, True, '~ text "" → "2 of 2" shown\n', id="from-now-on"),
    ],
)
def test_words_that_nobody_sees_are_not_told(was: bool, now: bool, line: str) -> None:
    assert said((words(1, "1 of 2", visible=was),), (words(2, "2 of 2", visible=now),)) == line


@pytest.mark.parametrize(
    ("refs", "joined"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["e1"], ["e1"], id="one"),
        pytest.param(["e1", "e2"], ["e1", "e2"], id="two-stay"),
        pytest.param(["e1", "e2", "e3"], ["e1-e3"], id="three"),
        pytest.param(["e9", "e10", "e11", "v12", "e1"], ["e9-e11", "v12", "e1"], id="kinds-apart"),
        pytest.param(["e3", "e2", "e1"], ["e3", "e2", "e1"], id="not-backwards"),
    ],
)
def test_refs_that_follow_each_other_are_a_range(refs: list[str], joined: list[str]) -> None:
    assert join_refs(refs) == joined


@given(st.sets(st.integers(1, 30)), st.sets(st.integers(1, 30)), st.integers(1, 80))
def test_the_budget_is_kept_and_lines_are_whole(before: set[int], after: set[int], max_tokens: int) -> None:
    old = tuple(element(number, name=f"Row {number}") for number in sorted(before))
    new = tuple(element(number, name=f"Row {number}", value=f"now {number}") for number in sorted(after))
    whole, part = said(old, new), said(old, new, max_tokens)
    assert count_tokens(part) <= max_tokens
    lines = part.splitlines(keepends=True)
    if part != whole and lines:
        *kept, more = lines
        assert whole.startswith("".join(kept))
        assert more == f"… {whole.count(chr(10)) - len(kept)} more lines\n"
