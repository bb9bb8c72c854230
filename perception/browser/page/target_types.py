"""What input is aimed at: an element of the page, and where a click on it lands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from perception.geometry import Point
from perception.page_words import quoted_words
from perception.ref_entries import PageRef


class TargetFacts(msgspec.Struct):
    """What an element is like now, from the walker (at.js).

    Attributes:
        role: ARIA role.
        name: accessible name.
        box: left, top, right, bottom in CSS px of its own frame's viewport.
        point: where a click would land on it, same frame; None where it would not.
        blocker: what covers it, in words; empty where nothing does.
        inViewport: some of it is in its frame's viewport.
        disabled: it takes no input, or says so.
        inactive: the browser gives it no input.
        editable: it takes text.
        tag: local name of the element, lower case.
        type: an input's type; empty for others.
        number: the walker's number of the element.
        masked: its name is redacted.
        multiple: a select that takes several options.
        states: as in a snapshot.
        checkable: it is checked or not.
        untold: it does not say which.
        toggles: it is a button that is pressed or not.
        restless: an animation or a transition may move it.
        seen: a person can see it, now or once it is scrolled into view.
        locked: an open popup, the blocker, has switched the pointer off for it.
        held: the page has locked the pointer to the blocker, which gets all clicks.
        switchedOff: it takes no pointer events.
        row: the text that identifies its row of a list; empty where its name tells it from others.
    """

    role: str
    name: str
    box: tuple[float, float, float, float]
    point: tuple[float, float] | None
    blocker: str
    inViewport: bool  # noqa: N815  (the walker's spelling)
    disabled: bool
    editable: bool
    tag: str
    type: str
    number: int = 0
    masked: bool = False
    multiple: bool = False
    states: tuple[str, ...] = ()
    restless: bool = False
    seen: bool = True
    row: str = ""
    inactive: bool = False
    locked: bool = False
    held: bool = False
    switchedOff: bool = False  # noqa: N815  (the walker's spelling)
    checkable: bool = False
    untold: bool = False
    toggles: bool = False


@dataclass(frozen=True, slots=True)
class TargetNode:
    """An element that was found.

    Attributes:
        frame: id of its frame.
        number: its walker number there.
        shown_as: what errors call it, such as "ref e12".
        expected: the ref that it was asked for by; None where it was found otherwise.
        text: the walker number of the text in it that is meant; 0 where the whole element is.
    """

    frame: str
    number: int
    shown_as: str
    expected: PageRef | None = None
    text: int = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """What the walker is asked about: the element, and the text in it that is meant."""
        return (self.number, self.text) if self.text else (self.number,)


class Disabled(Enum):
    """Which disabled elements input may go to."""

    NONE = "none"
    ANNOUNCED = "announced"
    """Those that only say so, by `aria-disabled`: a browser gives them input as any other."""
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Aim:
    """Where input goes.

    Attributes:
        point: CSS px of the tab's viewport.
        node: the element there; None for a bare coordinate.
        facts: what the element is like; None for a bare coordinate.
        disabled: whether it may be disabled.
    """

    point: Point
    node: TargetNode | None = None
    facts: TargetFacts | None = None
    disabled: Disabled = Disabled.NONE


def named(facts: TargetFacts) -> str:
    """An element's role, name and input type, for errors. What no person can see is not named."""
    kind = f" of type {facts.type}" if facts.tag == "input" and facts.type else ""
    return f"{facts.role}{f' {quoted_words(facts.name)}' if facts.name and facts.seen else ''}{kind}"
