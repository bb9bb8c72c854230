"""From a recognition network's odds to words: which letters, where they stand, and the gaps between them. Pure.

Rule 1: places are columns of the crop that was read, from its left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from perception.detectors.lines import Ink

WORD_GAP = 0.35
"""Of a line's ink height, from which a gap between two letters is a space: one is a quarter of an em in common fonts,
and ink is at most as high as an em."""
LOOSE = 2.0
"""A gap is a space only if it is this many times the line's usual gap, so that spaced-out letters stay one word."""
PIECE_GAP = 1.6
"""Of a line's ink height, from which what follows a gap is another piece of text: a cell, a tab, a label."""
END_MARGIN = 0.27
"""Of a line's height: the network's own boxes begin about 6 px before the first letter where they are 22 px high."""
UNREAD = 2.0
"""The same from letter to letter, where ink lies between the two that was read as nothing: a radio button, an icon."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a crop: letters, the column that each stands at, and how sure each is, 0 … 1."""

    letters: tuple[str, ...]
    at: NDArray[np.float64]
    odds: NDArray[np.float32]

    @property
    def text(self) -> str:
        return "".join(self.letters).strip()

    @property
    def score(self) -> float:
        """The mean over letters; 0 for none."""
        return float(self.odds.mean()) if len(self.odds) else 0.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line's text, and the columns that its box takes; they may lie beyond the crop's."""

    text: str
    score: float
    left: int
    right: int


def decode(odds: NDArray[np.float32], alphabet: Sequence[str], width: int) -> Reading:
    """Connectionist temporal classification, greedy: repeats are one letter, class 0 is the gap between two.

    Args:
        odds: (T, C), a row for each step from the crop's left to its right.
        alphabet: the C classes' letters.
        width: of the crop, px.
    """
    best = odds.argmax(axis=1)
    fresh = np.flatnonzero((best != 0) & np.diff(best, prepend=0).astype(bool))
    # A letter is held for some steps: it stands in their middle.
    ends = np.flatnonzero(np.diff(best, append=-1).astype(bool))
    last = ends[np.searchsorted(ends, fresh)]
    at = ((fresh + last) / 2 + 0.5) * width / len(best)
    return Reading(tuple(alphabet[label] for label in best[fresh]), at, odds[fresh, best[fresh]])


def split(reading: Reading, ink: Ink) -> list[Piece]:
    """The pieces of text in a line, with the spaces between words that the network left out.

    Args:
        ink: (H, W) of the crop, where letters are.

    Returns:
        From left to right; one for most lines, none where nothing was read.
    """
    width = ink.shape[1]
    filled = np.asarray(ink.max(axis=0, initial=0) > 0, bool)
    rows = np.flatnonzero(ink.any(axis=1))
    if not reading.text or not len(rows):
        return [Piece(reading.text, reading.score, 0, width)] if reading.text else []
    height = int(rows[-1] - rows[0]) + 1
    columns = np.flatnonzero(filled)
    # The network places a letter within a few columns: on ink, at least.
    on_ink = columns[np.abs(columns[None, :] - reading.at[:, None]).argmin(axis=1)]
    gaps = [_gap(filled, int(first), int(second)) for first, second in pairwise(on_ink)]
    inner = [right - left for (left, right), pair in zip(gaps, _letters(reading), strict=True) if " " not in pair]
    usual = float(np.median(inner)) if inner else 0.0
    words: list[str] = []
    pieces: list[Piece] = []
    start, left = 0, _reach(filled, reading.at[0], -1, WORD_GAP * height)
    for place, (letter, follower) in enumerate(pairwise(reading.letters)):
        words.append(letter)
        blank_left, blank_right = gaps[place]
        blank, is_spaced = blank_right - blank_left, " " in (letter, follower)
        unread = reading.at[place + 1] - reading.at[place] > UNREAD * height and not is_spaced
        if blank > PIECE_GAP * height or unread:
            pieces += _piece(words, reading.odds[start : place + 1], left, blank_left)
            words, start, left = [], place + 1, blank_right
        elif _parts_words(letter, follower) and blank > max(WORD_GAP * height, LOOSE * usual):
            words.append(" ")
    words.append(reading.letters[-1])
    last = _reach(filled, reading.at[-1], 1, WORD_GAP * height) + 1
    pieces += _piece(words, reading.odds[start:], left, last)
    return _with_margins(pieces, ink.shape[0])


def _piece(words: list[str], odds: NDArray[np.float32], left: int, right: int) -> list[Piece]:
    text = "".join(words).strip()
    return [Piece(text, float(odds.mean()), left, max(right, left + 1))] if text else []


def _with_margins(pieces: list[Piece], height: int) -> list[Piece]:
    """Boxes of lines reach beyond their ink above and below; so they do at their ends, beyond the crop if need be."""
    margin = round(END_MARGIN * height)
    return [replace(each, left=each.left - margin, right=each.right + margin) for each in pieces]


def _letters(reading: Reading) -> list[tuple[str, str]]:
    return list(zip(reading.letters[:-1], reading.letters[1:], strict=True))


def _gap(filled: NDArray[np.bool_], first: int, second: int) -> tuple[int, int]:
    """The widest blank between two letters' middles; an empty one at the first for none."""
    blank = np.flatnonzero(~filled[first : second + 1])
    if not len(blank):
        return second, second
    runs = np.split(blank, np.flatnonzero(np.diff(blank) > 1) + 1)
    widest = max(runs, key=len)
    return first + int(widest[0]), first + int(widest[-1]) + 1


def _reach(filled: NDArray[np.bool_], at: float, step: int, gap: float) -> int:
    """The last column of ink from a letter on, up to the next gap: an icon beyond it is not part of the text."""
    column = last = min(int(at), len(filled) - 1)
    while 0 <= column < len(filled) and abs(column - last) <= gap:
        last = column if filled[column] else last
        column += step
    return last


def _parts_words(first: str, second: str) -> bool:
    """Scripts that part words by spaces, and no digit groups: `1 000` and `12:30` are spaced as they are read."""
    return _is_spacing(first) and _is_spacing(second)


def _is_spacing(letter: str) -> bool:
    return letter.isalnum() and ord(letter) < 0x2E80
