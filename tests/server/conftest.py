"""Pages that are written where they are tested."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage

Show = Callable[[str], Awaitable[None]]
"""Opens a page of that HTML in the test's session."""


@pytest.fixture
async def show(page: AsyncPage, site: str) -> Show:
    async def open_page(html: str) -> None:
        await page.navigate(f"{site}/html?body={quote(html)}")

    return open_page


@pytest.fixture
async def scripted(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session that runs scripts."""
    page = await client.open(allow_evaluate=True)
    yield page
    await page.close()


async def title_of(page: AsyncPage) -> str:
    """Where the test pages write their news."""
    return (await page.snapshot(mode="text", view="digest")).title


async def until(is_true: Callable[[], bool]) -> None:
    """Waits for something that must happen, at most 30 s."""
    async with asyncio.timeout(30):
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
