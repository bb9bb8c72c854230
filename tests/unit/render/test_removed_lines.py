"""How a diff says what is gone."""

from __future__ import annotations

from dataclasses import replace

from perception.geometry import Box
from perception.render.diff import diff_elements
from perception.render.removed_lines import removed_lines
from perception.types import Element, NodeKey

BOX = Box(10, 20, 110, 60)


def element(number: int, role: str, name: str, *, ref: bool = False, parent: int = -1) -> Element:
    return Element(role, name, BOX, ref=f"e{number}" if ref else "", node=NodeKey("L", number), parent=parent)


def rows(count: int, *, first: int = 2, parent: int = 0) -> list[Element]:
    """Rows of a list: each a text and a button."""
    listed: list[Element] = []
    for row in range(count):
        at, number = parent + 1 + len(listed), first + 3 * row
        listed.append(element(number, "listitem", f"Row {row}", parent=parent))
        listed.append(element(number + 1, "text", f"Row {row}", parent=at))
        listed.append(element(number + 2, "button", "Edit", ref=True, parent=at))
    return listed


def said(old: list[Element], new: list[Element]) -> str:
    return "".join(removed_lines(old, diff_elements(old, new)))


def test_what_was_removed_as_a_whole_is_one_line() -> None:
    dialog = [element(1, "dialog", "Saved", ref=True), *(element(n, "text", f"Line {n}", parent=0) for n in (2, 3, 4))]
    assert said(dialog, []) == '- dialog "Saved" e1, 4 lines\n'


def test_rows_that_were_filtered_out_are_one_line_with_the_first_names() -> None:
    table = element(1, "list", "Users")
    old = [table, *rows(9)]
    kept = [table, *(replace(each, parent=0 if each.role == "listitem" else 1) for each in old[4:7])]
    line = '- 8 listitems with 24 lines: "Row 0", "Row 2", "Row 3", "Row 4", "Row 5", "Row 6", … 2 more\n'
    assert said(old, kept) == line


def test_few_are_told_one_by_one() -> None:
    old = [element(1, "button", "Save", ref=True), element(2, "text", "Loading…"), element(3, "text", "Wait")]
    assert said(old, []) == '- e1\n- text "Loading…"\n- text "Wait"\n'


def test_a_block_without_a_name_is_told_by_the_first_name_in_it() -> None:
    group = [element(1, "group", ""), *(element(n, "text", f"Line {n}", parent=0) for n in range(2, 7))]
    assert said(group, []) == '- group "Line 2", 5 lines\n'
