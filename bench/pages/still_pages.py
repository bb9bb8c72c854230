"""Pages that stand still: component libraries mount after the load."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

STILL_SECONDS, MOUNT_SECONDS = 0.4, 15.0
"""A page is there once its elements have not changed for so long; one that never stands still is read after the second
time. Component libraries mount in 0.1 to 0.4 s, on a busy machine in 5 s."""


async def wait_until_still(page: Page) -> None:
    """Waits until a page stands still, but not for long."""
    with contextlib.suppress(PlaywrightError):  # some pages load without end
        await page.wait_for_load_state("networkidle", timeout=MOUNT_SECONDS * 1000)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(MOUNT_SECONDS):
            before, now = "", await page.evaluate(_SHAPE)
            while now != before:
                await asyncio.sleep(STILL_SECONDS)
                before, now = now, await page.evaluate(_SHAPE)


_SHAPE = """() => {
  let text = "";
  const visit = (root) => {
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) { text += each.shadowRoot.textContent.length; visit(each.shadowRoot); }
  };
  visit(document);
  const { length } = document.getElementsByTagName("*");
  return `${length} ${document.body?.innerText.length} ${text} ${document.querySelectorAll(":not(:defined)").length} ${window.widgetsReady}`;
}"""  # noqa: E501  a script
"""How many elements and letters a page has, also those in open shadow roots."""
