"""Boxes on pieces of words: the first letter of a headline, a syllable. A detector takes large letters for icons.

A control on a line ends where the line has a gap: between words, or between a word and an icon. A side of a box that
stands between two letters cuts a word.

Rule 1: a box that holds a word stays, and so does one whose sides lie in ink, as those of a filled button do.
Rule 2: a tick stays: it stands close to its words, and `tick_shapes` tells what is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from perception.fusion.detector_classes import role_of
from perception.fusion.drawing import differs_from, most_frequent_color
from perception.fusion.line_words import letters_box, take_apart
from perception.fusion.regions import PlacedDetection, SeenRegion, box_rect, place_boxes
from perception.geometry import Box, stack
from perception.types import Detections, Screenshot

ROLES = frozenset({"button", "link", "tab", "menuitem"})
SURE_LINK = 0.75
"""Score from which a link stays: 10 of 13 such on 157 demo pages are controls, and 2 of 30 with less."""
TALLEST, WIDEST = 1.6, 0.85
"""Greatest height of a piece, in heights of its line, and greatest width, in widths of its letters."""
LETTER_GAP = 0.15
"""Of a line's height: least gap between words. Of boxes without words that a smaller one cuts off, none of 34 on
`packages#dev` is a control, and 5 of 89 on pages of 23 packages that nothing was trained on."""
REACH, LEAST_REACH = 0.3, 4.0
"""How far from a side the gap may be, in heights of the line, and at least, CSS px: boxes are off by some px."""
END = 1.5
"""Times the margin of a line's box within which a side is at the end of its letters."""
TRIMMED = 0.1
"""Of a line's height, above and below, that is not looked at: lines above and below, an underline."""
INK_STEP = 40
"""Least difference from the line's most frequent color, of 255 in any channel, of a letter: not its blurred edge."""


def drop_pieces_of_words(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions without boxes on pieces of words.

    Args:
        seen: detections by region.
        screenshot: the pixels that were looked at.
    """
    return tuple(_without_pieces(each, screenshot) for each in seen)


def _without_pieces(seen: SeenRegion, screenshot: Screenshot) -> SeenRegion:
    lines = [line for found in seen.detections for line in _placed(found, seen) if line.text]
    if not lines:
        return seen
    letters = stack(letters_box(line) for line in lines)
    return replace(seen, detections=tuple(_whole(found, seen, lines, letters, screenshot) for found in seen.detections))


def _placed(found: Detections, seen: SeenRegion) -> list[PlacedDetection]:
    columns = zip(place_boxes(found, seen), found.text, found.score.tolist(), found.label, strict=True)
    return [PlacedDetection(box, text, score, seen.region, label) for box, text, score, label in columns]


def _whole(
    found: Detections,
    seen: SeenRegion,
    lines: Sequence[PlacedDetection],
    letters: NDArray[np.float32],
    screenshot: Screenshot,
) -> Detections:
    kept = []
    for row, box in enumerate(_placed(found, seen)):
        on = _line_of(box.box, letters) if _may_be_piece(box) else -1
        if on < 0 or not _is_piece(box, lines[on], screenshot):
            kept.append(row)
    return found if len(kept) == len(found) else found.take(kept)


def _may_be_piece(box: PlacedDetection) -> bool:
    role = role_of(box.label)
    return not box.text and role in ROLES and not (role == "link" and box.score >= SURE_LINK)


def _line_of(box: Box, letters: NDArray[np.float32]) -> int:
    """The first line in which a box's center is and of which it can be a piece; -1 for none."""
    left, top, right, bottom = letters.T
    middle = box.center
    there = (left <= middle.x) & (middle.x <= right) & (top <= middle.y) & (middle.y <= bottom)
    there &= (box.height < TALLEST * (bottom - top)) & (box.width < WIDEST * (right - left))
    return int(there.argmax()) if there.any() else -1


def _is_piece(box: PlacedDetection, line: PlacedDetection, screenshot: Screenshot) -> bool:
    gaps = list(_gaps(box.box, line, screenshot))
    if not gaps or not 0 < min(gaps) < LETTER_GAP * line.box.height:
        return False
    return all(piece.owner < 0 for piece in take_apart([line], [box]))


def _gaps(box: Box, text: PlacedDetection, screenshot: Screenshot) -> Iterator[float]:
    """The widest gap in a line near each side of a box that is within it, CSS px; 0 where there is none."""
    line = text.box
    left, top, right, bottom = box_rect(screenshot, line)
    trimmed = int(TRIMMED * (bottom - top))
    crop = screenshot.pixels[top:bottom, left:right]
    ink = differs_from(most_frequent_color(crop)[0], crop, INK_STEP)[trimmed : bottom - top - trimmed]
    inked: NDArray[np.bool_] = np.asarray(ink.any(axis=0), np.bool_)
    end = END * (letters_box(text).left - line.left)
    reach = max(LEAST_REACH, REACH * line.height) * screenshot.scale
    for side in (box.left, box.right):
        if line.left + end < side < line.right - end:
            at = side * screenshot.scale - left
            near = inked[max(0, int(at - reach)) : int(at + reach) + 1]
            yield max((len(list(run)) for ink, run in groupby(near.tolist()) if not ink), default=0) / screenshot.scale
