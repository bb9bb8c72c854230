"""Small changes that a page's own script makes between two looks, the same for whoever looks."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from playwright.async_api import Page


class Change(StrEnum):
    """What of the page is changed. `page_change.js` makes them in this order, over and over."""

    TEXT = "text"
    """One text node says something more."""
    ATTRIBUTE = "attribute"
    """One element gets another class, or a title."""
    ELEMENT = "element"
    """A button is added; the next time it is taken away."""
    VALUE = "value"
    """A field holds something else, and its listeners hear of it."""


async def change_page(page: Page, number: int) -> Change:
    """Makes the change of a number, from 0 on, to something in view, and waits for two animation frames.

    Returns:
        What was made: where the page has no field, text is changed, and where it has no text, an element is added.

    Raises:
        playwright.async_api.Error: the page lets no script run.
    """
    return Change(await page.evaluate(_SCRIPT, number))


_SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
