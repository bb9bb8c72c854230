"""Which painted words a list says, in their order, and which of its numbers nothing on the page says.

Rule 1: a word is said if all its letters stand together as a word of their own; case and punctuation do not count.
Rule 2: a word that nothing says is missed only if OCR reads it where it is painted.
Rule 3: each place of the list stands for one painted word; a word whose places are all taken is counted as a repeat.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perception.bench.pages.painted_words import PaintedWord, readings_of, tokens_of
from perception.bench.scores import Score, Tally

AHEAD = 80
"""How many words of the list are searched for the next one of a block: a line or two of notes and other columns."""

TRIED = 400
"""Places of a block's first word that are compared."""

_PART = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:[^\]"]|"(?:\\.|[^"\\])*")*\]')
_NUMBER = re.compile(r"\d[\d.,'\u2019:]*")


class Said(StrEnum):
    """How a list says a painted word."""

    IN_ORDER = "in order"
    ELSEWHERE = "out of order"
    """Before the words that it follows on the page."""
    REPEAT = "repeat"
    """All its places stand for other painted words."""
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class MissedWord:
    """A painted word that the list does not say.

    Attributes:
        beside: the painted words around it.
        listed: a word of the list that it is a part of, or that is a part of it.
        markup: of the element around it, cut.
    """

    word: str
    beside: str
    listed: str
    markup: str


@dataclass(frozen=True, slots=True)
class WrongNumber:
    """A number that nothing on the page says, and the line of the list."""

    number: str
    line: str


@dataclass(frozen=True, slots=True)
class PageWords:
    """A page's counts.

    Attributes:
        words: painted.
        elsewhere, repeats: of these, by how they are said.
        unconfirmed: words that nothing says and that OCR does not read either; not in `words`.
        numbers: of the list.
    """

    page: str
    words: int
    elsewhere: int
    repeats: int
    unconfirmed: int
    missed: tuple[MissedWord, ...]
    numbers: int
    wrong: tuple[WrongNumber, ...]


@dataclass(frozen=True, slots=True)
class WordsRun:
    """A run. `failed`: why pages could not be read, by page."""

    pages: tuple[PageWords, ...]
    failed: Mapping[str, str]
    browser: str

    @property
    def visited(self) -> tuple[str, ...]:
        return tuple(each.page for each in self.pages)


def quoted(line: str, *, with_notes: bool) -> list[str]:
    """The quoted texts of a list's line; `with_notes`: also those in square brackets."""
    found = []
    for part in _PART.findall(line):
        if part.startswith('"'):
            found.append(_unquote(part))
        elif with_notes:
            found += [_unquote(each) for each in re.findall(r'"(?:\\.|[^"\\])*"', part)]
    return found


def _unquote(part: str) -> str:
    try:
        return str(json.loads(part, strict=False))
    except ValueError:
        return part[1:-1]


def listed_words(text: str) -> list[str]:
    """All words of a list in order."""
    return [token for line in text.splitlines() for part in quoted(line, with_notes=True) for token in tokens_of(part)]


class _Places:
    """The words of a list, and which of them stand for painted ones."""

    def __init__(self, listed: Sequence[str]) -> None:
        self.listed = listed
        self.used = bytearray(len(listed))
        self.of: dict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(listed):
            self.of[token].append(at)

    def length_at(self, at: int, readings: Sequence[Sequence[str]]) -> int:
        """How many words of the list at a place are one of the readings; 0 for none."""
        return next((len(each) for each in readings if each and [*self.listed[at : at + len(each)]] == each), 0)

    def starts(self, readings: Sequence[Sequence[str]]) -> list[int]:
        found = {at for each in readings if each for at in self.of.get(each[0], ()) if self.length_at(at, readings)}
        return sorted(found)

    def begin(self, block: Sequence[Sequence[Sequence[str]]], after: int) -> int:
        """Where a block's words begin, or `after` if its first word is nowhere."""
        starts = self.starts(block[0])[:TRIED]
        if not starts:
            return after

        def rank(at: int) -> tuple[int, bool, int]:
            return self._alike(block, at), not self.used[at], -abs(at - after)

        return max(starts, key=rank)

    def _alike(self, block: Sequence[Sequence[Sequence[str]]], at: int) -> int:
        count = 0
        for readings in block[:12]:
            length = self.length_at(at, readings)
            if not length:
                break
            at, count = at + length, count + 1
        return count


def match_words(words: Sequence[PaintedWord], listed: Sequence[str]) -> list[Said]:
    """How a list says each painted word.

    Args:
        words: in the order of the page.
        listed: the words of the list.
    """
    places = _Places(listed)
    said: list[Said] = []
    at = start = 0
    block = None
    for index, word in enumerate(words):
        if (word.frame, word.block) != block:
            block = (word.frame, word.block)
            ahead = [readings_of(each.text) for each in words[index : index + 12] if (each.frame, each.block) == block]
            at = start = places.begin(ahead, at)
        found, at = _place(places, readings_of(word.text), at, start)
        said.append(found)
    return said


def _place(places: _Places, readings: Sequence[Sequence[str]], at: int, start: int) -> tuple[Said, int]:
    every = places.starts(readings)
    free = [each for each in every if not places.used[each]]
    ahead = [each for each in free if at <= each < at + AHEAD]
    if ahead:
        place, found = ahead[0], Said.IN_ORDER
    elif free:
        place = min(free, key=lambda each: abs(each - at))
        found = Said.ELSEWHERE if start <= place < at else Said.IN_ORDER
    else:
        return (Said.REPEAT if every else Said.NOWHERE), at
    length = places.length_at(place, readings)
    places.used[place : place + length] = b"\x01" * length
    return found, place + length


def wrong_numbers(text: str, said: Iterable[str]) -> tuple[int, list[WrongNumber]]:
    """How many numbers a list has, and those that nothing on the page says.

    Args:
        said: texts of the page: painted words, attributes, values.
    """
    known = {token for each in said for reading in readings_of(each) for token in reading}
    count, wrong = 0, []
    for line in text.splitlines():
        for part in quoted(line, with_notes=False):
            for token in tokens_of(part):
                if _NUMBER.fullmatch(token):
                    count += 1
                    if token not in known:
                        wrong.append(WrongNumber(token, line.strip()[:200]))
    return count, wrong


def is_read(word: str, reading: str) -> bool:
    """Whether OCR's reading has a word; long ones also run into others."""
    wanted, tokens = tokens_of(word.replace("\u0001", "")), tokens_of(reading)
    run = "".join(wanted)
    return run in tokens or all(each in tokens for each in wanted) or (len(run) > 3 and run in "".join(tokens))


def akin(word: str, listed: Iterable[str]) -> str:
    """A listed word that a word is a part of, or that is a part of it; empty for none."""
    run = "".join(tokens_of(word.replace("\u0001", "")))
    return next((each for each in listed if len(each) > 1 and (run in each or (each in run and len(each) > 2))), "")


def page_scores(run: WordsRun) -> list[Score]:
    """By page: how many painted words are said, and how many numbers are right."""
    scores = []
    for each in run.pages:
        tallies = {"words": Tally(each.words - len(each.missed), each.words)} if each.words else {}
        if each.numbers:
            tallies["numbers"] = Tally(each.numbers - len(each.wrong), each.numbers)
        scores.append(Score(each.page, "ours", each.page, "", "", tallies))
    return scores
