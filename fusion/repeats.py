"""Boxes that a detector gives one control twice: around its frame, and around its words.

Thresholds are chosen by hand; guarded by `tests/unit/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perception.fusion.line_words import letters_box
from perception.fusion.match import holds_center
from perception.fusion.regions import PlacedDetection
from perception.geometry import areas, intersections, stack

MIN_SHARED = 0.7
"""Share of the smaller box in the larger one from which both may be one control."""
MIN_SIZE = 0.3
"""Least area of the smaller box, in areas of the larger one, if neither holds words."""


def without_repeats(boxes: Sequence[PlacedDetection], texts: Sequence[PlacedDetection]) -> list[PlacedDetection]:
    """The likeliest of the boxes of each control, in the order of `boxes`.

    Two boxes are of one control if most of the smaller one is in the larger one and both hold the same lines, or no
    line and are of about the same size.
    """
    if not boxes:
        return []
    columns = stack(box.box for box in boxes)
    lines = holds_center(columns, stack(letters_box(text) for text in texts))
    size = np.maximum(areas(columns), 1e-6)
    smaller, larger = np.minimum(size[:, None], size[None]), np.maximum(size[:, None], size[None])
    shared = intersections(columns, columns) >= MIN_SHARED * smaller
    alike = (lines[:, :, None] == lines[:, None, :]).all(axis=0) if len(texts) else np.ones_like(shared)
    filled = np.asarray(lines.any(axis=0), bool) if len(texts) else np.zeros(len(boxes), bool)
    one = shared & alike & (filled[:, None] | (smaller >= MIN_SIZE * larger))
    kept: list[int] = []
    for place in sorted(range(len(boxes)), key=lambda place: (-boxes[place].score, size[place], place)):
        if not one[place, kept].any():
            kept.append(place)
    return [boxes[place] for place in sorted(kept)]
