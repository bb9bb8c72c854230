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
from playwright.async_api import Browser, Page, async_playwright

from perception.browser.chromium.launch import LaunchOptions, find_executable
from perception.client import AsyncClient, aconnect
from perception.server.app import Service
from perception.server.settings import Settings

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

    async def client(self, name: str) -> AsyncClient:
        """The client of a principal."""
        if name not in self.clients:
            self.clients[name] = await aconnect(self.address, token=TOKENS[name], timeout_s=30)
        return self.clients[name]

    def http(self, **options: Any) -> httpx.AsyncClient:
        """What speaks HTTP with the viewer as its own pages do."""
        headers = {"Origin": self.url.rstrip("/"), **options.pop("headers", {})}
        return httpx.AsyncClient(base_url=self.url, headers=headers, trust_env=False, **options)

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
async def watched_service(**settings: Any) -> AsyncIterator[Watched]:
    """A service with a viewer, both on free ports of loopback unless the settings say otherwise."""
    given = {"address": "127.0.0.1:0", "viewer": "127.0.0.1:0", "allow_hosts": ("127.0.0.1", "localhost"), **settings}
    service = Service(Settings(max_sessions=6, **given))
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
async def watched(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Watched]:
    folder = tmp_path_factory.mktemp("viewer")
    tokens = write_private(folder / "tokens", "".join(f"{name} {token}\n" for name, token in TOKENS.items()))
    async with watched_service(token_file=tokens, data_dir=folder / "data") as watched:
        yield watched


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """A browser in which people watch."""
    async with async_playwright() as playwright:
        path = find_executable(LaunchOptions(), playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


Open = Callable[..., Awaitable[Page]]


@pytest.fixture
async def open_viewer(chromium: Browser, watched: Watched) -> AsyncIterator[Open]:
    """Opens the viewer in a new browser context, logged in as ana unless `name` says otherwise; what goes wrong in its
    scripts, or against its content security policy, fails the test."""
    contexts, wrong = [], []

    def note(message: Any) -> None:
        told = (
            "Failed to load resource",
            "ERR_CONNECTION_REFUSED",
        )  # an answer that is an error, a viewer that stopped
        if message.type == "error" and not any(each in message.text for each in told):
            wrong.append(message.text)

    async def open_page(path: str = "", name: str = "ana", url: str = watched.url, **options: Any) -> Page:
        context = await chromium.new_context(**{"viewport": {"width": 1300, "height": 800}, **options})
        contexts.append(context)
        page = await context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", note)
        await page.goto(url)
        if name:
            await page.get_by_label("Your token for the service").fill(TOKENS[name])
            await page.get_by_role("button", name="Log in").click()
            await page.get_by_role("heading", name="Sessions").wait_for()
        if path:
            await page.goto(url + path)
        return page

    yield open_page
    for context in contexts:
        await context.close()
    assert wrong == []
