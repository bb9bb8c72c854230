"""When the new text takes the place of a diff's."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from perception.engine.changes import describe_changes
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.geometry import Box
from perception.render.diff import diff_elements
from perception.render.replacement import HEAD_TOKENS, changed_share, replacement_head
from perception.render.text import PagedText
from perception.snapshot import Snapshot
from perception.types import Element, NodeKey, Scroll, Viewport

NAMES = ("Save", "Order 17 of Ben Ode", "7", "A longer line of text that says a little more than the others do")


@st.composite
def pages(draw: st.DrawFn) -> tuple[Element, ...]:
    """Elements of a pool of nodes: containers, controls and texts, each nested in an earlier one."""
    elements: list[Element] = []
    for node in sorted(draw(st.sets(st.integers(1, 40), max_size=30))):
        role = draw(st.sampled_from(("button", "text", "listitem")))
        elements.append(
            Element(
                role,
                draw(st.sampled_from(NAMES)),
                Box(0, 20 * node, 50, 20 * node + draw(st.sampled_from((10, 18)))),
                ref=f"e{node}" if role == "button" else "",
                node=NodeKey("L", node),
                interactive=role == "button",
                reachable=draw(st.booleans()),
                blocker=draw(st.sampled_from(("", "dialog Wait"))),
                parent=draw(st.integers(-1, len(elements) - 1)),
            )
        )
    return tuple(elements)


def presented(snapshot_id: str, listed: tuple[Element, ...], max_tokens: int = 0) -> PresentedSnapshot:
    snapshot = Snapshot(snapshot_id, "", "", "L", Viewport(800, 600), Scroll(), listed)
    options = SnapshotOptions(max_tokens=max_tokens)
    return PresentedSnapshot(snapshot, "t1", listed, PagedText(listed, max_tokens=max_tokens), options)


@given(pages(), pages(), st.sampled_from((0, 24, 40, 80)), st.sampled_from((0, 24, 60)))
def test_a_diff_is_never_longer_than_the_new_text_and_its_head_nor_than_its_budget(
    old: tuple[Element, ...], new: tuple[Element, ...], diff_tokens: int, look_tokens: int
) -> None:
    before, after = presented("s1", old, look_tokens), presented("s2", new, look_tokens)
    changes = describe_changes(before, after, diff_elements(old, new), max_tokens=diff_tokens)
    limits = [each for each in (diff_tokens, look_tokens) if each]
    assert not limits or changes.text.token_count <= min(limits)
    if new and len(new) <= 20 and not look_tokens:
        assert changes.text.token_count <= after.text.page(0).token_count + HEAD_TOKENS


def button(number: int, name: str) -> Element:
    return Element("button", name, Box(0, 0, 9, 9), ref=f"e{number}", node=NodeKey("L", number), interactive=True)


def test_a_page_that_is_mostly_another_is_told_by_its_text() -> None:
    old = tuple(button(number, f"Old {number}") for number in range(1, 11))
    new = (*old[:2], *(button(number, f"New {number}") for number in range(20, 28)))
    changes = describe_changes(presented("s1", old), presented("s2", new), diff_elements(old, new))
    assert changes.text_is_snapshot
    assert changes.text.text.startswith('8 of 10 elements replaced:\n- button "Old 1" [ref=e1]\n')
    assert len(changes.diff.added) == len(changes.diff.removed) == 8, "the values stay those of the changes"


def test_a_page_that_gained_most_of_its_elements_says_so() -> None:
    old = tuple(button(number, f"Old {number}") for number in range(1, 3))
    new = (*old, *(button(number, f"New {number}") for number in range(20, 29)))
    changes = describe_changes(presented("s1", old), presented("s2", new), diff_elements(old, new))
    assert changes.text.text.startswith('9 of 11 elements new:\n- button "Old 1" [ref=e1]\n')


def test_the_head_counts_what_has_another_name_or_ref() -> None:
    old = tuple(button(number, f"Old {number}") for number in range(1, 5))
    renamed = tuple(replace(each, name=f"New {each.ref}", ref=f"{each.ref}0") for each in old)
    changes = describe_changes(presented("s1", old), presented("s2", renamed), diff_elements(old, renamed))
    assert changes.text.text.startswith('4 of 4 elements replaced:\n- button "New e1" [ref=e10]\n')
    other_rows = tuple(replace(each, ref=f"{each.ref}0") for each in old)
    assert replacement_head(old, other_rows, diff_elements(old, other_rows)) == "4 of 4 elements replaced:"


def test_the_head_of_a_page_whose_elements_are_the_same_counts_changes() -> None:
    old = tuple(button(number, f"Old {number}") for number in range(1, 5))
    pressed = (*(replace(each, states=("pressed",)) for each in old[:3]), old[3])
    assert replacement_head(old, pressed, diff_elements(old, pressed)) == "3 of 4 elements changed:"


def test_what_is_new_comes_first_where_not_all_of_it_fits() -> None:
    old = tuple(button(number, f"Old {number}") for number in range(1, 21))
    new = (*old[:5], *(button(number, f"New {number}") for number in range(30, 50)), *old[5:8])
    for look_tokens, diff_tokens in ((0, 70), (70, 0)):
        before, after = presented("s1", old, look_tokens), presented("s2", new, look_tokens)
        changes = describe_changes(before, after, diff_elements(old, new), max_tokens=diff_tokens)
        assert changes.text_is_snapshot
        assert "New 30" in changes.text.text
        assert "Old" not in changes.text.text


def test_a_few_changes_of_a_page_are_told_as_changes() -> None:
    old = tuple(button(number, f"Row {number}") for number in range(1, 11))
    new = (*old[:9], replace(old[9], states=("disabled",)))
    changes = describe_changes(presented("s1", old), presented("s2", new), diff_elements(old, new))
    assert (changes.text_is_snapshot, changes.text.text) == (False, "~ e10 +disabled\n")
    assert changed_share((), (), diff_elements((), ())) == 0
