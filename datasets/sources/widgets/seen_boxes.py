"""What a person sees as a control, where Chromium's box of it is another.

Libraries put a bare text box into a frame that they draw, a transparent checkbox over or beside a drawn one, and a
handle with the role of a slider on its track. The frame, the drawn box and the track are what a detector can find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.datasets.sample import Evidence, TextLine, TruthElement
from perception.geometry import Box

FIELD_ROLES = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "slider"})
MARK_ROLES = frozenset({"checkbox", "radio", "switch"})
ITEM_ROLES = frozenset({"treeitem", "menuitem"})

AROUND_SHARE = 0.6
"""Share of a field that its frame covers: the handle of a slider is higher than its track."""

SAME_SHARE = 0.8
"""Share of the smaller of two boxes that the other covers if both are of one control."""

PICTURE_SIDE = 64.0
"""CSS px. A smaller picture is an icon, which is known: it is a control only if the page says so."""


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box that a library draws for a control.

    Attributes:
        box: CSS px of the viewport.
        reached: whether a click in its middle lands in it: text that is drawn over a field may take its clicks.
        is_switch: it is drawn as a switch, whatever the role of its control.
    """

    box: Box
    reached: bool = True
    is_switch: bool = False


def seen_elements(
    elements: Sequence[TruthElement], frames: Sequence[DrawnBox], marks: Sequence[DrawnBox], shows: Sequence[Box] = ()
) -> tuple[TruthElement, ...]:
    """The elements with the boxes that a person sees.

    Args:
        elements: truth by Chromium.
        frames: boxes that are drawn around fields; a field takes the smallest around it, and of two fields in one
            frame, such as both handles of a slider, the first stands for both.
        marks: boxes that are drawn for checkboxes, radios and switches.
        shows: boxes of pictures that are known to show no controls: what only listens there is left out.

    Returns:
        The elements in order. An open list is left out: its options are there. An item of a tree ends where the first
        item in it begins.
    """
    found, taken = [], set[DrawnBox]()
    for each in elements:
        drawn = _drawn(each, frames, marks) if each.reachable is not None else None
        if drawn is not None and (drawn.reached or each.reachable):
            if drawn not in taken:
                role = "switch" if drawn.is_switch else each.role
                found.append(replace(each, box=drawn.box, reachable=True, role=role))
            taken.add(drawn)
        elif each.role in ITEM_ROLES:
            found.append(replace(each, box=_own_part(each, elements)))
        elif not (each.role == "listbox" and _holds_options(each, elements)) and not _only_listens(each, shows):
            found.append(each)
    return tuple(found)


def pictures_of(
    pictures: Sequence[Box], elements: Sequence[TruthElement], lines: Sequence[TextLine], shows: Sequence[Box] = ()
) -> tuple[Box, ...]:
    """The pictures that may show controls that nothing lists: large ones, with neither text nor controls on them.

    Args:
        shows: boxes of pictures that are known to show none.
    """
    known = [*(each.box for each in elements if each.reachable), *(each.box for each in lines)]
    return tuple(
        picture
        for picture in pictures
        if min(picture.width, picture.height) >= PICTURE_SIDE
        and not any(_share(each, picture) > 0.5 for each in known)
        and not any(_share(picture, each) >= SAME_SHARE for each in shows)
    )


def _drawn(element: TruthElement, frames: Sequence[DrawnBox], marks: Sequence[DrawnBox]) -> DrawnBox | None:
    if element.role in FIELD_ROLES:
        around = [each for each in frames if _share(element.box, each.box) >= AROUND_SHARE]
        return min(around, key=lambda each: each.box.area, default=None)
    same = [each for each in marks if element.role in MARK_ROLES and _is_same(each.box, element.box)]
    return min(same, key=lambda each: _distance(each.box, element.box), default=None)


def _own_part(item: TruthElement, elements: Sequence[TruthElement]) -> Box:
    """The box of an item down to the first item in it."""
    below = [
        each.box.top
        for each in elements
        if each.role == item.role and each.box.top > item.box.top and _share(each.box, item.box) >= SAME_SHARE
    ]
    return replace(item.box, bottom=min([item.box.bottom, *below]))


def _only_listens(element: TruthElement, shows: Sequence[Box]) -> bool:
    """Whether an element without a role, which a library made for its own use, is a picture that only shows."""
    return Evidence.ROLE not in element.evidence and any(_share(element.box, each) >= SAME_SHARE for each in shows)


def _holds_options(element: TruthElement, elements: Sequence[TruthElement]) -> bool:
    return any(each.role == "option" and _share(each.box, element.box) > 0.5 for each in elements)


def _is_same(one: Box, other: Box) -> bool:
    """Whether the larger of two boxes covers the smaller."""
    return _share(*sorted((one, other), key=_area)) >= SAME_SHARE


def _area(box: Box) -> float:
    return box.area


def _share(inner: Box, outer: Box) -> float:
    """Share of a box that another covers; 0 for one without area."""
    shared = inner.intersect(outer)
    return shared.area / inner.area if shared is not None and inner.area > 0 else 0.0


def _distance(one: Box, other: Box) -> float:
    return abs(one.center.x - other.center.x) + abs(one.center.y - other.center.y)
