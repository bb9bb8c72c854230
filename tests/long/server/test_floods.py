"""A page that floods the shared browser with events: it is slowed and told so, and the session beside it goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from perception.browser.chromium import flood_control
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.flood_guard import FloodGuard
from perception.browser.chromium.slowed_pages import SlowedPages
from perception.browser.page.page_link import PageLink
from perception.browser.page.thread_load import has_schedstat
from perception.browser.tab import KEPT_ERRORS
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.instrumentation.metrics import PAGES_SLOWED
from perception.server.app import Service
from perception.server.sessions import slowing
from perception.server.sessions.slowing import HALTED, SLOWED
from perception.v1.action_service_pb2 import EvaluateRequest
from tests.support.live import Show
from tests.support.waiting import until

FLOOD = """<button>Press</button><script>
const flood = setInterval(() => { for (let i = 0; i < 100; i%2B%2B) console.error('s' %2B i) }, 0);
addEventListener('pointermove', () => clearInterval(flood))</script>"""
"""Ends under the pointer: a page that is still slowed then answers soon."""


@pytest.fixture(autouse=True)
async def forget_floods(service: Service) -> AsyncIterator[None]:
    """Pages that stay open from test to test are not slowed any more for what a test did."""
    yield
    for session in service.context.sessions.sessions:
        if (guard := session.host._flood_guard) is not None:
            guard._control = flood_control.FloodControl()


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_a_page_that_floods_its_browser_is_slowed_and_told_so_and_others_go_on(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slowing, "ASKING_SECONDS", 15.0)
    monkeypatch.setattr(flood_control, "RAISE", 1.0)  # it stays slowed: on a busy machine calls come late
    before = PAGES_SLOWED._value.get()
    async with (
        await client.open(f"{site}/html?body=<button>Press</button>") as neighbor,
        await client.open(f"{site}/html?body={FLOOD}", allow_evaluate=True) as flooding,
    ):
        async with asyncio.timeout(120):
            while PAGES_SLOWED._value.get() == before:  # noqa: ASYNC110  (counted by a thread)
                await asyncio.sleep(0.02)
        assert SLOWED not in (await neighbor.click("button")).notes
        seen = await neighbor.snapshot(mode="text")
        assert "Press" in seen.text
        assert list(seen.notes) == []
        assert SLOWED in (await flooding.click("button", skip_diff=True)).notes
        assert SLOWED in (await flooding.snapshot(mode="text")).notes
        question = EvaluateRequest(session_id=flooding.session_id, expression="0")
        assert SLOWED in (await client.call(client.actions.Evaluate, question)).notes


LOADING = """<button onclick="this.textContent = 1">0</button><div></div><script>
for (let i = 0; i < 1500; i%2B%2B) document.querySelector('div').append('Word ' %2B i, document.createElement('br'));
const end = performance.now() %2B 150; while (performance.now() < end);
for (let i = 0; i < 60; i%2B%2B) fetch('/html?body=' %2B i)</script>"""


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_sessions_that_load_and_look_without_a_rest_are_not_slowed(
    client: AsyncClient, service: Service, site: str
) -> None:
    notes: list[str] = []
    room = service.context.settings.max_sessions - len(service.context.sessions.sessions)
    end = time.monotonic() + 8

    async def work() -> None:
        while time.monotonic() < end:
            async with await client.open(f"{site}/html?body={LOADING}", timeout_s=60) as page:
                notes.extend((await page.snapshot(mode="text")).notes)
                notes.extend((await page.click("button", skip_diff=True)).notes)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(6, room)):
            group.create_task(work())
    assert SLOWED not in notes


TITLES = """<button>Press</button><script>
setInterval(() => { for (let i = 0; i < 500; i%2B%2B) document.title = 't' %2B Math.random() }, 5)</script>"""
"""Chromium's main thread takes 25 s for the titles of a second."""


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_a_page_that_sets_its_title_without_end_takes_no_call_of_others(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[int] = []
    pause = FloodGuard._pause

    def note_pause(guard: FloodGuard, pid: int, rate: float, now_s: float) -> None:
        pauses.append(pid)
        pause(guard, pid, rate, now_s)

    monkeypatch.setattr(FloodGuard, "_pause", note_pause)
    async with await client.open(f"{site}/html?body=<button>Press</button>") as neighbor:
        opening = asyncio.create_task(client.open(f"{site}/html?body={TITLES}", timeout_s=60))
        async with asyncio.timeout(60):
            while not pauses:  # noqa: ASYNC110  (counted by a thread)
                await asyncio.sleep(0.02)
        for _ in range(20):
            assert "Press" in (await neighbor.snapshot(mode="text", timeout_s=15)).text
            await neighbor.click("button", skip_diff=True, timeout_s=15)
        await (await opening).close()


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
async def test_a_page_that_slowing_does_not_hold_is_halted_until_it_is_reloaded(
    service: Service, client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = (
        "<style>@keyframes fade { to { opacity: 0.9 } } button { animation: fade 60s }</style><input>"
        "<button>Press</button><script>let n = 0; setInterval(() => { n%2B%2B }, 10)</script>"
    )
    async with await client.open(), await client.open(f"{site}/html?body={counting}", allow_evaluate=True) as page:
        link = service.context.sessions.get(page.session_id).browser.tab().link

        async def is_this_page(_pages: SlowedPages, asked: PageLink, *_: object) -> bool:
            return asked is link

        with monkeypatch.context() as patched:
            patched.setattr(SlowedPages, "is_unheld", is_this_page)
            await until(lambda: link.halted.is_on)
        seen = await page.snapshot(mode="text")
        assert "Press" in seen.text
        assert HALTED in seen.notes
        before = await page.evaluate("n")
        assert HALTED in (await page.click("button", skip_diff=True)).notes
        with pytest.raises(RemoteError, match="scripts are halted"):
            await page.type_text("input", "Ann")
        assert await page.evaluate("n") == before
        await page.reload()
        await until_count(page)
        assert HALTED not in (await page.snapshot(mode="text")).notes


async def until_count(page: AsyncPage) -> None:
    async with asyncio.timeout(30):
        while not await page.evaluate("n"):
            pass


async def test_a_dialog_that_opens_while_it_is_asked_who_is_slowed_costs_no_answer(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked_for_long(*_: object) -> bool:
        await asyncio.sleep(60)
        return False

    async with await client.open(f"{site}/html?body=<button>Ask</button>", allow_evaluate=True) as page:
        await page.evaluate("document.querySelector('button').onclick = () => setTimeout(() => alert('Sure?'), 300), 0")
        with monkeypatch.context() as patched:
            patched.setattr(BrowserHost, "slows", asked_for_long)
            assert await page.evaluate("setTimeout(() => alert('Late'), 300), 7") == 7
            await page.handle_dialog(True)
            assert (await page.click("button", skip_diff=True)).dialogs[0].message == "Sure?"
        await page.handle_dialog(True)


@pytest.mark.usefixtures("patient_answers")
async def test_uncaught_errors_over_the_limit_are_left_out_and_the_action_says_so(
    shared_page: AsyncPage, write: Show
) -> None:
    throwing = "for (let i = 0; i < 1000; i++) reportError(new Error(`x${i}`))"
    await write(f"<button onclick='{throwing}'>Throw</button>")
    thrown = await shared_page.click("button")
    assert len(thrown.console_errors) == KEPT_ERRORS
    assert any("uncaught errors a second" in each for each in thrown.notes)


@pytest.mark.usefixtures("patient_answers")
async def test_a_console_error_of_an_action_is_reported_and_a_flood_of_them_is_cut(
    shared_page: AsyncPage, write: Show
) -> None:
    body = "<button id=a onclick='console.error(`once`)'>A</button>"
    body += "<button id=b onclick='for (let i = 0; i < 1000; i++) console.error(`s`)'>B</button>"
    await write(body)
    assert list((await shared_page.click("#a")).console_errors) == ["once"]
    flooded = await shared_page.click("#b")
    assert set(flooded.console_errors) == {"s"}
    assert any("later errors are left out" in each for each in flooded.notes)
    assert list((await shared_page.click("#a")).console_errors) == ["once"]
