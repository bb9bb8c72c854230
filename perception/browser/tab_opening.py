"""Pages that become tabs: those that a session opens, and those that its pages open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.opening import await_opened, begin_closing
from perception.browser.session_context import SessionContext
from perception.browser.session_host import SessionHost
from perception.browser.tab import Tab
from perception.browser.tab_list import TabList
from perception.deadline import Deadline
from perception.errors import PageCrashedError, SessionLostError

OPEN_SECONDS = 15.0
"""How long a new page may take before another one is tried. With four busy programs on each core it takes 6 s."""


class TabOpening:
    """The pages of a session that are on their way to a tab.

    Args:
        attach: makes a page a tab.
        is_users: the context is the user's own, whose other tabs are left alone and never closed.

    Attributes:
        refused: windows of pages that were closed at once, as there were too many tabs.
        claims: who opens pages now; these are the session's, also in the user's own context.
    """

    def __init__(
        self,
        host: SessionHost,
        context: SessionContext,
        tabs: TabList,
        attach: Callable[[Page], Coroutine[Any, Any, Tab]],
        *,
        is_users: bool,
    ) -> None:
        self._host = host
        self._context = context
        self._tabs = tabs
        self._attach = attach
        self._is_users = is_users
        self._opening: dict[Page, asyncio.Task[Tab]] = {}
        self._expected = 0
        self._is_ended = False
        self.refused = 0
        self.claims = 0

    def __len__(self) -> int:
        return len(self._opening)

    @contextlib.contextmanager
    def claiming(self) -> Iterator[None]:
        """Pages that open meanwhile are the session's, also in the user's own context."""
        self.claims += 1
        try:
            yield
        finally:
            self.claims -= 1

    def end(self) -> None:
        """Cancels all of it: the session is closed."""
        self._is_ended = True
        for task in self._opening.values():
            task.cancel()

    async def open_page(self, deadline: Deadline) -> Tab:
        """A tab with an empty page. Tries twice: the process that Chromium keeps ready for a page may have crashed, or
        hang.

        Raises:
            PageCrashedError: the page crashed, or was closed, as it opened.
            SessionLostError: the session was closed meanwhile.
            PlaywrightError: the session never had a tab, and can have none with its options.
        """
        try:
            async with asyncio.timeout(deadline.share(OPEN_SECONDS).remaining()):
                return await self._try_page()
        except (PageCrashedError, TimeoutError):
            return await self._try_page()

    async def _try_page(self) -> Tab:
        try:
            with self.claiming():
                opening = await self._attach_new_page()
            if not opening.cancelled():
                return opening.result()
        except (PlaywrightError, CdpCallError) as exc:
            if not self._is_ended:
                if not self._tabs.last:
                    raise
                raise PageCrashedError("the new page crashed as it opened: try again") from exc
        raise SessionLostError("the session was closed as the tab opened: create a new session")

    async def _attach_new_page(self) -> asyncio.Task[Tab]:
        """The attachment of a new page, which has ended. A page that becomes no tab of the caller's is closed."""
        self._expected += 1
        try:
            page = await await_opened(self._context.playwright.new_page(), self._discard)
        finally:
            self._expected -= 1
        opening = self.take(page)
        try:
            await asyncio.wait((opening,))
        finally:
            if not opening.done() or opening.cancelled() or opening.exception() is not None:
                begin_closing(self._discard(page))
        return opening

    async def _discard(self, page: Page) -> None:
        """Closes a page that nobody waits for any more."""
        if (attaching := self._opening.get(page)) is not None:
            attaching.cancel()
        await close_page(page)

    def hear_page(self, page: Page) -> None:
        """The context has a new page."""
        if page not in self._opening:
            if self._tabs.is_full(len(self)) and not self._expected and not self._is_users:
                self.refused += 1
                self._host.keep(asyncio.create_task(close_page(page), name="refuse-tab"))
                return
            self.take(page).add_done_callback(_consume_tab)

    def take(self, page: Page) -> asyncio.Task[Tab]:
        """The task that makes a page a tab."""
        task = self._opening.get(page)
        if task is None:
            task = asyncio.create_task(self._attach(page), name="attach-tab")
            self._opening[page] = task
            task.add_done_callback(lambda _: self._opening.pop(page, None))
        return task


async def close_page(page: Page) -> None:
    """Closes a page of Playwright's; one that is closed already stays so."""
    with contextlib.suppress(PlaywrightError):
        await page.close()


def _consume_tab(task: asyncio.Task[Tab]) -> None:
    """Ignores the failure of a popup that closed before it was attached."""
    if not task.cancelled():
        task.exception()
