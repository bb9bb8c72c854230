"""How one element lies to another: beside it, above it, in it, in its row. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from perception.geometry import Box
from perception.query import Side
from perception.types import Element

NEAR_FADE = 150.0
"""CSS px in which nearness falls to a third: a control and its neighbour in a toolbar or form are 4 to 40 px apart."""

SIDE_FADE = 300.0
"""The same for what is named by its side, which leaves less doubt about what is meant."""

ROW_FADE = 1500.0
"""The same along a row: tables are as wide as the page."""

SECTION_FADE = 600.0
"""The same down from a heading: what is meant is more often at the beginning of a section than two screens below."""

ALIGNED = 0.3
"""Share of the smaller side that two boxes have in common, from which they are in one row or one column."""

ASKEW = 0.35
"""What is on the named side, but in neither row nor column with it."""

TOUCH = 4.0
"""CSS px that neighbours may overlap: boxes of text are a little larger than its letters."""

INSIDE = 0.7
"""What lies in a thing that holds the words too is near them, on one side or another."""

SECTIONS = frozenset({"heading", "text", "tab"})
"""What names the part of the page that follows it."""


def how_it_lies(elements: Sequence[Element], index: int, anchor: int, side: Side) -> float:
    """How well an element lies as asked to another one, in 0 … 1."""
    box, other = elements[index].box, elements[anchor].box
    if side is Side.IN:
        return _in(elements, index, anchor)
    if side is Side.ROW:
        return _in_row(elements, index, anchor)
    if _holds(elements, anchor, index):  # what is listed of it are its words as a whole: a row's, a card's
        return INSIDE
    if side is Side.NEAR:
        return math.exp(-_distance(box, other) / NEAR_FADE)
    gap, aligned = _along(box, other, side)
    if gap < -TOUCH:
        return 0.0
    return math.exp(-max(gap, 0) / SIDE_FADE) * (1.0 if aligned else ASKEW)


def say_how_it_lies(elements: Sequence[Element], index: int, anchor: int, side: Side) -> str:
    """Where it lies, in words that the other one's name follows."""
    box, other = elements[index].box, elements[anchor].box
    if _holds(elements, anchor, index):
        return "in"
    if side is Side.IN:
        if _is_around(elements[anchor], box):
            return "within the box of"
        return "under" if _is_under(elements, index, anchor) else "level with"
    if side is Side.ROW:
        return "in the row of" if _share_row(elements, index, anchor) else "level with"
    if side is Side.NEAR:
        return f"{_distance(box, other):.0f} px {_direction(box, other)}"
    return f"{max(_along(box, other, side)[0], 0):.0f} px {side.value}"


def _in(elements: Sequence[Element], index: int, anchor: int) -> float:
    if _holds(elements, anchor, index):
        return 1.0
    box, other = elements[index].box, elements[anchor].box
    if _is_around(elements[anchor], box):
        return 0.9
    if _is_under(elements, index, anchor):
        return 0.55 + 0.3 * math.exp(-max(0.0, box.top - other.bottom) / SECTION_FADE)
    return 0.6 * _in_row(elements, index, anchor)


def _is_around(anchor: Element, box: Box) -> bool:
    return not anchor.interactive and anchor.box.area > box.area and anchor.box.contains(box.center)


def _is_under(elements: Sequence[Element], index: int, anchor: int) -> bool:
    return elements[anchor].role in SECTIONS and index > anchor and _is_of_section(elements, index, anchor)


def _is_of_section(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether no heading of the same or a higher level stands between a section's name and an element after it."""
    if elements[anchor].role != "heading":
        return elements[index].box.top >= elements[anchor].box.top
    level = _level(elements[anchor])
    return not any(
        elements[between].role == "heading" and _level(elements[between]) <= level
        for between in range(anchor + 1, index)
    )


def _level(heading: Element) -> int:
    said = next((state for state in heading.states if state.startswith("level=")), "level=2")
    return int(said.removeprefix("level=") or 2) if said.removeprefix("level=").isdecimal() else 2


def _in_row(elements: Sequence[Element], index: int, anchor: int) -> float:
    if _share_row(elements, index, anchor):
        return 1.0
    box, other = elements[index].box, elements[anchor].box
    if _shared(box.top, box.bottom, other.top, other.bottom) < ALIGNED:
        return 0.0
    gap = max(box.left - other.right, other.left - box.right, 0.0)
    return 0.95 * math.exp(-gap / ROW_FADE)


def _share_row(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether both lie in one row of a table, or one of them is the other's row."""
    row = _ancestor(elements, index, "row")
    return row >= 0 and (row == anchor or _holds(elements, row, anchor))


def _ancestor(elements: Sequence[Element], index: int, role: str) -> int:
    while index >= 0 and elements[index].role != role:
        index = elements[index].parent
    return index


def _holds(elements: Sequence[Element], outer: int, index: int) -> bool:
    while index > outer:
        index = elements[index].parent
    return index == outer


def _along(box: Box, other: Box, side: Side) -> tuple[float, bool]:
    """The gap towards a side, negative where a box is not on it; and whether the two are in line."""
    rows = _shared(box.top, box.bottom, other.top, other.bottom) >= ALIGNED
    columns = _shared(box.left, box.right, other.left, other.right) >= ALIGNED
    if side is Side.LEFT:
        return other.left - box.right, rows
    if side is Side.RIGHT:
        return box.left - other.right, rows
    if side is Side.ABOVE:
        return other.top - box.bottom, columns
    return box.top - other.bottom, columns


def _shared(start: float, end: float, other_start: float, other_end: float) -> float:
    """Share of the smaller stretch that two have in common; 0 for empty ones."""
    smaller = min(end - start, other_end - other_start)
    return (min(end, other_end) - max(start, other_start)) / smaller if smaller > 0 else 0.0


def _distance(box: Box, other: Box) -> float:
    dx = max(box.left - other.right, other.left - box.right, 0.0)
    dy = max(box.top - other.bottom, other.top - box.bottom, 0.0)
    return math.hypot(dx, dy)


def _direction(box: Box, other: Box) -> str:
    """In words, the larger of the two distances first."""
    dx, dy = box.center.x - other.center.x, box.center.y - other.center.y
    gap_x = max(box.left - other.right, other.left - box.right, 0.0)
    gap_y = max(box.top - other.bottom, other.top - box.bottom, 0.0)
    if gap_x == gap_y == 0:
        return "from"
    if gap_x >= gap_y:
        return "right of" if dx > 0 else "left of"
    return "below" if dy > 0 else "above"
