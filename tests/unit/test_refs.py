"""Refs: kept for the same node, role and name; never for another; stale distinguished from unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.capture.numbering import count_nth
from perception.errors import StaleRefError, UnknownRefError
from perception.geometry import Box
from perception.refs import JITTER_PX, RefTable
from perception.types import Capture, Element, NodeKey, Opaque, Scroll, Source, Viewport

BOX = Box(0, 0, 10, 10)


def button(node: int, name: str = "Save", loader: str = "L1") -> Element:
    return Element("button", name, BOX, interactive=True, node=NodeKey(loader, node))


def capture(loader: str = "L1") -> Capture:
    return Capture("", "", loader, Viewport(100, 100), Scroll(), ())


def test_same_node_role_and_name_keep_their_ref() -> None:
    table = RefTable()
    (first,) = table.assign("t1", [button(1)])
    other, again = table.assign("t1", [button(2), replace(button(1), box=Box(5, 5, 9, 9))])
    assert first.ref == again.ref == "e1"
    assert other.ref == "e2"


def test_a_new_name_is_a_new_ref_and_the_old_one_is_stale() -> None:
    table = RefTable()
    table.assign("t1", [button(1, "Follow")])
    (renamed,) = table.assign("t1", [button(1, "Unfollow")])
    assert renamed.ref == "e2"
    with pytest.raises(StaleRefError):
        table.resolve("e1")


def test_a_document_that_was_left_makes_its_refs_stale_and_numbers_go_on() -> None:
    table = RefTable()
    table.assign("t1", [button(1)])
    table.drop_documents("t1", ["L2"])
    with pytest.raises(StaleRefError, match="take a new snapshot"):
        table.resolve("e1")
    (other,) = table.assign("t1", [button(1, loader="L2")])
    assert other.ref == "e2"


@pytest.mark.parametrize("ref", ["e99", "v1", "", "e0", "e01", "x1", "e1; drop", "e" + "9" * 40])
def test_a_ref_never_given_out_is_unknown(ref: str) -> None:
    table = RefTable()
    table.assign("t1", [button(1)])
    with pytest.raises(UnknownRefError):
        table.resolve(ref)


def test_only_what_can_be_acted_on_or_looked_into_gets_a_ref() -> None:
    text = Element("text", "Hi", BOX, node=NodeKey("L1", 1))
    canvas = Element("canvas", "", BOX, node=NodeKey("L1", 2), opaque=Opaque.CANVAS)
    assert [element.ref for element in RefTable().assign("t1", [text, canvas])] == ["", "e1"]


def test_a_region_that_covers_an_element_is_named_in_words() -> None:
    table, region = RefTable(), replace(button(2, "Cookies"), role="dialog", interactive=False)
    covered = replace(button(1), covered_by=region.node, blocker='dialog "Cookies"')
    for _ in range(2):
        assert table.assign("t1", [covered, region])[0].blocker == 'dialog "Cookies"'
        table.assign_regions("t1", [covered, region], [1])


def test_the_blocker_is_named_by_its_ref() -> None:
    covered = replace(button(1), covered_by=NodeKey("L1", 2), blocker="div.banner")
    elements = RefTable().assign("t1", [covered, button(2, "Accept")])
    assert elements[0].blocker == "e2"


def vision(name: str, box: Box) -> Element:
    return Element("text", name, box, sources=(Source.OCR,), interactive=True)


def test_vision_refs_stay_while_text_and_place_do() -> None:
    table = RefTable()
    (first,) = table.assign_vision("t1", capture(), [vision("Zoom", Box(0, 0, 40, 20))])
    (nudged,) = table.assign_vision("t1", capture(), [vision("Zoom", Box(1, 0, 41, 20))])
    (moved,) = table.assign_vision("t1", capture(), [vision("Zoom", Box(50, 0, 90, 20))])
    assert (first.ref, nudged.ref, moved.ref) == ("v1", "v1", "v2")
    with pytest.raises(StaleRefError):
        table.resolve("v1")


@pytest.mark.parametrize(
    ("later", "stays"),
    [
        pytest.param(Box(3, -2, 15, 14), True, id="small-box-within-jitter"),
        pytest.param(Box(6, 0, 18, 12), False, id="moved-by-half"),
    ],
)
def test_a_vision_element_that_only_detectors_moved_keeps_its_ref_and_box(later: Box, stays: bool) -> None:
    table = RefTable()
    (first,) = table.assign_vision("t1", capture(), [vision("+", Box(0, 0, 12, 12))])
    (second,) = table.assign_vision("t1", capture(), [vision("+", later)])
    assert (second.ref == first.ref, second.box == first.box) == (stays, stays)


def test_boxes_that_jitter_do_not_drift() -> None:
    table = RefTable()
    for step in range(0, 12, 3):
        (last,) = table.assign_vision("t1", capture(), [vision("Zoom", Box(step, 0, step + 40, 20))])
    assert last.box.left >= 9 - JITTER_PX


def test_two_alike_vision_elements_never_share_a_ref() -> None:
    table = RefTable()
    seen = [vision("Zoom", Box(0, 0, 40, 20)), vision("Zoom", Box(2, 0, 42, 20))]
    assert len({element.ref for element in table.assign_vision("t1", capture(), seen)}) == 2
    assert len({element.ref for element in table.assign_vision("t1", capture(), seen)}) == 2


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 5), st.sampled_from("ab"), st.sampled_from(["L1", "L2"])), max_size=6))
)
def test_a_ref_never_means_two_things(rounds: list[list[tuple[int, str, str]]]) -> None:
    table = RefTable()
    meaning: dict[str, tuple[int, str, str]] = {}
    for page in rounds:
        unique = {(node, loader): (node, name, loader) for node, name, loader in page}.values()
        for (node, name, loader), element in zip(
            unique, table.assign("t1", [button(*each) for each in unique]), strict=True
        ):
            assert meaning.setdefault(element.ref, (node, name, loader)) == (node, name, loader)


def test_nth_counts_what_shares_role_and_name() -> None:
    elements = count_nth([button(1), button(2, "Other"), button(3)])
    assert [element.nth for element in elements] == [0, 0, 1]


def test_a_control_in_another_row_gets_another_ref_and_the_old_one_says_why() -> None:
    table = RefTable()
    (first,) = table.assign("t1", [button(1)])
    (bound,) = table.assign("t1", [replace(button(1), row="Alice")])
    (unsaid,) = table.assign("t1", [button(1)])
    assert first.ref == bound.ref == unsaid.ref == "e1"
    (moved,) = table.assign("t1", [replace(button(1), row="Bob")])
    assert moved.ref == "e2"
    with pytest.raises(StaleRefError, match='it was in row "Alice" and is in row "Bob"'):
        table.resolve("e1")


def test_a_ref_whose_element_has_another_name_says_which_it_is_now() -> None:
    table = RefTable()
    table.assign("t1", [button(1)])
    table.assign("t1", [button(1, "Saved")])
    with pytest.raises(
        StaleRefError, match='ref e1 is stale: it was button "Save" and is now e2, button "Saved"; take'
    ):
        table.resolve("e1")
    assert table.resolve("e2").name == "Saved"
