"""Which words of which line stand in which box: a line is taken apart only where boxes divide it.

Rule 1: links take no words out of a line whose other words are in no box. A sentence is listed whole, and its links
beside it.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/unit/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from perception.fusion.detector_classes import role_of
from perception.fusion.regions import PlacedDetection
from perception.geometry import Box, stack

WHOLE_LINE = 0.8
"""Least share of a line's letters for a box that holds the line as a whole."""
MIN_WORD = 0.5
"""Least share of a word that a box covers when the word stands in the box."""
CUT_SCORE = 0.6
"""Least score of a box that takes words out of a sentence, or out of a line whose other words are in no box."""
DRAWN = ("checkbox", "radio", "switch", "slider", "textbox", "combobox")
"""Roles of controls that are more than their words: their boxes take no sentence apart, whatever OCR read in them."""
IN_TEXT = "link"
"""The role of controls that are words of a text."""
LOW, SPACE = 1.2, 0.3
"""Greatest height of such a control, and greatest width of the space between two, in heights of a line's box."""
SENTENCE = 7
"""Least spaces in a sentence: a line with fewer may be a row of controls."""
MIN_LETTER_SPACING = 0.8
"""Width of a letter, in heights of its line, from which each letter may stand in a box of its own. Letters of running
text are less than half as wide."""
LINE_END_MARGIN = 0.27
"""Share of a line's height: PP-OCR's box of a line begins about 6 px before its first letter where the box is 22 px
high."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a line.

    Attributes:
        text: the line, or the part of it that these words are.
        owner: index of the box that they stand in; -1 for none.
    """

    text: PlacedDetection
    owner: int


def take_apart(texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection]) -> list[Piece]:
    """The pieces of all lines, from left to right; of a line that stays whole, that one first. A word belongs to the
    smallest box that holds it."""
    return [piece for pieces in _pieces_by_line(texts, boxes) for piece in pieces]


def without_doubtful_cuts(boxes: Sequence[PlacedDetection], texts: Sequence[PlacedDetection]) -> list[PlacedDetection]:
    """The boxes without unlikely ones on some words of a sentence, which would take the sentence apart."""
    dropped: set[int] = set()
    for text, pieces in zip(texts, _pieces_by_line(texts, boxes), strict=True):
        owners = {piece.owner for piece in pieces}
        if len(owners) > 1 and (-1 in owners or text.text.count(" ") >= SENTENCE):
            dropped |= {owner for owner in owners if owner >= 0 and _is_doubtful(boxes[owner])}
    return [box for place, box in enumerate(boxes) if place not in dropped]


def _is_doubtful(box: PlacedDetection) -> bool:
    return box.score < CUT_SCORE and role_of(box.label) not in DRAWN


def _pieces_by_line(texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection]) -> Iterator[Sequence[Piece]]:
    left, top, right, bottom = stack(each.box for each in boxes).T
    by_size = np.argsort([each.box.area for each in boxes], kind="stable")
    for text in texts:
        letters = letters_box(text)
        middle = letters.center.y
        on_line = (
            (top <= middle) & (middle < bottom) & (np.minimum(right, letters.right) > np.maximum(left, letters.left))
        )
        yield _pieces(text, letters, boxes, by_size[on_line[by_size]].tolist())


def _pieces(
    text: PlacedDetection, letters: Box, boxes: Sequence[PlacedDetection], on_line: Sequence[int]
) -> list[Piece]:
    """The pieces of a line, of the boxes on it, the smallest first."""
    around = [place for place in on_line if _shared(boxes[place].box, letters) >= WHOLE_LINE * letters.width]
    within = [place for place in on_line if place not in around]
    outer = around[0] if around else -1
    words = [(word, _owner(word.box, within, boxes, outer)) for word in _words(text)] if within else []
    if all(owner == outer for _, owner in words):
        return [Piece(text, outer)]
    pieces = [
        Piece(_joined(text, [word for word, _ in run]), owner)
        for owner, run in groupby(words, key=lambda each: each[1])
    ]
    controls = [piece for piece in pieces if piece.owner >= 0]
    links = [boxes[piece.owner] for piece in controls]
    if not all(role_of(link.label) == IN_TEXT for link in links):
        return pieces
    are_letters = not words[0][0].gap
    is_text = len(controls) < len(pieces) or (
        not are_letters and _is_running_text(text.box.height, [link.box for link in links])
    )
    return [Piece(text, -1), *controls] if is_text else pieces


def _is_running_text(line_height: float, links: Sequence[Box]) -> bool:
    """Whether links from left to right are as low as the words of a line, and two of them are a space apart."""
    gaps = [after.left - before.right for before, after in pairwise(links)]
    return max(link.height for link in links) < LOW * line_height and min(gaps, default=LOW) < SPACE * line_height


def letters_box(text: PlacedDetection) -> Box:
    """The box of a line without the margins that OCR models leave at its ends."""
    margin = min(LINE_END_MARGIN * text.box.height, 0.25 * text.box.width)
    return Box(text.box.left + margin, text.box.top, text.box.right - margin, text.box.bottom)


def _shared(box: Box, letters: Box) -> float:
    return min(box.right, letters.right) - max(box.left, letters.left)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    box: Box
    gap: str
    """The characters between it and the next word."""


def _words(text: PlacedDetection) -> Iterator[_Word]:
    """The words of a line, with all letters taken as equally wide; its letters where they stand far apart, as in the
    pages `1 2 3 4` read without their spaces."""
    line = letters_box(text)
    width = line.width / max(len(text.text), 1)
    spaced = width >= MIN_LETTER_SPACING * line.height
    at = line.left
    for word in text.text if spaced else text.text.split(" "):
        end = at + width * len(word)
        yield _Word(word, replace(line, left=at, right=end), "" if spaced else " ")
        at = end if spaced else end + width


def _owner(word: Box, places: Sequence[int], boxes: Sequence[PlacedDetection], outer: int) -> int:
    for place in places:
        if _shared(boxes[place].box, word) >= MIN_WORD * word.width:
            return place
    return outer


def _joined(text: PlacedDetection, words: Sequence[_Word]) -> PlacedDetection:
    said = "".join(f"{word.text}{word.gap}" for word in words).strip()
    box = Box(words[0].box.left, text.box.top, words[-1].box.right, text.box.bottom)
    return replace(text, text=said, box=box)
