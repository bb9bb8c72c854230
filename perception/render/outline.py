"""The outline of a text: which elements have a line, and under which other line.

Rule 1: no information is repeated, and no line is without information. Rule 2: every control has a line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.element_lines import INDENT, called, element_line, level_of, region_line
from perception.render.quoting import MAX_QUOTED_NAME
from perception.render.select import depths
from perception.types import Element, TextStyle, View

SHELLS = frozenset(
    "banner navigation main complementary contentinfo search grid table treegrid tree row rowgroup menu menubar "
    "tablist radiogroup toolbar status alert log tooltip separator form region group list feed figure article "
    "tabpanel application".split()
)
"""Roles that without a name carry information only by their content."""

SAME_PLACE = 0.5
"""Share of a control's area from which a nameless target in it is the control itself. Chosen by hand."""

CELLS = " | "
"""Separator of the cells in a row's name."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a text as columns, in order. A line is identified by its position.

    Attributes:
        elements: all elements, in document order.
        style: text style.
        index: index of each line's element.
        parent: position of the line that each line stands under; -1 at the top.
        depth: nesting depth of each line, from 0.
        silent: indices of the elements without a line, by the position of the line before them.
        unnamed: indices of elements whose name the lines below contain.
        is_digest: whether the elements are the regions of a digest.
        boxed: whether the lines have the elements' boxes.
    """

    elements: Sequence[Element]
    style: TextStyle
    index: list[int]
    parent: list[int]
    depth: list[int]
    silent: dict[int, list[int]]
    unnamed: set[int]
    is_digest: bool = False
    boxed: bool = False

    def __len__(self) -> int:
        return len(self.index)

    def element(self, at: int) -> Element:
        return self.elements[self.index[at]]

    def indices(self, at: int) -> list[int]:
        """Indices of the elements that are shown with a line, its own first."""
        return [self.index[at], *self.silent.get(at, ())]

    def text(self, at: int) -> str:
        """The line with its indentation and line end."""
        return INDENT[self.style] * self.depth[at] + self.line(at)

    def line(self, at: int, limit: int = MAX_QUOTED_NAME) -> str:
        """The line without indentation; each of its texts is cut to `limit` characters."""
        index = self.index[at]
        if self.is_digest:
            return region_line(self.elements[index], self.style, limit=limit, boxed=self.boxed)
        named = index not in self.unnamed
        return element_line(self.elements[index], self.style, limit=limit, named=named, boxed=self.boxed)


def outline(elements: Sequence[Element], style: TextStyle, view: View, *, boxed: bool = False) -> Outline:
    """The lines of a list of elements, in its order; no lines if no element carries information."""
    if view is View.DIGEST:
        depth = depths(elements)
        parents = [element.parent for element in elements]
        return Outline(elements, style, list(range(len(elements))), parents, depth, {}, set(), True, boxed)
    has_line = _find_lines(elements)
    if style is TextStyle.COMPACT and view is View.INTERACTIVE:
        _drop_headings(elements, has_line)
    made = Outline(elements, style, [], [], [], {}, _rows_named_by_cells(elements, has_line), boxed=boxed)
    place = [-1] * len(elements)
    for index, element in enumerate(elements):
        above = place[element.parent] if element.parent >= 0 else -1
        if has_line[index]:
            place[index] = len(made.index)
            made.index.append(index)
            made.parent.append(above)
            made.depth.append(made.depth[above] + 1 if above >= 0 else 0)
        else:
            place[index] = above
            made.silent.setdefault(max(len(made.index) - 1, 0), []).append(index)
    return made


def _find_lines(elements: Sequence[Element]) -> list[bool]:
    """For each element whether it carries information that the lines above it do not."""
    has_line = [
        _carries_information(element, elements[element.parent] if element.parent >= 0 else None) for element in elements
    ]
    held = [False] * len(elements)
    for index in range(len(elements) - 1, -1, -1):
        element = elements[index]
        if not has_line[index] and held[index] and element.role in SHELLS:
            has_line[index] = True
        if element.parent >= 0 and (has_line[index] or held[index]):
            held[element.parent] = True
    return has_line


def _carries_information(element: Element, parent: Element | None) -> bool:
    role = element.role
    if not element.interactive:
        if not element.visible:
            return False
        if role == "text" and not element.ref:
            text = called(element)
            return _has_words(text) and not (parent is not None and _is_contained_in(text, parent))
        if role in SHELLS:
            return bool(element.name or element.ref or element.value or element.text or element.scrollable)
        return True
    return not (role == "generic" and parent is not None and _is_part_of(element, parent))


def _is_part_of(element: Element, parent: Element) -> bool:
    """Whether a generic target is a part of the control around it: it has the same name or, without a name, the same
    place."""
    if not parent.interactive or parent.name != element.name or element.value:
        return False
    return bool(element.name) or element.box.area >= SAME_PLACE * parent.box.area


def _is_contained_in(text: str, parent: Element) -> bool:
    if not (parent.interactive or parent.role in ("heading", "row", "img")):
        return False
    return text in called(parent) or text in parent.value


def _has_words(text: str) -> bool:
    """Whether a text has a letter, number or symbol of any script, not only punctuation."""
    return text.isalnum() or any(unicodedata.category(char)[0] in "LNS" for char in text)


def _rows_named_by_cells(elements: Sequence[Element], has_line: Sequence[bool]) -> set[int]:
    """Indices of the rows all of whose cells have a line of their own."""
    cells = {
        index: {cell for cell in called(element).split(CELLS) if cell}
        for index, element in enumerate(elements)
        if element.role == "row" and has_line[index]
    }
    for index, element in enumerate(elements):
        if element.parent in cells and has_line[index]:
            cells[element.parent].discard(element.name)
    return {index for index, left in cells.items() if not left}


def _drop_headings(elements: Sequence[Element], has_line: list[bool]) -> None:
    """Drops headings that separate no groups of controls. Kept are those with a control before the next heading of the
    same or a higher level, and headings of level 1."""
    below = dict.fromkeys(range(8), False)
    for index in range(len(elements) - 1, -1, -1):
        element = elements[index]
        if element.role != "heading" or element.interactive:
            if has_line[index] and element.role not in SHELLS:
                below = dict.fromkeys(below, True)
            continue
        level = min(max(level_of(element), 1), 7)
        has_line[index] = has_line[index] and (below[level] or level == 1)
        for deeper in range(level, 8):
            below[deeper] = False
