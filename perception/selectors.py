"""Selectors: CSS, with ` >>> ` for each step into a shadow root or a frame. Pure: nothing here asks a page.

iframe[name="pay"] >>> #card
my-menu >>> button[aria-label="Open"]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perception.errors import BadSelectorError

HOP = " >>> "

_ENTER_FRAME = "internal:control=enter-frame"
"""How Playwright's own locators write the step into a frame (Playwright 1.65; `str(frame_locator.locator(…))`)."""

_PIECE = re.compile(
    r"""  \\.                                 # an escaped character
        | "(?:[^"\\]|\\.)*(?:"|$)             # strings, an open one too: CSS closes it at the end
        | '(?:[^'\\]|\\.)*(?:'|$)
        | \[ (?:[^\]"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')* \]?
        | (?P<hop>>>>)
        | .
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Durable:
    """What finds an element again.

    Attributes:
        selector: hops joined; matches the element alone.
        playwright: the same for Playwright's `locator()`; empty where there is none.
        stability: how likely it finds the same element after a reload and a rebuild, in 0 … 1.
        reason: what it rests on.
        kind: `link`, `button`, `input`, …
        input_type: of an input; empty of others.
    """

    selector: str
    playwright: str
    stability: float
    reason: str
    kind: str
    input_type: str
    placeholder: str


def split_hops(selector: str) -> tuple[str, ...]:
    """The CSS of each tree on the way, from the document down; one for a selector without hops.

    Raises:
        BadSelectorError: there is nothing before, between or after hops.
    """
    parts = [""]
    for piece in _PIECE.finditer(selector):
        if piece.group("hop"):
            parts.append("")
        else:
            parts[-1] += piece.group()
    hops = tuple(part.strip() for part in parts)
    if not all(hops):
        where = "it is empty" if len(hops) == 1 else "one of the steps around >>> is empty"
        raise BadSelectorError(f"{selector!r} is no valid CSS selector: {where}", field="target.selector")
    return hops


def join_frames(frames: Sequence[Sequence[str]]) -> str:
    """A selector out of the CSS of each tree, frame by frame; the last CSS of each but the last is that of its frame
    element."""
    return HOP.join(css for frame in frames for css in frame)


def join_for_playwright(frames: Sequence[Sequence[str]]) -> str:
    """As `join_frames`, for Playwright; empty where it cannot enter one of the trees."""
    if not all(frames):
        return ""
    return f" >> {_ENTER_FRAME} >> ".join(" >> ".join(frame) for frame in frames)
