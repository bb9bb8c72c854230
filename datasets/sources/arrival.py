"""Waits until Playwright has seen a navigation: every connection to the browser learns of it at its own time."""

from __future__ import annotations

import asyncio

from perception.browser.browser_session import Tab
from perception.datasets.sample import DatasetError
from perception.deadline import Deadline
from perception.errors import DeadlineError, first_line

BIRTH = "performance.timeOrigin"
"""Identifies a document: unique within a tab, and nearly always between tabs."""

ARRIVAL_POLL_SECONDS = 0.01


async def arrive(tab: Tab, deadline: Deadline) -> object:
    """Waits until Playwright is at the same document as our own connection; returns the document's BIRTH.

    Raises:
        DatasetError: the page does not answer one of them.
        DeadlineError: the deadline passed.
    """
    async with deadline.phase("waiting for Playwright to be at the page"):
        while True:
            try:
                reply = await tab.link.session.call(
                    "Runtime.evaluate", deadline, "asking the page for its birth", expression=BIRTH, returnByValue=True
                )
                if await tab.page.evaluate(BIRTH) == reply["result"].get("value"):
                    return reply["result"]["value"]
            except DeadlineError:
                raise
            except Exception as exc:  # Playwright's errors may only be named in perception.browser
                if "context was destroyed" not in str(exc):  # Playwright's message for a navigation meanwhile
                    raise DatasetError(f"the page does not answer: {first_line(exc)}") from exc
            await asyncio.sleep(ARRIVAL_POLL_SECONDS)
