"""One Chromium that the service and Playwright share: each tab is available to our client and to Playwright."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from perception.bench.placements import started_service
from perception.bench.suite_options import LOCAL
from perception.browser.chromium.launch import LaunchOptions, find_executable, launch
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.datasets.sources.arrival import ARRIVAL_POLL_SECONDS, BIRTH
from perception.datasets.sources.manifest import PageSpec as ManifestPage
from perception.datasets.sources.rendering import ACTION_SECONDS, act_on
from perception.deadline import Deadline
from perception.v1 import session_service_pb2 as session_pb

BROWSER_SECONDS = 60.0
"""Chromium starts in 1 to 2 s; a cold disk takes longer."""

ARRIVAL_SECONDS = 60.0
"""Usually a matter of milliseconds; a busy machine takes longer."""


@dataclass(frozen=True, slots=True)
class SharedTab:
    """One tab, from both sides."""

    ours: AsyncPage
    theirs: Page

    async def go(self, url: str) -> None:
        """Navigates, even if the page asks before it is left, and waits until Playwright has the new document, too:
        it is notified independently.

        Raises:
            TimeoutError: it keeps the old one.
        """
        before = await self.theirs.evaluate(BIRTH)
        try:
            await self.ours.navigate(url)
        except RemoteError as exc:
            if exc.reason != "DIALOG_OPEN":  # a page that asks before it is left: Playwright lets it go
                raise
        try:
            async with asyncio.timeout(ARRIVAL_SECONDS):
                while True:
                    with contextlib.suppress(PlaywrightError):  # between two documents there is none to query
                        if await self.theirs.evaluate(BIRTH) != before:
                            return
                    await asyncio.sleep(ARRIVAL_POLL_SECONDS)
        except TimeoutError as exc:
            raise TimeoutError(f"no new document in {ARRIVAL_SECONDS:g} s, as Playwright has it") from exc

    async def bring(self, url: str, page: ManifestPage | None) -> None:
        """Navigates as `go` does, and brings a page of the manifest to the state that it is listed in."""
        await self.go(url)
        if page is not None:
            await asyncio.sleep(page.wait_ms / 1000)
            for action in page.actions:
                await act_on(self.theirs, action, ACTION_SECONDS)


@dataclass(frozen=True, slots=True)
class SharedBrowser:
    """The browser, and a service that uses it. `endpoint`: `http://host:port` of its CDP."""

    client: AsyncClient
    endpoint: str
    browser: Browser

    async def open_tab(self, options: session_pb.SessionOptions) -> SharedTab:
        """A new session's tab. Raises RemoteError, PlaywrightError."""
        # Over CDP, Playwright lists the tabs of foreign contexts in its first context.
        async with self.browser.contexts[0].expect_page() as opened:
            request = session_pb.CreateSessionRequest(cdp_endpoint=self.endpoint, options=options)
            reply = await self.client.call(self.client.sessions.CreateSession, request)
        return SharedTab(AsyncPage(self.client, reply.session.session_id), await opened.value)


@asynccontextmanager
async def shared_browser(
    urls: Iterable[str], *, switches: tuple[str, ...] = (), address: str = "", placement: str = LOCAL
) -> AsyncIterator[SharedBrowser]:
    """Starts both; the service may open pages on the hosts of these addresses.

    Args:
        switches: additional ones for Chromium's command line.
        address: that of a running service; a new one by default.
        placement: of the new one.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    hosts = sorted({"127.0.0.1"} | {urlsplit(url).hostname or "" for url in urls})
    async with AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(async_playwright())
        options = LaunchOptions(switches=switches)
        executable = find_executable(options, playwright.chromium.executable_path)
        chromium = await launch(options, executable, Deadline.of(BROWSER_SECONDS))
        stack.push_async_callback(chromium.close)
        endpoint = f"http://127.0.0.1:{urlsplit(chromium.ws_url).port}"
        browser = await playwright.chromium.connect_over_cdp(endpoint)
        if not address and placement != LOCAL:
            started = await stack.enter_async_context(started_service(placement, allow_hosts=hosts))
            address = started.address
        client = await stack.enter_async_context(await aconnect(address or None, allow_hosts=hosts))
        yield SharedBrowser(client, endpoint, browser)
