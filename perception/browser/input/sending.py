"""Sending input to one tab: bounded by the deadline, with the browser's errors converted.

The mouse is our own, keys and drags are Playwright's.

Rule: once input is sent, `deadline.dispatched` is true: a repeated call could act twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Keyboard
from playwright.async_api import Mouse as DragMouse

from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.input.mouse import Mouse
from perception.browser.input.touch import Touchscreen
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageChangingError, PageCrashedError, PerceptionError, SessionLostError
from perception.page_words import page_words

RELEASE_SECONDS = 0.1
"""Limit for releasing a key or button; a free page takes a key event in 1 ms. Chosen by hand."""

CLOSING_SECONDS = 1.0
"""How long it may take to be told that a tab is closed, after input to it failed for that reason. Chosen by hand."""

INVALID_PARAMS = -32602
"""Chromium's code for a command that was written wrong: a defect of ours."""

SESSION_NOT_FOUND = -32001
"""Chromium's code for a command to a DevTools session that is gone."""


class InputSender:
    """Mouse and keyboard of one tab.

    Attributes:
        mouse: for all but drags.
        touch: one finger.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.mouse = Mouse(tab.link.session)
        self.touch = Touchscreen(tab.link.session)

    @property
    def drag_mouse(self) -> DragMouse:
        return self._tab.page.mouse

    @property
    def keyboard(self) -> Keyboard:
        return self._tab.page.keyboard

    @asynccontextmanager
    async def sending(
        self, deadline: Deadline, phase: str, *, acts: bool = True, closes: bool = False
    ) -> AsyncIterator[None]:
        """Bounds input by the deadline, and converts the browser's errors.

        Args:
            acts: False for input that may be repeated, such as moving the pointer.
            closes: a tab that closes under the input is its effect, and no error.

        Raises:
            DeadlineError, PageCrashedError
            SessionLostError: the tab was closed, or the browser is gone.
            PageChangingError: the browser refused the input otherwise, as while it replaces the page.
        """
        deadline.check(phase)
        deadline.dispatched = deadline.dispatched or acts
        self._tab.link.note_input()
        try:
            async with deadline.phase(phase):
                yield
            self._tab.link.requests.note_input_end()
        except (PlaywrightError, CdpCallError, SessionLostError, PageCrashedError) as exc:
            if isinstance(exc, SessionLostError) or "closed" in str(exc) or _is_detached(exc):
                if closes and await self._is_only_the_tab_closed(deadline):
                    return
                raise SessionLostError(f"the tab was closed while {phase}: select another one") from exc
            if self._tab.link.crashed or isinstance(exc, PageCrashedError) or "crash" in str(exc).lower():
                raise PageCrashedError(f"the page crashed while {phase}: open it again or close its tab") from exc
            if isinstance(exc, CdpCallError) and exc.code == INVALID_PARAMS:
                raise PerceptionError(f"the browser refused the input while {phase}") from exc
            said = page_words(str(exc).partition("\n")[0])
            raise PageChangingError(
                f"the browser refused the input while {phase}: the page is being replaced or closing. Look at the page "
                f"before you repeat it ({said})"
            ) from exc

    async def release(self, *releasing: Awaitable[None]) -> None:
        """Releases keys or a button, after the deadline, too; does not wait for a hung page."""
        tasks = [asyncio.ensure_future(each) for each in releasing]
        await asyncio.wait(tasks, timeout=RELEASE_SECONDS)
        for task in tasks:
            task.add_done_callback(consume)

    async def _is_only_the_tab_closed(self, deadline: Deadline) -> bool:
        """Whether the browser lives, and says that the tab is closed."""
        link, share = self._tab.link, deadline.share(CLOSING_SECONDS)
        try:
            await link.link.session().call("Browser.getVersion", share, "asking the browser")
            async with share.phase("closing the tab"), link.changed:
                await link.changed.wait_for(lambda: link.gone)
        except (SessionLostError, CdpCallError, DeadlineError):
            return False
        return True


def _is_detached(error: Exception) -> bool:
    """Whether a command was refused since its session is gone (Chromium's code of that)."""
    return isinstance(error, CdpCallError) and error.code == SESSION_NOT_FOUND
