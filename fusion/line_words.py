"""Which words of which line stand in which box: a line is taken apart only where boxes divide it.

Rule 1: controls as low as words take no words out of a line whose other words are in no box, and no control takes
words out of such a sentence. The line is listed whole, and its controls beside it.

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
CUT_SCORE = 0.55
"""Least score of a box that takes words out of a sentence, or out of a line whose other words are in no box. With 0.6,
1.1 points less of the controls of 157 demo pages are found, and 1.0 point more of what is served are controls."""
CODE_SCORE = 0.75
"""The same for a link in a line of code: none of 10 such with less is a link, on 157 screenshots of demos and 29 of
`packages#dev`."""
DRAWN = ("checkbox", "radio", "switch", "slider", "textbox", "combobox")
"""Roles of controls that are more than their words: their boxes take no sentence apart, whatever OCR read in them."""
WORDLESS, SHORTEST_WORD = ("checkbox", "radio", "switch", "slider"), 3
"""Those without words, and least letters of what is a word in their place."""
IN_TEXT = "link"
"""The role of controls that are words of a text."""
LOW, SPACE = 1.2, 1.5
"""Greatest height of a control that is words of a line, in heights of the line's box, and greatest width of the space
between two, in widths of a letter: monospaced type has one of 1."""
CODE_SIGNS, LEAST_SIGNS = frozenset('{};="“”'), 2
"""Signs of a line of code, and how many of them a row of controls has not."""
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
    """The boxes without unlikely ones on some words of a sentence or of a line of code."""
    dropped: set[int] = set()
    for text, pieces in zip(texts, _pieces_by_line(texts, boxes), strict=True):
        owners = {piece.owner for piece in pieces}
        if len(owners) > 1 and (-1 in owners or _is_sentence(text) or _is_code(text)):
            least = CODE_SCORE if _is_code(text) else CUT_SCORE
            dropped |= {owner for owner in owners if owner >= 0 and _is_doubtful(boxes[owner], least)}
    return [box for place, box in enumerate(boxes) if place not in dropped]


def _is_doubtful(box: PlacedDetection, least: float) -> bool:
    role = role_of(box.label)
    return box.score < (least if role == IN_TEXT else CUT_SCORE) and role not in DRAWN


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
    inside = [boxes[piece.owner] for piece in controls]
    if any(map(_is_drawing, controls, inside)):
        return pieces
    if len(controls) < len(pieces):
        is_text = _is_sentence(text) or all(
            role_of(box.label) == IN_TEXT or box.box.height < LOW * text.box.height for box in inside
        )
    else:
        are_letters = not words[0][0].gap
        is_text = not are_letters and _is_running_text(text, letters, [box.box for box in inside])
    return [Piece(text, -1), *controls] if is_text else pieces


def _is_drawing(piece: Piece, box: PlacedDetection) -> bool:
    """Whether a piece is a tick or the like, read as a letter."""
    return role_of(box.label) in WORDLESS and len(piece.text.text) < SHORTEST_WORD


def _is_code(text: PlacedDetection) -> bool:
    return sum(sign in CODE_SIGNS for sign in text.text) >= LEAST_SIGNS


def _is_sentence(text: PlacedDetection) -> bool:
    return text.text.count(" ") >= SENTENCE


def _is_running_text(text: PlacedDetection, letters: Box, controls: Sequence[Box]) -> bool:
    """Whether controls from left to right are as low as the words of a line, which is code or two of them are a space
    apart."""
    gaps = [after.left - before.right for before, after in pairwise(controls)]
    space = SPACE * letters.width / max(len(text.text), 1)
    is_low = max(box.height for box in controls) < LOW * text.box.height
    return is_low and (_is_code(text) or min(gaps, default=space) < space)


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
