"""Finds elements by what they are called, what they are, and where. Pure ranking.

Rule 1: an element's score is the product of how well it fits each thing that was asked, so that none is made up for by
another; 1 is an exact fit of all.
Rule 2: exact beats alike; of equals, what can be clicked now beats what cannot; then document order decides.
Rule 3: every score comes with its reason in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from perception.geometry import Box
from perception.query import ROLE_WORDS, Called, Reading, Relation, Side, read_query, roles_meant
from perception.relations import how_it_lies, say_how_it_lies
from perception.types import Element, Reach, Scroll, Viewport
from perception.words import SAME_LETTERS, likeness

MIN_SCORE = 0.3
"""What fits less is something else. A name that is asked for whole and said in a fifth of a longer one has 0.65; one
of the wrong role still has half."""

MAX_ANCHORS = 12
"""Things that the words of a relation may mean: the best that are called so."""

MIN_ANCHOR = 0.5

LITERAL, NOT_LITERAL = 0.85, 0.7
"""From which score words like `next to` in a query are taken to be part of a name, and what is left of a lower one."""

NO_ANCHOR = 0.5
"""Where it should lie is not on the page: then what is called so is still worth showing."""

OWN_LABEL = 0.7

ROLE_ONLY = 0.8
"""Where nothing but a role is asked for: any name fits, none exactly."""

OTHER_ROLE = 0.5
NOT_INTERACTIVE = 0.93
"""Of two things of one name, one of them a control, the control is meant."""

SAID_ELSEWHERE = {"text": 0.92, "value": 0.85, "hint": 0.8, "label": 0.75}
"""A name that is not the element's name but its text, its value, its icon or link target, or written beside it."""

LABEL_REACH = 48.0
"""CSS px from a nameless control to the text that labels it: one line above it, or a short gap before it."""

MAX_NAMELESS = 500
"""Nameless controls that are given the words beside them; pages with more are tables of icons."""

ICON = ROLE_WORDS["icon"]

ICON_SIDE = 64.0
"""CSS px; what is larger is a picture."""

IN_ORDER = 0.85
"""Share of the best score from which a thing counts as one of its kind: `second Save` counts those called Save."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. Empty parts say nothing; `query` is free text, the others are taken by the word."""

    query: str = ""
    role: str = ""
    name: str = ""
    text: str = ""
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Match:
    """An element found, by its index. `score` in 0 … 1."""

    index: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Fit:
    score: float
    reasons: tuple[str, ...] = ()

    def times(self, factor: float, reason: str = "") -> _Fit:
        return _Fit(self.score * factor, (*self.reasons, reason) if reason else self.reasons)

    def joined(self, other: _Fit) -> _Fit:
        """A fit with both."""
        return _Fit(self.score * other.score, self.reasons + other.reasons)


NO_FIT = _Fit(0.0)


def find_elements(
    elements: Sequence[Element],
    question: Question,
    viewport: Viewport,
    scroll: Scroll,
    here: Mapping[int, int] | None = None,
) -> list[Match]:
    """What fits, best first.

    Args:
        elements: of a page, parents before children.
        here: only these indices, each with how far out it is from what lies on top at a point (0: that itself).

    Returns:
        At most `limit`; empty where nothing fits.
    """
    page = _Page(elements, viewport, scroll)
    fits: dict[int, _Fit] = {index: _Fit(1.0) for index in (here if here is not None else range(len(elements)))}
    if here is not None:
        fits = {index: _at_point(index, here[index]) for index in fits}
    fits = _by_fields(page, fits, question)
    if question.query:
        asked = page.best_reading(read_query(question.query))
        fits = {index: fit.joined(asked[index]) for index, fit in fits.items()}
    ranked = sorted(
        ((index, fit.times(*_standing(elements[index]))) for index, fit in fits.items() if fit.score >= MIN_SCORE),
        key=lambda pair: (-round(pair[1].score, 4), not elements[pair[0]].interactive, pair[0]),
    )
    return [
        Match(index, min(1.0, round(fit.score, 4)), "; ".join(fit.reasons)) for index, fit in ranked[: question.limit]
    ]


def _at_point(index: int, steps: int) -> _Fit:
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
    """Where the text stands in an element does not matter: that it does is what is asked."""
    best, where = 0.0, ""
    for part, said in (("name", element.name), ("text", element.text), ("value", element.value)):
        score = likeness(text, said)
        if 0 < score < SAME_LETTERS and " ".join(text.split()).casefold() in said.casefold():
            score = max(score, 0.9)
        if score > best:
            best, where = score, f"{part} {_quoted(said)} {_how(score)}"
    return fit.times(best, where)


def _standing(element: Element) -> tuple[float, str]:
    """What a person can do with it now, as a small factor: it settles who of equals is meant."""
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
    """The elements with what is asked of them more than once."""

    def __init__(self, elements: Sequence[Element], viewport: Viewport, scroll: Scroll) -> None:
        self.elements = elements
        self._viewport = viewport
        self._scroll = scroll
        self._labels = _labels_beside(elements)
        self._called: dict[tuple[str, bool], list[_Fit]] = {}

    def best_reading(self, readings: Sequence[Reading]) -> list[_Fit]:
        """For each element how well it fits the reading that it fits best."""
        best = [NO_FIT] * len(self.elements)
        for reading in readings:
            for index, fit in enumerate(self._read(reading)):
                if fit.score > best[index].score + 1e-9:
                    best[index] = fit
        return best

    def called(self, words: str, *, quoted: bool) -> list[_Fit]:
        """How well each element's name, or what else names it, fits words."""
        key = (words, quoted)
        if key not in self._called:
            named = [self._name_fit(index, words, quoted) for index in range(len(self.elements))]
            self._called[key] = named
        return self._called[key]

    def _read(self, reading: Reading) -> list[_Fit]:
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
        told = "name"
        for part, worth in SAID_ELSEWHERE.items():
            said = self._said(index, part)
            if said and worth > best and (fit := likeness(words, said)) * worth > best:
                alike, best, told = fit, fit * worth, part
        # Who quotes a name means it as it is written.
        best *= 0.9 if quoted and alike < SAME_LETTERS else 1.0
        if best < MIN_SCORE:
            return NO_FIT
        label = "words beside it" if told == "label" else told
        return _Fit(best, (f"{label} {_quoted(self._said(index, told))} {_how(alike)}",))

    def _said(self, index: int, part: str) -> str:
        if part == "label":
            return self._labels.get(index, "")
        said: str = getattr(self.elements[index], part)
        return said

    def _fit_relation(self, fits: list[_Fit], relation: Relation) -> list[_Fit]:
        anchors = self._anchors(relation)
        if not anchors:
            return [fit.times(NO_ANCHOR, f"nothing is called {_quoted(relation.anchor[0].words)}") for fit in fits]
        return [
            self._related(index, fit, relation.side, anchors) if fit.score >= MIN_SCORE else NO_FIT
            for index, fit in enumerate(fits)
        ]

    def _related(self, index: int, fit: _Fit, side: Side, anchors: Sequence[tuple[int, float]]) -> _Fit:
        """The fit with how it lies to the anchor that it lies to best; anchors come best first."""
        best, nearest = 0.0, -1
        for anchor, worth in anchors:
            if worth <= best:
                break
            if anchor == index:
                # `the checkbox next to Remember me`: the words beside it are its own label.
                share = OWN_LABEL if side is not Side.IN else 0.0
            elif self._is_within(anchor, index):
                share = 0.0
            else:
                share = how_it_lies(self.elements, index, anchor, side)
            if share * worth > best:
                best, nearest = share * worth, anchor
        if nearest < 0:
            return fit.times(0.3)
        if nearest == index:
            return fit.times(0.3 + 0.7 * best, "what is written beside it is its name")
        where = say_how_it_lies(self.elements, index, nearest, side)
        return fit.times(0.3 + 0.7 * best, f"{where} {_shown(self.elements[nearest])}")

    def _anchors(self, relation: Relation) -> list[tuple[int, float]]:
        best: dict[int, float] = {}
        for called in relation.anchor:
            for index, fit in enumerate(self._fit_called(called)):
                # A label is as good a mark as the control that it names.
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
        """How far towards sides of the viewport a box lies; of the page where it is out of view."""
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
    """An icon is a picture to the eye: small, about as wide as high, most of all where it has no words."""
    fits = element.role in called.roles or (element.interactive and "clickable" in element.states)
    if not fits:
        return (OTHER_ROLE, f"another role: {element.role}") if called.words else (0.0, "")
    width, height = element.box.width, element.box.height
    small = 0 < max(width, height) <= ICON_SIDE and max(width, height) <= 1.7 * min(width, height)
    if element.role == "img" or (element.opaque is not None and small):
        return (1.0 if small else 0.8), f"{element.role} that shows a picture"
    return (0.9, f"{element.role} of an icon's size") if small else (0.6, f"role {element.role}")


def _in_order(fits: list[_Fit], ordinal: int) -> list[_Fit]:
    """The one that stands there among those that fit as well as the best does."""
    top = max((fit.score for fit in fits), default=0.0)
    kin = [index for index, fit in enumerate(fits) if fit.score and fit.score >= IN_ORDER * top]
    if not -len(kin) <= ordinal < len(kin):
        return [NO_FIT] * len(fits)
    chosen = kin[ordinal]
    said = f"number {kin.index(chosen) + 1} of {len(kin)}"
    return [fit.times(1.0, said) if index == chosen else fit.times(0.6) for index, fit in enumerate(fits)]


def _labels_beside(elements: Sequence[Element]) -> dict[int, str]:
    """The words before or above each nameless control, of those near enough the nearest."""
    nameless = [index for index, each in enumerate(elements) if each.interactive and not each.name][:MAX_NAMELESS]
    if not nameless:
        return {}
    texts = [each for each in elements if each.role in ("text", "heading") and each.name and each.visible]
    labels = {}
    for index in nameless:
        box = elements[index].box
        near = [(gap, text.name) for text in texts if (gap := _label_gap(box, text.box)) is not None]
        if near:
            labels[index] = min(near)[1]
    return labels


def _label_gap(box: Box, text: Box) -> float | None:
    """How far a text lies before or above a box, None where it is no label of it."""
    if min(box.bottom, text.bottom) - max(box.top, text.top) > 0.5 * min(box.height, text.height):
        gap = min(abs(box.left - text.right), abs(text.left - box.right))
    elif text.bottom <= box.top + 2 and min(box.right, text.right) > max(box.left, text.left):
        gap = box.top - text.bottom
    else:
        return None
    return gap if gap <= LABEL_REACH else None


def _how(score: float) -> str:
    if score >= SAME_LETTERS:
        return "exact"
    return "alike" if score >= 0.5 else "partly"


def _shown(element: Element) -> str:
    return f"{element.role} {_quoted(element.name)}" if element.name else element.role


def _quoted(text: str) -> str:
    cut = " ".join(text.split())
    return f"'{cut if len(cut) <= 60 else cut[:59] + '…'}'"
