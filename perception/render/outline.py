"""Which elements say something, and under which line each of theirs stands.

Rule 1: nothing is said twice, and no line says nothing. Rule 2: whatever can be acted on has its line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.lines import element_line, level_of
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
class Line:
    """A line of the text. `index` is its element's, `parent` the place in the list of the line it stands under (-1 at
    the top), `text` comes without indentation and with its line end. `silent` are elements that say nothing of their
    own and go where this line goes.
    """

    index: int
    parent: int
    depth: int
    text: str
    silent: tuple[int, ...] = ()


def outline(elements: Sequence[Element], style: TextStyle, view: View) -> list[Line]:
    """The lines of a list of elements, in its order. Nothing for elements of which none says anything."""
    speaks = _speaking(elements)
    if style is TextStyle.COMPACT and view is View.INTERACTIVE:
        _hush_headings(elements, speaks)
    unnamed = _rows_said_by_cells(elements, speaks)
    place: dict[int, int] = {-1: -1}
    lines: list[Line] = []
    silent: dict[int, list[int]] = {}
    for index, element in enumerate(elements):
        above = place[element.parent]
        if not speaks[index]:
            place[index] = above
            silent.setdefault(max(len(lines) - 1, 0), []).append(index)
            continue
        place[index] = len(lines)
        text = element_line(element, style, named=index not in unnamed)
        lines.append(Line(index, above, lines[above].depth + 1 if above >= 0 else 0, text))
    for at, indices in silent.items() if lines else ():
        line = lines[at]
        lines[at] = Line(line.index, line.parent, line.depth, line.text, tuple(indices))
    return lines


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
    if not element.interactive:
        if not element.visible:
            return False
        if element.role == "text" and not element.ref:
            return _has_words(element.name) and not (parent is not None and _is_said_by(element.name, parent))
        if element.role in SHELLS:
            return bool(element.name or element.ref or element.value or element.text or element.scrollable)
        return True
    # A target without a role, in a control of the same name, is that control's own inside.
    return not (
        element.role == "generic"
        and parent is not None
        and parent.interactive
        and parent.name == element.name
        and not element.value
    )


def _is_said_by(text: str, parent: Element) -> bool:
    if not (parent.interactive or parent.role in ("heading", "row", "img")):
        return False
    return text in parent.name or text in parent.value


def _has_words(text: str) -> bool:
    """Not only punctuation: a letter, number or symbol of any script."""
    return any(unicodedata.category(char)[0] in "LNS" for char in text)


def _rows_said_by_cells(elements: Sequence[Element], speaks: Sequence[bool]) -> set[int]:
    """Rows whose every cell has a line of its own below."""
    cells = {
        index: {cell for cell in element.name.split(CELLS) if cell}
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
    below = {level: False for level in range(8)}
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
