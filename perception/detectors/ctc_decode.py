"""Decodes the output of a text recognition network: letters, their positions, and the gaps between words. Pure.

Rule 1: positions are columns of the crop, px from its left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from perception.detectors.line_rows import Ink

WORD_GAP = 0.35
"""Least gap between two letters that is a space, in heights of the line's ink: a space is a quarter of an em in common
fonts, and ink is at most as high as an em."""
LOOSE = 2.0
"""Least gap that is a space, in medians of the line's gaps, so that spaced-out letters stay one word. Chosen by hand;
guarded by `tests/unit/detectors/test_ctc_decode.py`, as the two below."""
PIECE_GAP = 1.6
"""Least gap that separates two pieces of text (cells, tabs, labels), in heights of the line's ink."""
UNREAD = 2.0
"""The same from letter to letter, if ink between them was read as nothing: a radio button, an icon."""
LINE_END_MARGIN = 0.27
"""Share of a line's height: the network's own boxes begin about 6 px before the first letter where they are 22 px
high."""


@dataclass(frozen=True, slots=True)
class CtcReading:
    """Text that was read in a crop.

    Attributes:
        letters: the letters from left to right.
        at: (N,) column of each letter's center, px of the crop.
        odds: (N,) probability of each letter, 0 to 1.
        script: the script of a line whose letters the network does not know; "" for others.
        script_odds: probability of that, 0 to 1.
        doubtful: the script of a line that may be one of these.
    """

    letters: tuple[str, ...]
    at: NDArray[np.float64]
    odds: NDArray[np.float32]
    script: str = ""
    script_odds: float = 0.0
    doubtful: str = ""

    @property
    def text(self) -> str:
        return "".join(self.letters).strip()

    @property
    def score(self) -> float:
        """Mean probability of the letters; 0 if there are none."""
        return float(self.odds.mean()) if len(self.odds) else 0.0


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a line's text.

    Attributes:
        text: the text.
        score: mean probability of its letters, 0 to 1.
        left: first column of its box, px of the crop; may be negative.
        right: column after its box; may exceed the crop's width.
        label: the class of its detection; "" for text that was read.
    """

    text: str
    score: float
    left: int
    right: int
    label: str = ""


def decode(odds: NDArray[np.float32], alphabet: Sequence[str], width: int) -> CtcReading:
    """Greedy decoding of connectionist temporal classification: repeats are one letter, class 0 is a blank.

    Args:
        odds: (T, C) probabilities, one row for each step from left to right.
        alphabet: letters of the C classes.
        width: width of the crop, px.
    """
    best = odds.argmax(axis=1)
    fresh = np.flatnonzero((best != 0) & np.diff(best, prepend=0).astype(bool))
    # A letter spans several steps: its position is their middle.
    ends = np.flatnonzero(np.diff(best, append=-1).astype(bool))
    last = ends[np.searchsorted(ends, fresh)]
    at = ((fresh + last) / 2 + 0.5) * width / len(best)
    return CtcReading(tuple(alphabet[label] for label in best[fresh]), at, odds[fresh, best[fresh]])


def split(reading: CtcReading, ink: Ink) -> list[TextPiece]:
    """Splits a line into pieces of text, and inserts the spaces between words that the network left out.

    Args:
        reading: text of the crop.
        ink: (H, W) ink of the crop.

    Returns:
        Pieces from left to right; one for most lines, none if nothing was read.
    """
    width = ink.shape[1]
    filled = np.asarray(ink.max(axis=0, initial=0) > 0, bool)
    rows = np.flatnonzero(ink.any(axis=1))
    if not reading.text or not len(rows):
        return [TextPiece(reading.text, reading.score, 0, width)] if reading.text else []
    height = int(rows[-1] - rows[0]) + 1
    columns = np.flatnonzero(filled)
    # The network's positions are off by a few columns: move them to the nearest ink.
    on_ink = columns[np.abs(columns[None, :] - reading.at[:, None]).argmin(axis=1)]
    gaps = [_gap(filled, int(first), int(second)) for first, second in pairwise(on_ink)]
    inner = [right - left for (left, right), pair in zip(gaps, _letters(reading), strict=True) if " " not in pair]
    usual = float(np.median(inner)) if inner else 0.0
    words: list[str] = []
    pieces: list[TextPiece] = []
    start, left = 0, _reach(filled, reading.at[0], -1, WORD_GAP * height)
    for place, (letter, follower) in enumerate(pairwise(reading.letters)):
        words.append(letter)
        blank_left, blank_right = gaps[place]
        blank, is_spaced = blank_right - blank_left, " " in (letter, follower)
        unread = reading.at[place + 1] - reading.at[place] > UNREAD * height and not is_spaced
        if blank > PIECE_GAP * height or unread:
            pieces += _piece(words, reading.odds[start : place + 1], left, blank_left)
            words, start, left = [], place + 1, blank_right
        elif _uses_spaces(letter, follower) and blank > max(WORD_GAP * height, LOOSE * usual):
            words.append(" ")
    words.append(reading.letters[-1])
    last = _reach(filled, reading.at[-1], 1, WORD_GAP * height) + 1
    pieces += _piece(words, reading.odds[start:], left, last)
    return _with_margins(pieces, ink.shape[0])


def word_spans(ink: Ink) -> list[tuple[int, int]]:
    """First column and column after the last of each word in the (H, W) ink of a line, with half of the gap to the next
    at both ends; none without ink."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return []
    wide = np.flatnonzero(np.diff(columns) > WORD_GAP * (rows[-1] - rows[0] + 1))
    middles = [(int(columns[at]) + int(columns[at + 1]) + 1) // 2 for at in wide.tolist()]
    return list(pairwise([0, *middles, ink.shape[1]]))


def _piece(words: list[str], odds: NDArray[np.float32], left: int, right: int) -> list[TextPiece]:
    text = "".join(words).strip()
    return [TextPiece(text, float(odds.mean()), left, max(right, left + 1))] if text else []


def _with_margins(pieces: list[TextPiece], height: int) -> list[TextPiece]:
    """Adds a margin to both ends of each piece, as boxes of lines have above and below; it may exceed the crop."""
    margin = round(LINE_END_MARGIN * height)
    return [replace(each, left=each.left - margin, right=each.right + margin) for each in pieces]


def _letters(reading: CtcReading) -> list[tuple[str, str]]:
    return list(zip(reading.letters[:-1], reading.letters[1:], strict=True))


def _gap(filled: NDArray[np.bool_], first: int, second: int) -> tuple[int, int]:
    """First and last column of the widest blank between two letters' centers; an empty range if there is none."""
    blank = np.flatnonzero(~filled[first : second + 1])
    if not len(blank):
        return second, second
    runs = np.split(blank, np.flatnonzero(np.diff(blank) > 1) + 1)
    widest = max(runs, key=len)
    return first + int(widest[0]), first + int(widest[-1]) + 1


def _reach(filled: NDArray[np.bool_], at: float, step: int, gap: float) -> int:
    """The last column of ink from a letter to the next gap: an icon after the gap is not part of the text."""
    column = last = min(int(at), len(filled) - 1)
    while 0 <= column < len(filled) and abs(column - last) <= gap:
        last = column if filled[column] else last
        column += step
    return last


def _uses_spaces(first: str, second: str) -> bool:
    """Whether both letters belong to scripts that separate words by spaces."""
    return _is_spacing(first) and _is_spacing(second)


def _is_spacing(letter: str) -> bool:
    return letter.isalnum() and ord(letter) < 0x2E80
