"""Generates instructions for a page from its ground truth: what to click, in words that fit exactly one element. Pure.

Three forms, each in English with the page's own words in quotes:

    click the button "Save"                               by unique role and name
    click the link "Edit" in the row of "Order 17"        by role, name and position, if several have the name
    click the icon to the right of "Search"               by position, for an element without text

Rule 1: a description that fits two elements is not used. Elements that are covered, out of view or not interactive
count as fitting, since lists may contain them, and the nearest element does not win.
Rule 2: the same truth gives the same instructions.

This cannot describe: an icon by its picture ("the magnifier") or its purpose ("close the window"); one of several equal
neighbors; an element without text near it; a picture that is larger than an icon; text that is not interactive. Icons
that are not controls are not in the truth, so "the icon to the right of X" may also fit one of them. Names are
Chromium's, so an icon may have a name that only the accessibility tree contains. On 24 samples of 8 pages (xo-dev,
AdminLTE, flot, the Debian handbook in Japanese, SVG-edit, draw.io, x-spreadsheet and Django's admin in Arabic, each in
three shapes), with at most 12 for a sample, 133 are by name and 56 by position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from perception.datasets.sample import ElementKind, GroundingTask, TextLine, TruthElement
from perception.geometry import Box

WORDS: Mapping[str, str] = {
    "button": "button",
    "checkbox": "checkbox",
    "combobox": "drop-down list",
    "link": "link",
    "listbox": "drop-down list",
    "menuitem": "menu item",
    "menuitemcheckbox": "menu item",
    "menuitemradio": "menu item",
    "option": "option",
    "radio": "radio button",
    "searchbox": "field",
    "slider": "slider",
    "spinbutton": "field",
    "switch": "switch",
    "tab": "tab",
    "textbox": "field",
    "treeitem": "tree item",
}
"""Common words for roles. Elements with other roles are described by name only."""

ICON_WORDS = frozenset({"", "button", "link", "menu item", "tab"})
"""Words of elements that look like an icon without text; a checkbox stays a checkbox."""

INSTRUCTION_ICON_SIDE = 64.0
"""CSS px. A larger element is a picture (`OPAQUE_SIDE` in truth.py)."""

REACH = 120.0
"""Largest gap between an element and the text that locates it, CSS px. Chosen by hand: three lines of 40 px."""

ROW_REACH = 400.0
"""Largest gap between an element and the text that names its row, CSS px. Chosen by hand: text further away is often
another part of the page at the same height."""

INSTRUCTION_ALIGNED = 0.5
"""Least share of the smaller side that two boxes in one row or one column have in common."""

INSTRUCTION_TOUCH = 2.0
"""CSS px that adjacent boxes may overlap: boxes of text are a little larger than its letters."""

MAX_INSTRUCTION_NAME = 80
"""Characters. Longer names are running text."""

MAX_ANCHOR = 40


def make_tasks(
    truth: Sequence[TruthElement], lines: Sequence[TextLine], *, limit: int, seed: int
) -> tuple[GroundingTask, ...]:
    """Generates instructions for reachable controls in view, half of them by name and half by position if possible.

    Args:
        limit: maximum number.
        seed: selects among more than `limit`.

    Returns:
        Instructions in the order of the truth, at most one for each element; empty if none can be described.
    """
    things = [_thing_of(index, each) for index, each in enumerate(truth)]
    anchors = _anchors(lines)
    by_name, by_place = [], []
    for thing in things:
        if not (thing.element.interactive and thing.element.reachable):
            continue
        if thing.name and _fits_one(thing, things, _is_called(thing)):
            by_name.append(_task(thing, f"click {_called(thing)}", "name"))
        else:
            said = _tell_apart(thing, things, anchors)
            by_place += [_task(thing, f"click {said}", "neighbour")] if said else []
        if thing.name and _is_icon(thing):
            said = _place(thing, things, anchors)
            by_place += [_task(thing, f"click {said}", "neighbour")] if said else []
    return tuple(sorted(_pick(by_name, by_place, limit, Random(seed)), key=lambda task: task.target))


@dataclass(frozen=True, slots=True)
class _Thing:
    """An element of the truth with its words.

    Attributes:
        index: index in the truth.
        element: the element.
        word: common word for its role; "" for none.
        name: name as quoted; "" if it cannot be quoted.
    """

    index: int
    element: TruthElement
    word: str
    name: str

    @property
    def box(self) -> Box:
        return self.element.box


_Fit = Callable[[_Thing], bool]


def _thing_of(index: int, element: TruthElement) -> _Thing:
    name = " ".join(element.name.split())
    sayable = fold(name) and len(name) <= MAX_INSTRUCTION_NAME and '"' not in name
    return _Thing(index, element, WORDS.get(element.role, ""), name if sayable else "")


def fold(text: str) -> str:
    """Letters and digits only, in lower case."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _called(thing: _Thing) -> str:
    return f'the {thing.word} "{thing.name}"' if thing.word else f'"{thing.name}"'


def _is_called(wanted: _Thing) -> _Fit:
    """A predicate: whether another element fits the same role word and name. An element without a role word fits
    any."""
    name = fold(wanted.name)
    return lambda other: (
        fold(other.element.name) == name and (other.word == wanted.word or "" in (other.word, wanted.word))
    )


def _is_icon(thing: _Thing) -> bool:
    small = 0 < max(thing.box.width, thing.box.height) <= INSTRUCTION_ICON_SIDE
    return thing.element.kind is ElementKind.ICON and thing.word in ICON_WORDS and small


def _fits_one(thing: _Thing, things: Iterable[_Thing], fits: _Fit) -> bool:
    """Whether a description fits only this element and elements inside it, where a click is also right."""
    return fits(thing) and all(other is thing or _lies_in(other.box, thing.box) for other in things if fits(other))


def _lies_in(inner: Box, outer: Box) -> bool:
    return (
        outer.left <= inner.left
        and inner.right <= outer.right
        and outer.top <= inner.top
        and inner.bottom <= outer.bottom
    )


def _tell_apart(thing: _Thing, things: Sequence[_Thing], anchors: Sequence[TextLine]) -> str:
    """A unique description by name and position, or by position only for an element without name; "" for none."""
    if not thing.name:
        return _place(thing, things, anchors)
    return _beside(thing, things, anchors, _called(thing), _is_called(thing), (*_ROW_RELATIONS, *_SIDE_RELATIONS))


def _place(thing: _Thing, things: Sequence[_Thing], anchors: Sequence[TextLine]) -> str:
    if _is_icon(thing):
        return _beside(thing, things, anchors, "the icon", _is_icon, _SIDE_RELATIONS)
    if thing.word and thing.word not in ICON_WORDS:
        return _beside(
            thing, things, anchors, f"the {thing.word}", lambda other: other.word == thing.word, _SIDE_RELATIONS
        )
    return ""


def _beside(
    thing: _Thing,
    things: Sequence[_Thing],
    anchors: Sequence[TextLine],
    what: str,
    is_such: _Fit,
    relations: Sequence[_Relation],
) -> str:
    """The description by the nearest words that leaves one thing only; empty where there is none."""
    rivals = [other for other in things if is_such(other)]
    others = [line for line in anchors if not _is_of(line, thing)]
    for line in sorted(others, key=lambda line: (_distance(line.box, thing.box), line.box.top, line.box.left)):
        for words, holds in relations:
            if _fits_one(thing, rivals, lambda other, holds=holds, line=line: holds(other.box, line.box)):  # type: ignore[misc]
                return f'{what} {words} "{" ".join(line.text.split())}"'
    return ""


def _is_of(line: TextLine, thing: _Thing) -> bool:
    """Whether a line is in or around an element, or equals its name as its label does: it adds no information."""
    if thing.box.contains(line.box.center) or line.box.contains(thing.box.center):
        return True
    words, name = fold(line.text), fold(thing.name)
    return bool(name) and (words in name or name in words)


def _anchors(lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines that can be quoted and whose text is in no other line."""
    folded = [fold(line.text) for line in lines]
    return [
        line
        for index, line in enumerate(lines)
        if len(folded[index]) > 1
        and len(line.text) <= MAX_ANCHOR
        and '"' not in line.text
        and not any(folded[index] in other for place, other in enumerate(folded) if place != index)
    ]


_Relation = tuple[str, Callable[[Box, Box], bool]]
"""Words of a relation, and its predicate for a box and the box of the quoted text."""


def _share_rows(a: Box, b: Box) -> bool:
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    return shared > 0 and shared >= INSTRUCTION_ALIGNED * min(a.height, b.height)


def _share_columns(a: Box, b: Box) -> bool:
    shared = min(a.right, b.right) - max(a.left, b.left)
    return shared > 0 and shared >= INSTRUCTION_ALIGNED * min(a.width, b.width)


def _is_near(gap: float) -> bool:
    return -INSTRUCTION_TOUCH <= gap <= REACH


def _is_in_row(box: Box, text: Box) -> bool:
    return _share_rows(box, text) and max(box.left - text.right, text.left - box.right) <= ROW_REACH


_ROW_RELATIONS: tuple[_Relation, ...] = (("in the row of", _is_in_row),)

_SIDE_RELATIONS: tuple[_Relation, ...] = (
    ("to the right of", lambda box, text: _share_rows(box, text) and _is_near(box.left - text.right)),
    ("to the left of", lambda box, text: _share_rows(box, text) and _is_near(text.left - box.right)),
    ("below", lambda box, text: _share_columns(box, text) and _is_near(box.top - text.bottom)),
    ("above", lambda box, text: _share_columns(box, text) and _is_near(text.top - box.bottom)),
)


def _distance(a: Box, b: Box) -> float:
    dx = max(a.left - b.right, b.left - a.right, 0.0)
    dy = max(a.top - b.bottom, b.top - a.bottom, 0.0)
    return float((dx * dx + dy * dy) ** 0.5)


def _task(thing: _Thing, instruction: str, how: str) -> GroundingTask:
    return GroundingTask(instruction, thing.box, thing.element.kind, how, thing.index)


def _pick(
    by_name: Sequence[GroundingTask], by_place: Sequence[GroundingTask], limit: int, random: Random
) -> list[GroundingTask]:
    """Takes from both lists alternately, each in random order and without repeating a target; then from the rest."""
    queues = [random.sample(by_place, len(by_place)), random.sample(by_name, len(by_name))]
    picked: dict[int, GroundingTask] = {}
    turn = 0
    while any(queues) and len(picked) < limit:
        queue = queues[turn % 2]
        while queue and (task := queue.pop()) is not None:
            if task.target not in picked:
                picked[task.target] = task
                break
        turn += 1
    return list(picked.values())
