"""The syntax of selectors: CSS, with ` >>> ` for each step into a shadow root or a frame. Pure.

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
        | "(?:[^"\\]|\\.)*(?:"|$)             # strings, unterminated ones too: CSS closes them at the end
        | '(?:[^'\\]|\\.)*(?:'|$)
        | \[ (?:[^\]"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')* \]?
        | (?P<hop>>>>)
        | .
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Durable:
    """A selector that finds an element again.

    Attributes:
        selector: its steps, joined; matches only the element.
        playwright: the same for Playwright's `locator()`; empty where Playwright cannot reach the element.
        stability: how likely it finds the same element after a reload and a rebuild of the page, in 0 … 1.
        reason: what the selector is based on.
        kind: `link`, `button`, `input`, …
        input_type: of an input; empty for other elements.
        placeholder: of an input; empty where there is none.
    """

    selector: str
    playwright: str
    stability: float
    reason: str
    kind: str
    input_type: str
    placeholder: str


def split_hops(selector: str) -> tuple[str, ...]:
    """The CSS of each step, from the document down; one for a selector without ` >>> `.

    Raises:
        BadSelectorError: a step is empty.
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
        raise BadSelectorError(f"{selector!r} is not a valid CSS selector: {where}", field="target.selector")
    return hops


def join_frames(frames: Sequence[Sequence[str]]) -> str:
    """A selector from the CSS of each step, frame by frame. The last step in each frame but the last is the iframe
    element."""
    return HOP.join(css for frame in frames for css in frame)


def join_for_playwright(frames: Sequence[Sequence[str]]) -> str:
    """As `join_frames`, for Playwright; empty where Playwright cannot reach one of the steps."""
    if not all(frames):
        return ""
    return f" >> {_ENTER_FRAME} >> ".join(" >> ".join(frame) for frame in frames)
