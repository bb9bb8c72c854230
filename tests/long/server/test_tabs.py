"""Tabs that clients open, name and move, and windows that pages open beyond the limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.tab import Tab
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.services import session as session_module
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("patient_answers")

LINK = "<title>First</title><a href='about:blank' target=_blank>Open</a>"


@pytest.fixture
async def first(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(LINK)}")
    yield page
    await page.close()


async def test_a_new_tab_opens_a_page_and_is_selected(first: AsyncPage, site: str) -> None:
    tab = await first.new_tab(f"{site}/html?body={quote('<title>Second</title>')}", name="docs")
    assert (tab.title, tab.selected, tab.name, tab.opener_tab_id) == ("Second", True, "docs", "")
    assert (await first.snapshot(mode="text")).title == "Second"
    empty = await first.new_tab(background=True)
    assert (empty.url, empty.selected) == ("about:blank", False)
    assert [each.selected for each in await first.tabs()] == [False, True, False]


async def test_a_name_stands_for_the_id_everywhere(first: AsyncPage, site: str) -> None:
    named = await first.name_tab("shop")
    await first.new_tab()
    seen = await first.snapshot(mode="text", tab_id="shop")
    assert (seen.title, seen.tab_id) == ("First", named.tab_id)
    assert (await first.click("a", tab_id="shop")).tab_id == named.tab_id
    await first.navigate(f"{site}/html?body={quote('<title>Next</title>')}", tab_id="shop")
    assert (await first.select_tab("shop")).title == "Next"
    left = await first.close_tab("shop")
    assert [each.name for each in left] == ["", ""]
    with pytest.raises(RemoteError, match=r"no tab 'shop': this session has t2, t3") as caught:
        await first.snapshot(tab_id="shop")
    assert caught.value.reason == "UNKNOWN_TAB"


async def test_a_name_is_unique_and_may_be_taken_away(first: AsyncPage) -> None:
    await first.name_tab("a")
    await first.new_tab(name="b")
    for name in ("a", "t2", "two words", "x" * 41, "é"):
        with pytest.raises(RemoteError, match=r"named 'a' already|is not a name for a tab") as caught:
            await first.name_tab(name, "b")
        assert caught.value.field == "name"
    with pytest.raises(RemoteError, match="tab t1 is named 'a' already: choose another name"):
        await first.new_tab(name="a")
    assert len(await first.tabs()) == 2
    await first.name_tab("b", "b")
    await first.name_tab("", "a")
    assert [each.name for each in await first.tabs()] == ["", "b"]


async def test_tabs_have_an_order(first: AsyncPage) -> None:
    await first.new_tab(name="b")
    await first.new_tab(name="c")
    assert [each.name for each in await first.move_tab(0, "c")] == ["c", "", "b"]
    assert [each.name for each in await first.move_tab(2, "c")] == ["", "b", "c"]
    with pytest.raises(RemoteError, match="index 3 is not the index of a tab: this session has 3, 0 to 2"):
        await first.move_tab(3)
    assert [each.name for each in await first.tabs()] == ["", "b", "c"]


async def test_a_tab_whose_page_cannot_be_opened_is_closed_again(first: AsyncPage) -> None:
    for url, reason in (("http://127.0.0.1:9/", "NAVIGATION_FAILED"), ("file:///etc/passwd", "SCHEME_BLOCKED")):
        with pytest.raises(RemoteError) as caught:
            await first.new_tab(url)
        assert caught.value.reason == reason
        (left,) = await first.tabs()
        assert left.selected


async def test_a_repeated_request_opens_one_tab(first: AsyncPage) -> None:
    one = await first.new_tab(request_id="r1")
    assert (await first.new_tab(request_id="r1")).tab_id == one.tab_id
    with pytest.raises(RemoteError) as caught:
        await first.new_tab(request_id="r1", name="other")
    assert caught.value.reason == "REQUEST_ID_REUSED"
    assert len(await first.tabs()) == 2


async def test_another_session_does_not_know_the_tab(first: AsyncPage, client: AsyncClient) -> None:
    await first.name_tab("mine")
    async with await client.open() as other:
        with pytest.raises(RemoteError, match="no tab 'mine': this session has t1"):
            await other.select_tab("mine")


async def test_windows_beyond_the_limit_are_closed_and_noted(site: str, tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    service = Service(Settings(address=address, allow_hosts=("127.0.0.1",), max_tabs_per_session=3, data_dir=tmp_path))
    await service.start()
    try:
        async with await aconnect(service.context.settings.address) as client:
            greedy = "<button onclick='for (let i = 0; i < 4; i++) window.open(`about:blank`)'>Go</button>"
            async with await client.open(f"{site}/html?body={quote(greedy)}") as page:
                await page.new_tab(background=True)
                done = await page.click("button")
                assert len(done.new_tabs) == 1
                beyond = await page.click("button")
                assert not beyond.new_tabs
                assert "the page opened a window beyond the 3 tabs of a session: closed at once" in beyond.notes
                assert len(await page.tabs()) == 3
                with pytest.raises(RemoteError, match="the session has 3 tabs, its limit: close one") as caught:
                    await page.new_tab()
                assert caught.value.reason == "TAB_LIMIT"
                state: session_pb.Session = await page.state()
                assert len(state.tabs) == 3
    finally:
        await service.stop()


async def test_a_tab_whose_caller_has_left_is_closed(
    service: Service, first: AsyncPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = session_module.read_tab

    async def read_late(tab: Tab, selected: str, deadline: Deadline) -> Any:
        if tab.tab_id != "t1":
            await asyncio.Event().wait()
        return await read(tab, selected, deadline)

    monkeypatch.setattr(session_module, "read_tab", read_late)
    with pytest.raises(RemoteError):
        await first.new_tab(timeout_s=2)
    (session,) = [each for each in service.context.sessions.sessions if each.session_id == first.session_id]
    await until(lambda: [each.tab_id for each in session.browser.tabs] == ["t1"])
