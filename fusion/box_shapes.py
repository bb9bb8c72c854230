"""Shapes of detected boxes: which kind of control a box has the size and the proportions of.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perception.fusion.match import holds_center
from perception.fusion.regions import PlacedDetection
from perception.geometry import Box, Boxes, areas, stack

BUTTON_MIN_HEIGHT, BUTTON_MAX_HEIGHT = 12, 64
"""From a badge to a large call to action."""
BUTTON_MAX_WIDTH = 320
BUTTON_MIN_TEXT = 0.3
"""Least share of a button's width that its text takes, unless the button is about square."""
CENTERED = 0.12
"""Largest distance between the centers of text and box, as a share of the box's side; at least 4 px."""
FIELD_MIN_HEIGHT, FIELD_MAX_HEIGHT, FIELD_MIN_WIDTH = 16, 60, 80
FIELD_MIN_ASPECT = 2.5
"""Least width of a text field, in heights."""
FIELD_MAX_TEXT = 0.7
"""Largest share of a text field's width that its text takes: a field has room for more text than it holds_center."""
BORDER_GAP = 3
"""Largest gap between two frames that share a border: one pixel of line and one of blur on either side."""


@dataclass(frozen=True, slots=True)
class DetectedBox:
    """A detected box with what is in it and next to it.

    Attributes:
        detection: the box, CSS px of the viewport.
        texts: indices of the texts in it, in the region's list of texts.
        holds_boxes: it contains the center of a smaller box.
        touches_beside: another box shares its left or right border.
        touches_above: another box shares its top or bottom border.
    """

    detection: PlacedDetection
    texts: tuple[int, ...]
    holds_boxes: bool
    touches_beside: bool
    touches_above: bool

    @property
    def box(self) -> Box:
        return self.detection.box


def assign_texts(texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection]) -> list[DetectedBox]:
    """Assigns each text to the smallest box that holds_center its center.

    Returns:
        One DetectedBox for each of `boxes`, in their order.
    """
    text_columns, columns = stack(text.box for text in texts), stack(box.box for box in boxes)
    size = areas(columns)
    owner = [-1] * len(texts)
    if boxes:
        around = holds_center(columns, text_columns)
        smallest = np.where(around, size[None, :], np.inf).argmin(axis=1)
        owner = [int(column) if around[row, column] else -1 for row, column in enumerate(smallest)]
    nested = holds_center(columns, columns) & (size[None, :] > size[:, None])
    beside, above = _shared_borders(columns)
    return [
        DetectedBox(
            detection=box,
            texts=tuple(row for row, column in enumerate(owner) if column == place),
            holds_boxes=bool(nested[:, place].max(initial=False)),
            touches_beside=bool(beside[place]),
            touches_above=bool(above[place]),
        )
        for place, box in enumerate(boxes)
    ]


def is_button_size(box: Box) -> bool:
    return BUTTON_MIN_HEIGHT <= box.height <= BUTTON_MAX_HEIGHT and box.width <= BUTTON_MAX_WIDTH


def is_field_shape(box: Box) -> bool:
    return (
        FIELD_MIN_HEIGHT <= box.height <= FIELD_MAX_HEIGHT
        and box.width >= FIELD_MIN_WIDTH
        and box.width >= FIELD_MIN_ASPECT * box.height
    )


def is_centered(text: Box, box: Box) -> bool:
    """Whether a text stands in the middle of a box, and takes enough of it, as the label of a button does."""
    dx, dy = abs(text.center.x - box.center.x), abs(text.center.y - box.center.y)
    middle = dx <= max(4, CENTERED * box.width) and dy <= max(4, CENTERED * box.height)
    return middle and (text.width >= BUTTON_MIN_TEXT * box.width or box.width <= 2 * box.height)


def is_left_aligned(text: Box, box: Box) -> bool:
    """Whether a text stands at the left end of a box and leaves room, as the text of a field does."""
    return text.left - box.left <= box.height and text.width <= FIELD_MAX_TEXT * box.width


def _shared_borders(columns: Boxes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(N,) each: whether another box shares most of a border to the left or right; above or below."""
    low = np.maximum(columns[:, None, :2], columns[None, :, :2])
    high = np.minimum(columns[:, None, 2:], columns[None, :, 2:])
    sides = columns[:, 2:] - columns[:, :2]
    shared = (high - low) / np.maximum(np.minimum(sides[:, None], sides[None, :]), 1)
    gap = np.abs(low - high) <= BORDER_GAP
    beside, above = gap[..., 0] & (shared[..., 1] >= 0.5), gap[..., 1] & (shared[..., 0] >= 0.5)
    return beside.max(axis=1, initial=False), above.max(axis=1, initial=False)
