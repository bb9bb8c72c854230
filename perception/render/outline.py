"""The outline of a text: which elements have a line, and under which other line.

Rule 1: no information is repeated, and no line is without information. Rule 2: every control that can be used has a
line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.render.element_lines import (
    INDENT,
    NOTHING,
    Known,
    called,
    element_line,
    level_of,
    region_line,
    texts_line,
)
from perception.render.joined_texts import joins
from perception.render.quoting import MAX_QUOTED_NAME, MAX_TEXT
from perception.render.redundancy import drop_redundant, is_beyond_use, named_below
from perception.render.select import depths
from perception.types import Element, TextStyle, View

SHELLS = frozenset(
    "banner navigation main complementary contentinfo search grid table treegrid tree row rowgroup menu menubar "
    "tablist radiogroup toolbar status alert log tooltip separator form region group list feed figure article "
    "tabpanel application".split()
)
"""Roles that without a name carry information only by their content."""

PARTS = frozenset({"generic", "img"})
"""Roles of targets that may be parts of the control around them."""

SAME_PLACE = 0.5
"""Share of a control's area from which a nameless target in it is the control itself. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a text as columns, in order. A line is identified by its position.

    Attributes:
        elements: all elements, in document order.
        style: text style.
        index: index of each line's element.
        parent: position of the line that each line stands under; -1 at the top.
        depth: nesting depth of each line, from 0.
        silent: indices of the elements without a line, by the position of the line that says the same or else of the
            line before them.
        unnamed: indices of elements whose name the lines below contain.
        joined: indices of the further texts that a text's line says, by its position. They are among `silent`.
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
    joined: dict[int, list[int]]
    is_digest: bool = False
    boxed: bool = False

    def __len__(self) -> int:
        return len(self.index)

    def element(self, at: int) -> Element:
        return self.elements[self.index[at]]

    def indices(self, at: int) -> list[int]:
        """Indices of the elements that are shown with a line, its own first."""
        return [self.index[at], *self.silent.get(at, ())]

    def said(self, at: int) -> list[int]:
        """Indices of the elements that a line says, its own first."""
        return [self.index[at], *self.joined.get(at, ())]

    def text(self, at: int, known: Known = NOTHING) -> str:
        """The line with its indentation and line end."""
        return INDENT[self.style] * self.depth[at] + self.line(at, known=known)

    def whole_text(self, at: int, known: Known = NOTHING) -> str:
        """As `text`, where there is room for running text: of a text, or of an editor's."""
        limit = MAX_TEXT if self.element(at).role in ("text", "textbox") else MAX_QUOTED_NAME
        return INDENT[self.style] * self.depth[at] + self.line(at, limit, known)

    def line(self, at: int, limit: int = MAX_QUOTED_NAME, known: Known = NOTHING) -> str:
        """The line without indentation; each of its texts is cut to `limit` characters."""
        index = self.index[at]
        if self.is_digest:
            return region_line(self.elements[index], self.style, limit=limit, boxed=self.boxed)
        if at in self.joined:
            return texts_line([self.elements[each] for each in self.said(at)], limit=limit)
        known = replace(known, name=True) if index in self.unnamed else known
        return element_line(self.elements[index], self.style, limit=limit, known=known, boxed=self.boxed)


def outline(elements: Sequence[Element], style: TextStyle, view: View, *, boxed: bool = False) -> Outline:
    """The lines of a list of elements, in its order; no lines if no element carries information."""
    if view is View.DIGEST:
        depth = depths(elements)
        parents = [element.parent for element in elements]
        return Outline(elements, style, list(range(len(elements))), parents, depth, {}, set(), {}, True, boxed)
    has_line = _find_lines(elements)
    if style is TextStyle.COMPACT and view is View.INTERACTIVE:
        _drop_headings(elements, has_line)
    said_by = drop_redundant(elements, has_line)
    made = Outline(elements, style, [], [], [], {}, named_below(elements, has_line, style), {}, boxed=boxed)
    place = [-1] * len(elements)
    for index, element in enumerate(elements):
        above = place[element.parent] if element.parent >= 0 else -1
        if has_line[index] and not _join(made, index, above):
            place[index] = len(made.index)
            made.index.append(index)
            made.parent.append(above)
            made.depth.append(made.depth[above] + 1 if above >= 0 else 0)
        else:
            place[index] = above
            if index not in said_by:
                made.silent.setdefault(max(len(made.index) - 1, 0), []).append(index)
    for index, sayer in said_by.items():
        made.silent.setdefault(place[sayer], []).append(index)
    return made


def _join(made: Outline, index: int, above: int) -> bool:
    """Adds a text to the line before it, if that is of texts beside it. Not in the compact style, which gains nothing
    by it, nor with boxes: one is of one text."""
    at = len(made.index) - 1
    if (
        made.style is TextStyle.COMPACT
        or made.boxed
        or made.elements[index].role != "text"
        or at < 0
        or made.parent[at] != above
    ):
        return False
    said = made.said(at)
    if said[-1] + 1 != index or not joins([made.elements[each] for each in said], made.elements[index]):
        return False
    made.joined.setdefault(at, []).append(index)
    return True


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
    return not is_beyond_use(element) and not (parent is not None and _is_part_of(element, parent))


def _is_part_of(element: Element, parent: Element) -> bool:
    """Whether a target is a part of the control around it: a picture or a generic element with the same name or, if
    generic and without a name, in the same place."""
    if element.role not in PARTS or not parent.interactive or parent.name != element.name or element.value:
        return False
    if element.name:
        return True
    return element.role == "generic" and element.box.area >= SAME_PLACE * parent.box.area


def _is_contained_in(text: str, parent: Element) -> bool:
    if not (parent.interactive or parent.role in ("heading", "row", "img")):
        return False
    return text in called(parent) or text in parent.value


def _has_words(text: str) -> bool:
    """Whether a text has a letter, number or symbol of any script, not only punctuation."""
    return text.isalnum() or any(unicodedata.category(char)[0] in "LNS" for char in text)


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
