"""Elements by role and name, as the page is now."""

from __future__ import annotations

import math
from collections.abc import Sequence

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TargetNode
from perception.deadline import Deadline
from perception.engine.request import NamedTarget
from perception.errors import AmbiguousTargetError, NoMatchError, PageChangingError
from perception.invisible import comparable
from perception.page_words import quoted_words
from perception.types import Element, Engine, Scope

TEXT = "text"

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
    element = choose_named(capture.elements, target)
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


def choose_named(elements: Sequence[Element], target: NamedTarget) -> Element:
    """The visible element of a role and a name. Raises NoMatchError, AmbiguousTargetError."""
    there = [each for each in elements if each.visible and each.node is not None and _has_role(each, target.role)]
    wanted = comparable(target.name)
    found = [each for each in there if comparable(each.name) == wanted]
    if not found and target.role.strip().lower() == TEXT:  # what it says may be the name of something that acts
        seen = [each for each in elements if each.visible and each.node is not None]
        found = [each for each in seen if comparable(each.name) == wanted]
    found = _without_words_of(found, elements)
    if len(found) > (target.nth or 0):
        if target.nth is not None or len(found) == 1:
            return found[target.nth or 0]
        raise AmbiguousTargetError(
            f"{target} is on the page {len(found)} times: say which by `nth`, from 0, or use a ref",
            count=str(len(found)),
        )
    if found:
        raise NoMatchError(f"{target} is not there: the page has {len(found)} of these, counted from 0")
    more = f"; {LOADS_ROWS}" if loads_rows(elements) else ""
    raise NoMatchError(f"{target} is not on the page{_alike(there, target)}{more}")


def _without_words_of(found: list[Element], elements: Sequence[Element]) -> list[Element]:
    """Leaves out the texts and headings that give an element around them its name: they are the same to a person."""
    chosen = {id(each) for each in found}

    def is_said_around(element: Element) -> bool:
        while not element.interactive and element.parent >= 0:
            element = elements[element.parent]
            if id(element) in chosen and element.interactive:
                return True
        return False

    return [each for each in found if each.interactive or not is_said_around(each)]


def _has_role(element: Element, role: str) -> bool:
    return not role or element.role == role.strip().lower()


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
