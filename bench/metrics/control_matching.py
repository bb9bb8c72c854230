"""Matches the controls that a list serves with the true ones of a screenshot. Pure.

Rule 1: a true control has a role and a real click reaches it. What only listens for clicks, or has a hand as its
cursor, is neither right nor wrong, and neither is what is served there.
Rule 2: a served control is right if its center, where a click goes, is in a true control whose area is at least a
quarter of its own: a box around a whole form does not find the button in its middle. Of several on one control one is
right and the others are wrong.
Rule 3: a true control is found if the center of a right one is in it.
Rule 4: in a picture whose content nothing lists, nothing served is wrong, unless it is where the page itself has text.
A large picture under many controls or lines is the background of a page, and excuses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from perception.bench.metrics.box_matching import centers_within, match_boxes
from perception.bench.metrics.control_classes import MAX_IGNORED_SHARE, MIN_SIDE, class_of, role_class, unknown_pictures
from perception.datasets.sample import ElementKind, Evidence, Sample, TruthElement
from perception.geometry import Box, Boxes, areas, iou, stack

LARGEST = 4.0
"""Times the area of a true control that a served box may have."""


@dataclass(frozen=True, slots=True)
class TrueControl:
    """One control that is there.

    Attributes:
        box: CSS px of the viewport, clipped to it.
        role: its role, several roles that look alike as one (`role_class`); empty if the data set does not say.
        wordless: it is a button or link without words.
        name: accessible name.
    """

    box: Box
    role: str
    wordless: bool
    name: str


@dataclass(frozen=True, slots=True)
class ControlTruth:
    """What is to be found in one screenshot.

    Attributes:
        controls: without those at the position of another: a link around a button is one control.
        ignored: (M, 4) CSS px: elements at which a served control is neither right nor wrong.
        pictures: (P, 4) CSS px: likewise, but for what is where text is.
        lines: (L, 4) CSS px: lines of text that the page itself has.
        complete: whether all controls are listed; otherwise no served control is wrong.
    """

    controls: tuple[TrueControl, ...]
    ignored: Boxes
    pictures: Boxes
    lines: Boxes
    complete: bool


@dataclass(frozen=True, slots=True)
class Judgment:
    """Which served controls are right, and which true ones are found.

    Attributes:
        right: (N,) by served control.
        judged: (N,) whether it counts; others are at places that are ignored.
        found: (M,) by true control.
        served_of: (M,) index of the right served control that overlaps a found one most; -1 for none.
        pairs: matched one to one, at an intersection over union of 0.5.
    """

    right: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    found: NDArray[np.bool_]
    served_of: NDArray[np.intp]
    pairs: int


def control_truth(sample: Sample) -> ControlTruth:
    """The controls of a sample, and what does not count."""
    view = sample.viewport.box
    controls: dict[Box, TrueControl] = {}
    ignored: list[Box] = []
    for each in sample.truth:
        box = each.box.intersect(view)
        if box is None:
            continue
        if _counts(each) and min(box.width, box.height) >= MIN_SIDE:
            controls.setdefault(box, _control(each, box))
        elif (each.reachable or Evidence.ROLE in each.evidence) and box.area <= MAX_IGNORED_SHARE * view.area:
            ignored.append(box)
    lines = stack(each.box for each in sample.lines)
    pictures = stack(unknown_pictures(sample, controls))
    return ControlTruth(tuple(controls.values()), stack(ignored), pictures, lines, sample.complete)


def _counts(element: TruthElement) -> bool:
    if Evidence.ANNOTATION in element.evidence:
        return element.reachable is not False
    return bool(element.reachable and class_of(element))


def _control(element: TruthElement, box: Box) -> TrueControl:
    role = role_class(element.role)
    wordless = role in ("button", "link") and element.kind is ElementKind.ICON
    return TrueControl(box, role, wordless, element.name)


def judge(truth: ControlTruth, served: Boxes) -> Judgment:
    """Judges served controls.

    Args:
        served: (N, 4) CSS px of the viewport.
    """
    boxes = stack(each.box for each in truth.controls)
    within = centers_within(boxes, served)
    fits = within & (areas(served)[None, :] <= LARGEST * areas(boxes)[:, None])
    overlaps = iou(boxes, served)
    right = _first_of_each(fits, overlaps)
    found_by = within & right[None, :]
    overlap = np.where(found_by, overlaps, -1.0)
    found: NDArray[np.bool_] = np.asarray(found_by.any(axis=1))
    judged = fits.any(axis=0) | ~_is_ignored(truth, served)
    best = overlap.argmax(axis=1) if len(served) else np.full(len(boxes), -1)
    served_of = np.where(found, best, -1)
    return Judgment(right, judged, found, served_of, len(match_boxes(boxes, served[judged])))


def _first_of_each(fits: NDArray[np.bool_], overlaps: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(N,) which served controls are right, of (M, N) that fit: most of them, each true control with one at most, the
    one that overlaps it best."""
    right = np.zeros(fits.shape[1], np.bool_)
    rows, columns = linear_sum_assignment(np.where(fits, 1 + overlaps / 2, 0), maximize=True)
    right[columns[fits[rows, columns]]] = True
    return right


def _is_ignored(truth: ControlTruth, served: Boxes) -> NDArray[np.bool_]:
    """(N,) whether a box is at a place that does not count: a place of its size, not a small one in its middle."""
    if not truth.complete:
        return np.ones(len(served), np.bool_)
    is_text = centers_within(truth.lines, served).any(axis=0) | centers_within(served, truth.lines).any(axis=1)
    return _lies_in(truth.ignored, served) | (_lies_in(truth.pictures, served) & ~is_text)


def _lies_in(places: Boxes, served: Boxes) -> NDArray[np.bool_]:
    there = centers_within(places, served) & (areas(served)[None, :] <= LARGEST * areas(places)[:, None])
    return np.asarray(there.any(axis=0))
