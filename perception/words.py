"""How alike what is asked for and what is written are. Pure; any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import OSA

EXACT, SAME_LETTERS, SAME_BASE, SAME_JOINED = 1.0, 0.99, 0.97, 0.95
"""The same text; but for case and white space; but for accents and punctuation; but for where words are joined."""

MIN_ALIKE = 0.7
"""Similarity (OSA: edits and swaps of neighbours over length) below which a word is another word: one slip in four
letters is 0.75, `on` and `ok` are 0.5."""

MAX_COMPARED = 200
"""Characters: nobody asks for more, and what is written at greater length is running text."""

_EDGES = " \t\n:*…?!.,;()[]{}<>\"'«»“”„「」『』|•·–—-"
_WORDS = re.compile(r"\w+")


def likeness(asked: str, said: str) -> float:
    """How well a text that is said on the page fits one that is asked for, in 0 … 1.

    Exact beats what only contains it or is contained, and that beats what has slips; 0 for what has nothing to do
    with it, and where either is empty.
    """
    if not asked or not said:
        return 0.0
    if asked == said:
        return EXACT
    one, other = _fold(asked), _fold(said)
    if not one.letters or not other.letters:
        return 0.0
    if one.letters == other.letters:
        return SAME_LETTERS
    if one.base and one.base == other.base:
        return SAME_BASE
    if one.joined and one.joined == other.joined:
        return SAME_JOINED
    if not one.joined or not other.joined:
        return 0.0  # signs, and others
    held = _containing(one, other)
    return held if held >= 0.6 else max(held, _slipped(one, other))


class _Folded:
    """A text in several degrees of sameness."""

    __slots__ = ("base", "joined", "letters", "words")

    def __init__(self, text: str) -> None:
        shown = " ".join(unicodedata.normalize("NFKC", text[:MAX_COMPARED]).casefold().split())
        self.letters = shown.strip(_EDGES) or shown
        plain = unicodedata.normalize("NFD", self.letters)
        # Marks over Latin, Greek and Cyrillic letters are accents; elsewhere (Devanagari, kana) they are letters.
        kept = (char for char in plain if not "\u0300" <= char <= "\u036f")
        self.words = tuple(_WORDS.findall(unicodedata.normalize("NFC", "".join(kept))))
        self.base = " ".join(self.words)
        self.joined = "".join(self.words)


@lru_cache(maxsize=20_000)
def _fold(text: str) -> _Folded:
    return _Folded(text)


def _containing(asked: _Folded, said: _Folded) -> float:
    """One is a part of the other, in whole words; in scripts without spaces, as it stands."""
    share = min(len(asked.joined), len(said.joined)) / max(len(asked.joined), len(said.joined), 1)
    if asked.words and _is_phrase(asked.words, said.words):
        start = 0.06 if said.words[: len(asked.words)] == asked.words else 0.0
        return 0.6 + 0.28 * share + start
    if said.words and _is_phrase(said.words, asked.words):
        return 0.35 + 0.45 * share
    if asked.words and {*asked.words} <= {*said.words}:
        return 0.52 + 0.28 * share
    if len(asked.joined) >= 2 and asked.joined in said.joined:
        is_start = any(word.startswith(asked.joined) for word in said.words)
        wide = ord(asked.joined[0]) >= 0x2E80  # CJK and what comes after it: written without spaces
        return (0.55 if is_start or wide else 0.35) + 0.3 * share
    return 0.0


def _is_phrase(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    size = len(part)
    return any(whole[start : start + size] == part for start in range(len(whole) - size + 1))


def _slipped(asked: _Folded, said: _Folded) -> float:
    """The same but for slips: as a whole, or word by word where more is said than was asked."""
    whole = OSA.normalized_similarity(asked.joined, said.joined, score_cutoff=MIN_ALIKE)
    best = 0.9 * whole
    if 0 < len(asked.words) <= 6 and len(said.words) <= 20:
        total = 0.0
        for word in asked.words:
            alike = 1.0 if word in said.words else _closest(word, said.words)
            if not alike:
                return best
            total += alike
        share = min(len(asked.joined), len(said.joined)) / max(len(asked.joined), len(said.joined), 1)
        best = max(best, (total / len(asked.words)) * (0.45 + 0.3 * share))
    return best


def _closest(word: str, words: tuple[str, ...]) -> float:
    """How alike the most alike of the words is, 0 where none is alike enough."""
    size = len(word)
    near = (other for other in words if MIN_ALIKE * size <= len(other) <= size / MIN_ALIKE)
    return max((OSA.normalized_similarity(word, other, score_cutoff=MIN_ALIKE) for other in near), default=0.0)
