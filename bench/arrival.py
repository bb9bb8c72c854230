"""Being at a new document with Playwright: its connection hears of another one's navigation in its own time."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.datasets.arrival import BIRTH, POLL_SECONDS

ARRIVAL_SECONDS = 60.0
"""It is a matter of milliseconds; a busy machine takes longer."""


async def arrive_after(before: object, page: Page) -> None:
    """Waits until a page is at another document than the one whose `BIRTH` is given.

    Raises:
        TimeoutError: it stays where it was.
    """
    try:
        async with asyncio.timeout(ARRIVAL_SECONDS):
            while True:
                with contextlib.suppress(PlaywrightError):  # between two documents there is none to ask
                    if await page.evaluate(BIRTH) != before:
                        return
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError as exc:
        raise TimeoutError(f"no new document in {ARRIVAL_SECONDS:g} s, as Playwright has it") from exc
