"""Diffs: applied to the old list they give the new one, and say no more than they have to."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.engine.changes import SnapshotChanges, changed_elements
from perception.errors import BadInputError
from perception.geometry import Box, Point
from perception.render.diff import apply_diff, diff_elements
from perception.render.diff_text import ChangeText
from perception.render.untrusted import Fence
from perception.server.convert.elements import diff_message, element_messages
from perception.types import Element, NodeKey, Reach, Scrollable
from perception.v1 import types_pb2 as pb

BOX = Box(10, 20, 110, 60)


def button(node: int, name: str = "Save", **given: object) -> Element:
    filled: dict[str, object] = {"ref": f"e{node}", "node": NodeKey("L", node), "box": BOX, "interactive": True}
    return Element("button", name, **{**filled, **given})  # type: ignore[arg-type]


def text(node: int, name: str, **given: object) -> Element:
    return Element("text", name, **{"box": BOX, "node": NodeKey("L", node), **given})  # type: ignore[arg-type]


def sent(old: tuple[Element, ...], new: tuple[Element, ...]) -> pb.SnapshotDiff:
    diff = diff_elements(old, new)
    return diff_message(SnapshotChanges("s1", diff, changed_elements(new, diff), ChangeText("", 0)), Fence())


@st.composite
def lists(draw: st.DrawFn) -> tuple[Element, ...]:
    """Elements of a small pool of nodes, texts and sightings, nested and changed at random."""
    nodes = draw(st.lists(st.integers(1, 12), unique=True, max_size=10))
    elements: list[Element] = []
    for node in nodes:
        kind = draw(st.sampled_from(("button", "text", "seen", "bare")))
        point = st.builds(Point, st.integers(0, 3), st.integers(0, 3))
        elements.append(
            Element(
                role=draw(st.sampled_from(("button", "link"))) if kind in ("button", "seen") else "text",
                name=draw(st.sampled_from(("", "Save", "7 of 9"))),
                box=Box(0, 0, *draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))),
                ref={"button": f"e{node}", "seen": f"v{node}"}.get(kind, ""),
                node=NodeKey("L", node) if kind in ("button", "text") else None,
                value=draw(st.sampled_from(("", "a"))),
                states=draw(st.sampled_from(((), ("checked",), ("checked", "disabled")))),
                reach=draw(st.sampled_from(Reach)),
                reachable=draw(st.booleans()),
                nth=draw(st.integers(0, 1)),
                click_point=draw(st.none() | point),
                scrollable=draw(st.none() | st.just(Scrollable(down=100))),
                options=draw(st.sampled_from(((), ("one", "two")))),
                parent=draw(st.integers(-1, len(elements) - 1)),
            )
        )
    return tuple(elements)


@given(lists(), lists())
def test_applied_to_the_old_list_a_diff_gives_the_new_one(old: tuple[Element, ...], new: tuple[Element, ...]) -> None:
    assert apply_diff(element_messages(old), sent(old, new)) == element_messages(new)


@given(lists())
def test_a_list_does_not_differ_from_itself(elements: tuple[Element, ...]) -> None:
    diff = diff_elements(elements, elements)
    assert not diff.is_news
    assert (diff.added, diff.removed, diff.changed, diff.removed_refs) == ((), (), (), ())


@given(lists(), lists())
def test_each_index_is_reported_once(old: tuple[Element, ...], new: tuple[Element, ...]) -> None:
    diff = diff_elements(old, new)
    told_new = [*diff.added, *(change.index for change in diff.changed)]
    told_old = [*diff.removed, *(change.from_index for change in diff.changed)]
    assert len(told_new) == len({*told_new})
    assert len(told_old) == len({*told_old})
    assert len(old) - len(diff.removed) == len(new) - len(diff.added)


@pytest.mark.parametrize(
    ("after", "fields"),
    [
        pytest.param({"value": "b"}, ("value",), id="value"),
        pytest.param({"interactive": False}, ("interactive",), id="interactive"),
        pytest.param({"states": ("checked",)}, ("states",), id="states"),
        pytest.param({"name": "Saved", "ref": "e9"}, ("ref", "name"), id="name-and-so-ref"),
        pytest.param({"box": Box(10, 120, 110, 160)}, ("box",), id="moved"),
        pytest.param({"reach": Reach.COVERED, "blocker": "e2"}, ("reach", "covered_by"), id="covered"),
        pytest.param({"visible": False}, ("visible",), id="hidden"),
        pytest.param({"text": "Total"}, ("text",), id="text"),
        pytest.param({"scrollable": Scrollable(down=300)}, ("scrollable",), id="scrolled"),
    ],
)
def test_what_changed_of_an_element_is_named(after: dict[str, object], fields: tuple[str, ...]) -> None:
    (change,) = diff_elements((button(1),), (replace(button(1), **after),)).changed  # type: ignore[arg-type]
    assert change.fields == fields
    assert change.is_news


def test_less_than_a_pixel_is_no_change_and_many_of_them_are() -> None:
    at = [button(1, box=Box(10 + 0.02 * step, 20, 110 + 0.02 * step, 60)) for step in range(60)]
    moves = [diff_elements((before,), (after,)).is_news for before, after in pairwise(at)]
    assert sum(moves) in (1, 2)
    assert not diff_elements((at[0],), (at[30],)).is_news
    assert diff_elements((at[0],), (at[59],)).is_news


def test_an_element_put_first_moves_no_other() -> None:
    old = tuple(button(node) for node in (1, 2, 3, 4))
    diff = diff_elements(old, (old[3], *old[:3]))
    assert [(change.index, change.from_index, change.fields) for change in diff.changed] == [(0, 3, ("order",))]


def test_another_document_shares_nothing() -> None:
    old = (button(1), text(2, "Hello"))
    new = tuple(replace(each, node=NodeKey("M", 1 + index), ref="") for index, each in enumerate(old))
    diff = diff_elements((old[0],), (new[0],))
    assert (diff.added, diff.removed, diff.changed) == ((0,), (0,), ())
    assert diff.removed_refs == ("e1",)


def test_text_that_was_rewritten_at_its_place_is_the_same_text() -> None:
    old = (button(1), text(2, "3 items"))
    diff = diff_elements(old, (button(1), text(5, "4 items")))
    assert [change.fields for change in diff.changed] == [("name",)]
    assert not diff.added


def test_text_at_the_same_place_of_another_document_is_another_text() -> None:
    diff = diff_elements((text(2, "Hello"),), (replace(text(2, "Goodbye"), node=NodeKey("M", 2)),))
    assert (diff.removed, diff.added) == ((0,), (0,))


def test_a_renamed_elements_old_ref_is_among_the_removed() -> None:
    diff = diff_elements((button(1),), (button(1, "Saving…", ref="e7"),))
    assert diff.removed_refs == ("e1",)
    assert not diff.removed


def test_what_only_follows_from_other_changes_is_no_news() -> None:
    diff = diff_elements((button(1),), (button(1, nth=1, click_point=Point(1, 1)),))
    assert [change.fields for change in diff.changed] == [("nth", "click_point")]
    assert not diff.is_news


def test_a_diff_of_another_list_is_refused() -> None:
    old = (button(1), button(2), button(3))
    with pytest.raises(BadInputError, match="list of 1 elements"):
        apply_diff(element_messages(old[:1]), sent(old, (old[0],)))
