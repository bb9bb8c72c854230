"""Text similarity between a query and text of a page, in any script. Pure.

The weights are chosen by hand; guarded by `tests/unit/search/test_find.py`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import OSA

from perception.invisible import without_invisible

EXACT, SAME_LETTERS, SAME_BASE, SAME_JOINED = 1.0, 0.99, 0.97, 0.95
"""Equal texts; equal without case and white space; without accents and punctuation; without spaces between words."""

MIN_ALIKE = 0.7
"""Least similarity (OSA: edits and swaps of adjacent letters over length) of misspelled words: one error in four
letters is 0.75, `on` and `ok` are 0.5."""

MAX_COMPARED = 200
"""Characters: queries are shorter, and longer texts are running text."""

_EDGES = " \t\n:*…?!.,;()[]{}<>\"'«»“”„「」『』|•·–—-"
_WORD_PATTERN = re.compile(r"\w+")


def likeness(asked: str, said: str) -> float:
    """How well a text of the page fits a text of the query, 0 to 1.

    Equal texts rank before texts that contain each other, and these before misspelled ones; 0 for unrelated texts, and
    if either is empty.
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
        return 0.0  # different signs without letters
    held = _containing(one, other)
    return held if held >= 0.6 else max(held, _misspelled(one, other))


class _Folded:
    """A text in several normal forms."""

    __slots__ = ("base", "joined", "letters", "words")

    def __init__(self, text: str) -> None:
        shown = " ".join(unicodedata.normalize("NFKC", without_invisible(text[:MAX_COMPARED])).casefold().split())
        self.letters = shown.strip(_EDGES) or shown
        plain = unicodedata.normalize("NFD", self.letters)
        # Marks over Latin, Greek and Cyrillic letters are accents; elsewhere (Devanagari, kana) they are letters.
        kept = (char for char in plain if not "\u0300" <= char <= "\u036f")
        self.words = tuple(_WORD_PATTERN.findall(unicodedata.normalize("NFC", "".join(kept))))
        self.base = " ".join(self.words)
        self.joined = "".join(self.words)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, without case, accents and signs."""
    return _fold(text).words


@lru_cache(maxsize=20_000)
def _fold(text: str) -> _Folded:
    return _Folded(text)


def _containing(asked: _Folded, said: _Folded) -> float:
    """Similarity of texts that contain each other, in whole words; in scripts without spaces, anywhere."""
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
        wide = ord(asked.joined[0]) >= 0x2E80  # CJK and later blocks: written without spaces
        return (0.55 if is_start or wide else 0.35) + 0.3 * share
    return 0.0


def _is_phrase(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    size = len(part)
    return any(whole[start : start + size] == part for start in range(len(whole) - size + 1))


def _misspelled(asked: _Folded, said: _Folded) -> float:
    """Similarity of misspelled texts: as a whole, or word by word if the page's text is longer."""
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
    """Similarity of the most similar of the words; 0 if it is below MIN_ALIKE."""
    size = len(word)
    near = (other for other in words if MIN_ALIKE * size <= len(other) <= size / MIN_ALIKE)
    return max((OSA.normalized_similarity(word, other, score_cutoff=MIN_ALIKE) for other in near), default=0.0)
