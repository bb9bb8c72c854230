"""Browser contexts that are opened before a session asks for one, and what may become of them meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from perception.browser.browser_session import SessionOptions
from perception.browser.tab import Tab
from perception.client import AsyncClient, RemoteError, aconnect
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.sessions import opening
from perception.server.sessions.opening import OpenedContext
from perception.server.settings import Settings
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "SPARE_AFTER_SECONDS", 0.1)


@asynccontextmanager
async def running(tmp_path: Path, **given: Any) -> AsyncIterator[tuple[Service, AsyncClient]]:
    """A service whose client opens a page next, as `perception mcp` starts one."""
    settings = Settings(
        address=f"unix:{tmp_path}/socket",
        allow_hosts=("127.0.0.1",),
        start_browser=True,
        detectors=("controls",),
        **given,
    )
    service = Service(settings)
    await service.start()
    try:
        async with await aconnect(settings.address) as client:
            yield service, client
    finally:
        await service.stop()


async def spare_of(service: Service) -> OpenedContext:
    """The spare context, once it is open."""
    opener = service.context.sessions.opener
    await until(lambda: opener._spare is not None and opener._spare.opening.done())
    assert opener._spare is not None
    return opener._spare.opening.result()


def tab_of(service: Service, session_id: str) -> Tab:
    return service.context.sessions.get(session_id).browser.tab()


async def contexts(spare: OpenedContext) -> int:
    """Browser contexts that are open, as Chromium counts them."""
    call = spare.host.link.session().call("Target.getBrowserContexts", Deadline.of(10), "counting")
    return len((await call)["browserContextIds"])


async def test_a_session_gets_the_spare_context(tmp_path: Path, site: str) -> None:
    async with running(tmp_path) as (service, client):
        first = await spare_of(service)
        before = await contexts(first)
        page = await client.open(f"{site}/inner.html")
        assert service.context.sessions.get(page.session_id).browser is first.browser
        assert await contexts(first) == before
        second = await spare_of(service)
        assert second.browser is not first.browser
        other = await client.open()
        assert service.context.sessions.get(other.session_id).browser is second.browser
        await page.close()
        await other.close()
        third = await spare_of(service)
        await until(lambda: not first.browser.tabs and not second.browser.tabs)
        assert await contexts(third) == before
    assert not third.host.alive


async def test_a_session_waits_for_a_spare_context_as_long_as_its_caller_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[OpenedContext] = []
    may_go_on = asyncio.Event()
    as_it_is = opening.SessionOpener._open_without_hold

    async def slow(self: opening.SessionOpener, options: SessionOptions) -> OpenedContext:
        await may_go_on.wait()
        opened.append(await as_it_is(self, options))
        return opened[-1]

    monkeypatch.setattr(opening.SessionOpener, "_open_without_hold", slow)
    async with running(tmp_path) as (service, client):
        opener = service.context.sessions.opener
        await until(lambda: opener._spare is not None)
        with pytest.raises(RemoteError, match="creating a browser context"):
            await client.open(timeout_s=0.5)
        await until(lambda: opener._spare is not None)
        waiting = asyncio.create_task(client.open())
        await until(lambda: opener._spare is None)
        may_go_on.set()
        page = await waiting
        await until(lambda: len(opened) == 2)
        own = service.context.sessions.get(page.session_id).browser
        (other,) = [each.browser for each in opened if each.browser is not own]
        await until(lambda: not other.tabs)  # nobody waited for it any more


async def test_other_options_have_a_context_of_their_own(tmp_path: Path) -> None:
    async with running(tmp_path) as (service, client):
        first = await spare_of(service)
        german = await client.open(locale="de-DE")
        assert service.context.sessions.get(german.session_id).browser is not first.browser
        await until(lambda: not first.browser.tabs)  # the next one is for the options that were asked for last
        second = await spare_of(service)
        assert second.options.locale == "de-DE"
        plain = await client.open()
        assert service.context.sessions.get(plain.session_id).browser is not second.browser


async def test_a_context_whose_page_crashed_or_whose_browser_ended_is_not_given_away(tmp_path: Path, site: str) -> None:
    async with running(tmp_path) as (service, client):
        first = await spare_of(service)
        link = first.browser.tab().link
        link.session.start("Page.crash").add_done_callback(lambda done: done.exception())
        await until(lambda: link.crashed)
        page = await client.open(f"{site}/inner.html")
        assert service.context.sessions.get(page.session_id).browser is not first.browser
        second = await spare_of(service)
        assert second.host.pid is not None
        os.kill(second.host.pid, signal.SIGKILL)
        await until(lambda: not second.host.alive)
        page = await client.open(f"{site}/inner.html")
        assert tab_of(service, page.session_id).link.url == f"{site}/inner.html"
        assert service.context.sessions.get(page.session_id).host is not second.host


async def test_a_spare_context_does_not_hold_a_browser_that_gets_no_more_sessions(tmp_path: Path) -> None:
    async with running(tmp_path) as (service, _):
        spare = await spare_of(service)
        browsers = service.context.sessions.browsers
        browsers._heavy.add(spare.host)
        await browsers._end_if_unused(spare.host)
        assert not spare.host.alive


async def test_what_belongs_to_one_session_is_not_opened_for_another(tmp_path: Path) -> None:
    async with running(tmp_path, download_dir=tmp_path / "downloads") as (service, client):
        opener = service.context.sessions.opener
        for _ in range(2):
            page = await client.open()
            await until(lambda: not opener._asked.is_set())
            assert opener._spare is None
            await page.close()
