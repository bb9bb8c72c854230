"""Boxes that a detector gives one control twice: around its frame, around its words, around an icon or a badge in it.

Thresholds are chosen by hand; guarded by `tests/unit/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perception.fusion.detector_classes import role_of
from perception.fusion.line_words import letters_box
from perception.fusion.match import holds_center
from perception.fusion.regions import PlacedDetection
from perception.geometry import areas, intersections, stack, union

MIN_SHARED = 0.7
"""Share of the smaller box in the larger one from which both may be one control."""
MIN_SIZE = 0.3
"""Least area of the smaller box, in areas of the larger one, if neither holds words."""
WHOLE_CONTROLS = frozenset({"button", "link", "tab", "combobox"})
"""Roles of controls that hold no other: a field may have a button in it, and a line of a list, too."""
INSIDE, TALLEST, SURER = 0.85, 64.0, 0.1
"""Least share of a box in a larger one that it is a part of; greatest height of that one, CSS px: it is not a card; and
by how much surer the inner box is if it is a control of its own, and the larger one is none. On `packages#train` (66
screenshots) 2 of 375 such boxes with less are controls, and 12 of 17 with more; without the others 62 % of what is
served is right, in place of 53 %."""


JOINED, SAME_ROW, AS_HIGH = 0.15, 0.7, 0.6
"""Least shares of two pieces of a link: of the narrower one that is in the other, of the lower one that is beside the
other, and of the higher one's height that the lower one has."""


def join_links(boxes: Sequence[PlacedDetection]) -> list[PlacedDetection]:
    """The boxes with those of links that overlap in a row as one: a detector takes a long link for several."""
    joined: list[PlacedDetection] = []
    for box in sorted(boxes, key=lambda each: each.box.left):
        before = next((place for place, each in enumerate(joined) if _is_one_link(each, box)), -1)
        if before < 0:
            joined.append(box)
        else:
            other = joined[before]
            surer = max(other, box, key=lambda each: each.score)
            joined[before] = replace(surer, box=union([other.box, box.box]))
    return joined


def _is_one_link(one: PlacedDetection, other: PlacedDetection) -> bool:
    if not role_of(one.label) == role_of(other.label) == "link":
        return False
    first, second = one.box, other.box
    across = min(first.right, second.right) - max(first.left, second.left)
    down = min(first.bottom, second.bottom) - max(first.top, second.top)
    low, high = sorted((first.height, second.height))
    return across >= JOINED * min(first.width, second.width) and down >= SAME_ROW * low and low >= AS_HIGH * high


def without_repeats(boxes: Sequence[PlacedDetection], texts: Sequence[PlacedDetection]) -> list[PlacedDetection]:
    """The likeliest of the boxes of each control, in the order of `boxes`.

    Two boxes are of one control if most of the smaller one is in the larger one and both hold the same lines, or no
    line and are of about the same size; or if the smaller one is in a low control that holds no other.
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
    return _without_parts([boxes[place] for place in sorted(kept)])


def _without_parts(boxes: Sequence[PlacedDetection]) -> list[PlacedDetection]:
    """The boxes without those in a low control that holds no other, unless they are much surer than it."""
    columns, score = stack(box.box for box in boxes), np.asarray([box.score for box in boxes])
    size = np.maximum(areas(columns), 1e-6)
    within = (intersections(columns, columns) >= INSIDE * size[:, None]) & (size[:, None] < INSIDE * size[None])
    whole = np.asarray([(role_of(box.label) or "button") in WHOLE_CONTROLS for box in boxes], bool)
    whole &= columns[:, 3] - columns[:, 1] <= TALLEST
    parts = (within & whole[None] & (score[:, None] - score[None] < SURER)).any(axis=1)
    return [box for box, part in zip(boxes, parts.tolist(), strict=True) if not part]
