"""A session's tabs while the session itself ends."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Error as PlaywrightError

from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.deadline import Deadline
from perception.errors import SessionLostError


async def test_a_tab_that_opens_as_its_session_closes_reports_the_session(
    host: BrowserHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asyncio.Event()

    async def attach(page: object) -> None:
        await closed.wait()
        raise PlaywrightError("the page is closed")

    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    monkeypatch.setattr(session, "_attach", attach)  # so that the tab is still opening
    opening = asyncio.create_task(session.new_tab(Deadline.of(20)))
    async with asyncio.timeout(20):
        while not session._opening:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await session.close()
    closed.set()
    with pytest.raises(SessionLostError):
        await opening
