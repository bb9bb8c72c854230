"""What the Python client adds to the stubs."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from perception.client import (
    AsyncClient,
    AsyncPage,
    BadInputError,
    Page,
    RemoteError,
    aconnect,
    connect,
)
from perception.imaging.codec import decode_image
from perception.server.app import Service
from tests.support.live import Show

pytestmark = pytest.mark.usefixtures("patient_service")


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


@pytest.fixture
def scripted(shared_scripted: AsyncPage) -> AsyncPage:
    return shared_scripted


LONG = "".join(f"<button>Number {number}</button>" for number in range(80))


async def test_history(page: AsyncPage, site: str) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.forward()
    assert caught.value.reason == "NO_HISTORY"
    await page.navigate(f"{site}/form.html")
    await page.navigate(f"{site}/inner.html")
    assert (await page.back()).title == "Form"
    assert (await page.forward()).title == "Inner"
    assert (await page.reload(ignore_cache=True)).title == "Inner"


async def test_tabs(page: AsyncPage, show: Show, site: str) -> None:
    await show(f"<title>First</title><a href='{site}/form.html' target=_blank>Open</a>")
    await page.click("a")
    first, second = await page.tabs()
    assert (first.selected, second.selected) == (True, False)
    assert (await page.snapshot(mode="text", tab_id=second.tab_id)).title == "Form"
    assert (await page.find("Save", mode="text", tab_id=second.tab_id))[0].element.name == "Save"
    assert (await page.select_tab(second.tab_id)).selected
    assert (await page.snapshot(mode="text")).title == "Form"
    assert [each.tab_id for each in await page.close_tab()] == [first.tab_id]


async def test_a_long_snapshot_is_read_to_its_end(page: AsyncPage, show: Show) -> None:
    await show(LONG)
    snapshot = await page.snapshot(mode="text", scope="page", max_tokens=200)
    names = [each.name for each in snapshot.elements]
    while snapshot.next_cursor:
        snapshot = await page.next_page(snapshot)
        names += [each.name for each in snapshot.elements]
    assert [each for each in names if each.startswith("Number")] == [f"Number {number}" for number in range(80)]
    with pytest.raises(BadInputError, match="no further page"):
        await page.next_page(snapshot)


async def test_screenshots(page: AsyncPage, show: Show) -> None:
    await show(f"<body style=margin:0>{LONG}<div style=height:3000px></div>")
    plain = await page.screenshot()
    assert decode_image(plain).shape == (800, 1280, 3)
    assert decode_image(await page.screenshot(full_page=True)).shape[0] >= 3000
    assert (await page.screenshot(jpeg_quality=50)).startswith(b"\xff\xd8")
    drawn = await page.screenshot(annotated=True, mode="text", view="interactive")
    assert decode_image(drawn).shape == (800, 1280, 3)
    assert drawn != plain
    with pytest.raises(RemoteError) as caught:
        await page.screenshot(mode="text")
    assert caught.value.reason == "BAD_INPUT"


@pytest.mark.parametrize(
    ("script", "value"),
    [("1 + 1", 2), ("[0.5, {a: 3}]", [0.5, {"a": 3}]), ("2 ** 60", 2.0**60), ("true", True)],
)
async def test_whole_numbers_are_int(scripted: AsyncPage, script: str, value: object) -> None:
    answer = await scripted.evaluate(script)
    assert answer == value
    assert repr(answer) == repr(value)


async def test_the_blocking_client_serves_many_threads(service: Service, page: AsyncPage) -> None:
    def work() -> list[str]:
        with connect(service.context.settings.address, timeout_s=60) as client, ThreadPoolExecutor(8) as pool:
            shared = Page(client, page.session_id)
            return list(pool.map(lambda _: shared.tabs()[0].tab_id, range(40)))

    (tab,) = await page.tabs()
    assert await asyncio.to_thread(work) == [tab.tab_id] * 40


async def test_a_blocking_watch_ends_when_it_is_closed(service: Service, site: str) -> None:
    def work() -> list[bool]:
        address = service.context.settings.address
        with connect(address, timeout_s=30) as client, client.open(f"{site}/form.html") as page:
            watch = page.watch(mode="text")
            titles = [next(watch).title == "Form"]
            watch.close()
            return [*titles, next(watch, None) is None]

    assert await asyncio.to_thread(work) == [True, True]


async def test_a_call_ends_at_its_deadline_in_both_forms(service: Service, page: AsyncPage) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.wait_for(text="nowhere", timeout_s=0.3)
    assert caught.value.code.name == "DEADLINE_EXCEEDED"

    def work() -> None:
        with connect(service.context.settings.address, timeout_s=30) as client, client.open() as blocking:
            with pytest.raises(RemoteError) as caught:
                blocking.wait_for(text="nowhere", timeout_s=0.3)
            assert caught.value.code.name == "DEADLINE_EXCEEDED"
        client.close()  # a second time

    await asyncio.to_thread(work)


async def test_a_timeout_ends_a_call_that_reads(page: AsyncPage, site: str) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/never", timeout_s=0.3)
    assert caught.value.code.name == "DEADLINE_EXCEEDED"
    with pytest.raises(BadInputError, match="timeout_s is -1"):
        await page.snapshot(timeout_s=-1)


async def test_a_session_has_the_viewport_that_was_asked_for(client: AsyncClient, site: str) -> None:
    async with await client.open(viewport=(390, 844, 2), color_scheme="dark") as page:
        done = await page.navigate(f"{site}/form.html", wait_until="load")
        assert done.title == "Form"
        state = await page.state()
        viewport = state.options.viewport
        assert (viewport.width, viewport.height, viewport.device_scale_factor) == (390, 844, 2)
        assert [each.session_id for each in await client.open_sessions() if each.session_id == page.session_id]


async def test_downloads_and_dialogs_of_a_session_are_listed(page: AsyncPage, show: Show) -> None:
    await show("<a href='/file?name=a.txt&size=20'>Get</a><button onclick='confirm(1)'>Ask</button>")
    await page.click("a")
    assert [each.name for each in await page.downloads()] == ["a.txt"]
    await page.click("button")
    assert [each.message for each in await page.dialogs()] == ["1"]
    await page.handle_dialog(accept=False)
    assert await page.dialogs() == []


async def test_another_client_continues_a_session(service: Service, page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    async with await aconnect(service.context.settings.address) as other:
        attached = await other.attach(page.session_id)
        assert (await attached.snapshot(mode="text")).title == "Form"
        await attached.close()
        await attached.close()  # a second time
        with pytest.raises(RemoteError, match="it was closed or never created") as caught:
            await other.attach(page.session_id)
    assert (caught.value.reason, caught.value.session) == ("UNKNOWN_SESSION", page.session_id)
    with pytest.raises(RemoteError, match="this client is closed"):
        await attached.tabs()


async def test_an_error_in_a_block_is_not_hidden_by_that_of_its_end(client: AsyncClient) -> None:
    async def fail() -> None:
        async with await client.open() as page:
            await page.close()
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
