"""Which elements say something, and under which line each of theirs stands.

Rule 1: nothing is said twice, and no line says nothing. Rule 2: whatever can be acted on has its line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.lines import INDENT, called, element_line, level_of, region_line
from perception.render.select import depths
from perception.render.words import MAX_NAME
from perception.types import Element, TextStyle, View

SHELLS = frozenset(
    "banner navigation main complementary contentinfo search grid table treegrid tree row rowgroup menu menubar "
    "tablist radiogroup toolbar status alert log tooltip separator form region group list feed figure article "
    "tabpanel application".split()
)
"""Roles that without a name only say something by what they hold."""

CELLS = " | "
"""Between the cells in a row's name."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a text as columns, in order; a line is known by its place among them.

    `index` are their elements', `parent` the places of the lines they stand under (-1 at the top). `silent` are
    elements that say nothing of their own, by the line that they go with. `unnamed` are elements whose name the lines
    below them say.
    """

    elements: Sequence[Element]
    style: TextStyle
    index: list[int]
    parent: list[int]
    depth: list[int]
    silent: dict[int, list[int]]
    unnamed: set[int]
    is_digest: bool = False

    def __len__(self) -> int:
        return len(self.index)

    def element(self, at: int) -> Element:
        return self.elements[self.index[at]]

    def indices(self, at: int) -> list[int]:
        """The elements that are shown with a line, its own first."""
        return [self.index[at], *self.silent.get(at, ())]

    def text(self, at: int) -> str:
        """The line with its indentation and line end."""
        return INDENT[self.style] * self.depth[at] + self.line(at)

    def line(self, at: int, limit: int = MAX_NAME) -> str:
        """The line without indentation, each of its texts cut to so many characters."""
        index = self.index[at]
        if self.is_digest:
            return region_line(self.elements[index], self.style, limit=limit)
        return element_line(self.elements[index], self.style, limit=limit, named=index not in self.unnamed)


def outline(elements: Sequence[Element], style: TextStyle, view: View) -> Outline:
    """The lines of a list of elements, in its order. None for elements of which none says anything."""
    if view is View.DIGEST:
        depth = depths(elements)
        parents = [element.parent for element in elements]
        return Outline(elements, style, list(range(len(elements))), parents, depth, {}, set(), is_digest=True)
    speaks = _speaking(elements)
    if style is TextStyle.COMPACT and view is View.INTERACTIVE:
        _hush_headings(elements, speaks)
    made = Outline(elements, style, [], [], [], {}, _rows_said_by_cells(elements, speaks))
    place = [-1] * len(elements)
    for index, element in enumerate(elements):
        above = place[element.parent] if element.parent >= 0 else -1
        if speaks[index]:
            place[index] = len(made.index)
            made.index.append(index)
            made.parent.append(above)
            made.depth.append(made.depth[above] + 1 if above >= 0 else 0)
        else:
            place[index] = above
            made.silent.setdefault(max(len(made.index) - 1, 0), []).append(index)
    return made


def _speaking(elements: Sequence[Element]) -> list[bool]:
    """For each element whether it says something that the lines above it do not."""
    speaks = [_says(element, elements[element.parent] if element.parent >= 0 else None) for element in elements]
    held = [False] * len(elements)
    for index in range(len(elements) - 1, -1, -1):
        element = elements[index]
        if not speaks[index] and held[index] and element.role in SHELLS:
            speaks[index] = True
        if element.parent >= 0 and (speaks[index] or held[index]):
            held[element.parent] = True
    return speaks


def _says(element: Element, parent: Element | None) -> bool:
    role = element.role
    if not element.interactive:
        if not element.visible:
            return False
        if role == "text" and not element.ref:
            return _has_words(element.name) and not (parent is not None and _is_said_by(element.name, parent))
        if role in SHELLS:
            return bool(element.name or element.ref or element.value or element.text or element.scrollable)
        return True
    # A target without a role, in a control of the same name, is that control's own inside.
    return not (
        role == "generic"
        and parent is not None
        and parent.interactive
        and parent.name == element.name
        and not element.value
    )


def _is_said_by(text: str, parent: Element) -> bool:
    if not (parent.interactive or parent.role in ("heading", "row", "img")):
        return False
    return text in called(parent) or text in parent.value


def _has_words(text: str) -> bool:
    """Not only punctuation: a letter, number or symbol of any script."""
    return text.isalnum() or any(unicodedata.category(char)[0] in "LNS" for char in text)


def _rows_said_by_cells(elements: Sequence[Element], speaks: Sequence[bool]) -> set[int]:
    """Rows whose every cell has a line of its own below."""
    cells = {
        index: {cell for cell in called(element).split(CELLS) if cell}
        for index, element in enumerate(elements)
        if element.role == "row" and speaks[index]
    }
    for index, element in enumerate(elements):
        if element.parent in cells and speaks[index]:
            cells[element.parent].discard(element.name)
    return {index for index, left in cells.items() if not left}


def _hush_headings(elements: Sequence[Element], speaks: list[bool]) -> None:
    """Keeps the headings that tell groups of controls apart: those with a control before the next heading of their
    level or above, and the page's own."""
    below = dict.fromkeys(range(8), False)
    for index in range(len(elements) - 1, -1, -1):
        element = elements[index]
        if element.role != "heading" or element.interactive:
            if speaks[index] and element.role not in SHELLS:
                below = dict.fromkeys(below, True)
            continue
        level = min(max(level_of(element), 1), 7)
        speaks[index] = speaks[index] and (below[level] or level == 1)
        for deeper in range(level, 8):
            below[deeper] = False
