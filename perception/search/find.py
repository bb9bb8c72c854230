"""Finds elements by name, role and position. Pure ranking.

Rule 1: an element's score is the product of its fits to each part of the query, so that no part outweighs another; 1 is
an exact fit of all parts.
Rule 2: exact matches rank before similar ones; of equal ones, elements that can be clicked now rank first; then
document order decides.
Rule 3: every score has its reason in words.

The weights are chosen by hand. What has to hold is the order of results, not the scores: `pytest
tests/unit/search/test_find.py tests/live/server/test_find.py` guards it. No bench suite measures this ranking.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from perception.geometry import Box
from perception.search.columns import cell_meant, find_columns
from perception.search.labels import find_labels
from perception.search.query import ROLE_WORDS, Called, ParsedQuery, Relation, RelationSide, read_query, roles_meant
from perception.search.spatial import describe_relation, spatial_relation
from perception.search.text_similarity import SAME_LETTERS, likeness
from perception.types import Element, Reach, Scroll, Viewport

MIN_FIND_SCORE = 0.3
"""Least score of a result. A query that is a fifth of an element's name has 0.65; an element of another role has half
of its score."""

MAX_ANCHORS = 12
"""Maximum number of elements that the anchor of a relation may mean, best first."""

MIN_ANCHOR = 0.5
"""Least score of an anchor."""

LITERAL, NOT_LITERAL = 0.85, 0.7
"""Least score for which words like `next to` in a query are a part of a name, and the factor for a lower score."""

NO_ANCHOR = 0.5
"""Factor if the anchor is not on the page: an element with the name is still a result."""

OWN_LABEL = 0.7
"""Fit of a relation whose anchor is the element's own label."""

ROLE_ONLY = 0.8
"""Score of any name if the query has only a role."""

OTHER_ROLE = 0.5
"""Factor for an element of another role."""
NOT_INTERACTIVE = 0.93
"""Factor for an element that is not a control: of two elements with one name, the control is meant."""

TEXT_SOURCE_WEIGHTS = {"text": 0.92, "value": 0.85, "hint": 0.8, "label": 0.75}
"""Factors for a match not in the name but in an element's text, value, hint (icon or link target), or nearby label."""

COLUMN = 0.9
"""Factor for a row that a phrase names along with one of its columns."""

ICON = ROLE_WORDS["icon"]

FIND_ICON_SIDE = 64.0
"""Largest side of an icon, CSS px; a larger image is a picture."""

IN_ORDER = 0.85
"""Least share of the best score for an element to be counted by an ordinal: `second Save` counts those named Save."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to find. Empty parts do not restrict the results.

    Attributes:
        query: free text, parsed by `query.read_query`.
        role: ARIA role or a common word for it.
        name: accessible name.
        text: text in name, text or value.
        limit: maximum number of results.
    """

    query: str = ""
    role: str = ""
    name: str = ""
    text: str = ""
    limit: int = 10


@dataclass(frozen=True, slots=True)
class RankedElement:
    """A result.

    Attributes:
        index: index of the element.
        score: 0 to 1.
        reason: why it has this score, in words.
    """

    index: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Fit:
    """A score in 0 … 1 with its reasons."""

    score: float
    reasons: tuple[str, ...] = ()

    def times(self, factor: float, reason: str = "") -> _Fit:
        return _Fit(self.score * factor, (*self.reasons, reason) if reason else self.reasons)

    def joined(self, other: _Fit) -> _Fit:
        """The product of two fits, with the reasons of both."""
        return _Fit(self.score * other.score, self.reasons + other.reasons)


NO_FIT = _Fit(0.0)


def find_elements(
    elements: Sequence[Element],
    question: Question,
    viewport: Viewport,
    scroll: Scroll,
    here: Mapping[int, int] | None = None,
) -> list[RankedElement]:
    """Finds the elements that fit a question, best first.

    Args:
        elements: elements of a page, parents before children.
        question: what to find.
        viewport: size of the visible part, for positions such as `top left`.
        scroll: scroll position and size of the page, for elements out of view.
        here: restricts the results to these indices; each value is the number of ancestors between the element and the
            topmost element at a point (0: that element).

    Returns:
        At most `question.limit` results with a score of MIN_FIND_SCORE or more.
    """
    page = _Page(elements, viewport, scroll)
    fits: dict[int, _Fit] = {index: _Fit(1.0) for index in (here if here is not None else range(len(elements)))}
    if here is not None:
        fits = {index: _at_point(here[index]) for index in fits}
    fits = _by_fields(page, fits, question)
    if question.query:
        asked = page.best_reading(read_query(question.query))
        fits = {index: fit.joined(asked[index]) for index, fit in fits.items()}
    ranked = sorted(
        ((index, fit.times(*_standing(elements[index]))) for index, fit in fits.items() if fit.score >= MIN_FIND_SCORE),
        key=lambda pair: (-round(pair[1].score, 4), not elements[pair[0]].interactive, pair[0]),
    )
    return [
        RankedElement(index, min(1.0, round(fit.score, 4)), "; ".join(fit.reasons))
        for index, fit in ranked[: question.limit]
    ]


def _at_point(steps: int) -> _Fit:
    return _Fit(0.9**steps, ("on top at the point" if not steps else f"{steps} out from what is on top at the point",))


def _by_fields(page: _Page, fits: dict[int, _Fit], question: Question) -> dict[int, _Fit]:
    if question.role:
        roles = roles_meant(question.role)
        fits = {
            index: fit.times(1.0, f"role {role}")
            for index, fit in fits.items()
            if (role := page.elements[index].role).lower() in roles
        }
    if question.name:
        named = page.called(question.name, quoted=False)
        fits = {index: fit.joined(named[index]) for index, fit in fits.items()}
    if question.text:
        fits = {index: _with_text(page.elements[index], fit, question.text) for index, fit in fits.items()}
    return fits


def _with_text(element: Element, fit: _Fit, text: str) -> _Fit:
    """The fit of an element that contains a text, at any place in it."""
    best, where = 0.0, ""
    for part, said in (("name", element.name), ("text", element.text), ("value", element.value)):
        score = likeness(text, said)
        if 0 < score < SAME_LETTERS and " ".join(text.split()).casefold() in said.casefold():
            score = max(score, 0.9)
        if score > best:
            best, where = score, f"{part} {_quoted(said)} {_how(score)}"
    return fit.times(best, where)


def _standing(element: Element) -> tuple[float, str]:
    """A factor close to 1 for the element's current state, which decides between equal results."""
    if not element.visible and not element.interactive:
        return 0.6, "not visible"
    if "disabled" in element.states:
        return 0.97, "disabled"
    if not element.interactive or element.reachable:
        return 1.0, ""
    if element.reach is Reach.NEVER:
        return 0.75, "never reachable"
    if element.blocker and element.in_viewport:
        return 0.9, f"covered by {element.blocker}"
    return (0.98, "out of view") if not element.in_viewport else (0.95, "")


class _Page:
    """The elements of a page with cached fits."""

    def __init__(self, elements: Sequence[Element], viewport: Viewport, scroll: Scroll) -> None:
        self.elements = elements
        self._viewport = viewport
        self._scroll = scroll
        self._labels = find_labels(elements)
        self._columns = find_columns(elements)
        self._called: dict[tuple[str, bool], list[_Fit]] = {}

    def best_reading(self, readings: Sequence[ParsedQuery]) -> list[_Fit]:
        """For each element its fit to the reading that it fits best."""
        best = [NO_FIT] * len(self.elements)
        for reading in readings:
            for index, fit in enumerate(self._read(reading)):
                if fit.score > best[index].score + 1e-9:
                    best[index] = fit
        return best

    def called(self, words: str, *, quoted: bool) -> list[_Fit]:
        """The fit of each element's name, text, value, hint or label to words."""
        key = (words, quoted)
        if key not in self._called:
            named = [self._name_fit(index, words, quoted) for index in range(len(self.elements))]
            self._called[key] = named
        return self._called[key]

    def _read(self, reading: ParsedQuery) -> list[_Fit]:
        fits = self._fit_called(reading.called)
        if reading.literal:
            fits = [fit if fit.score >= LITERAL else fit.times(NOT_LITERAL) for fit in fits]
        for relation in reading.relations:
            fits = self._fit_relation(fits, relation)
        if reading.places:
            fits = [
                fit.times(*self._in_place(self.elements[index].box, reading.places)) if fit.score else fit
                for index, fit in enumerate(fits)
            ]
        return _in_order(fits, reading.ordinal) if reading.ordinal is not None else fits

    def _fit_called(self, called: Called) -> list[_Fit]:
        if called.words:
            fits = self.called(called.words, quoted=called.quoted)
        else:
            fits = [_Fit(ROLE_ONLY)] * len(self.elements)
        return [
            fit.times(*_role_factor(element, called)) if fit.score else fit
            for element, fit in zip(self.elements, fits, strict=True)
        ]

    def _name_fit(self, index: int, words: str, quoted: bool) -> _Fit:
        element = self.elements[index]
        best = alike = likeness(words, element.name)
        source = "name"
        for part, worth in TEXT_SOURCE_WEIGHTS.items():
            said = self._text_of(index, part)
            if said and worth > best and (fit := likeness(words, said)) * worth > best:
                alike, best, source = fit, fit * worth, part
        if best < COLUMN and (columns := self._columns.get(index)):
            cell = cell_meant(words, element.text, columns)
            if cell is not None and cell.likeness * COLUMN > best:
                said = f"its {_quoted(cell.column)} is {_quoted(cell.content)}"
                return _Fit(cell.likeness * COLUMN, (f"row {_quoted(element.name)} {_how(cell.likeness)}", said))
        # A quoted name has to match exactly.
        best *= 0.9 if quoted and alike < SAME_LETTERS else 1.0
        if best < MIN_FIND_SCORE:
            return NO_FIT
        label = "words beside it" if source == "label" else source
        return _Fit(best, (f"{label} {_quoted(self._text_of(index, source))} {_how(alike)}",))

    def _text_of(self, index: int, part: str) -> str:
        if part == "label":
            return self._labels.get(index, "")
        said: str = getattr(self.elements[index], part)
        return said

    def _fit_relation(self, fits: list[_Fit], relation: Relation) -> list[_Fit]:
        anchors = self._anchors(relation)
        if not anchors:
            return [fit.times(NO_ANCHOR, f"nothing is called {_quoted(relation.anchor[0].words)}") for fit in fits]
        return [
            self._related(index, fit, relation.side, anchors) if fit.score >= MIN_FIND_SCORE else NO_FIT
            for index, fit in enumerate(fits)
        ]

    def _related(self, index: int, fit: _Fit, side: RelationSide, anchors: Sequence[tuple[int, float]]) -> _Fit:
        """The fit with its relation to the best anchor; anchors are sorted, best first."""
        best, nearest = 0.0, -1
        for anchor, worth in anchors:
            if worth <= best:
                break
            if anchor == index:
                # `the checkbox next to Remember me`: the anchor is its own label.
                share = OWN_LABEL if side is not RelationSide.IN else 0.0
            elif self._is_within(anchor, index):
                share = 0.0
            else:
                share = spatial_relation(self.elements, index, anchor, side)
            if share * worth > best:
                best, nearest = share * worth, anchor
        if nearest < 0:
            return fit.times(0.3)
        if nearest == index:
            return fit.times(0.3 + 0.7 * best, "what is written beside it is its name")
        where = describe_relation(self.elements, index, nearest, side)
        return fit.times(0.3 + 0.7 * best, f"{where} {_shown(self.elements[nearest])}")

    def _anchors(self, relation: Relation) -> list[tuple[int, float]]:
        best: dict[int, float] = {}
        for called in relation.anchor:
            for index, fit in enumerate(self._fit_called(called)):
                # A label is as good an anchor as the control that it labels.
                worth = fit.score / (NOT_INTERACTIVE if not self.elements[index].interactive else 1.0)
                if worth >= MIN_ANCHOR:
                    best[index] = max(best.get(index, 0.0), min(1.0, worth * (1.0 if called.words else 0.75)))
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_ANCHORS]

    def _is_within(self, index: int, outer: int) -> bool:
        while index >= 0:
            if index == outer:
                return True
            index = self.elements[index].parent
        return False

    def _in_place(self, box: Box, places: frozenset[str]) -> tuple[float, str]:
        """How close a box is to sides of the viewport, or to sides of the page if it is out of view."""
        width, height = self._viewport.width, self._viewport.height
        x, y = box.center.x / max(width, 1), box.center.y / max(height, 1)
        if not (0 <= x <= 1 and 0 <= y <= 1):
            x = (box.center.x + self._scroll.x) / max(self._scroll.page_width, 1)
            y = (box.center.y + self._scroll.y) / max(self._scroll.page_height, 1)
        toward: dict[str, Callable[[], float]] = {
            "left": lambda: 1 - x,
            "right": lambda: x,
            "top": lambda: 1 - y,
            "bottom": lambda: y,
            "middle": lambda: 1 - max(abs(x - 0.5), abs(y - 0.5)),
        }
        share = math.prod(min(1.0, max(0.0, toward[place]())) for place in places)
        return 0.2 + 0.8 * share, f"{' '.join(sorted(places, reverse=True))}: at {box.center.x:.0f},{box.center.y:.0f}"


def _role_factor(element: Element, called: Called) -> tuple[float, str]:
    if not called.roles:
        return (1.0 if element.interactive else NOT_INTERACTIVE), f"role {element.role}"
    if called.roles == ICON:
        return _icon_factor(element, called)
    if element.role == called.roles[0]:
        return 1.0, f"role {element.role}"
    if element.role in called.roles:
        return 0.97 if called.words else 0.9, f"role {element.role}"
    if element.interactive and "clickable" in element.states and "button" in called.roles:
        return 0.9, f"{element.role} that takes clicks"
    return (OTHER_ROLE, f"another role: {element.role}") if called.words else (0.0, "")


def _icon_factor(element: Element, called: Called) -> tuple[float, str]:
    """The factor for an icon: a small, about square element, preferably a picture."""
    fits = element.role in called.roles or (element.interactive and "clickable" in element.states)
    if not fits:
        return (OTHER_ROLE, f"another role: {element.role}") if called.words else (0.0, "")
    width, height = element.box.width, element.box.height
    small = 0 < max(width, height) <= FIND_ICON_SIDE and max(width, height) <= 1.7 * min(width, height)
    if element.role == "img" or (element.opaque is not None and small):
        return (1.0 if small else 0.8), f"{element.role} that shows a picture"
    return (0.9, f"{element.role} of an icon's size") if small else (0.6, f"role {element.role}")


def _in_order(fits: list[_Fit], ordinal: int) -> list[_Fit]:
    """Selects by ordinal among the elements that fit about as well as the best."""
    top = max((fit.score for fit in fits), default=0.0)
    kin = [index for index, fit in enumerate(fits) if fit.score and fit.score >= IN_ORDER * top]
    if not -len(kin) <= ordinal < len(kin):
        return [NO_FIT] * len(fits)
    chosen = kin[ordinal]
    said = f"number {kin.index(chosen) + 1} of {len(kin)}"
    return [fit.times(1.0, said) if index == chosen else fit.times(0.6) for index, fit in enumerate(fits)]


def _how(score: float) -> str:
    if score >= SAME_LETTERS:
        return "exact"
    return "alike" if score >= 0.5 else "partly"


def _shown(element: Element) -> str:
    return f"{element.role} {_quoted(element.name)}" if element.name else element.role


def _quoted(text: str) -> str:
    cut = " ".join(text.split())
    return f"'{cut if len(cut) <= 60 else cut[:59] + '…'}'"
