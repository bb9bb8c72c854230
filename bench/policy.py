"""A deterministic policy: from an instruction in words to one listed element. A measuring instrument.

It decides from what is listed alone, so that it succeeds as far as the list says what a person would see. It knows no
page and learns nothing; what it makes of the same list is always the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from perception.bench.seen import Seen, SeenElement
from perception.datasets.instructions import NEAR, lies, on_row, spoken_role
from perception.geometry import Box

POLICY = "matcher-1"
"""Changes when its choices may: figures of two versions are not to be compared."""

LEAST = 60.0
"""Likeness (0 … 100) below which nothing listed is what is asked for."""

ROLE_BONUS, OFFERED_BONUS = 8.0, 4.0
"""Points for the role that was asked for, and for being offered as something to act on: they decide between equals
in name, and never make up for a wrong name."""

_QUOTED = re.compile(r'"([^"]*)"')
_SIDE = re.compile(r'(?:to the )?(right of|left of|below|above|in the row of|next to) "([^"]*)"')
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b|\b(first|second|third|last)\b", re.IGNORECASE)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "last": -1}

_STOP = set("the a an to of in on for and click press open select choose tap type into check go into item icon".split())


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen, where a click on it goes (CSS px), and how much it is like what was asked for."""

    element: SeenElement
    point: tuple[float, float]
    score: float


def choose(instruction: str, seen: Seen) -> Choice | None:
    """The listed element that an instruction means; None where nothing comes near.

    Of equals the one that is offered as reachable, then the smaller, then the first listed.
    """
    able = [each for each in seen.elements if click_point(each) is not None and each.in_viewport]
    side = _SIDE.search(instruction)
    rest = instruction[: side.start()] + instruction[side.end() :] if side else instruction
    names = _QUOTED.findall(rest)
    if names or not side:
        ranked = _rank(able, rest, names[0] if names else "")
    else:
        ranked = [(0.0, each) for each in able if not _words(each)] or [(0.0, each) for each in able]
    if side:
        ranked = _beside(ranked, side.group(1), _landmark(seen.elements, side.group(2)))
    return _pick(ranked, _ordinal(rest))


def click_point(element: SeenElement) -> tuple[float, float] | None:
    """Where a click on it goes, as far as its lister tells."""
    if element.point is not None:
        return element.point
    return (element.box.center.x, element.box.center.y) if element.box is not None else None


def _rank(elements: Sequence[SeenElement], words: str, name: str) -> list[tuple[float, SeenElement]]:
    """Elements by how much they are like what is asked for, from LEAST on."""
    wanted = _fold(name) if name else _content(words)
    ranked = []
    for each in elements:
        like = _like(wanted, each, is_name=bool(name))
        if like >= LEAST:
            role = spoken_role(each.role) in words or each.role in words
            ranked.append((like + ROLE_BONUS * role + OFFERED_BONUS * (each.interactive and each.reachable), each))
    return ranked


def _like(wanted: str, element: SeenElement, *, is_name: bool) -> float:
    said = [_fold(text) for text in (element.name, element.text, element.value) if text]
    if not wanted or not said:
        return 0.0
    if not is_name:
        return max(fuzz.token_set_ratio(wanted, each) for each in said)
    return max(_name_likeness(wanted, each) for each in said)


def _name_likeness(wanted: str, said: str) -> float:
    """Whole names first; a name that stands in a longer text, or is cut, a little below."""
    whole = fuzz.ratio(wanted, said)
    shorter = min(len(wanted), len(said))
    part = fuzz.partial_ratio(wanted, said) - 15 if shorter >= 4 else 0.0
    return max(whole, part)


def _beside(
    ranked: Sequence[tuple[float, SeenElement]], side: str, landmark: Box | None
) -> list[tuple[float, SeenElement]]:
    """Those on that side of the landmark, the nearest best."""
    if landmark is None:
        return []
    found = []
    for score, each in ranked:
        if each.box is None or each.box == landmark:
            continue
        fits = on_row(each.box, landmark) if side in ("in the row of", "next to") else lies(each.box, side, landmark)
        gap = _gap(each.box, landmark)
        if fits and (gap <= NEAR or side == "in the row of"):
            found.append((score + 20 * (1 - min(gap, NEAR) / NEAR), each))
    return found


def _landmark(elements: Sequence[SeenElement], name: str) -> Box | None:
    """The box of the words that an instruction goes by."""
    wanted = _fold(name)
    boxed = [
        (max(_name_likeness(wanted, _fold(text)) for text in _words(each)), each)
        for each in elements
        if _words(each) and each.box
    ]
    likely = [(like, -each.box.area, -index) for index, (like, each) in enumerate(boxed) if like >= LEAST and each.box]
    return boxed[-max(likely)[2]][1].box if likely else None


def _words(element: SeenElement) -> list[str]:
    return [text for text in (element.name, element.text, element.value) if text]


def _pick(ranked: Sequence[tuple[float, SeenElement]], ordinal: int) -> Choice | None:
    if not ranked:
        return None
    best = max(score for score, _ in ranked)
    if ordinal:
        equals = [each for score, each in ranked if score >= best - ROLE_BONUS - OFFERED_BONUS]
        if not -len(equals) <= ordinal - (ordinal > 0) < len(equals):
            return None
        element = equals[ordinal - (ordinal > 0)]
    else:
        equals = [each for score, each in ranked if score >= best - 1e-6]
        element = min(equals, key=lambda each: (not each.reachable, each.box.area if each.box else 0.0))
    point = click_point(element)
    assert point is not None
    return Choice(element, point, best)


def _ordinal(words: str) -> int:
    """Which of several equals: 1 for the first, -1 for the last, 0 where it is not said."""
    found = _ORDINAL.search(_QUOTED.sub("", words))
    if found is None:
        return 0
    return int(found.group(1)) if found.group(1) else _ORDINALS[found.group(2).lower()]


def _content(words: str) -> str:
    return " ".join(word for word in _fold(words).split() if word not in _STOP)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _gap(box: Box, other: Box) -> float:
    dx = max(box.left - other.right, other.left - box.right, 0.0)
    dy = max(box.top - other.bottom, other.top - box.bottom, 0.0)
    return float((dx * dx + dy * dy) ** 0.5)
