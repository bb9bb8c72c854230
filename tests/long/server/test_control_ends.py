"""How control ends when something else ends: the session, its browser, a tab, the service; and what holds meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import psutil
import pytest

from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.driver_end import driver_pid
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.services.input_stream import InputStream
from perception.server.sessions.session import DRIVER_END_SECONDS
from perception.server.settings import Settings
from perception.v1 import control_service_pb2 as pb
from tests.support.lent_browser import service_in
from tests.support.waiting import again_and_again, until


@pytest.fixture
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open()
    yield page
    with contextlib.suppress(RemoteError):  # the test has ended it
        await page.close()


async def waiting_call(page: AsyncPage) -> asyncio.Task[Any]:
    """A call of the agent that waits for a person."""
    task = asyncio.create_task(page.snapshot(mode="text"))
    async with aclosing(page.watch_control(timeout_s=20)) as watched:
        async for control in watched:
            if control.waiting_calls:
                return task
    raise AssertionError


def control_of(service: Service, page: AsyncPage) -> Any:
    return service.context.sessions.find(page.session_id, "").control  # type: ignore[union-attr]


async def test_the_end_of_a_session_ends_everything_that_waits(page: AsyncPage, client: AsyncClient) -> None:
    async with page.take_control() as person:
        waits, asks = await waiting_call(page), asyncio.create_task(page.request_human("go on"))
        watched: list[str] = []

        async def watch() -> None:
            async for control in page.watch_control():
                watched.append(pb.ControlState.Name(control.state))

        watching = asyncio.create_task(watch())
        async for control in page.watch_control(timeout_s=20):
            if control.reason:
                break
        await until(lambda: bool(watched))
        await page.close()
        for task in (waits, asks, watching):
            with pytest.raises(RemoteError) as caught:
                await task
            assert caught.value.reason == "SESSION_LOST"
        with pytest.raises(RemoteError) as caught:
            await person.click(5, 5)
        assert caught.value.reason == "UNKNOWN_SESSION"
        person.lease_id = ""


async def test_a_browser_that_crashes_ends_control_with_the_session(client: AsyncClient, service: Service) -> None:
    page = await client.open(dedicated_browser=True)
    host: BrowserHost = service.context.sessions.find(page.session_id, "").host  # type: ignore[union-attr]
    async with page.take_control() as person:
        waits = await waiting_call(page)
        await host.kill()
        with pytest.raises(RemoteError) as caught:
            await waits
        assert caught.value.reason == "SESSION_LOST"
        with pytest.raises(RemoteError) as caught:
            await person.click(5, 5)
        assert caught.value.reason in ("SESSION_LOST", "UNKNOWN_SESSION")
        person.lease_id = ""


async def test_a_page_that_crashes_leaves_control_and_can_be_opened_again(page: AsyncPage, site: str) -> None:
    async with page.take_control() as person:
        with pytest.raises(RemoteError):
            await person.page.navigate("chrome://crash")
        assert (await person.page.navigate(f"{site}/html?body=Here")).http_status == 200
        await person.click(5, 5)


async def test_a_person_opens_selects_and_closes_tabs(page: AsyncPage, site: str) -> None:
    async with page.take_control() as person:
        opened = await person.page.new_tab(f"{site}/html?body=<title>Second</title>")
        await person.click(5, 5)
        await person.page.select_tab("t1")
        await person.page.close_tab(opened.tab_id)
    assert [tab.tab_id for tab in (await page.tabs())] == ["t1"]


async def test_a_person_reaches_no_more_than_the_agent(client: AsyncClient, site: str, other_site: str) -> None:
    html = f"<a href='{other_site}/html?body=Elsewhere' style='position:absolute;left:0;top:0;font-size:40px'>Go</a>"
    async with await client.open(f"{site}/html?body=Here", allowed_origins=[site]) as page:
        with pytest.raises(RemoteError) as caught:
            async with page.take_control() as person:
                await person.page.navigate(f"{other_site}/html?body=Elsewhere")
        assert caught.value.reason == "ORIGIN_BLOCKED"
        await page.navigate(f"{site}/html?body={html.replace('?', '%3F')}")
        async with page.take_control() as person:
            await person.click(20, 20)
        seen = await asyncio.gather(
            *(page.snapshot(mode="text", settle_timeout=1) for _ in range(5)), return_exceptions=True
        )
        assert "ORIGIN_BLOCKED" in {getattr(each, "reason", "") for each in seen}
        assert not any("Elsewhere" in getattr(each, "text", "") for each in seen)


async def test_a_session_is_not_idle_while_a_person_has_control_and_is_when_the_lease_has_ended(
    client: AsyncClient, service: Service
) -> None:
    page = await client.open(idle_timeout=60)
    lifetime = service.context.sessions.find(page.session_id, "").lifetime  # type: ignore[union-attr]
    watching = asyncio.create_task(anext(aiter(page.watch_control())))
    await watching
    async with page.take_control() as person:
        assert lifetime.calls == 1
        lifetime.idle_s = 0.5
        service.context.sessions._news.set()
        start_s = asyncio.get_running_loop().time()
        person._lease_s = 1.5
        await person.renew()
        await until(lambda: service.context.sessions.find(page.session_id, "") is None)
        assert asyncio.get_running_loop().time() - start_s > 1.5, "it outlives its idle time by the lease"
        person.lease_id = ""
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="text")
    assert caught.value.reason == "SESSION_EXPIRED"


async def test_a_stream_that_breaks_off_releases_what_is_down(page: AsyncPage, service: Service, site: str) -> None:
    """Ten times: the service may be told of the end of the requests before it is told that the call has broken off."""
    html = (
        "<title>no</title><body onmousedown=\"document.title='down'\" onmouseup=\"document.title='up'\" "
        "style='height:500px'>"
    )
    await page.navigate(f"{site}/html?body={html}")
    async with page.take_control() as person:
        down = pb.SendInputRequest(
            session_id=page.session_id,
            lease_id=person.lease_id,
            mouse=pb.MouseInput(kind=pb.MouseInput.KIND_DOWN, x=50, y=50),
        )
        for _ in range(10):
            stream = page._client.control.SendInput()
            await stream.write(down)
            await stream.read()
            assert (await person.page.snapshot(mode="text")).title == "down"
            stream.cancel()
            while (await person.page.snapshot(mode="text")).title != "up":
                pass


async def test_a_person_who_takes_control_and_leaves_leaves_nothing_behind(page: AsyncPage, service: Service) -> None:
    slow = asyncio.create_task(page.wait_for(text="never", timeout_s=60))
    await until(lambda: control_of(service, page).calls_under_way)
    taking = asyncio.create_task(page.take_control("ann").__aenter__())
    async for control in page.watch_control(timeout_s=20):
        if control.state == pb.CONTROL_STATE_TAKING:
            break
    assert list(control.calls_under_way) == ["WaitFor"]
    taking.cancel()
    await until(lambda: not control_of(service, page).taking)
    assert control_of(service, page).calls_under_way
    slow.cancel()
    assert (await page.snapshot(mode="text")).snapshot_id
    assert not control_of(service, page).taking


async def test_many_waiting_calls_are_bounded_and_take_no_place_of_other_sessions(
    host: BrowserHost, tmp_path: Path
) -> None:
    service = service_in(
        host, Settings(address="127.0.0.1:0", max_calls=2, max_queue=0, data_dir=tmp_path, drain_s=0.1)
    )
    client = await aconnect(f"127.0.0.1:{await service.start()}", timeout_s=30)
    page, other = await client.open(), await client.open()
    async with page.take_control():
        waits = [asyncio.create_task(page.snapshot(mode="text")) for _ in range(70)]
        control = control_of(service, page)
        await until(lambda: control.waiting == 64)
        assert (await other.snapshot(mode="text")).snapshot_id
        await until(lambda: sum(task.done() for task in waits) == 6)
        assert {getattr(task.exception(), "reason", "") for task in waits if task.done()} == {"HUMAN_CONTROL"}
        first, second, *rest = (task for task in waits if not task.done())
        for task in rest:
            task.cancel()
        await until(lambda: control.waiting == 2)
    assert all([(await task).snapshot_id for task in (first, second)])
    await client.close()
    await service.stop()


async def test_a_service_that_stops_ends_what_waits_for_a_person(host: BrowserHost, tmp_path: Path) -> None:
    service = service_in(host, Settings(address="127.0.0.1:0", data_dir=tmp_path, drain_s=5))
    client = await aconnect(f"127.0.0.1:{await service.start()}", timeout_s=30)
    page = await client.open()
    lease = page.take_control()
    await lease.__aenter__()
    waits = await waiting_call(page)
    asks = asyncio.create_task(page.request_human("go on"))
    await until(lambda: control_of(service, page).request is not None)
    await service.stop()
    for task in (waits, asks):
        with pytest.raises(RemoteError) as caught:
            await task
        assert caught.value.reason == "SHUTTING_DOWN"
    await client.close()


async def test_a_driver_whose_end_is_known_late_ends_its_sessions_and_not_just_a_tab(
    client: AsyncClient, service: Service, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await client.open(f"{site}/inner.html", dedicated_browser=True)
    host: BrowserHost = service.context.sessions.find(page.session_id, "").host  # type: ignore[union-attr]
    communicate = asyncio.subprocess.Process.communicate

    async def communicate_late(process: asyncio.subprocess.Process) -> tuple[bytes, bytes]:
        ended = await communicate(process)
        await asyncio.sleep(2 * DRIVER_END_SECONDS)  # as on a busy machine
        return ended

    monkeypatch.setattr(asyncio.subprocess.Process, "communicate", communicate_late)
    psutil.Process(driver_pid(host._playwright)).kill()
    with pytest.raises(RemoteError) as caught:
        await again_and_again(lambda: page.click("button", skip_diff=True))
    assert (caught.value.reason, caught.value.metadata.get("epoch")) == ("SESSION_LOST", str(host.epoch + 1))


async def test_what_a_person_holds_down_is_lifted_where_their_stream_is_cancelled_twice(
    page: AsyncPage, service: Service, site: str
) -> None:
    await page.navigate(f"{site}/html?body=Here")
    async with page.take_control() as person:
        session: Any = service.context.sessions.find(page.session_id, "")
        pressed = pb.SendInputRequest(lease_id=person.lease_id, number=1)
        pressed.mouse.CopyFrom(pb.MouseInput(kind=pb.MouseInput.KIND_DOWN, x=5, y=5, button="MOUSE_BUTTON_LEFT"))

        async def rest() -> AsyncIterator[pb.SendInputRequest]:
            await asyncio.Event().wait()
            yield pressed

        async def send() -> None:
            async for _ in InputStream(session, session.control.turn).run(pressed, rest()):
                pass

        sending = asyncio.create_task(send())
        await until(lambda: session.person.is_holding)
        sending.cancel()  # the caller leaves
        await asyncio.sleep(0)
        sending.cancel()  # the service stops
        await asyncio.wait([sending])
        assert not session.person.is_holding
