"""Small changes that a page's own script makes between two looks, equal for all sides."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from playwright.async_api import Page


class PageChange(StrEnum):
    """What is changed. `page_change.js` makes the changes in this order, repeatedly."""

    TEXT = "text"
    """A text node gets additional text."""
    ATTRIBUTE = "attribute"
    """An element gets another class, or a title."""
    ELEMENT = "element"
    """A button is added; the next time it is removed."""
    VALUE = "value"
    """A field gets another value, and its listeners are notified."""


async def change_page(page: Page, number: int) -> PageChange:
    """Makes the change with a number, from 0, to something in view, and waits for two animation frames.

    Returns:
        The change that was made: without a field, text is changed, and without text, an element is added.

    Raises:
        playwright.async_api.Error: the page does not run scripts.
    """
    return PageChange(await page.evaluate(_CHANGE_SCRIPT, number))


_CHANGE_SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
