"""What a session leaves in memory: its pictures take megabytes, and a full garbage collection comes late."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

from perception.client import AsyncClient
from perception.server.app import Service
from perception.types import Screenshot


@pytest.fixture
def no_collections(service: Service) -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def pictures() -> int:
    return sum(isinstance(each, Screenshot) for each in gc.get_objects())


@pytest.mark.usefixtures("no_collections")
async def test_a_closed_session_keeps_no_picture(client: AsyncClient, site: str) -> None:
    before = pictures()
    page = await client.open(f"{site}/form.html")
    snapshot = await page.snapshot(mode="fused")
    button = next(each for each in snapshot.elements if each.role == "button")
    await page.click(button.ref)
    await page.snapshot(mode="fused")
    assert pictures() > before
    await page.close()
    async with asyncio.timeout(10):
        while pictures() > before:  # noqa: ASYNC110  (Chromium reports the closed tab a moment later)
            await asyncio.sleep(0.01)
