"""Which lines go on which page of a text, so that no page costs more than its budget.

Rule 1: the budget holds for the whole page, what it says of the rest included. Rule 2: every line is on exactly one page,
whole; one that alone is over the budget is shortened, and marked so. Rule 3: a line's ancestors stand above it, those of
other pages by their role and name alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perception.errors import BadInputError
from perception.render.fold import EXAMPLES, Unit
from perception.render.lines import INDENT, context_line, element_line, shortest_line
from perception.render.outline import Line
from perception.render.tokens import count_tokens
from perception.types import Element, Reach, TextStyle

MIN_TOKENS = 24
"""Below it a single line and `… 1234 more` may not fit: they take up to 16, and a line of vision's up to 8 more."""

NEAR = 5
"""Lines before and after the focused one that are near to it: the rest of a usual form's group."""

NOTES_SHARE = 8
"""An eighth of the budget at most says what was left out where."""

MISSES = 50
"""Lines that did not fit, after which no smaller one is looked for: they come first on the next page."""

SHORT = (200, 80, 40, 20, 10)
"""Characters that a line over the budget is shortened to, the first that fits."""


@dataclass(frozen=True, slots=True)
class Filled:
    """One page: `text`, the indices of the elements that are on it, and how many are left for later pages."""

    text: str
    shown: tuple[int, ...]
    rest: int


def check_budget(max_tokens: int) -> None:
    """Raises BadInputError for a budget that no page can keep; 0 is none."""
    if max_tokens < 0:
        raise BadInputError("max_tokens is negative: use 0 for no limit", field="options.max_tokens")
    if 0 < max_tokens < MIN_TOKENS:
        raise BadInputError(
            f"max_tokens is {max_tokens}, too small for a line and a count of the rest: "
            f"use {MIN_TOKENS} or more, or 0 for no limit",
            field="options.max_tokens",
        )


class Pager:
    """Fills pages one after the other. What it is given is kept and not changed.

    Args:
        places: for each element what holds it, as it can be opened; empty where that is nothing.
    """

    def __init__(
        self,
        elements: Sequence[Element],
        lines: Sequence[Line],
        units: Sequence[Unit],
        places: Sequence[str],
        style: TextStyle,
        max_tokens: int,
    ) -> None:
        self._elements, self._lines, self._places, self._style = elements, lines, places, style
        self._max_tokens = max_tokens
        self._costs = [count_tokens(indented(line.text, line.depth, style)) for line in lines]
        self._waiting = rank(elements, lines, units)
        self._served = [False] * len(lines)
        self._left = sum(1 + len(line.silent) for line in lines)

    def next_page(self) -> Filled:
        """The next page; empty after the last."""
        room = self._max_tokens - count_tokens(_note(self._left))
        room -= min(count_tokens("".join(_notes(self._counts()))), self._max_tokens // NOTES_SHARE)
        taken = self._fill(room)
        for at in taken.full:
            self._served[at] = True
        self._waiting = [at for at in self._waiting if not self._served[at]]
        shown = [index for at in taken.full for index in (self._lines[at].index, *self._lines[at].silent)]
        self._left -= len(shown)
        text = self._compose(taken)
        return Filled(text + self._rest(self._max_tokens - count_tokens(text)), tuple(sorted(shown)), self._left)

    def _fill(self, room: int) -> _Taken:
        taken = _Taken()
        misses = 0
        for at in self._waiting:
            if at in taken.full:
                continue
            if not self._take(taken, at, room):
                if not taken.full:
                    self._take_bare(taken, at, room)
                    break
                misses += 1
                if misses == MISSES or room - taken.cost < 3:  # no line is cheaper
                    break
        return taken

    def _take(self, taken: _Taken, at: int, room: int) -> bool:
        """Takes a line with those it stands under, those unserved in full where there is room for them."""
        if taken.cost + self._costs[at] > room:
            return False
        above = self._above(taken, at)
        fulls = [each for each in above if not self._served[each]]
        contexts = {each: self._context_cost(each) for each in above if self._served[each]}
        cost = self._costs[at] + sum(self._costs[each] for each in fulls) + sum(contexts.values())
        if taken.cost + cost > room:
            contexts = {each: self._context_cost(each) for each in above}
            cost, fulls = self._costs[at] + sum(contexts.values()), []
        if taken.cost + cost > room:
            return False
        if at in taken.contexts:  # said as a context already: now it is there in full
            cost -= self._context_cost(at)
            taken.contexts.discard(at)
        taken.full.update((at, *fulls))
        taken.contexts.update(contexts)
        taken.cost += cost
        return True

    def _take_bare(self, taken: _Taken, at: int, room: int) -> None:
        """Takes a line that does not fit with what it stands under: alone, shortened if it must be."""
        line = self._lines[at]
        taken.full.add(at)
        taken.bare = shorten(self._elements[line.index], line.text, self._style, room)
        taken.cost = count_tokens(taken.bare)

    def _above(self, taken: _Taken, at: int) -> list[int]:
        found = []
        parent = self._lines[at].parent
        while parent >= 0 and parent not in taken.full and parent not in taken.contexts:
            found.append(parent)
            parent = self._lines[parent].parent
        return found

    def _context(self, at: int) -> str:
        line = self._lines[at]
        return indented(context_line(self._elements[line.index], self._style), line.depth, self._style)

    def _context_cost(self, at: int) -> int:
        return count_tokens(self._context(at))

    def _compose(self, taken: _Taken) -> str:
        if taken.bare:
            return taken.bare
        texts = {at: indented(self._lines[at].text, self._lines[at].depth, self._style) for at in taken.full}
        texts.update((at, self._context(at)) for at in taken.contexts)
        return "".join(texts[at] for at in sorted(texts))

    def _counts(self) -> Counter[str]:
        """Waiting elements by what holds them."""
        counts: Counter[str] = Counter()
        for at in self._waiting:
            line = self._lines[at]
            counts[self._places[line.index]] += 1 + len(line.silent)
        return counts

    def _rest(self, room: int) -> str:
        """What is left, by place as far as there is room to say it."""
        if not self._left:
            return ""
        said: list[str] = []
        left = self._left
        by_place = [(place, count) for place, count in self._counts().most_common() if place]
        for place, count in by_place:
            note = _note(count, place)
            cost = count_tokens(note)
            after = count_tokens(_note(left - count, elsewhere=True)) if left > count else 0
            if cost + after > room:
                break
            room -= cost
            left -= count
            said.append(note)
        if left:
            said.append(_note(left, elsewhere=bool(said)))
        return "".join(said)


class _Taken:
    """A page while it is filled: places of lines in full, of those said as a context, and what they cost."""

    def __init__(self) -> None:
        self.full: set[int] = set()
        self.contexts: set[int] = set()
        self.cost = 0
        self.bare = ""


def rank(elements: Sequence[Element], lines: Sequence[Line], units: Sequence[Unit]) -> list[int]:
    """Places of the lines, the most useful first: what can be acted on now, then what says where one is, then the rest;
    near the focus before far from it, the first of a long run before the others. Among equals in order.
    """
    focused = next((at for at, line in enumerate(lines) if "focused" in elements[line.index].states), None)

    def key(at: int) -> tuple[int, bool, int]:
        element = elements[lines[at].index]
        grade = _grade(element)
        if units[at].ordinal >= EXAMPLES:
            grade = max(grade, 4)
        is_near = focused is not None and abs(at - focused) <= NEAR
        return (0 if at == focused else grade, not is_near, at)

    return sorted(range(len(lines)), key=key)


def _grade(element: Element) -> int:
    covered = element.reach is Reach.COVERED or (not element.reachable and bool(element.blocker))
    if element.role in ("dialog", "alertdialog", "alert") and element.in_viewport:
        return 0
    if element.interactive and element.in_viewport and not covered and element.reach is not Reach.NEVER:
        return 0 if "disabled" not in element.states else 2
    if element.in_viewport:
        return 1 if element.role in ("heading", "status") else 3
    return 5 if element.interactive and element.reach is not Reach.NEVER else 6


def shorten(element: Element, text: str, style: TextStyle, room: int) -> str:
    """The line if it fits into so many tokens, else the longest of its shortened forms that does."""
    if count_tokens(text) <= room:
        return text
    for limit in SHORT:
        shorter = element_line(element, style, limit=limit)
        if count_tokens(shorter) <= room:
            return shorter
    return shortest_line(element, style)


def indented(text: str, depth: int, style: TextStyle) -> str:
    return INDENT[style] * depth + text


def _note(count: int, place: str = "", *, elsewhere: bool = False) -> str:
    if place:
        return f"… {count} more in {place}\n"
    return f"… {count} more elsewhere\n" if elsewhere else f"… {count} more\n"


def _notes(counts: Counter[str]) -> Iterable[str]:
    return (_note(count, place) for place, count in counts.items())
