"""Hints for controls without a name: the nearby text that a person reads as the label.

| control | position of its label |
|---|---|
| checkbox, radio button, switch | to its right, else to its left |
| a field to type or choose in | to its left, else above it |
| an icon | below it |

Rule 1: a hint is not a name: nearby text never becomes the name of a control that the page knows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from perception.fusion.regions import PlacedDetection
from perception.geometry import Box, Boxes, stack
from perception.types import Element, replace_fields

TICKS = frozenset({"checkbox", "radio", "switch"})
LABELED_FIELDS = frozenset({"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider"})

SIDE_GAP, ABOVE_GAP, BELOW_GAP = 24.0, 12.0, 8.0
"""CSS px of gap: common form layouts have 4 to 16 px between a label and its field."""
MOST_OVERLAP = 8.0
"""CSS px that a label may reach into its control: OCR's boxes begin up to 6 px before the first letter, and detected
boxes are off by a few px. Chosen by hand, as is the next; guarded by `tests/unit/fusion/test_label_hints.py`."""
MAX_LABEL_LENGTH = 60
"""Characters: a longer text is a sentence, not a label."""


def hint_by_labels(page: tuple[Element, ...], texts: Sequence[PlacedDetection]) -> tuple[Element, ...]:
    """Sets the hint of controls without a name and a hint to the label next to them, if there is one.

    Args:
        page: elements of the page.
        texts: lines that only vision reads; they may be labels, too.

    Returns:
        `page` itself if no control needs a hint.
    """
    nameless = [index for index, element in enumerate(page) if _needs_hint(element)]
    if not nameless:
        return page
    words = [(each.name, each.box) for each in page if _is_label(each)] + [(each.text, each.box) for each in texts]
    words = [(text, box) for text, box in words if 1 < len(text) <= MAX_LABEL_LENGTH]
    boxes = stack(box for _, box in words)
    hinted = list(page)
    for index in nameless:
        place = _label_of(page[index], boxes)
        if place >= 0:
            hinted[index] = replace_fields(page[index], hint=words[place][0])
    return tuple(hinted)


def label_beside(control: Element, texts: Sequence[Element]) -> int:
    """Index of the text that is a control's label; -1 for none."""
    place = _label_of(control, stack(each.box for each in texts))
    return place if place >= 0 and len(texts[place].name) <= MAX_LABEL_LENGTH else -1


def _needs_hint(element: Element) -> bool:
    bare = not (element.name or element.hint or element.sensitive)
    return element.interactive and bare and element.visible and element.in_viewport


def _is_label(element: Element) -> bool:
    plain = element.role in ("text", "label", "term", "paragraph", "LabelText")
    return plain and element.visible and element.in_viewport and not element.interactive


def _label_of(element: Element, labels: Boxes) -> int:
    """Index of the nearest label on the sides that fit the control's role; -1 for none."""
    if not len(labels):
        return -1
    box = element.box
    sides: tuple[NDArray[np.float64], ...]
    if element.role in TICKS:
        sides = (_right_of(box, labels), _left_of(box, labels))
    elif element.role in LABELED_FIELDS:
        sides = (_left_of(box, labels), _above(box, labels))
    else:
        sides = (_below(box, labels),)
    for gaps in sides:
        place = int(gaps.argmin())
        if np.isfinite(gaps[place]):
            return place
    return -1


def _in_row(box: Box, labels: Boxes) -> NDArray[np.bool_]:
    middle = (labels[:, 1] + labels[:, 3]) / 2
    return np.asarray((middle > box.top) & (middle < box.bottom), bool)


def _gaps(gaps: NDArray[np.float32], fits: NDArray[np.bool_], most: float) -> NDArray[np.float64]:
    return np.where(fits & (gaps >= -MOST_OVERLAP) & (gaps <= most), np.abs(gaps), np.inf).astype(np.float64)


def _right_of(box: Box, labels: Boxes) -> NDArray[np.float64]:
    return _gaps(labels[:, 0] - box.right, _in_row(box, labels), SIDE_GAP)


def _left_of(box: Box, labels: Boxes) -> NDArray[np.float64]:
    return _gaps(box.left - labels[:, 2], _in_row(box, labels), SIDE_GAP)


def _above(box: Box, labels: Boxes) -> NDArray[np.float64]:
    begins = np.abs(labels[:, 0] - box.left) <= SIDE_GAP
    return _gaps(box.top - labels[:, 3], np.asarray(begins, bool), ABOVE_GAP)


def _below(box: Box, labels: Boxes) -> NDArray[np.float64]:
    center = (labels[:, 0] + labels[:, 2]) / 2
    return _gaps(labels[:, 1] - box.bottom, np.asarray(np.abs(center - box.center.x) <= 6, bool), BELOW_GAP)
