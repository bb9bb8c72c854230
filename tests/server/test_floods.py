"""A page that floods the shared browser with events: it is slowed and told so, and the session beside it goes on."""

from __future__ import annotations

import asyncio

import pytest

from perception.browser.chromium.thread_load import has_schedstat
from perception.browser.tab import KEPT_ERRORS
from perception.client import AsyncClient
from perception.instrumentation.metrics import PAGES_SLOWED
from perception.server.sessions.slowing import SLOWED
from perception.v1.action_service_pb2 import EvaluateRequest

FLOOD = """<button>Press</button><script>
const flood = setInterval(() => { for (let i = 0; i < 100; i%2B%2B) console.error('s' %2B i) }, 0);
addEventListener('pointermove', () => clearInterval(flood))</script>"""
"""Ends under the pointer: a page that is still slowed then answers soon."""


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_a_page_that_floods_its_browser_is_slowed_and_told_so_and_others_go_on(
    client: AsyncClient, site: str
) -> None:
    before = PAGES_SLOWED._value.get()
    async with (
        await client.open(f"{site}/html?body=<button>Press</button>") as neighbour,
        await client.open(f"{site}/html?body={FLOOD}", allow_evaluate=True) as flooding,
    ):
        async with asyncio.timeout(60):
            while PAGES_SLOWED._value.get() == before:  # noqa: ASYNC110  (counted by a thread)
                await asyncio.sleep(0.02)
        assert SLOWED not in (await neighbour.click("button")).notes
        seen = await neighbour.snapshot(mode="text")
        assert "Press" in seen.text
        assert list(seen.notes) == []
        assert SLOWED in (await flooding.click("button", skip_diff=True)).notes
        assert SLOWED in (await flooding.snapshot(mode="text")).notes
        question = EvaluateRequest(session_id=flooding.session_id, expression="0")
        assert SLOWED in (await client.call(client.actions.Evaluate, question)).notes


async def test_uncaught_errors_over_the_limit_are_left_out_and_the_action_says_so(
    client: AsyncClient, site: str
) -> None:
    throwing = "for (let i = 0; i < 1000; i%2B%2B) reportError(new Error(`x${i}`))"
    async with await client.open(f"{site}/html?body=<button onclick='{throwing}'>Throw</button>") as page:
        thrown = await page.click("button")
        assert len(thrown.console_errors) == KEPT_ERRORS
        assert any("uncaught errors a second" in each for each in thrown.notes)


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
