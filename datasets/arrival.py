"""Being at a document with Playwright, too: every connection to the browser hears of a navigation in its own time."""

from __future__ import annotations

import asyncio

from perception.browser.session import Tab
from perception.budget import Budget
from perception.datasets.sample import DatasetError
from perception.errors import DeadlineError, first_line

BIRTH = "performance.timeOrigin"
"""Tells documents apart: no two of a tab have one, and of two tabs hardly ever."""

POLL_SECONDS = 0.01


async def arrive(tab: Tab, budget: Budget) -> object:
    """Waits until Playwright is at the document that our own connection is at; gives that document's birth.

    Raises:
        DatasetError: the page answers one of them no more.
        DeadlineError: not within the budget.
    """
    async with budget.phase("waiting for Playwright to be at the page"):
        while True:
            try:
                reply = await tab.link.session.call(
                    "Runtime.evaluate", budget, "asking the page for its birth", expression=BIRTH, returnByValue=True
                )
                if await tab.page.evaluate(BIRTH) == reply["result"].get("value"):
                    return reply["result"]["value"]
            except DeadlineError:
                raise
            except Exception as exc:  # Playwright's errors may only be named in perception.browser
                if "context was destroyed" not in str(exc):  # its words for a navigation meanwhile
                    raise DatasetError(f"the page does not answer: {first_line(exc)}") from exc
            await asyncio.sleep(POLL_SECONDS)
