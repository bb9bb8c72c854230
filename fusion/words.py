"""Comparing what was read in pixels with what the page says."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import fuzz

SAME = 80.0
"""Of 100, rapidfuzz's normalised indel similarity: a word of 5 letters with one misread still is the same word."""

SURE = 0.97
"""Score from which a single letter is believed. On two pages of icons and text read with PP-OCRv6 small, all
eleven letters that stood in a table had 1.00; icons taken for a letter (`V`, `Q`, `O`) had 0.56 to 0.94."""

FAIRLY_SURE = 0.8
"""The same for a digit or two characters: icons taken for `lt` or `l↑` had 0.52 to 0.61, chart bars taken for `1`
0.52 to 0.70, real digits 0.92 to 1.00."""

SHAPES = frozenset("□■☐☑☒○●◯◉◻◼▢▣")
"""What recognition calls a frame or a dot: a box tells its place better."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Letters and digits alone, without case, width or spaces: recognition drops spaces and confuses marks."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def is_same(first: str, second: str) -> bool:
    """Two folded texts say the same; an empty one says nothing."""
    return bool(first and second) and fuzz.ratio(first, second) >= SAME


def is_part(part: str, whole: str) -> bool:
    """A folded text is found in another one, with as many errors as `is_same` allows."""
    if not part or len(part) > len(whole):
        return False
    # A short text is found by chance in any long one, so it must be there exactly.
    return part in whole or (len(part) > 4 and fuzz.partial_ratio(part, whole) >= SAME)


def is_icon_misread(text: str, score: float, *, ideographic: bool) -> bool:
    """One or two characters that more likely are an icon (`三` for a menu, `V` for an arrow).

    Args:
        text: as read.
        score: of the recognition.
        ideographic: other text nearby is written in Chinese characters or kana.
    """
    bare = text.replace(" ", "")
    if set(bare) <= SHAPES:
        return True
    if len(bare) == 1:
        if is_ideographic(bare):
            return not ideographic
        return score < (SURE if bare.isalpha() else FAIRLY_SURE if bare.isalnum() else 0.0)
    return len(bare) == 2 and score < FAIRLY_SURE


def is_ideographic(text: str) -> bool:
    """Chinese characters or kana are in it."""
    return any(unicodedata.name(char, "").startswith(("CJK", "HIRAGANA", "KATAKANA")) for char in text)


def has_ideographic_words(texts: Iterable[str]) -> bool:
    """Some text has two of them in a row, which no misread icon has."""
    return any(is_ideographic(a) and is_ideographic(b) for text in texts for a, b in pairwise(text))
