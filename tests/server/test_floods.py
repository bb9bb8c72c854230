"""A page that floods the shared browser with events: it is slowed and told so, and the session beside it goes on."""

from __future__ import annotations

import asyncio

import pytest

from perception.browser.chromium.thread_load import has_schedstat
from perception.client import AsyncClient

FLOOD = "<script>setInterval(() => { for (let i = 0; i < 2000; i++) console.error('s' %2B i) }, 10)</script>"


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_a_page_that_floods_its_browser_is_slowed_and_others_go_on(client: AsyncClient, site: str) -> None:
    neighbour = await client.open(f"{site}/html?body=<button>Press</button>")
    flooding = await client.open(f"{site}/html?body={FLOOD}<button>Press</button>")
    notes: tuple[str, ...] = ()
    async with asyncio.timeout(60):
        while not any("is slowed" in each for each in notes):
            notes = tuple((await flooding.click("button", skip_diff=True)).notes)
    assert any("console messages" in each for each in notes)
    await neighbour.click("button")
    assert "Press" in (await neighbour.snapshot(mode="text")).text
    await flooding.close()
    await neighbour.close()


async def test_a_console_error_of_an_action_is_reported_and_a_flood_of_them_is_cut(
    client: AsyncClient, site: str
) -> None:
    body = "<button id=a onclick='console.error(`once`)'>A</button>"
    body += "<button id=b onclick='for (let i = 0; i < 1000; i%2B%2B) console.error(`s`)'>B</button>"
    async with await client.open(f"{site}/html?body={body}") as page:
        assert list((await page.click("#a")).console_errors) == ["once"]
        flooded = await page.click("#b")
        assert set(flooded.console_errors) == {"s"}
        assert any("later errors are left out" in each for each in flooded.notes)
        assert list((await page.click("#a")).console_errors) == ["once"]
