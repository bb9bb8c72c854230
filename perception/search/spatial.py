"""Spatial relations of two elements: near, above, in, in the same row. Pure.

Distances and weights are chosen by hand; `pytest tests/unit/search/test_find.py
tests/live/server/test_find.py` guards which of two elements is the better match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from perception.geometry import Box
from perception.search.query import RelationSide
from perception.types import Element

NEAR_FADE = 150.0
"""CSS px in which nearness falls to a third: a control and its neighbor in a toolbar or form are 4 to 40 px apart."""

SIDE_FADE = 300.0
"""The same for relations that name a side, which are less ambiguous."""

ROW_FADE = 1500.0
"""The same along a row: tables are as wide as the page."""

SECTION_FADE = 600.0
"""The same below a heading: the target is more often at the start of a section than two screens below."""

SPATIAL_ALIGNED = 0.3
"""Least share of the smaller side that two boxes in one row or one column have in common."""

NOT_ALIGNED = 0.35
"""Factor for an element on the named side, but neither in a row nor in a column with the anchor."""

SPATIAL_TOUCH = 4.0
"""CSS px that adjacent boxes may overlap: boxes of text are a little larger than its letters."""

INSIDE = 0.7
"""Fit of an element inside the anchor, for relations that name a side or nearness."""

TWIN_REACH = 10
"""Elements before a text among which a control in its row is searched. Chosen by hand."""

SECTIONS = frozenset({"heading", "text", "tab"})
"""Roles that name the part of the page that follows them."""


def spatial_relation(elements: Sequence[Element], index: int, anchor: int, side: RelationSide) -> float:
    """How well an element has the requested relation to an anchor, 0 to 1.

    Args:
        elements: elements of the page, parents before children.
        index: index of the element.
        anchor: index of the anchor.
        side: the requested relation.
    """
    box, other = elements[index].box, elements[anchor].box
    if side is RelationSide.IN:
        return _in(elements, index, anchor)
    if side is RelationSide.ROW:
        return _in_row(elements, index, anchor)
    if _holds(elements, anchor, index):  # the anchor's name is all the text in it: a row's, a card's
        return INSIDE
    if side is RelationSide.NEAR:
        return math.exp(-_distance(box, other) / NEAR_FADE)
    gap, aligned = _along(box, other, side)
    if gap < -SPATIAL_TOUCH:
        return 0.0
    return math.exp(-max(gap, 0) / SIDE_FADE) * (1.0 if aligned else NOT_ALIGNED)


def describe_relation(elements: Sequence[Element], index: int, anchor: int, side: RelationSide) -> str:
    """The relation in words, to be followed by the anchor's name."""
    box, other = elements[index].box, elements[anchor].box
    if _holds(elements, anchor, index):
        return "in"
    if side is RelationSide.IN:
        if _is_around(elements[anchor], box):
            return "within the box of"
        if _names_row(elements, index, anchor):
            return "in the row of"
        return "under" if _is_under(elements, index, anchor) else "level with"
    if side is RelationSide.ROW:
        return "in the row of" if _share_row(elements, index, anchor) else "level with"
    if side is RelationSide.NEAR:
        return f"{_distance(box, other):.0f} px {_direction(box, other)}"
    return f"{max(_along(box, other, side)[0], 0):.0f} px {side.value}"


def _in(elements: Sequence[Element], index: int, anchor: int) -> float:
    if _holds(elements, anchor, index):
        return 1.0
    box, other = elements[index].box, elements[anchor].box
    if _is_around(elements[anchor], box) or _names_row(elements, index, anchor):
        return 0.9
    if _is_under(elements, index, anchor):
        return 0.55 + 0.3 * math.exp(-max(0.0, box.top - other.bottom) / SECTION_FADE)
    return 0.6 * _in_row(elements, index, anchor)


def _is_around(anchor: Element, box: Box) -> bool:
    return not anchor.interactive and anchor.box.area > box.area and anchor.box.contains(box.center)


def _is_under(elements: Sequence[Element], index: int, anchor: int) -> bool:
    return elements[anchor].role in SECTIONS and index > anchor and _is_of_section(elements, index, anchor)


def _is_of_section(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether an element belongs to a section: no heading of the same or a higher level stands between. A text that is
    none names one record: what has a twin nearer to it belongs to another."""
    if elements[anchor].role != "heading":
        return elements[index].box.top >= elements[anchor].box.top and not _has_nearer_twin(elements, index, anchor)
    level = _level(elements[anchor])
    return not any(
        elements[between].role == "heading" and _level(elements[between]) <= level
        for between in range(anchor + 1, index)
    )


def _has_nearer_twin(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether a control of the same role and name stands between a text and an element, or before the text in its
    row."""
    element = elements[index]

    def is_twin(other: Element) -> bool:
        return other.interactive and (other.role, other.name) == (element.role, element.name)

    if _names_row(elements, index, anchor):
        return False
    around = range(max(0, anchor - TWIN_REACH), index)
    return any(is_twin(elements[at]) and (at > anchor or _in_row(elements, at, anchor) > 0) for at in around)


def _names_row(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether the anchor is the text by which the element's row is known."""
    return elements[index].row != "" and elements[index].row == elements[anchor].name


def _level(heading: Element) -> int:
    said = next((state for state in heading.states if state.startswith("level=")), "level=2")
    return int(said.removeprefix("level=") or 2) if said.removeprefix("level=").isdecimal() else 2


def _in_row(elements: Sequence[Element], index: int, anchor: int) -> float:
    if _share_row(elements, index, anchor):
        return 1.0
    box, other = elements[index].box, elements[anchor].box
    if _shared(box.top, box.bottom, other.top, other.bottom) < SPATIAL_ALIGNED:
        return 0.0
    gap = max(box.left - other.right, other.left - box.right, 0.0)
    return 0.95 * math.exp(-gap / ROW_FADE)


def _share_row(elements: Sequence[Element], index: int, anchor: int) -> bool:
    """Whether both are in one row of a table or list, or the anchor is the element's row."""
    if _names_row(elements, index, anchor):
        return True
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


def _along(box: Box, other: Box, side: RelationSide) -> tuple[float, bool]:
    """The gap towards a side, CSS px (negative if the box is not on that side), and whether the two are aligned."""
    rows = _shared(box.top, box.bottom, other.top, other.bottom) >= SPATIAL_ALIGNED
    columns = _shared(box.left, box.right, other.left, other.right) >= SPATIAL_ALIGNED
    if side is RelationSide.LEFT:
        return other.left - box.right, rows
    if side is RelationSide.RIGHT:
        return box.left - other.right, rows
    if side is RelationSide.ABOVE:
        return other.top - box.bottom, columns
    return box.top - other.bottom, columns


def _shared(start: float, end: float, other_start: float, other_end: float) -> float:
    """Share of the smaller interval that two intervals have in common; 0 for empty ones."""
    smaller = min(end - start, other_end - other_start)
    return (min(end, other_end) - max(start, other_start)) / smaller if smaller > 0 else 0.0


def _distance(box: Box, other: Box) -> float:
    dx = max(box.left - other.right, other.left - box.right, 0.0)
    dy = max(box.top - other.bottom, other.top - box.bottom, 0.0)
    return math.hypot(dx, dy)


def _direction(box: Box, other: Box) -> str:
    """The direction from the anchor in words, by the larger of the two gaps."""
    dx, dy = box.center.x - other.center.x, box.center.y - other.center.y
    gap_x = max(box.left - other.right, other.left - box.right, 0.0)
    gap_y = max(box.top - other.bottom, other.top - box.bottom, 0.0)
    if gap_x == gap_y == 0:
        return "from"
    if gap_x >= gap_y:
        return "right of" if dx > 0 else "left of"
    return "below" if dy > 0 else "above"
