"""Processes of a browser that are stopped or killed: the call ends with words of the service, and others take their
place."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from perception.bench.suites.hangs.process_count import renderers
from perception.client import AsyncClient, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from tests.clock.server.test_hangs import CONTROLS, late, look, use


@pytest.fixture
async def own(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Service, AsyncClient]]:
    """A service with a browser that no other test uses."""
    address = f"unix:{tmp_path_factory.mktemp('own') / 'socket'}"
    service = Service(Settings(address=address, allow_hosts=("127.0.0.1",)))
    await service.start()
    async with await aconnect(address, timeout_s=60) as client:
        yield service, client
    await service.stop()


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
async def test_a_process_that_is_stopped_or_killed_is_replaced(
    own: tuple[Service, AsyncClient], site: str, number: signal.Signals
) -> None:
    service, client = own
    page = await client.open(f"{site}/html?body={CONTROLS}", allow_evaluate=True)
    host = service.context.sessions.get(page.session_id).host
    assert host.pid
    for pid in renderers(host.pid):
        os.kill(pid, number)
    if number is signal.SIGSTOP:
        await late(service, look(page))
    else:
        with pytest.raises(RemoteError) as caught:
            await look(page, 60)
        assert caught.value.reason == "PAGE_CRASHED"
    await page.navigate(f"{site}/html?body={CONTROLS}")
    await use(page)


@pytest.mark.parametrize("engine", ["cdp", "playwright"])
async def test_after_a_crash_during_a_call_the_next_call_says_so_at_once(
    own: tuple[Service, AsyncClient], site: str, engine: str
) -> None:
    service, client = own
    page = await client.open(f"{site}/html?body={CONTROLS}", allow_evaluate=True)
    host = service.context.sessions.get(page.session_id).host
    assert host.pid
    running = asyncio.create_task(
        page.evaluate("document.title = 'Running'; new Promise(() => {})", await_promise=True)
    )
    while (await page.tabs())[0].title != "Running":
        pass
    for pid in renderers(host.pid):
        os.kill(pid, signal.SIGKILL)
    for call in (running, page.evaluate("1", engine=engine), page.click("#b")):
        with pytest.raises(RemoteError) as caught:
            await call
        assert caught.value.reason == "PAGE_CRASHED"


async def test_a_browser_that_is_stopped_is_ended_and_another_started(
    own: tuple[Service, AsyncClient], site: str
) -> None:
    service, client = own
    page = await client.open(f"{site}/html?body={CONTROLS}")
    host = service.context.sessions.get(page.session_id).host
    assert host.pid
    os.kill(host.pid, signal.SIGSTOP)
    await late(service, look(page))
    await asyncio.wait_for(host.link.closed.wait(), 60)
    with pytest.raises(RemoteError) as caught:
        await look(page, 20)
    assert caught.value.reason == "SESSION_LOST"
    await use(await client.open(f"{site}/html?body={CONTROLS}"))
