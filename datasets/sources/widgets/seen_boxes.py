"""What a person sees as a control, where Chromium's box of it is another.

Libraries put a bare text box into a frame that they draw, a transparent checkbox over or beside a drawn one, and a
handle with the role of a slider on its track. The frame, the drawn box and the track are what a detector can find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perception.datasets.sample import Evidence, TextLine, TruthElement
from perception.geometry import Box

FIELD_ROLES = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "slider"})
MARK_ROLES = frozenset({"checkbox", "radio", "switch"})

AROUND_SHARE = 0.6
"""Share of a field that its frame covers: the handle of a slider is higher than its track."""

SAME_SHARE = 0.8
"""Share of the smaller of two boxes that the other covers if both are of one control."""

PICTURE_SIDE = 64.0
"""CSS px. A smaller picture is an icon, which is known: it is a control only if the page says so."""


def seen_elements(
    elements: Sequence[TruthElement], frames: Sequence[Box], marks: Sequence[Box]
) -> tuple[TruthElement, ...]:
    """The elements with the boxes that a person sees.

    Args:
        elements: truth by Chromium.
        frames: boxes that are drawn around fields; a field takes the smallest around it, and of two fields in one
            frame, such as both handles of a slider, the first stands for both. Text that is drawn over a field may
            take its clicks, and its frame hears them: the field counts as reachable.
        marks: boxes that are drawn for checkboxes, radios and switches.

    Returns:
        The elements in order. An open list is left out: its options are there.
    """
    found, taken = [], set[Box]()
    stand_ins = [each.box for each in elements if each.reachable and Evidence.ROLE not in each.evidence]
    for each in elements:
        boxes = frames if each.role in FIELD_ROLES else marks if each.role in MARK_ROLES else ()
        drawn = _drawn(each, boxes)
        if drawn is None or each.reachable is None:
            if not (each.role == "listbox" and _holds_options(each, elements)):
                found.append(each)
        elif drawn not in taken and (each.reachable or any(_stands_for(box, drawn) for box in stand_ins)):
            taken.add(drawn)
            found.append(replace(each, box=drawn, reachable=True))
        elif drawn not in taken:
            found.append(each)
    return tuple(found)


def pictures_of(
    pictures: Sequence[Box], elements: Sequence[TruthElement], lines: Sequence[TextLine]
) -> tuple[Box, ...]:
    """The pictures that may show controls that nothing lists: large ones, with neither text nor controls on them."""
    known = [*(each.box for each in elements if each.reachable), *(each.box for each in lines)]
    return tuple(
        picture
        for picture in pictures
        if min(picture.width, picture.height) >= PICTURE_SIDE and not any(_share(each, picture) > 0.5 for each in known)
    )


def _drawn(element: TruthElement, boxes: Sequence[Box]) -> Box | None:
    if element.role in FIELD_ROLES:
        around = [box for box in boxes if _share(element.box, box) >= AROUND_SHARE]
        return min(around, key=lambda box: box.area, default=None)
    same = [box for box in boxes if _is_same(box, element.box)]
    return min(same, key=lambda box: _distance(box, element.box), default=None)


def _holds_options(element: TruthElement, elements: Sequence[TruthElement]) -> bool:
    return any(each.role == "option" and _share(each.box, element.box) > 0.5 for each in elements)


def _is_same(one: Box, other: Box) -> bool:
    """Whether the larger of two boxes covers the smaller."""
    return _share(*sorted((one, other), key=_area)) >= SAME_SHARE


def _stands_for(one: Box, other: Box) -> bool:
    """Whether each of two boxes covers most of the other: not a panel that covers a field below it."""
    return min(_share(one, other), _share(other, one)) >= AROUND_SHARE


def _area(box: Box) -> float:
    return box.area


def _share(inner: Box, outer: Box) -> float:
    """Share of a box that another covers; 0 for one without area."""
    shared = inner.intersect(outer)
    return shared.area / inner.area if shared is not None and inner.area > 0 else 0.0


def _distance(one: Box, other: Box) -> float:
    return abs(one.center.x - other.center.x) + abs(one.center.y - other.center.y)
