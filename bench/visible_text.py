"""What text of a page a person can see, asked of the page itself: truth that owes nothing to our walker.

Rule 1: a text counts as seen that has a place and a size, that no `visibility`, `opacity` or `content-visibility`
hides, that nothing clips away, and that a person can scroll to. Frames and open shadow roots are gone through.
Rule 2: what only an icon font draws is neither seen nor hidden, nor is what stands in a field or a script.
Rule 3: colours, what lies over a text, and masks are not asked for: text that is hidden that way counts as seen here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from playwright.async_api import Error as PlaywrightError

FRAME_SECONDS = 10.0
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
        named: what attributes say of pictures and controls: no text, but words that an author means to be read.
        main: what is seen in the top document's main landmark, empty where it has none.
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
            async with asyncio.timeout(FRAME_SECONDS):
                is_shown = frame is page.main_frame or await _is_shown(page, frame)
                found = await frame.evaluate(script)
        except (PlaywrightError, TimeoutError):
            if frame is page.main_frame:
                raise
            continue  # it is gone, or hangs: nobody can say what it shows
        (seen if is_shown else hidden).append(found["seen"])
        hidden.append(found["hidden"])
        named.append(found["named"])
        if frame is page.main_frame:
            main = found["main"]
    return PageText("\n".join(seen), "\n".join(hidden), "\n".join(named), main)


async def _is_shown(page: Any, frame: Any) -> bool:
    """Whether a frame is seen, and each that holds it."""
    while frame is not page.main_frame:
        if not await (await frame.frame_element()).evaluate(_SHOWN):
            return False
        frame = frame.parent_frame
    return True
