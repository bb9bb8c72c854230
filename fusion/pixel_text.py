"""Compares the text that a page gives with the text that OCR read in its pixels.

Rule 1: digits are strict. A digit that differs in a sure reading is a difference; in an unsure one it is not a verdict.
Rule 2: letters are lenient: case, accents, punctuation, spaces and look-alikes (O and 0, l and 1) do not count, and
words differ only where most of their letters do.
Rule 3: what the pixels show beside the text (an icon, a badge, the next column, an event over a day) is not a
difference, and a text that is cut off is right as far as it is shown.
Rule 4: a date or time that a field writes otherwise than its value is the same, and so are raised and plain digits.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from perception.types import CELL_SEPARATOR

SURE_SCORE = 0.9
"""Least recognition score of a reading that can contradict the page. Sharp text of 11 px and more mostly has 0.95."""

LEAST_SIMILARITY = 50.0
"""Least similarity, of 100 by rapidfuzz's partial ratio: words that agree less are other words."""

LEAST_LETTERS = 4
"""Fewest letters that are compared as a word: shorter readings may be icons."""

_ALIKE = str.maketrans({"o": "0", "q": "0", "i": "1", "l": "1", "|": "1", "z": "2", "s": "5", "b": "8", "g": "9"})
_RUN = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[0-9]+(?:[.,:/'-][0-9]+| [0-9]{3}(?![0-9]))*")
"""A number with the signs inside it, a date, a time: `1,000` is not a part of `1,000,000`."""

_RAISED = re.compile(r"\^[0-9]+")
"""Raised digits as a text of the page writes them."""

_CUT_OFF = ("…", "...")
_DIGITS = frozenset("0123456789")


class Agreement(Enum):
    """Whether pixels show a text: as it says, otherwise, or no verdict."""

    SAME = "same"
    DIFFERS = "differs"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class PixelReading:
    """What OCR read at the place of a text: its lines joined by spaces, and the least score of them, 0 to 1."""

    text: str
    score: float


def has_digit(text: str) -> bool:
    """Whether a text has a digit that is compared: 0 to 9, also of full width."""
    return any(char in _DIGITS for char in _plain(text))


def is_comparable(text: str) -> bool:
    """Whether a text has anything to compare: signs, emoji and glyphs of icon fonts have not."""
    return any(char.isalnum() for char in _plain(text))


def compare_reading(said: str, reading: PixelReading) -> Agreement:
    """Whether a reading of the pixels agrees with what the page says.

    Args:
        said: text, name or value of an element.
        reading: of its pixels; an empty text is not a verdict.
    """
    moment = compare_moment(said, reading.text)
    if moment is not None:
        return moment
    agreement = _compare_plain(said, reading)
    if agreement is Agreement.DIFFERS and _has_raised(said + reading.text):
        with_raised = _compare_plain(_lowered(said), replace(reading, text=_lowered(reading.text)))
        bare = _compare_plain(_RAISED.sub("", said), reading)
        if with_raised is Agreement.SAME:
            return with_raised
        return Agreement.DIFFERS if Agreement.DIFFERS is bare is with_raised else Agreement.UNSURE
    return agreement


def _compare_plain(said: str, reading: PixelReading) -> Agreement:
    told, seen = _plain(said), _plain(reading.text)
    if not told or not seen:
        return Agreement.UNSURE
    digits = _compare_digits(told, seen, cut_off=reading.text.rstrip().endswith(_CUT_OFF))
    if digits is Agreement.DIFFERS and (_shows_part(said, reading.text) or _shows_reversed(said, seen)):
        return Agreement.UNSURE
    if digits is Agreement.DIFFERS:
        return Agreement.DIFFERS if reading.score >= SURE_SCORE else Agreement.UNSURE
    if _are_other_words(told, seen):
        return Agreement.DIFFERS if reading.score >= SURE_SCORE else Agreement.UNSURE
    return digits


def _shows_part(said: str, seen: str) -> bool:
    """Whether each number in the pixels is one of the text, or each of the text is in the pixels: in another order, as
    the columns of a line or badges beside a name are; without the others, as a day of a calendar whose name is the
    whole date; or beside others, as a day with the events over it."""
    if sorted(_RUN.findall(said)) == sorted(_RUN.findall(seen)):
        return True
    told, shown = Counter(_NUMBER.findall(said)), Counter(_NUMBER.findall(seen))
    return bool(told and shown) and (shown <= told or told <= shown)


def _shows_reversed(said: str, seen: str) -> bool:
    """Whether the cells of a row stand from right to left: OCR joins those that are short."""
    cells = said.split(CELL_SEPARATOR)
    turned = _plain("".join(reversed(cells)))
    return len(cells) > 1 and _compare_digits(turned, seen, cut_off=False) is Agreement.SAME


def _has_raised(text: str) -> bool:
    return bool(_RAISED.search(text)) or _lowered(text) != text


def _lowered(text: str) -> str:
    """A text with raised, lowered and circled digits and fractions as plain digits."""
    return "".join(unicodedata.normalize("NFKC", char) if unicodedata.category(char) == "No" else char for char in text)


def _plain(text: str) -> str:
    """Letters and digits, without case, accents and width. Raised and circled digits do not count: OCR drops them."""
    kept = []
    for char in text:
        if char.isascii() or unicodedata.decomposition(char).startswith("<wide>"):
            kept.append(unicodedata.normalize("NFKC", char))
        elif char.isalpha():
            kept += [each for each in unicodedata.normalize("NFD", char) if each.isalpha()]
    return "".join(char for char in "".join(kept).casefold() if char.isalnum())


def _compare_digits(told: str, seen: str, *, cut_off: bool) -> Agreement:
    """By the shortest edit from one text to the other, in which look-alikes are equal unless both are digits."""
    if not any(char in _DIGITS for char in told):
        return Agreement.SAME
    # A letter that looks like a digit is that digit; digits stay themselves.
    one, other = told.translate(_ALIKE), seen.translate(_ALIKE)
    worst = Agreement.SAME
    for edit in Levenshtein.opcodes(one, other):
        if edit.tag == "equal":
            continue
        lost, found = told[edit.src_start : edit.src_end], seen[edit.dest_start : edit.dest_end]
        has_lost, has_found = not _DIGITS.isdisjoint(lost), not _DIGITS.isdisjoint(found)
        if cut_off and edit.src_end == len(told) and edit.dest_end == len(seen) and not has_found:
            continue
        if has_lost and has_found:
            return Agreement.DIFFERS
        if has_found and edit.tag == "insert" and _joins_digit(seen, edit.dest_start, edit.dest_end):
            return Agreement.DIFFERS
        if has_lost and edit.tag == "delete" and _joins_digit(told, edit.src_start, edit.src_end):
            return Agreement.DIFFERS
        if has_lost:
            worst = Agreement.UNSURE
    return worst


def _joins_digit(text: str, start: int, end: int) -> bool:
    """Whether a part with digits is a piece of a longer number: a digit at its end stands beside one outside."""
    before = start > 0 and text[start] in _DIGITS and text[start - 1] in _DIGITS
    after = end < len(text) and text[end - 1] in _DIGITS and text[end] in _DIGITS
    return before or after


def _are_other_words(told: str, seen: str) -> bool:
    letters = min(sum(char.isalpha() for char in each) for each in (told, seen))
    if letters < LEAST_LETTERS or not (told.isascii() and seen.isascii()):
        return False
    return fuzz.partial_ratio(told.translate(_ALIKE), seen.translate(_ALIKE)) < LEAST_SIMILARITY


_MOMENT = re.compile(
    r"(?:(?P<year>[0-9]{4,})-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?[T ]?"
    r"(?:(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<part>[0-9]+))?)?)?"
)
"""The value of a field of a date, a month or a time (HTML Standard §2.3.5)."""

_HALF = re.compile(r"(?<![a-z])([ap])\.? ?m(?![a-z])")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def compare_moment(said: str, seen: str) -> Agreement | None:
    """Whether pixels show a date, month or time that a field writes otherwise than its value: `02:30 PM` for `14:30`,
    `March 2026` for `2026-03`.

    Returns:
        None where the text is no such value, or the pixels may show another one.
    """
    found = _MOMENT.fullmatch(said)
    if not found or not said:
        return None
    parts = {name: int(number) for name, number in found.groupdict().items() if number}
    low = seen.casefold()
    numbers = sorted(int(run) for run in _RUN.findall(low))
    hour, half = parts.get("hour"), _HALF.search(low)
    sure = hour is None or half is None or half[1] == "ap"[hour // 12 % 2]
    if numbers == sorted(parts.values()):
        return Agreement.SAME if sure else Agreement.UNSURE
    words = "".join(re.findall(r"[^\W\d_]+", _HALF.sub("", low)))
    if "month" in parts and words and len(numbers) < len(parts):
        month = parts.pop("month")
        sure = sure and words.startswith(_MONTHS[month % 12 - 1])
        if not sure and words.startswith(_MONTHS):
            return None
    if hour is not None and sure and (half or words):
        parts["hour"] = hour % 12 or 12
        sure = half is not None
    if numbers not in (sorted(parts.values()), sorted([0, *parts.values()])):  # a step of seconds writes those of 14:30
        return None
    return Agreement.SAME if sure else Agreement.UNSURE
