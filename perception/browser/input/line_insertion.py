"""Inserts text at the caret without keys: text of several lines stays one in editors of rich text and of plain text."""

from __future__ import annotations

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.sending import InputSender
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import SessionLostError

MAX_END = 200
"""Characters of the last line by which its place in the editor is known again. Chosen by hand."""


async def insert_text(page: PageLink, sender: InputSender, frame: str, text: str, deadline: Deadline) -> None:
    """Inserts a text where the focus is, and leaves the caret behind it.

    Args:
        frame: the one that has the focus.
    """
    has_lines = "\n" in text or "\r" in text
    if has_lines and await page.ask(frame, "beginLines", deadline, "inserting lines", text):
        return
    await sender.keyboard.insert_text(text)
    if has_lines:
        try:
            await page.ask(frame, "endLines", deadline, "inserting lines", _end_of(text))
        except (CdpCallError, SessionLostError):
            return  # the page went elsewhere


def _end_of(text: str) -> str:
    """The end of the last line that is not blank, and what follows it."""
    written = text.rstrip()
    return written[written.rfind("\n") + 1 :][-MAX_END:] + text[len(written) :]
