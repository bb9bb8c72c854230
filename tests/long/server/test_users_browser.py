"""Sessions in a tab of the user's own browser: the others are left alone, and it stays open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
from playwright.async_api import BrowserContext, Page, async_playwright

from perception.browser.chromium.launch import LaunchOptions, find_executable, launch
from perception.client import AsyncClient, RemoteError
from perception.deadline import Deadline


class UsersBrowser:
    """A browser with tabs of its user."""

    def __init__(self, ws_url: str, context: BrowserContext) -> None:
        self.ws_url = ws_url.replace("localhost", "127.0.0.1")
        self.context = context

    async def tab(self, url: str) -> tuple[Page, str]:
        """A new tab, and its TargetID."""
        page = await self.context.new_page()
        await page.goto(url)
        commands = await self.context.new_cdp_session(page)
        target = (await commands.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        await commands.detach()
        return page, target


@pytest.fixture
async def users() -> AsyncIterator[UsersBrowser]:
    async with async_playwright() as playwright:
        options = LaunchOptions()
        executable = find_executable(options, playwright.chromium.executable_path)
        chromium = await launch(options, executable, Deadline.of(60))
        browser = await playwright.chromium.connect_over_cdp(chromium.ws_url)
        yield UsersBrowser(chromium.ws_url, browser.contexts[0])
        await browser.close()
        await chromium.close()


def _page(site: str, html: str) -> str:
    return f"{site}/html?body={quote(html)}"


async def test_session_works_in_the_tab_and_leaves_the_rest_alone(
    client: AsyncClient, users: UsersBrowser, site: str
) -> None:
    mine, target = await users.tab(_page(site, "<title>Mine</title><button onclick=document.title='Done'>Go</button>"))
    other, _ = await users.tab(_page(site, "<title>Other</title>"))
    await other.evaluate("document.cookie = 'login=1'; window.kept = 1")
    async with await client.open(cdp_endpoint=users.ws_url, cdp_target_id=target) as page:
        [tab] = await page.tabs()
        assert tab.title == "Mine"
        seen = await page.snapshot(mode="text")
        await page.click(next(each.ref for each in seen.elements if each.name == "Go"))
        assert await mine.title() == "Done"
        await users.tab(_page(site, "<title>New of the user</title>"))
        assert [each.title for each in await page.tabs()] == ["Done"]
        state = json.loads((await page.export_state()).state)
        assert [each["name"] for each in state["cookies"]] == ["login"]
    assert await other.evaluate("[document.title, window.kept]") == ["Other", 1]
    assert await mine.title() == "Done"
    assert len(users.context.pages) >= 3


async def test_window_that_the_tab_opens_is_the_sessions(client: AsyncClient, users: UsersBrowser, site: str) -> None:
    popup = _page("", "<title>Pop</title>")
    _, target = await users.tab(_page(site, f"<a href='{popup}' target=_blank>Go</a>"))
    async with await client.open(cdp_endpoint=users.ws_url, cdp_target_id=target) as page:
        seen = await page.snapshot(mode="text")
        await page.click(next(each.ref for each in seen.elements if each.name == "Go"))
        async with asyncio.timeout(30):  # the answer waits neither long for the window nor for its page
            while [each.title for each in await page.tabs()][1:] != ["Pop"]:
                pass


async def test_tab_that_is_not_there_or_options_that_do_not_fit_are_refused(
    client: AsyncClient, users: UsersBrowser, site: str
) -> None:
    page, target = await users.tab(f"{site}/html?body=a")
    with pytest.raises(RemoteError, match="has no tab 'nothing'") as raised:
        await client.open(cdp_endpoint=users.ws_url, cdp_target_id="nothing")
    assert raised.value.reason == "UNKNOWN_TAB"
    with pytest.raises(RemoteError, match="not together with profile, url"):
        await client.open("about:blank", cdp_endpoint=users.ws_url, cdp_target_id=target, profile="a")
    with pytest.raises(RemoteError, match="only together with cdp_endpoint"):
        await client.open(cdp_target_id=target)
    await page.goto("chrome://version")
    with pytest.raises(RemoteError) as raised:
        await client.open(cdp_endpoint=users.ws_url, cdp_target_id=target)
    assert raised.value.reason == "SCHEME_BLOCKED"
    assert page.url == "chrome://version/"
