"""What a text need not say, because other lines say it or because nobody can use it.

Rule 1: no name, value or state that an agent could need is lost: it stands in another line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from perception.render.element_lines import Known, called, is_covered, is_seen
from perception.types import CELL_SEPARATOR, Element, Reach, TextStyle

FIELDS = frozenset("textbox searchbox spinbutton combobox listbox slider checkbox radio switch".split())
"""Roles whose name is usually a text beside them. They can be used without a click: filled, selected, set."""

TICKED = frozenset({"checkbox", "radio", "switch"})
"""Fields whose label stands after them."""

NAMED_BELOW = {TextStyle.ROLE_REF: frozenset({"row"}), TextStyle.COMPACT: frozenset({"row", "heading"})}
"""Roles whose name is often that of what is in it. A role-ref heading keeps it: it is looked for by its words."""

NO_FILE = "No file chosen"
"""How the name of an empty field for files ends (`naming_rules.js`): such a button takes files without a click."""

SAME_LEVEL, SAME_BLOCKER = Known(level=True), Known(blocker=True)


def is_beyond_use(element: Element) -> bool:
    """Whether a control is of no use: nobody sees it, no click reaches it, and it takes no other input."""
    if element.reach is not Reach.NEVER or is_seen(element) or element.role in FIELDS:
        return False
    return not (element.value or "focused" in element.states or element.name.endswith(NO_FILE))


def drop_redundant(elements: Sequence[Element], has_line: list[bool]) -> dict[int, int]:
    """Drops lines that say only what the line beside or inside them says: a field's label, the box around a control.

    Returns:
        For each element whose line is dropped, the one whose line says the same.
    """
    above = _line_above(elements, has_line)
    said_by: dict[int, int] = {}
    inside: dict[int, list[int]] = {}
    for before, after in pairwise(index for index in range(len(elements)) if has_line[index]):
        if above[before] != above[after] or before in said_by:
            continue
        if _is_label(elements[before], elements[after], FIELDS):
            said_by[before] = after
        elif _is_label(elements[after], elements[before], TICKED):
            said_by[after] = before
    for index, outer in enumerate(above):
        if not (has_line[index] and outer >= 0):
            continue
        if _is_name_of(elements[index], elements[outer]) or _is_value_of(elements[index], elements[outer]):
            said_by[index] = outer
        if index not in said_by:
            inside.setdefault(outer, []).append(index)
    for outer, children in inside.items():
        if outer >= 0 and len(children) == 1 and _is_box_of(elements[outer], elements[children[0]]):
            said_by[outer] = children[0]
    for index in said_by:
        has_line[index] = False
    return said_by


def named_below(elements: Sequence[Element], has_line: Sequence[bool], style: TextStyle) -> set[int]:
    """Indices of the rows, and compact headings, whose name the lines right below say: each cell, or all words in
    order."""
    above = _line_above(elements, has_line)
    inside: dict[int, list[str]] = {}
    for index in range(len(elements)):
        outer = above[index]
        if has_line[index] and outer >= 0 and elements[outer].role in NAMED_BELOW[style]:
            inside.setdefault(outer, []).append(called(elements[index]))
    return {index for index, names in inside.items() if _is_said_by(elements[index], names)}


def known_above(lines: Iterable[tuple[int, Element]]) -> Iterator[tuple[int, Known]]:
    """What the lines above say of a line: a heading's level, what covers a control. Only lines with any are yielded."""
    level = blocker = ""
    for at, element in lines:
        if element.role == "heading":
            own_level = next((state for state in element.states if state.startswith("level=")), "")
            if own_level == level:
                yield at, SAME_LEVEL
            level = own_level
        elif element.blocker and element.interactive and is_covered(element):
            if element.blocker == blocker:
                yield at, SAME_BLOCKER
            blocker = element.blocker


def _line_above(elements: Sequence[Element], has_line: Sequence[bool]) -> list[int]:
    """For each element the nearest one around it that has a line; -1 for none."""
    above: list[int] = []
    for element in elements:
        parent = element.parent
        above.append(parent if parent < 0 or has_line[parent] else above[parent])
    return above


def _is_label(text: Element, field: Element, roles: frozenset[str]) -> bool:
    """Whether a text says only a field's name."""
    if text.role != "text" or text.ref or text.states or field.role not in roles or not is_seen(field):
        return False
    return bool(text.name) and _without_colon(text.name) == _without_colon(field.name)


def _is_name_of(text: Element, outer: Element) -> bool:
    """Whether a text is all that names the target around it."""
    if text.role != "text" or text.ref or text.states or not (outer.interactive and is_seen(outer)):
        return False
    return bool(text.name) and text.name == outer.name


def _is_value_of(text: Element, outer: Element) -> bool:
    """Whether a read-only text is what a choice shows, in its own box: a click on it is one on the choice."""
    if text.role != "textbox" or outer.role != "combobox" or "readonly" not in text.states or not is_seen(outer):
        return False
    return bool(text.value) and text.value == outer.value and text.name in ("", text.value, outer.name)


def _without_colon(name: str) -> str:
    return name.rstrip(" :")


def _is_box_of(outer: Element, inner: Element) -> bool:
    """Whether a generic target is nothing but the box around a control with its name and a role."""
    if outer.role != "generic" or inner.role == "generic" or not (outer.interactive and inner.interactive):
        return False
    if not outer.name or outer.name != inner.name or outer.reach is not inner.reach or not inner.visible:
        return False
    return not (outer.value or outer.text or outer.options or outer.scrollable or set(outer.states) - {"clickable"})


def _is_said_by(element: Element, names: Sequence[str]) -> bool:
    name = called(element)
    if element.role == "row":
        return Counter(cell for cell in name.split(CELL_SEPARATOR) if cell) <= Counter(names)
    return not element.interactive and name.split() == " ".join(names).split()
