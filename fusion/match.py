"""Which element says what was seen.

Rule 1: the page's word is taken; what was seen is matched to it, never the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from perception.fusion.frames import Sight
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.words import fold, is_part, is_same
from perception.geometry import Boxes, areas, coverage, iou, stack
from perception.types import Element, Opaque

HALF = 0.5
"""Share of one box in another from which it lies there rather than beside it."""

_INFEASIBLE = 1e6


@dataclass(frozen=True, slots=True)
class Candidates:
    """Elements that can be seen, as columns. `index` (M,) is their place in the whole list."""

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
    """Something that is clicked as a whole, so that whatever is painted in it is its own."""
    wide, high = largest
    drawn = element.opaque in (Opaque.CANVAS, Opaque.VIDEO, Opaque.FRAME, Opaque.BACKGROUND) or element.role == "canvas"
    return element.interactive and not drawn and element.box.width <= wide and element.box.height <= high


def explain_texts(sights: Sequence[Sight], page: Candidates) -> dict[int, tuple[int, ...]]:
    """Finds the elements that already say a text.

    First each text is given to at most one element and each element to at most one text, so that the total of
    overlap and likeness is greatest (Hungarian algorithm). Then a text may be a line of a longer one, or several
    elements in a row.

    Returns:
        For each explained text, by its place in `sights`, the elements by their place in the whole list.
    """
    if not sights or not len(page.index):
        return {}
    boxes = stack(sight.box for sight in sights)
    near = (coverage(boxes, page.boxes) >= HALF) | (coverage(page.boxes, boxes).T >= HALF)
    said = [fold(sight.text) for sight in sights]
    pairs = _assign_alike(said, page, near, iou(boxes, page.boxes))
    explained: dict[int, tuple[int, ...]] = {row: (int(page.index[column]),) for row, column in pairs}
    within = coverage(page.boxes, boxes).T >= HALF
    for row in set(range(len(sights))) - set(explained):
        found = _find_parts(said[row], page, near[row], within[row])
        if found:
            explained[row] = tuple(int(page.index[column]) for column in found)
    return explained


def explain_boxes(sights: Sequence[Sight], page: Candidates, same_box: float) -> dict[int, int]:
    """Gives each box to at most one element and each element to at most one box, by overlap.

    Returns:
        For each explained box, by its place in `sights`, the element by its place in the whole list.
    """
    if not sights or not len(page.index):
        return {}
    overlap = iou(stack(sight.box for sight in sights), page.boxes)
    pairs = _assign(np.where(overlap >= same_box, 1 - overlap, _INFEASIBLE))
    return {row: int(page.index[column]) for row, column in pairs}


def find_controls(sights: Sequence[Sight], page: Candidates) -> list[int]:
    """For each sight the smallest control that holds its center, by its place in the whole list; -1 for none."""
    if not len(page.index):
        return [-1] * len(sights)
    inside = holds(page.boxes, stack(sight.box for sight in sights)) & page.control[None, :]
    size = np.where(inside, areas(page.boxes)[None, :], np.inf)
    best = size.argmin(axis=1)
    return [int(page.index[column]) if inside[row, column] else -1 for row, column in enumerate(best)]


def holds(outer: Boxes, inner: Boxes) -> NDArray[np.bool_]:
    """(N, M): the center of each of N inner boxes lies in each of M outer ones."""
    center = (inner[:, None, :2] + inner[:, None, 2:]) / 2
    return np.asarray(((center >= outer[None, :, :2]) & (center < outer[None, :, 2:])).min(axis=2), bool)


def _words(element: Element) -> str:
    return fold(f"{element.name} {element.value} {element.text}")


def _assign_alike(
    said: Sequence[str], page: Candidates, near: NDArray[np.bool_], overlap: NDArray[np.float32]
) -> list[tuple[int, int]]:
    cost = np.full(near.shape, _INFEASIBLE)
    for row, column in np.argwhere(near):
        if is_same(said[row], page.words[column]):
            # An element is worth most where it says exactly this, then where it fits best.
            cost[row, column] = (said[row] != page.words[column]) + 1 - overlap[row, column]
    return _assign(cost)


def _assign(cost: NDArray[np.floating]) -> list[tuple[int, int]]:
    # Rows and columns without a chance only cost time: most elements are near nothing that was seen.
    rows, columns = (np.flatnonzero((cost < _INFEASIBLE).any(axis=axis)) for axis in (1, 0))
    chosen = zip(*linear_sum_assignment(cost[np.ix_(rows, columns)]), strict=True)
    pairs = [(int(rows[row]), int(columns[column])) for row, column in chosen]
    return [(row, column) for row, column in pairs if cost[row, column] < _INFEASIBLE]


def _find_parts(said: str, page: Candidates, near: NDArray[np.bool_], within: NDArray[np.bool_]) -> list[int]:
    """Elements of which the text is a part, or that are its parts from left to right."""
    for column in near.nonzero()[0]:
        words = page.words[column]
        if (len(words) > len(said) or page.control[column]) and (is_part(said, words) or is_same(said, words)):
            return [int(column)]
    row = sorted((int(column) for column in within.nonzero()[0]), key=lambda column: page.boxes[column, 0])
    return row if is_same(said, "".join(page.words[column] for column in row)) else []
