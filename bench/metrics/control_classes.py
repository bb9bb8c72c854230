"""Classes of controls that the detector tells apart, and what a sample's truth says of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.datasets.sample import COMPOSED, ElementKind, Evidence, Sample, TruthElement
from perception.detectors.controls import CLASSES, STATES
from perception.geometry import Box, Boxes, stack

_ROLE_CLASSES = {
    "button": "button",
    "link": "link",
    "textbox": "textbox",
    "searchbox": "textbox",
    "spinbutton": "textbox",
    "combobox": "combobox",
    "listbox": "combobox",
    "checkbox": "checkbox",
    "radio": "radio",
    "switch": "switch",
    "slider": "slider",
    "tab": "tab",
    "menuitem": "menuitem",
    "menuitemcheckbox": "menuitem",
    "menuitemradio": "menuitem",
    "treeitem": "menuitem",
    "option": "menuitem",
}

MIN_SIDE = 4.0
"""CSS px. What is smaller is hardly seen, and is ignored."""

MAX_IGNORED_SHARE = 0.25
"""Share of the viewport. What is larger and only takes the focus or listens is a part of the page; boxes in it
count."""


BACKGROUND_THINGS = 8
"""Controls and lines of text on a picture that make it a background, if it is larger than MAX_IGNORED_SHARE. A canvas
has a few buttons over it, a page's background everything."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be found in one screenshot or crop; coordinates are pixels, one for each CSS px of a screenshot.

    Attributes:
        boxes: (N, 4) xyxy.
        classes: (N,) indices in CLASSES.
        states: (N, len(STATES)) 0 or 1.
        ignored: (M, 4) xyxy: places where a detection is neither right nor wrong.
    """

    boxes: Boxes
    classes: NDArray[np.int64]
    states: NDArray[np.float32]
    ignored: Boxes


def targets_of(sample: Sample) -> Targets:
    """The targets of a sample.

    A control counts that a real click reaches and that has a role. What only listens, or has a hand as its cursor, is
    ignored, and so are pictures whose content is not listed: composed pages have none.
    """
    view = sample.viewport.box
    found: list[tuple[Box, TruthElement, str]] = []
    ignored: list[Box] = []
    for each in sample.truth:
        box = each.box.intersect(view)
        if box is None or each.reachable is None:
            continue
        name = class_of(each)
        if each.reachable and name and min(box.width, box.height) >= MIN_SIDE:
            found.append((box, each, name))
        elif (each.reachable or _may_show(each)) and box.area <= MAX_IGNORED_SHARE * view.area:
            ignored.append(box)
    ignored += unknown_pictures(sample, [box for box, _, _ in found])
    return Targets(
        boxes=stack(box for box, _, _ in found),
        classes=np.asarray([CLASSES.index(name) for _, _, name in found], np.int64),
        states=np.asarray(
            [[float(state in each.states) for state in STATES] for _, each, _ in found], np.float32
        ).reshape(-1, len(STATES)),
        ignored=stack(ignored),
    )


def unknown_pictures(sample: Sample, controls: Iterable[Box]) -> list[Box]:
    """Pictures whose content is not listed, but for a page's background: what lies on that is known."""
    view = sample.viewport.box
    if sample.group == COMPOSED:
        return []
    pictures = [box for each in sample.unknown if (box := each.intersect(view)) is not None]
    things = [each.center for each in (*controls, *(line.box for line in sample.lines))]
    return [
        each
        for each in pictures
        if each.area <= MAX_IGNORED_SHARE * view.area or sum(map(each.contains, things)) < BACKGROUND_THINGS
    ]


def class_of(element: TruthElement) -> str:
    """The class of a control; empty for one whose role says nothing of its looks."""
    if Evidence.ROLE not in element.evidence and Evidence.ANNOTATION not in element.evidence:
        return ""
    name = _ROLE_CLASSES.get(element.role, "")
    return "icon button" if name in ("button", "link") and element.kind is ElementKind.ICON else name


def role_class(role: str) -> str:
    """The class of a role, whether or not it has words; empty for a role that says nothing of a control's looks."""
    return _ROLE_CLASSES.get(role, "")


def _may_show(element: TruthElement) -> bool:
    """Whether an element that no click reaches may be seen all the same, as through a dimmed layer."""
    return Evidence.ROLE in element.evidence
