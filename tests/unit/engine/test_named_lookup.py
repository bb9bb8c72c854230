"""Elements are found by their names as they are shown."""

from __future__ import annotations

import dataclasses

import pytest

from perception.engine.named_lookup import choose_named
from perception.engine.request import NamedTarget
from perception.errors import AmbiguousTargetError, NoMatchError
from perception.geometry import Box
from perception.types import Element, NodeKey, Scrollable


def button(name: str) -> Element:
    return Element("button", name, Box(0, 0, 9, 9), node=NodeKey("d", 1))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param("Pass\u00adwort", "passwort", id="soft-hyphen"),
        pytest.param("Save\u200bas", "Saveas", id="no-width"),
        pytest.param("Gru\u0308n", "Gr\u00fcn", id="decomposed"),
        pytest.param("Sign\u00a0 in", "Sign in", id="spaces"),
    ],
)
def test_a_name_is_found_as_it_is_shown(name: str, shown: str) -> None:
    assert choose_named([button(name), button("Other")], NamedTarget("button", shown)).name == name


def test_a_raised_digit_is_another_one() -> None:
    with pytest.raises(NoMatchError):
        choose_named([button("10\u2076")], NamedTarget("button", "106"))


def test_a_list_that_is_out_of_sight_is_found_where_none_is_seen() -> None:
    seen, unseen = (
        Element("combobox", "City", Box(0, 0, 9, 9), node=NodeKey("d", at), visible=at == 1, interactive=True)
        for at in (1, 2)
    )
    assert choose_named([unseen, seen], NamedTarget("combobox", "City")) is seen
    assert choose_named([unseen, button("City")], NamedTarget("combobox", "City")) is unseen
    with pytest.raises(NoMatchError):
        choose_named([dataclasses.replace(button("City"), visible=False)], NamedTarget("button", "City"))


@pytest.mark.parametrize(
    ("rows", "is_said"),
    [pytest.param(range(10), True, id="ten-of-a-thousand"), pytest.param(range(1000), False, id="all")],
)
def test_a_row_that_scrolling_may_bring_is_told_from_one_that_is_not_there(rows: range, is_said: bool) -> None:
    held = [
        Element("option", f"Row {row}", Box(0, 20 * row, 50, 20 * row + 20), node=NodeKey("d", row + 2), parent=0)
        for row in rows
    ]
    around = Element("listbox", "", Box(0, 0, 50, 200), node=NodeKey("d", 1), scrollable=Scrollable(down=19_800))
    with pytest.raises(NoMatchError) as told:
        choose_named([around, *held], NamedTarget("option", "Row 2000"))
    assert ("scrolling may bring it" in str(told.value)) == is_said


def test_a_part_without_a_role_of_what_has_its_name_is_no_second_one() -> None:
    def clicked(role: str, at: int, parent: int) -> Element:
        return Element(role, "CV", Box(0, 0, 9, 9), node=NodeKey("d", at), parent=parent, interactive=True)

    item, label = clicked("treeitem", 1, -1), clicked("generic", 2, 0)
    assert choose_named([item, label], NamedTarget("", "CV")) is item
    assert choose_named([item, label], NamedTarget("generic", "CV")) is label
    for others in (
        [item, clicked("button", 2, 0)],
        [item, clicked("generic", 2, -1)],
        [label, clicked("generic", 3, 0)],
    ):
        with pytest.raises(AmbiguousTargetError):
            choose_named(others, NamedTarget("", "CV"))
