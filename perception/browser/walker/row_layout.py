"""Generated from row_layout.toml by .ci/row_layout. Not to be edited.

The rows in which the walker answers. Coordinates and lengths are CSS px in the viewport of the frame.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from perception.types import Reach

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""

INTERACTIVE: Final = 1
"""Flag: a person can act on it."""

IN_VIEWPORT: Final = 2
"""Flag: some of its box is in view."""

REACHABLE: Final = 4
"""Flag: a click at its point hits it."""

VISIBLE: Final = 8
"""Flag: a person can see it, now or once it is scrolled into view."""

SENSITIVE: Final = 16
"""Flag: part of its content is withheld."""

STRUCTURE: Final = 32
"""Flag: a container that only a digest lists."""

TERM: Final = 64
"""Flag: a text that the texts after it are about."""

LOCKED: Final = 128
"""Flag: an open popup, given as what covers it, has switched the pointer off for it."""

REACHES: Final = (Reach.UNSAID, Reach.NOW, Reach.COVERED, Reach.SCROLL, Reach.NEVER)
"""By the walker's number for each."""


class Cover(IntEnum):
    """What covers a frame at a point.

    CLEAR: nothing: the frame itself is hit.
    COVERED: another element; its number and description follow.
    UNPAINTED: the frame is not painted there.
    """

    CLEAR = 0
    COVERED = 1
    UNPAINTED = 2


class Row(msgspec.Struct, array_like=True):
    """One thing in a frame that a person can see, read or act on.

    Attributes:
        node: its number, never reused within its document.
        parent: row of its container; -1 for none.
        role: ARIA role, or `text`.
        name: accessible name; for a text, its words.
        value: current value; empty if there is none or it is withheld.
        states: such as `checked` or `level=2`.
        box: position in the frame's viewport, CSS px.
        flags: sum of the flags that are set.
        point: point at which a click hits it, CSS px; null if there is none.
        covered_by: number of the innermost listed element that covers it; 0 for none.
        blocker: description of what covers it.
        opaque: why its pixels are unexplained; empty if they are not.
        text: visible text, if it differs from the name.
        hint: information that helps to use it and is not its name.
        reach: its Reach, as a number.
        scrollable: remaining scroll distance up, down, left, right, CSS px; null if there is none.
        options: choices of a list, in order: the first ones of many.
        option_count: how many choices the list has.
        nth: its number among the elements that share role and name, from 0.
        in_row: text that identifies its row of a list; empty where its name tells it from others.
        covered_in: loader of the document of `covered_by`, if it is another document.
    """

    node: int
    parent: int
    role: str
    name: str
    value: str
    states: list[str]
    box: Rect
    flags: int
    point: tuple[float, float] | None
    covered_by: int
    blocker: str
    opaque: str
    text: str
    hint: str
    reach: int
    scrollable: tuple[float, float, float, float] | None
    options: list[str]
    option_count: int
    nth: int
    in_row: str
    covered_in: str = ""


class FrameRow(msgspec.Struct, array_like=True):
    """A frame element: the origin, the scale and the visible part of its content.

    Attributes:
        row: its row.
        node: its number.
        x: left edge of its content.
        y: top edge of its content.
        scale_x: px of the containing frame for one px of its content, horizontally.
        scale_y: the same, vertically.
        clip: its visible part.
    """

    row: int
    node: int
    x: float
    y: float
    scale_x: float
    scale_y: float
    clip: Rect


class HiddenControl(msgspec.Struct, array_like=True):
    """A control that is not painted.

    Attributes:
        number: its number.
        before: number of the listed control before it in the document.
        role: ARIA role.
        name: accessible name.
        states: as of a row.
        hint: as of a row.
    """

    number: int
    before: int
    role: str
    name: str
    states: list[str]
    hint: str


class SelectorRow(msgspec.Struct, array_like=True):
    """How to find an element again, and its kind of control.

    Attributes:
        css: a selector in each tree from the document inwards.
        playwright: the same for Playwright; empty if Playwright cannot reach the element.
        stability: how likely it survives a rebuild, 0 to 1.
        reason: kind of trait that identifies the element.
        kind: kind of control, such as `button` or `link`.
        input_type: type of an input; else empty.
        placeholder: its placeholder.
    """

    css: list[str]
    playwright: list[str]
    stability: float
    reason: str
    kind: str
    input_type: str
    placeholder: str
