"""Which of the values and words painted in controls the list says, and where.

Rule 1: what is painted in a control is to be said in its line, in those below it, or right beside them.
Rule 2: a painted word that nothing says is missed only if OCR reads it in the control's box.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perception.bench.pages.painted_words import readings_of, tokens_of
from perception.bench.scores import Score, Tally
from perception.bench.suites.words.judgment import WrongNumber, quoted

BESIDE = 2
"""Lines before and after a control's own that are beside it: those of its label and of the text in its box."""

READ_TOKENS = 40
"""Words of one value that are looked for: the rest of a long text is scrolled out of its field."""

_REF = re.compile(r"\[ref=(\w+)\]")


class Place(StrEnum):
    """Where the list says a part of a control."""

    OWN = "own line"
    BESIDE = "beside"
    AWAY = "away"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class FieldPart:
    """What a control paints that its lines do not say.

    Attributes:
        part: the words.
        place: where the list says them: away or nowhere.
        line: of the control in the list; empty for none.
        markup: of the control, cut.
    """

    part: str
    place: Place
    line: str
    markup: str


@dataclass(frozen=True, slots=True)
class PageValues:
    """A page's counts.

    Attributes:
        controls: that paint a value or words.
        values: these values and words.
        beside: of these, said right beside the control's lines.
        unconfirmed: said nowhere, and OCR does not read them; not in `values`.
        numbers: in the lines of controls.
    """

    page: str
    controls: int
    values: int
    beside: int
    unconfirmed: int
    missed: tuple[FieldPart, ...]
    numbers: int
    wrong: tuple[WrongNumber, ...]


@dataclass(frozen=True, slots=True)
class ValuesRun:
    """A run. `failed`: why pages could not be read, by page."""

    pages: tuple[PageValues, ...]
    failed: Mapping[str, str]
    browser: str

    @property
    def visited(self) -> tuple[str, ...]:
        return tuple(each.page for each in self.pages)


@dataclass(frozen=True, slots=True)
class FieldLines:
    """The lines of a control.

    Attributes:
        own: its line and those below it, by index.
        around: lines of what it is in.
    """

    own: tuple[int, ...]
    around: tuple[int, ...]


def lines_of(lines: Sequence[str], own_refs: Sequence[str], around_refs: Sequence[str]) -> FieldLines:
    """The lines of a control, by the refs of it and what is below it, and of what it is in."""
    at = {match[1]: index for index, line in enumerate(lines) if (match := _REF.search(line))}
    own: list[int] = []
    for ref in own_refs:
        if ref in at:
            own += [at[ref], *_below(lines, at[ref])]
    return FieldLines(tuple(dict.fromkeys(own)), tuple(at[ref] for ref in around_refs if ref in at))


def _below(lines: Sequence[str], at: int) -> list[int]:
    depth = _depth(lines[at])
    found = []
    for index in range(at + 1, len(lines)):
        if _depth(lines[index]) <= depth:
            break
        found.append(index)
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def find_place(word: str, lines: Sequence[str], of: FieldLines) -> Place:
    """Where a list says a painted word or value."""
    if _is_in(word, lines, of.own):
        return Place.OWN
    anchors = of.own or of.around
    near = {at + step for at in anchors for step in range(-BESIDE, BESIDE + 1)} | set(of.around)
    if _is_in(word, lines, [at for at in sorted(near) if 0 <= at < len(lines)]):
        return Place.BESIDE
    if not anchors and _is_in(word, lines, range(len(lines))):
        return Place.BESIDE  # a line without a ref: a progress bar
    return Place.AWAY if _is_in(word, lines, range(len(lines))) else Place.NOWHERE


def _is_in(word: str, lines: Sequence[str], places: Sequence[int]) -> bool:
    for at in places:
        tokens = {token for part in quoted(lines[at], with_notes=True) for token in tokens_of(part)}
        if any(all(token in tokens for token in reading[:READ_TOKENS]) for reading in readings_of(word)):
            return True
    return False


def page_scores(run: ValuesRun) -> list[Score]:
    """By page: how many values are said with their control, and how many numbers are right."""
    scores = []
    for each in run.pages:
        tallies = {"values": Tally(each.values - len(each.missed), each.values)} if each.values else {}
        if each.numbers:
            tallies["numbers"] = Tally(each.numbers - len(each.wrong), each.numbers)
        scores.append(Score(each.page, "ours", each.page, "", "", tallies))
    return scores
