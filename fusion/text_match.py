"""Compares text that OCR read with the text of the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import fuzz

MIN_SIMILARITY = 80.0
"""Least similarity, of 100 by rapidfuzz's normalized indel similarity: a word of 5 letters with one misread letter is
the same word."""

MIN_LETTER_SCORE = 0.97
"""Least score of a single letter that is taken as text. On two pages of icons and text read with PP-OCRv6 small, all
eleven letters in a table had 1.00; icons misread as a letter (`V`, `Q`, `O`) had 0.56 to 0.94."""

MIN_DIGIT_SCORE = 0.8
"""The same for a digit or two characters: icons misread as `lt` or `l↑` had 0.52 to 0.61, chart bars misread as `1`
0.52 to 0.70, real digits 0.92 to 1.00."""

MAX_MISREAD = 3
"""Most characters that one icon is read as: `王王`, `ooo`, `l1l`. Chosen by hand; guarded by `tests/unit/fusion`."""

SHAPE_CHARACTERS = frozenset("□■☐☑☒○●◯◉◻◼▢▣")
"""Characters that OCR reads for a frame or a dot: a detected box locates it better."""

BRACKETS_ALONE = re.compile(r"(?=.*[{}]|.+;)[][(){};,. ]+")
"""A line of code that has no words: with a curly bracket, or a semicolon at its end."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Letters and digits only, without case, width or spaces: OCR drops spaces and confuses punctuation."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def is_same(first: str, second: str) -> bool:
    """Whether two folded texts are the same except for OCR errors; False if one is empty."""
    return bool(first and second) and fuzz.ratio(first, second) >= MIN_SIMILARITY


def is_part(part: str, whole: str) -> bool:
    """Whether a folded text is part of another one, with as many errors as `is_same` allows."""
    if not part or len(part) > len(whole):
        return False
    # A short text is similar to a part of any long text by chance, so it must match exactly.
    return part in whole or (len(part) > 4 and fuzz.partial_ratio(part, whole) >= MIN_SIMILARITY)


def has_brackets(text: str) -> bool:
    """Whether a text without letters and digits is a line of code, as `});` is: no icon is read so."""
    return bool(BRACKETS_ALONE.fullmatch(text))


def is_icon_misread(text: str, score: float, *, ideographic: bool) -> bool:
    """Whether a few characters are more likely an icon (`三` for a menu, `王王` for a table, `V` for an arrow).

    Args:
        text: text as read.
        score: recognition score, 0 to 1.
        ideographic: whether the page is written in Chinese characters or kana.
    """
    bare = text.replace(" ", "")
    if set(bare) <= SHAPE_CHARACTERS:
        return True
    if len(bare) <= MAX_MISREAD and is_ideographic(bare) and not ideographic:
        return True
    if len(bare) == 1:
        return score < (MIN_LETTER_SCORE if bare.isalpha() else MIN_DIGIT_SCORE if bare.isalnum() else 0.0)
    return len(bare) == 2 and score < MIN_DIGIT_SCORE


def is_short_reading(text: str) -> bool:
    """Whether a text is so short that an icon may have been read as it."""
    return len(text.replace(" ", "")) <= MAX_MISREAD


def is_ideographic(text: str) -> bool:
    """Whether a text has Chinese characters or kana."""
    return any(_is_ideograph(char) for char in text)


def has_ideographic_words(names: Iterable[str], readings: Iterable[tuple[str, float]]) -> bool:
    """Whether a page is written in Chinese characters or kana.

    Args:
        names: the page's own words; two ideographs in a row suffice.
        readings: texts that were read, with their scores. An icon may be read as two equal ideographs, and two icons
            as one doubtful word.
    """
    if any(_is_ideograph(a) and _is_ideograph(b) for text in names for a, b in pairwise(text)):
        return True
    return any(
        score >= MIN_DIGIT_SCORE and any(a != b and _is_ideograph(a) and _is_ideograph(b) for a, b in pairwise(text))
        for text, score in readings
    )


@lru_cache(maxsize=4096)
def _is_ideograph(char: str) -> bool:
    return unicodedata.name(char, "").startswith(("CJK", "HIRAGANA", "KATAKANA"))


def has_script(text: str, unread: str) -> bool:
    """Whether a text has a letter of the script that `unread (Arabic)` names."""
    script = unread.partition("(")[2].rstrip(")").upper()
    return any(unicodedata.name(char, "").startswith(script) for char in text)
