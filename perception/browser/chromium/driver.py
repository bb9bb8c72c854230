"""Playwright's driver: the Node.js process that Playwright's API talks to."""

from __future__ import annotations

from playwright.async_api import Playwright, async_playwright

from perception import host_os
from perception.browser.opening import await_opened
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, DeadlineError


async def start_driver(deadline: Deadline) -> Playwright:
    """Starts Playwright's driver. If the caller is cancelled meanwhile, the driver is stopped once it runs: earlier it
    cannot be. Raises BrowserUnavailableError."""
    try:
        async with deadline.phase("starting the browser's driver"):
            # The class's own `stop` does nothing: `start` puts the one that works on the object.
            return await await_opened(async_playwright().start(), lambda playwright: playwright.stop())
    except DeadlineError:
        raise
    except Exception as exc:  # of no class of its own, and without a message
        why = host_os.few_files_hint() or (
            "`python -m playwright --version` says why, such as a library that its Node.js lacks (on Debian: apt-get "
            "install libatomic1)"
        )
        raise BrowserUnavailableError(f"Playwright's driver does not start: {why}") from exc
