"""Sessions that several tests use one after the other, as an agent does that goes from page to page.

A session costs three times what a page costs. Before each test its refs and snapshots are numbered anew; a session that
a test left otherwise than it was is closed.
"""

from __future__ import annotations

import contextlib
from typing import Any

from perception.browser.page.conditions import NO_CONDITIONS
from perception.client import AsyncClient, AsyncPage
from perception.errors import PerceptionError
from perception.server.app import Service
from perception.server.sessions.session import Session
from tests.support.kept_contexts import forget, is_one_tab
from tests.support.sheet import Sheet

MOST_TESTS = 100
"""Tests after which a session is closed: what Chromium keeps of its pages adds up."""


class SharedSession:
    """One session at a time, with some options of `AsyncClient.open`."""

    def __init__(self, service: Service, client: AsyncClient, site: str, **options: Any) -> None:
        self._site = site
        self._service = service
        self._client = client
        self._options = options
        self._page: AsyncPage | None = None
        self._sheet: Sheet | None = None
        self._tests = 0

    async def take(self) -> AsyncPage:
        """The session for the next test. It still shows the page of the last one."""
        if self._session is None:  # there is none yet, or its browser is gone
            self._page, self._sheet, self._tests = await self._client.open(**self._options), None, 0
        session = self._session
        assert session is not None
        session.shown.refs.__init__()  # type: ignore[misc]
        session.shown.snapshots.__init__()  # type: ignore[misc]
        session.calls.__init__()  # type: ignore[misc]
        self._tests += 1
        return self._page

    async def write(self, html: str) -> None:
        """Shows a page in the session's tab, as `Sheet` does."""
        session = self._session
        assert session is not None
        if self._sheet is None:
            self._sheet = Sheet(session.browser, self._site)
        await self._sheet.write(html)

    async def give_back(self) -> None:
        """Closes the session if the test left more than a page."""
        if self._page is None:
            return
        session = self._session
        if session is None or not _is_plain(session) or self._tests >= MOST_TESTS:
            await self.close()
        else:
            await forget(session.browser)

    @property
    def _session(self) -> Session | None:
        """The session as the service has it, whoever its caller is; None where there is none."""
        found = self._page.session_id if self._page is not None else ""
        return next((each for each in self._service.context.sessions.sessions if each.session_id == found), None)

    async def close(self) -> None:
        page, self._page, self._sheet = self._page, None, None
        if page is not None:
            with contextlib.suppress(PerceptionError):  # the test has closed it
                await page.close()


def _is_plain(session: Session) -> bool:
    """Whether a session has nothing but a tab, and is as it was opened."""
    browser = session.browser
    return (
        is_one_tab(browser)
        and not session.control.is_held
        and browser._options.conditions == NO_CONDITIONS
        and browser._options.screen == session.options.screen
    )
