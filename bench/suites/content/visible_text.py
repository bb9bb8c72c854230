"""The visible text of a page, determined in the page and independently of our walker.

Rule 1: text counts as visible if it has a position and a size, is not hidden by `visibility`, `opacity` or
`content-visibility`, is not clipped, and a person can scroll to it. Frames and open shadow roots are included.
Rule 2: text of icon fonts, and text in a field or a script, is neither visible nor hidden.
Rule 3: colors, covering elements and masks are not examined: text that is hidden by them counts as visible here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from playwright.async_api import Error as PlaywrightError

FRAME_TEXT_SECONDS = 10.0
"""Longer than any frame of the corpus takes."""

_SHOWN = """(element) => {
  const box = element.getBoundingClientRect();
  let opacity = 1;
  for (let each = element; each; each = each.parentElement) opacity *= parseFloat(getComputedStyle(each).opacity);
  const isLarge = box.width >= 8 && box.height >= 8;
  return element.checkVisibility({ visibilityProperty: true }) && opacity >= 0.05 && isLarge &&
    box.right + scrollX > 0 && box.bottom + scrollY > 0;
}"""


@dataclass(frozen=True, slots=True)
class PageText:
    """Text of all frames.

    Attributes:
        named: attribute texts of pictures and controls: not visible text, but meant to be read.
        main: the visible text in the top document's main landmark; empty if it has none.
    """

    seen: str
    hidden: str
    named: str
    main: str


async def read_truth(page: Any) -> PageText:
    """Reads a Playwright page.

    Raises:
        PlaywrightError, TimeoutError: the top document does not answer.
    """
    script = files(__package__).joinpath("visible_text.js").read_text(encoding="utf-8")
    seen: list[str] = []
    hidden: list[str] = []
    named: list[str] = []
    main = ""
    for frame in page.frames:
        try:
            async with asyncio.timeout(FRAME_TEXT_SECONDS):
                is_shown = frame is page.main_frame or await _is_shown(page, frame)
                found = await frame.evaluate(script)
        except (PlaywrightError, TimeoutError):
            if frame is page.main_frame:
                raise
            continue  # it is gone, or hangs: its content is unknown
        (seen if is_shown else hidden).append(found["seen"])
        hidden.append(found["hidden"])
        named.append(found["named"])
        if frame is page.main_frame:
            main = found["main"]
    return PageText("\n".join(seen), "\n".join(hidden), "\n".join(named), main)


async def _is_shown(page: Any, frame: Any) -> bool:
    """Whether a frame and each of its containers is visible."""
    while frame is not page.main_frame:
        if not await (await frame.frame_element()).evaluate(_SHOWN):
            return False
        frame = frame.parent_frame
    return True
