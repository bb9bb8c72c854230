"""A session's tabs while the session itself ends."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Error as PlaywrightError

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.network.policy import UrlPolicy
from perception.deadline import Deadline
from perception.errors import DeadlineError, SessionLostError
from tests.support.waiting import until


async def test_a_tab_that_opens_as_its_session_closes_reports_the_session(
    host: BrowserHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asyncio.Event()

    async def attach(page: object) -> None:
        await closed.wait()
        raise PlaywrightError("the page is closed")

    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    monkeypatch.setattr(session._opening, "_attach", attach)  # so that the tab is still opening
    opening = asyncio.create_task(session.new_tab(Deadline.of(20)))
    async with asyncio.timeout(20):
        while not len(session._opening):  # noqa: ASYNC110
            await asyncio.sleep(0)
    await session.close()
    closed.set()
    with pytest.raises(SessionLostError):
        await opening


async def test_a_session_that_did_not_open_leaves_no_proxy_when_its_caller_goes_meanwhile(
    host: BrowserHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, close, before = asyncio.Event(), BrowserSession.close, set(host._proxies)

    async def late(*_: object) -> None:
        raise DeadlineError("the deadline passed", phase="opening a tab")

    async def slow(session: BrowserSession) -> None:
        closing.set()
        await asyncio.sleep(0)
        await close(session)

    monkeypatch.setattr(BrowserSession, "new_tab", late)
    monkeypatch.setattr(BrowserSession, "close", slow)
    opening = asyncio.create_task(host.new_session(SessionOptions(policy=UrlPolicy()), lambda _: None, Deadline.of(20)))
    await closing.wait()
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    await until(lambda: not host._proxies - before)


async def test_a_page_that_hangs_as_it_opens_costs_half_of_the_deadline_and_not_the_tab(
    host: BrowserHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    open_page, hangs = session._opening._try_page, [asyncio.Event().wait]
    deadline = Deadline.of(8)

    async def try_page() -> object:
        if hangs:
            await hangs.pop()()
        assert not deadline.spent()
        return await open_page()

    monkeypatch.setattr(session._opening, "_try_page", try_page)
    tab = await session._opening.open_page(
        deadline
    )  # which a busy machine may do after the deadline: it is no limit here
    assert (hangs, session.tabs[-1]) == ([], tab)
    await session.close()
