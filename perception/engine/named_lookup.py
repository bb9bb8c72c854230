"""Elements by role and name, as the page is now."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TargetNode
from perception.deadline import Deadline
from perception.engine.request import NamedTarget
from perception.errors import AmbiguousTargetError, NoMatchError, PageChangingError
from perception.geometry import Box
from perception.invisible import comparable
from perception.page_words import quoted_words
from perception.types import Element, Engine, NodeKey, Scope

TEXT = "text"

CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
"""Roles of what a list says in its row's line, where it has no ref of its own: a target like any other text."""

LISTS = frozenset({"combobox", "listbox"})
"""Roles of native lists, which are used by their names where a page keeps them out of sight behind painted ones."""

MAX_ALIKE = 5
"""Names of the same role that an error lists."""


LOADS_ROWS = "a list on it loads its rows as it scrolls: scrolling may bring it"

LOADED_SHARE = 0.5
"""A list has less of its scroll height than this filled if it makes rows as they are scrolled to. Chosen by hand."""


def loads_rows(elements: Sequence[Element]) -> bool:
    """Whether one of the elements scrolls over rows that are not on the page."""
    extents = [(math.inf, -math.inf)] * len(elements)
    for index in range(len(elements) - 1, -1, -1):
        element = elements[index]
        top, bottom = extents[index]
        if element.scrollable is not None:
            inside, beyond = element.box.height, element.scrollable.up + element.scrollable.down
            if inside < beyond and bottom - top < LOADED_SHARE * (inside + beyond):
                return True
        if element.parent >= 0:
            above = extents[element.parent]
            extents[element.parent] = (min(top, element.box.top, above[0]), max(bottom, element.box.bottom, above[1]))
    return False


async def find_named(tab: Tab, target: NamedTarget, deadline: Deadline) -> TargetNode:
    """The element that a role and a name mean on a tab.

    Raises:
        NoMatchError: there is none; names what has the role.
        AmbiguousTargetError: there are several, and the target does not say which.
        PageChangingError: the tab goes to another document.
    """
    try:
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was searched: try again") from exc
    inside = await _texts_inside(tab, capture.elements, target, deadline)
    element = choose_named(capture.elements, target, inside)
    assert element.node is not None  # choose_named takes no other
    frame = tab.link.tree.frame_of(element.node.loader)
    if frame is None:
        raise PageChangingError("the frame of the element went away while it was searched: try again")
    number = element.node.node
    if element.role != TEXT:
        return TargetNode(frame, number, str(target))
    try:
        around = await tab.link.ask(frame, "elementOfText", deadline, "looking for the text's element", number)
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was searched: try again") from exc
    if around is None:
        raise PageChangingError(f"{target} went away while it was searched: try again")
    return TargetNode(frame, around, str(target), text=number if around != number else 0)


@dataclass(frozen=True, slots=True)
class TextInside:
    """Words in an element that acts, or in a row, which the element's name says with others.

    Attributes:
        element: the words, as an element of the role text; its parent is the index of the innermost around it.
        around: what is between the two, outermost first.
    """

    element: Element
    around: frozenset[NodeKey]


async def _texts_inside(
    tab: Tab, elements: Sequence[Element], target: NamedTarget, deadline: Deadline
) -> Sequence[TextInside]:
    """The painted texts of a name that are in what acts or in a row, in document order. Raises PageChangingError."""
    wanted = comparable(target.name)
    role = _role_of(target)
    if role not in (TEXT, *CELLS) or not wanted:
        return ()
    actors: dict[str, list[tuple[int, Element]]] = {}
    for index, each in enumerate(elements):
        says = each.role == "row" or (each.interactive and role == TEXT)
        if says and each.visible and each.node is not None and wanted in comparable(each.name):
            actors.setdefault(each.node.loader, []).append((index, each))
    found = [
        each
        for loader, indexed in actors.items()
        if (frame := tab.link.tree.frame_of(loader)) is not None
        for each in await _texts_in_frame(tab, frame, indexed, wanted, deadline)
    ]
    return sorted(found, key=lambda each: each.element.parent)


async def _texts_in_frame(
    tab: Tab, frame: str, actors: Sequence[tuple[int, Element]], wanted: str, deadline: Deadline
) -> Sequence[TextInside]:
    """As `_texts_inside`, in one frame."""
    index_of = {each.node.node: index for index, each in actors if each.node is not None}
    (loader,) = {each.node.loader for _, each in actors if each.node is not None}
    phase = "looking for a text"
    try:
        pieces = await tab.link.ask(frame, "wordsInside", deadline, phase, list(index_of))
        pieces = [each for each in pieces if comparable(each[1]) == wanted]
        are_seen = await tab.link.ask(frame, "areSeen", deadline, phase, [each[0] for each in pieces])
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was searched: try again") from exc
    found = {}  # of several that hold a text, the innermost
    for (number, words, around), is_seen in zip(pieces, are_seen, strict=True):
        actor = next((index_of[each] for each in around if each in index_of), None)
        if is_seen and actor is not None:
            text = Element(TEXT, words, Box(0, 0, 0, 0), node=NodeKey(loader, number), parent=actor)
            found[number] = TextInside(text, frozenset(NodeKey(loader, each) for each in around))
    return list(found.values())


def choose_named(elements: Sequence[Element], target: NamedTarget, inside: Sequence[TextInside] = ()) -> Element:
    """The visible element of a role and a name, or a list of these that is out of sight. Raises NoMatchError,
    AmbiguousTargetError.

    Args:
        elements: of the page, in document order.
        inside: painted texts of that name in what acts; for a target of the role text.
    """
    role = _role_of(target)
    there = [each for each in elements if each.visible and each.node is not None and role in ("", each.role)]
    wanted = comparable(target.name)
    found = [each for each in there if comparable(each.name) == wanted]
    if role == TEXT:
        found = _with_inside(found, elements, wanted, inside)
    elif role in CELLS and not found:
        found = [each.element for each in inside]
    elif role in LISTS and not found:
        unseen = [each for each in elements if each.role == role and each.interactive and each.node is not None]
        found = [each for each in unseen if comparable(each.name) == wanted]
    found = _without_words_of(found, elements)
    if len(found) > (target.nth or 0):
        if target.nth is not None or len(found) == 1:
            return found[target.nth or 0]
        written = json.dumps(target.name, ensure_ascii=False)
        raise AmbiguousTargetError(
            f"{target} is on the page {len(found)} times: say which by `nth`, from 0, or use a ref; as a text: "
            f"{f'{target.role} {written}'.strip()} [nth=0]",
            count=str(len(found)),
        )
    if found:
        raise NoMatchError(f"{target} is not there: the page has {len(found)} of these, counted from 0")
    more = f"; {LOADS_ROWS}" if loads_rows(elements) else ""
    raise NoMatchError(f"{target} is not on the page{_alike(there, target)}{more}")


def _role_of(target: NamedTarget) -> str:
    return target.role.strip().lower()


def _with_inside(
    found: Sequence[Element], elements: Sequence[Element], wanted: str, inside: Sequence[TextInside]
) -> list[Element]:
    """Texts of a name, with those in what acts or in a row. What has the name and says it is one of them, once; where
    no text of the page says it, so is what has the name in another way, the innermost."""
    at = {id(each): index for index, each in enumerate(elements)}
    chosen = {each.node: (at[id(each)], each) for each in found}

    def is_new(text: TextInside) -> bool:
        return chosen.keys().isdisjoint((text.element.node, *text.around))

    speaking = {each.element.parent for each in inside if is_new(each)}
    around = {above for index in speaking for above in _above(elements, index)}
    for index, each in enumerate(elements):
        is_named = each.visible and each.node is not None and comparable(each.name) == wanted
        if is_named and (index in speaking or (not found and index not in around)):
            chosen.setdefault(each.node, (index, each))
    for text in inside:
        if is_new(text):
            chosen[text.element.node] = (text.element.parent, text.element)
    return [each for _, each in sorted(chosen.values(), key=lambda each: each[0])]


def _above(elements: Sequence[Element], index: int) -> Iterator[int]:
    """The indices of the elements around one."""
    while (index := elements[index].parent) >= 0:
        yield index


def _without_words_of(found: list[Element], elements: Sequence[Element]) -> list[Element]:
    """Leaves out the texts, headings and targets without a role that give an element around them its name: they are the
    same to a person."""
    chosen = {id(each) for each in found}

    def is_said_around(element: Element) -> bool:
        is_box = element.interactive
        while element.parent >= 0:
            element = elements[element.parent]
            if id(element) in chosen and element.interactive and not (is_box and element.role == "generic"):
                return True
            if element.interactive:
                return False
        return False

    return [each for each in found if (each.interactive and each.role != "generic") or not is_said_around(each)]


def _alike(there: Sequence[Element], target: NamedTarget) -> str:
    """What has the role, for the error."""
    if not target.role:
        return ": take a snapshot to see what is there"
    names = list(dict.fromkeys(each.name for each in there if each.name))
    if not names:
        return f": it shows no {target.role} with a name"
    shown = ", ".join(quoted_words(name) for name in names[:MAX_ALIKE])
    more = f" and {len(names) - MAX_ALIKE} more" if len(names) > MAX_ALIKE else ""
    return f": it shows {target.role} {shown}{more}"
