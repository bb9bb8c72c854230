"""Matches detections to the page's elements: which element explains a text or a box.

Rule 1: the page's own facts are taken as true; detections are matched to them, never the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.regions import PlacedDetection
from perception.fusion.scipy_parts import linear_sum_assignment
from perception.fusion.text_match import fold, is_part, is_same
from perception.geometry import Boxes, areas, coverage, iou, stack
from perception.types import Element, Opaque

MIN_INSIDE = 0.5
"""Share of one box in another from which it is inside it rather than next to it."""

_INFEASIBLE = 1e6
"""Cost of a pair that cannot match: greater than the cost of any pair that can."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The visible elements of a page in the viewport, as columns.

    Attributes:
        index: (M,) indices in the list of all elements.
        boxes: (M, 4) xyxy, CSS px of the viewport.
        words: (M,) folded names, values and texts.
        control: (M,) whether the element is clicked as a whole.
    """

    index: NDArray[np.intp]
    boxes: Boxes
    words: tuple[str, ...]
    control: NDArray[np.bool_]

    @classmethod
    def of(cls, elements: Sequence[Element], parameters: FusionParameters = DEFAULTS) -> Candidates:
        index = [row for row, element in enumerate(elements) if element.visible and element.in_viewport]
        return cls(
            index=np.asarray(index, np.intp),
            boxes=stack(elements[row].box for row in index),
            words=tuple(_words(elements[row]) for row in index),
            control=np.asarray([is_control(elements[row], parameters.largest_control) for row in index], bool),
        )


def is_control(element: Element, largest: tuple[float, float]) -> bool:
    """Whether an element is clicked as a whole, so that everything painted in it belongs to it.

    Args:
        element: any element.
        largest: (width, height), CSS px; a larger element is not a control.
    """
    wide, high = largest
    drawn = element.opaque in (Opaque.CANVAS, Opaque.VIDEO, Opaque.FRAME, Opaque.BACKGROUND) or element.role == "canvas"
    return element.interactive and not drawn and element.box.width <= wide and element.box.height <= high


def match_texts(detections: Sequence[PlacedDetection], page: Candidates) -> dict[int, tuple[int, ...]]:
    """Finds the elements whose words contain a detected text.

    First each text is assigned to at most one element and each element to at most one text, so that the total of
    overlap and text similarity is greatest (Hungarian algorithm). Each text that is left may be a line of a longer
    text, or several elements in a row.

    Returns:
        For each explained text, by its index in `detections`, the indices of its elements in the list of all elements.
    """
    if not detections or not len(page.index):
        return {}
    boxes = stack(detection.box for detection in detections)
    near = (coverage(boxes, page.boxes) >= MIN_INSIDE) | (coverage(page.boxes, boxes).T >= MIN_INSIDE)
    said = [fold(detection.text) for detection in detections]
    pairs = _assign_texts(said, page, near, iou(boxes, page.boxes))
    explained: dict[int, tuple[int, ...]] = {row: (int(page.index[column]),) for row, column in pairs}
    within = coverage(page.boxes, boxes).T >= MIN_INSIDE
    for row in set(range(len(detections))) - set(explained):
        found = _find_parts(said[row], page, near[row], within[row])
        if found:
            explained[row] = tuple(int(page.index[column]) for column in found)
    return explained


def match_boxes(detections: Sequence[PlacedDetection], page: Candidates, same_box: float) -> dict[int, int]:
    """Assigns each box to at most one element and each element to at most one box, by overlap.

    Args:
        detections: boxes, CSS px of the viewport.
        page: candidates for a match.
        same_box: least intersection over union of a pair.

    Returns:
        For each explained box, by its index in `detections`, the index of its element in the list of all elements.
    """
    if not detections or not len(page.index):
        return {}
    overlap = iou(stack(detection.box for detection in detections), page.boxes)
    pairs = _assign(np.where(overlap >= same_box, 1 - overlap, _INFEASIBLE))
    return {row: int(page.index[column]) for row, column in pairs}


def find_controls(detections: Sequence[PlacedDetection], page: Candidates) -> list[int]:
    """For each detection the smallest control that holds its center, by its index in all elements; -1 for none."""
    if not len(page.index):
        return [-1] * len(detections)
    inside = holds_center(page.boxes, stack(detection.box for detection in detections)) & page.control[None, :]
    size = np.where(inside, areas(page.boxes)[None, :], np.inf)
    best = size.argmin(axis=1)
    return [int(page.index[column]) if inside[row, column] else -1 for row, column in enumerate(best)]


def holds_center(outer: Boxes, inner: Boxes) -> NDArray[np.bool_]:
    """(N, M): whether the center of each of N inner boxes is in each of M outer boxes."""
    center = (inner[:, None, :2] + inner[:, None, 2:]) / 2
    return np.asarray(((center >= outer[None, :, :2]) & (center < outer[None, :, 2:])).min(axis=2), bool)


def _words(element: Element) -> str:
    return fold(f"{element.name} {element.value} {element.text}")


def _assign_texts(
    said: Sequence[str], page: Candidates, near: NDArray[np.bool_], overlap: NDArray[np.float32]
) -> list[tuple[int, int]]:
    cost = np.full(near.shape, _INFEASIBLE)
    for row, column in np.argwhere(near):
        if is_same(said[row], page.words[column]):
            # An exact match of the text costs least, then the best overlap.
            cost[row, column] = (said[row] != page.words[column]) + 1 - overlap[row, column]
    return _assign(cost)


def _assign(cost: NDArray[np.floating]) -> list[tuple[int, int]]:
    # Rows and columns without a feasible pair only cost time: most elements are near no detection.
    rows, columns = (np.flatnonzero((cost < _INFEASIBLE).any(axis=axis)) for axis in (1, 0))
    chosen = zip(*linear_sum_assignment(cost[np.ix_(rows, columns)]), strict=True)
    pairs = [(int(rows[row]), int(columns[column])) for row, column in chosen]
    return [(row, column) for row, column in pairs if cost[row, column] < _INFEASIBLE]


def _find_parts(said: str, page: Candidates, near: NDArray[np.bool_], within: NDArray[np.bool_]) -> list[int]:
    """The element that the text is a part of, or the elements that are its parts from left to right."""
    for column in near.nonzero()[0]:
        words = page.words[column]
        if (len(words) > len(said) or page.control[column]) and (is_part(said, words) or is_same(said, words)):
            return [int(column)]
    row = sorted((int(column) for column in within.nonzero()[0]), key=lambda column: page.boxes[column, 0])
    return row if is_same(said, "".join(page.words[column] for column in row)) else []
