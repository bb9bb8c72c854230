"""Distributes the lines of a text over pages, so that no page exceeds its token budget.

Rule 1: the budget covers the whole page, including the counts of the rest.
Rule 2: every line is on exactly one page, unsplit; a line that exceeds the budget alone is shortened and marked.
Rule 3: a line's ancestors stand above it; those on other pages are repeated with role and name only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from perception.errors import BadInputError
from perception.render.element_lines import INDENT, context_line, level_of, shortest_line
from perception.render.fold import EXAMPLES, RepeatUnit
from perception.render.outline import Outline
from perception.render.quoting import MAX_QUOTED_NAME
from perception.render.tokens import count_tokens
from perception.types import Element, Reach

MIN_TOKENS = 24
"""Least budget: a line and `… 1234 more` take up to 16 tokens, and the line of a vision element up to 8 more."""

NEAR = 5
"""Lines before and after the focused line that rank with it: the rest of a usual form's group. Chosen by hand; guarded
by `tests/unit/render` and the `tokens` suite, as the next two."""

NOTES_SHARE = 8
"""At most this fraction of the budget, an eighth, goes to counts of omitted elements."""

MISSES = 50
"""Lines that did not fit, after which no smaller line is tried: they come first on the next page."""

MIN_LINE = 2
"""Tokens of the shortest possible line: `row`."""

ROOM_ALIKE = 4
"""Least grade of a line in a long run: after all distinct lines in view."""

SURROUNDING_ROLES = frozenset({"banner", "navigation", "complementary", "contentinfo"})
"""Landmarks whose content is alike on the pages of a site (WAI-ARIA 1.2 §5.3.4)."""

ROOM_SHORT = (200, 80, 40, 20, 10)
"""Lengths to which a line over the budget is shortened, characters; the first that fits is used."""


@dataclass(frozen=True, slots=True)
class Filled:
    """One page of text.

    Attributes:
        text: the page.
        shown: indices of the elements on it.
        rest: number of elements on later pages.
    """

    text: str
    shown: tuple[int, ...]
    rest: int


def check_budget(max_tokens: int) -> None:
    """Checks a token budget; 0 means no limit. Raises BadInputError: it is negative or too small for any page."""
    if max_tokens < 0:
        raise BadInputError("max_tokens is negative: use 0 for no limit", field="options.max_tokens")
    if 0 < max_tokens < MIN_TOKENS:
        raise BadInputError(
            f"max_tokens is {max_tokens}, too small for a line and a count of the rest: "
            f"use {MIN_TOKENS} or more, or 0 for no limit",
            field="options.max_tokens",
        )


class Pager:
    """Fills pages one after the other.

    Args:
        lines: the lines to distribute.
        units: position of each line in a run.
        places: for each element its region as a client can open it; "" for none.
        max_tokens: budget of each page.
        news: indices of the elements that come first.
    """

    def __init__(
        self,
        lines: Outline,
        units: Sequence[RepeatUnit],
        places: Sequence[str],
        max_tokens: int,
        news: Collection[int] = (),
    ) -> None:
        self._lines = lines
        self._max_tokens = max_tokens
        self._waiting = rank(lines, units, news)
        self._served: set[int] = set()
        self._costs: dict[int, int] = {}
        self._context_costs: dict[int, int] = {}
        self._places = places
        self._left = Counter(places[index] for at in range(len(lines)) for index in lines.indices(at))

    def next_page(self) -> Filled:
        """The next page; an empty page after the last."""
        total = self._left.total()
        room = self._max_tokens - count_tokens(_note(total))
        notes = "".join(_note(count, place) for place, count in self._left.items() if place)
        taken = self._fill(room - min(count_tokens(notes), self._max_tokens // NOTES_SHARE))
        self._served |= taken.full
        self._waiting = [at for at in self._waiting if at not in self._served]
        shown = [index for at in taken.full for index in self._lines.indices(at)]
        self._left -= Counter(self._places[index] for index in shown)
        text = taken.bare or self._compose(taken)
        rest = self._rest(self._max_tokens - count_tokens(text))
        return Filled(text + rest, tuple(sorted(shown)), self._left.total())

    def _fill(self, room: int) -> _Taken:
        taken = _Taken()
        misses = 0
        for at in self._waiting:
            if at in taken.full or self._take(taken, at, room):
                continue
            if not taken.full:
                # It does not fit together with its ancestors: it is alone on the page, shortened if necessary.
                taken.full.add(at)
                taken.bare = shorten(self._lines, at, room)
                break
            misses += 1
            if misses == MISSES or room - taken.cost < MIN_LINE:
                break
        return taken

    def _take(self, taken: _Taken, at: int, room: int) -> bool:
        """Adds a line and its ancestors if they fit; ancestors that no page has had are added in full if possible."""
        free = room - taken.cost + (self._context_cost(at) if at in taken.contexts else 0)
        own = self._cost(at)
        if own > free:
            return False
        above = self._above(taken, at)
        full = {each for each in above if each not in self._served}
        cost = own + sum(self._cost(each) if each in full else self._context_cost(each) for each in above)
        if cost > free:
            full = set()
            cost = own + sum(self._context_cost(each) for each in above)
        if cost > free:
            return False
        taken.cost = room - free + cost
        taken.full.update((at, *full))
        taken.contexts.update(above)
        taken.contexts -= taken.full
        return True

    def _above(self, taken: _Taken, at: int) -> list[int]:
        """Positions of a line's ancestors that are not yet on the page."""
        found = []
        parent = self._lines.parent[at]
        while parent >= 0 and parent not in taken.full and parent not in taken.contexts:
            found.append(parent)
            parent = self._lines.parent[parent]
        return found

    def _cost(self, at: int) -> int:
        if at not in self._costs:
            self._costs[at] = count_tokens(self._lines.text(at))
        return self._costs[at]

    def _context(self, at: int) -> str:
        indent = INDENT[self._lines.style] * self._lines.depth[at]
        return indent + context_line(self._lines.element(at), self._lines.style)

    def _context_cost(self, at: int) -> int:
        if at not in self._context_costs:
            self._context_costs[at] = count_tokens(self._context(at))
        return self._context_costs[at]

    def _compose(self, taken: _Taken) -> str:
        places = sorted(taken.full | taken.contexts)
        return "".join(self._lines.text(at) if at in taken.full else self._context(at) for at in places)

    def _rest(self, room: int) -> str:
        """Counts of the rest, by region as far as they fit."""
        left = self._left.total()
        said: list[str] = []
        for place, count in self._left.most_common():
            note = _note(count, place)
            last = count_tokens(_note(left - count, elsewhere=True)) if left > count else 0
            if not place or count_tokens(note) + last > room:
                continue
            room -= count_tokens(note)
            left -= count
            said.append(note)
        if left:
            said.append(_note(left, elsewhere=bool(said)))
        return "".join(said)


class _Taken:
    """A page while it is filled: positions of its lines and of context lines, and their tokens."""

    def __init__(self) -> None:
        self.full: set[int] = set()
        self.contexts: set[int] = set()
        self.cost = 0
        self.bare = ""


def rank(lines: Outline, units: Sequence[RepeatUnit], news: Collection[int] = ()) -> list[int]:
    """Positions of the lines, most useful first: news, then controls that can be used now, headings, and the rest;
    lines near the focus before others, the first units of a long run before the rest of it, a page's content before
    what surrounds it on every page of a site; otherwise in document order.
    """
    focused = next((at for at in range(len(lines)) if "focused" in lines.element(at).states), -NEAR - 1)
    keys = []
    surrounding = _surrounding(lines)
    for at, unit in enumerate(units):
        grade = _grade(lines.element(at))
        is_far = abs(at - focused) > NEAR
        if unit.ordinal >= EXAMPLES and is_far:
            grade = max(grade, ROOM_ALIKE)
        is_old = news and lines.index[at] not in news
        keys.append((is_old, -1 if at == focused else grade, is_far, at in surrounding, at))
    keys.sort()
    return [at for *_, at in keys]


def _surrounding(lines: Outline) -> set[int]:
    """Positions of the lines in landmarks other than the main one."""
    found: set[int] = set()
    for at in range(len(lines)):
        if lines.parent[at] in found or lines.element(at).role in SURROUNDING_ROLES:
            found.add(at)
    return found


def _grade(element: Element) -> int:
    """Rank of a line by its element; 0 comes first."""
    acts = element.interactive and element.reach is not Reach.NEVER
    if not element.in_viewport:
        return 5 if acts else 6
    if element.role in ("dialog", "alertdialog", "alert") or (element.role == "heading" and level_of(element) == 1):
        return 0
    covered = element.reach is Reach.COVERED or (not element.reachable and bool(element.blocker))
    if acts and not covered:
        return 0 if "disabled" not in element.states else 2
    return 1 if element.role in ("heading", "status") else 3


def shorten(lines: Outline, at: int, room: int) -> str:
    """A line without indentation: in full if it fits into `room` tokens, else its longest shortened form that fits."""
    for limit in (MAX_QUOTED_NAME, *ROOM_SHORT):
        text = lines.line(at, limit)
        if count_tokens(text) <= room:
            return text
    return shortest_line(lines.element(at), lines.style)


def _note(count: int, place: str = "", *, elsewhere: bool = False) -> str:
    if place:
        return f"… {count} more in {place}\n"
    return f"… {count} more elsewhere\n" if elsewhere else f"… {count} more\n"
