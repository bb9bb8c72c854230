"""Finds labels of nameless controls: the nearest text before or above them. Pure.

Distances are chosen by hand; guarded by `tests/unit/search/test_find.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from perception.geometry import Box
from perception.types import Element

LABEL_REACH = 48.0
"""Largest gap between a nameless control and its label, CSS px: one line above it, or a short gap before it."""

MAX_NAMELESS = 500
"""Maximum number of nameless controls for which labels are searched; pages with more are tables of icons."""


def find_labels(elements: Sequence[Element]) -> dict[int, str]:
    """The nearest text before or above each nameless control, by the control's index."""
    nameless = [index for index, each in enumerate(elements) if each.interactive and not each.name][:MAX_NAMELESS]
    if not nameless:
        return {}
    texts = [each for each in elements if each.role in ("text", "heading") and each.name and each.visible]
    labels = {}
    for index in nameless:
        box = elements[index].box
        near = [(gap, text.name) for text in texts if (gap := _label_gap(box, text.box)) is not None]
        if near:
            labels[index] = min(near)[1]
    return labels


def _label_gap(box: Box, text: Box) -> float | None:
    """Gap between a box and a text before or above it, CSS px; None if the text is not its label."""
    if min(box.bottom, text.bottom) - max(box.top, text.top) > 0.5 * min(box.height, text.height):
        gap = min(abs(box.left - text.right), abs(text.left - box.right))
    elif text.bottom <= box.top + 2 and min(box.right, text.right) > max(box.left, text.left):
        gap = box.top - text.bottom
    else:
        return None
    return gap if gap <= LABEL_REACH else None
