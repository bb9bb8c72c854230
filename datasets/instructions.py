"""Instructions for a page, made of its truth: what to click, in words that fit exactly one true element. Pure.

Three forms, each in English with the page's own words in quotes:

    click the button "Save"                               its role and name, which no other has
    click the link "Edit" in the row of "Order 17"        role and name, and what tells it from the others of that name
    click the icon to the right of "Search"               where it is, for what shows no words

Rule 1: a description that fits two elements is not used, and one that fits by luck of the eye is not either: what is
covered, out of view or not interactive counts as fitting, since lists may hold it, and what is nearest does not win.
Rule 2: the same truth gives the same instructions.

What cannot be said this way: an icon by what it shows ("the magnifier") or what it does ("close the window"); what
stands beside another of its like; a thing without text near it; a picture that is larger than an icon; text that is
not interactive. Icons that are no controls are not in the truth: "the icon to the right of X" may fit one of them too.
Names are Chromium's, so that an icon may be called by a name that only the accessibility tree says.
On 24 looks at 8 pages (xo-dev, AdminLTE, flot, the Debian handbook in Japanese, SVG-edit, draw.io, x-spreadsheet and
Django's admin in Arabic, each in three shapes), 12 a look at most, 133 are by name and 56 by neighbourhood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from perception.datasets.sample import Kind, Task, TextLine, TruthElement
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
"""What people call a role. Others have no word: a name alone says them."""

ICON_WORDS = frozenset({"", "button", "link", "menu item", "tab"})
"""What is an icon to the eye when it shows no words; a checkbox stays a checkbox."""

ICON_SIDE = 64.0
"""CSS px. What is larger is a picture (`OPAQUE_SIDE` in truth.py)."""

REACH = 120.0
"""CSS px between a thing and the words that it is told by. A choice: three lines of 40 px."""

ROW_REACH = 400.0
"""CSS px between a thing and the words that name its row. A choice: what is further off is often another part of the
page that happens to be level with it."""

ALIGNED = 0.5
"""Share of the smaller side that two boxes have in common, from which they are in one row or one column."""

TOUCH = 2.0
"""CSS px that neighbours may overlap: boxes of text are a little larger than its letters."""

MAX_NAME = 80
"""Characters. Longer names are running text, which nobody quotes."""

MAX_ANCHOR = 40


def make_tasks(truth: Sequence[TruthElement], lines: Sequence[TextLine], *, limit: int, seed: int) -> tuple[Task, ...]:
    """Instructions for reachable controls in view: as many by name as by neighbourhood, where there are as many.

    Args:
        limit: how many at most.
        seed: which, where there are more.

    Returns:
        In the order of the truth, one for an element at most. Empty where nothing can be said of any.
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
    """A true element with what it is called. `name` is as it is said, empty for what cannot be."""

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
    sayable = fold(name) and len(name) <= MAX_NAME and '"' not in name
    return _Thing(index, element, WORDS.get(element.role, ""), name if sayable else "")


def fold(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _called(thing: _Thing) -> str:
    return f'the {thing.word} "{thing.name}"' if thing.word else f'"{thing.name}"'


def _is_called(wanted: _Thing) -> _Fit:
    """Whether somebody could call a thing the same. One without a word for its role is of any."""
    name = fold(wanted.name)
    return lambda other: (
        fold(other.element.name) == name and (other.word == wanted.word or "" in (other.word, wanted.word))
    )


def _is_icon(thing: _Thing) -> bool:
    small = 0 < max(thing.box.width, thing.box.height) <= ICON_SIDE
    return thing.element.kind is Kind.ICON and thing.word in ICON_WORDS and small


def _fits_one(thing: _Thing, things: Iterable[_Thing], fits: _Fit) -> bool:
    """Whether a description fits a thing, and no other than what lies inside it, where a click is right too."""
    return fits(thing) and all(other is thing or _lies_in(other.box, thing.box) for other in things if fits(other))


def _lies_in(inner: Box, outer: Box) -> bool:
    return (
        outer.left <= inner.left
        and inner.right <= outer.right
        and outer.top <= inner.top
        and inner.bottom <= outer.bottom
    )


def _tell_apart(thing: _Thing, things: Sequence[_Thing], anchors: Sequence[TextLine]) -> str:
    """A description by name and place, or by place alone for what has no name; empty where none is unique."""
    if not thing.name:
        return _place(thing, things, anchors)
    return _beside(thing, things, anchors, _called(thing), _is_called(thing), (*_ROW, *_SIDES))


def _place(thing: _Thing, things: Sequence[_Thing], anchors: Sequence[TextLine]) -> str:
    if _is_icon(thing):
        return _beside(thing, things, anchors, "the icon", _is_icon, _SIDES)
    if thing.word and thing.word not in ICON_WORDS:
        return _beside(thing, things, anchors, f"the {thing.word}", lambda other: other.word == thing.word, _SIDES)
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
    """Whether a line stands in a thing or around it, or says its own name, as its label does: it tells nothing more."""
    if thing.box.contains(line.box.center) or line.box.contains(thing.box.center):
        return True
    words, name = fold(line.text), fold(thing.name)
    return bool(name) and (words in name or name in words)


def _anchors(lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines that can be quoted, and whose words are in no other line."""
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
"""Words, and whether they are true of a box and of that of the quoted text."""


def _share_rows(a: Box, b: Box) -> bool:
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    return shared > 0 and shared >= ALIGNED * min(a.height, b.height)


def _share_columns(a: Box, b: Box) -> bool:
    shared = min(a.right, b.right) - max(a.left, b.left)
    return shared > 0 and shared >= ALIGNED * min(a.width, b.width)


def _is_near(gap: float) -> bool:
    return -TOUCH <= gap <= REACH


def _is_in_row(box: Box, text: Box) -> bool:
    return _share_rows(box, text) and max(box.left - text.right, text.left - box.right) <= ROW_REACH


_ROW: tuple[_Relation, ...] = (("in the row of", _is_in_row),)

_SIDES: tuple[_Relation, ...] = (
    ("to the right of", lambda box, text: _share_rows(box, text) and _is_near(box.left - text.right)),
    ("to the left of", lambda box, text: _share_rows(box, text) and _is_near(text.left - box.right)),
    ("below", lambda box, text: _share_columns(box, text) and _is_near(box.top - text.bottom)),
    ("above", lambda box, text: _share_columns(box, text) and _is_near(text.top - box.bottom)),
)


def _distance(a: Box, b: Box) -> float:
    dx = max(a.left - b.right, b.left - a.right, 0.0)
    dy = max(a.top - b.bottom, b.top - a.bottom, 0.0)
    return float((dx * dx + dy * dy) ** 0.5)


def _task(thing: _Thing, instruction: str, how: str) -> Task:
    return Task(instruction, thing.box, thing.element.kind, how, thing.index)


def _pick(by_name: Sequence[Task], by_place: Sequence[Task], limit: int, random: Random) -> list[Task]:
    """Takes from either list in turn, each in random order, no target twice; then from the one that is left."""
    queues = [random.sample(by_place, len(by_place)), random.sample(by_name, len(by_name))]
    picked: dict[int, Task] = {}
    turn = 0
    while any(queues) and len(picked) < limit:
        queue = queues[turn % 2]
        while queue and (task := queue.pop()) is not None:
            if task.target not in picked:
                picked[task.target] = task
                break
        turn += 1
    return list(picked.values())
