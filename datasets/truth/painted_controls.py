"""Where a control is painted, which is not always where its element is.

Many style sheets make a checkbox's own element transparent and paint a mark of theirs, often somewhere else: as a
pseudo-element of its label or of the element behind it. A person sees, and clicks, the mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from perception.datasets.truth.dom_snapshot import Document
from perception.datasets.truth.visible_lines import MIN_OPACITY
from perception.geometry import Box, Point, union

MIN_SIDE = 3.0
"""CSS px. A control that is narrower and lower than this is for the keyboard only (visually hidden inputs)."""

MARK_SIDES = (6.0, 64.0)
"""CSS px. Least and largest side of a mark: less is a line or a gap, more a background."""

_TICKS = {"checkbox", "radio"}
"""Types of inputs that have a mark."""

Labels = Mapping[int, Sequence[int]]
"""The labels of each control."""


def labels_of(document: Document) -> dict[int, list[int]]:
    """The labels of each control: those around it, and those that refer to its id."""
    by_id = {each["id"]: node for node, each in enumerate(document.attributes) if each.get("id")}
    found: dict[int, list[int]] = {}
    for node, name in enumerate(document.names):
        if name == "label" and node in document.boxes:
            wanted = document.attributes[node].get("for")
            if wanted and wanted in by_id:
                found.setdefault(by_id[wanted], []).append(node)
        elif name in ("input", "select", "textarea", "button"):
            inside = [above for above in document.ancestors(node)[1:] if document.names[above] == "label"]
            found.setdefault(node, []).extend(above for above in inside if above in document.boxes)
    return found


def painted_box(document: Document, node: int, labels: Labels) -> Box | None:
    """Where a control is painted: its own box, or that of its mark or its label if its own is transparent or tiny."""
    own = document.boxes[node]
    is_seen = document.opacity(node) > MIN_OPACITY
    if is_seen and _is_large(own):
        return own
    if (mark := _mark(document, node, labels)) is not None:
        return mark
    if _is_large(own):
        return own
    return next((document.boxes[label] for label in labels.get(node, ()) if document.boxes[label].area > 0), None)


def box_at(document: Document, nodes: Sequence[int], point: tuple[float, float]) -> Box | None:
    """The visible part of the first node that contains the point: a control, else a label of it."""
    shown = (document.shown(node) for node in nodes)
    return next((box for box in shown if box is not None and _is_large(box) and box.contains(Point(*point))), None)


def _is_large(box: Box) -> bool:
    return box.area > 0 and max(box.width, box.height) >= MIN_SIDE


def _mark(document: Document, node: int, labels: Labels) -> Box | None:
    """The mark that is painted for a checkbox or a radio button; None if there is none."""
    if document.attributes[node].get("type") not in _TICKS:
        return None
    nearby = {*labels.get(node, ()), *_next_element(document, node)}
    marks = [
        box
        for each, name in enumerate(document.names)
        if name in ("::before", "::after")
        and each in document.boxes
        and nearby.intersection(document.ancestors(each))
        and document.opacity(each) > MIN_OPACITY
        and (box := document.shown(each)) is not None
        and MARK_SIDES[0] <= min(box.width, box.height) <= max(box.width, box.height) <= MARK_SIDES[1]
    ]
    return union(marks) if marks else None


def _next_element(document: Document, node: int) -> Iterator[int]:
    """The first element after a node in its parent that has a box."""
    for other in range(node + 1, len(document.names)):
        if document.parents[other] == document.parents[node] and other in document.boxes:
            if not document.names[other].startswith(("#", "::")):
                yield other
                return
        elif document.parents[other] < document.parents[node]:
            return
