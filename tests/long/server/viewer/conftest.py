"""A service with tokens and its viewer, and browsers of people who watch."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import BrowserContext, Page, ViewportSize, expect

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from tests.support.lent_browser import service_in
from tests.support.live import Show
from tests.support.shared_sessions import SharedSession

expect.set_options(timeout=30_000)  # a busy machine is no failure

PATIENCE_SECONDS = 30.0
"""For an answer of the viewer, also on a busy machine; httpx waits 5 s."""

WINDOW: ViewportSize = {"width": 1300, "height": 800}

TOKENS = {name: secrets.token_urlsafe(32) for name in ("ana", "bob")}


@dataclass
class Watched:
    """A service that is watched.

    Attributes:
        service: in this process.
        address: where it listens.
        url: of its viewer.
    """

    service: Service
    address: str
    url: str
    clients: dict[str, AsyncClient] = field(default_factory=dict)

    def page_of(self, session: AsyncPage) -> Page:
        """What a session shows, by the browser's own connection."""
        found = next(each for each in self.service.context.sessions.sessions if each.session_id == session.session_id)
        return found.browser.tab().page

    async def client(self, name: str) -> AsyncClient:
        """The client of a principal."""
        if name not in self.clients:
            self.clients[name] = await aconnect(self.address, token=TOKENS[name], timeout_s=30)
        return self.clients[name]

    def http(self, **options: Any) -> httpx.AsyncClient:
        """What speaks HTTP with the viewer as its own pages do."""
        headers = {"Origin": self.url.rstrip("/"), **options.pop("headers", {})}
        return httpx.AsyncClient(
            base_url=self.url, headers=headers, trust_env=False, timeout=PATIENCE_SECONDS, **options
        )

    @asynccontextmanager
    async def http_of(self, name: str) -> AsyncIterator[httpx.AsyncClient]:
        """The same, logged in."""
        async with self.http() as http:
            assert (await http.post("api/login", json={"token": TOKENS[name]})).status_code == 200
            yield http


def write_private(path: Path, text: str) -> Path:
    path.touch(0o600)
    path.write_text(text)
    return path


@asynccontextmanager
async def watched_service(host: BrowserHost, **settings: Any) -> AsyncIterator[Watched]:
    """A service with a viewer, both on free ports of loopback unless the settings say otherwise."""
    given = {"address": "127.0.0.1:0", "viewer": "127.0.0.1:0", "allow_hosts": ("127.0.0.1", "localhost"), **settings}
    service = service_in(host, Settings(max_sessions=6, drain_s=0.1, **given))
    watched = None
    try:
        port = await service.start()
        address = given["address"] if given["address"].startswith("unix:") else f"127.0.0.1:{port}"
        watched = Watched(service, address, service.viewer_link)
        yield watched
    finally:
        for client in watched.clients.values() if watched else ():
            await client.close()
        await service.stop()


@pytest.fixture(scope="session")
async def watched(host: BrowserHost, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Watched]:
    folder = tmp_path_factory.mktemp("viewer")
    tokens = write_private(folder / "tokens", "".join(f"{name} {token}\n" for name, token in TOKENS.items()))
    async with watched_service(host, token_file=tokens, data_dir=folder / "data") as watched:
        yield watched


@pytest.fixture(scope="session")
async def anas_session(watched: Watched, site: str) -> AsyncIterator[SharedSession]:
    shared = SharedSession(watched.service, await watched.client("ana"), site, viewport=(1280, 800))
    yield shared
    await shared.close()


@pytest.fixture(scope="session")
async def anas_fine_session(watched: Watched, site: str) -> AsyncIterator[SharedSession]:
    """As `anas_session`, at a device scale of 2."""
    shared = SharedSession(watched.service, await watched.client("ana"), site, viewport=(1280, 800, 2.0))
    yield shared
    await shared.close()


@pytest.fixture
async def page(anas_session: SharedSession) -> AsyncIterator[AsyncPage]:
    """A session of ana's. Other tests used it before; nothing of them is in its timeline."""
    yield await anas_session.take()
    await anas_session.give_back()


@pytest.fixture
def show(anas_session: SharedSession, page: AsyncPage) -> Show:
    """Shows a page of that HTML in it, without a navigation (see `Sheet`)."""
    return anas_session.write


async def log_in(browser: BrowserContext, url: str, name: str) -> None:
    """As the form does it, without rendering it."""
    origin = url.rstrip("/")
    answer = await browser.request.post(
        f"{origin}/api/login", data={"token": TOKENS[name]}, headers={"Origin": origin}, timeout=30_000
    )
    assert answer.ok


class Viewer:
    """The browser of a person who is logged in as ana, with the application open all the time.

    To load the application and to log in takes three times as much as to open a session in it.
    """

    def __init__(self, browser: BrowserContext, url: str) -> None:
        self.browser = browser
        self._url = url
        self._page: Page | None = None
        self._is_used = False

    async def open(self, path: str, listen: Callable[[Page], None], window: ViewportSize) -> Page:
        """Opens a view, in the tab that has the application, unless the test has that already. `listen` is called
        before that."""
        if self._is_used or self._page is None:
            page = await self.browser.new_page()
            listen(page)
            await page.set_viewport_size(window)
            await page.goto(self._url + path)
            if not self._is_used:
                self._page = page
        else:
            page = self._page
            listen(page)
            if page.viewport_size != window:
                await page.set_viewport_size(window)
            await page.mouse.move(0, 0)
            await self._go(path)
        self._is_used = True
        return page

    async def leave(self) -> None:
        """Closes all other tabs, and shows no session."""
        if not self._is_used:
            return
        self._is_used = False
        for page in self.browser.pages:
            if page is not self._page:
                await page.close()
        if self._page is None or self._page.is_closed() or not self._page.url.startswith(self._url):
            self._page = None
            return
        await self._go("sessions/none")
        await self._page.get_by_role("heading", name="This session has ended").wait_for()

    async def _go(self, path: str) -> None:
        """As a link of the application does it."""
        assert self._page is not None
        await self._page.evaluate(
            "path => { history.pushState(null, '', path); dispatchEvent(new Event('popstate')) }", f"/{path}"
        )


Viewers = Callable[[str, dict[str, Any]], Awaitable[Viewer]]


@pytest.fixture(scope="session")
async def viewers(host: BrowserHost, watched: Watched) -> AsyncIterator[Viewers]:
    """Returns ana's browser of that name and those options of a context."""
    opened: dict[str, Viewer] = {}

    async def get(name: str, options: dict[str, Any]) -> Viewer:
        key = f"{name} {options}"
        if key not in opened:
            browser = await host._browser.new_context(**options)
            opened[key] = Viewer(browser, watched.url)
            await log_in(browser, watched.url, "ana")
        return opened[key]

    yield get
    for each in opened.values():
        await each.browser.close()


Open = Callable[..., Awaitable[Page]]


@pytest.fixture
async def open_viewer(host: BrowserHost, watched: Watched, viewers: Viewers) -> AsyncIterator[Open]:
    """Opens the viewer in ana's browser; in another one of hers with `apart`, or with options of it. With another
    `name` or another `url` it is in a new browser, logged in as `name`; not logged in where that is empty. What goes
    wrong in its scripts, or against its content security policy, fails the test."""
    pages, browsers, wrong = [], [], []
    used: set[Viewer] = set()

    def note_error(error: Any) -> None:
        wrong.append(str(error))

    def note(message: Any) -> None:
        told = (
            "Failed to load resource",
            "ERR_CONNECTION_REFUSED",
        )  # an answer that is an error, a viewer that stopped
        if message.type == "error" and not any(each in message.text for each in told):
            wrong.append(message.text)

    def listen(page: Page) -> None:
        page.on("pageerror", note_error)
        page.on("console", note)
        pages.append(page)

    async def open_page(
        path: str = "",
        name: str = "ana",
        url: str = watched.url,
        *,
        apart: bool = False,
        viewport: ViewportSize = WINDOW,
        **options: Any,
    ) -> Page:
        if (name, url) != ("ana", watched.url):
            browser = await host._browser.new_context(viewport=viewport, **options)
            browsers.append(browser)
            if name:
                await log_in(browser, url, name)
            page = await browser.new_page()
            listen(page)
            await page.goto(url + path)
        else:
            viewer = await viewers("apart" if apart else "", options)
            used.add(viewer)
            page = await viewer.open(path, listen, viewport)
        if name and not path:
            await page.get_by_role("heading", name="Sessions").wait_for()
        return page

    yield open_page
    for browser in browsers:
        await browser.close()
    for viewer in used:
        await viewer.leave()
    for page in pages:
        page.remove_listener("pageerror", note_error)
        page.remove_listener("console", note)
    assert wrong == []
