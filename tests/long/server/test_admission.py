"""What is over the limits is refused at once and says which; what waits is dropped with its caller; nothing leaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import session_service_pb2 as session_pb
from tests.support.lent_browser import borrowing
from tests.support.waiting import until

LIMITS = {
    "max_sessions": 3,
    "max_calls": 2,
    "max_queue": 1,
    "max_calls_per_session": 3,
    "max_watches": 1,
}


@pytest.fixture(scope="module")
async def small(service: Service, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A service that is soon full."""
    address = f"unix:{tmp_path_factory.mktemp('small') / 'socket'}"
    async with borrowing(service, Settings(address=address, allow_hosts=("127.0.0.1",), **LIMITS)) as (small, _):  # type: ignore[arg-type]
        yield small


@pytest.fixture(scope="module")
async def guest(small: Service) -> AsyncIterator[AsyncClient]:
    client = await aconnect(small.context.settings.address, timeout_s=60)
    yield client
    await client.close()


@pytest.fixture(scope="module")
async def two(guest: AsyncClient) -> tuple[AsyncPage, AsyncPage]:
    """Two of the three sessions that there may be."""
    return await guest.open(idle_timeout=timedelta(seconds=90)), await guest.open()


@pytest.fixture(autouse=True)
async def no_more_sessions(guest: AsyncClient, two: tuple[AsyncPage, AsyncPage]) -> AsyncIterator[None]:
    """Closes what a test has opened."""
    yield
    for session in (await guest.call(guest.sessions.ListSessions, session_pb.ListSessionsRequest())).sessions:
        if session.session_id not in {page.session_id for page in two}:
            close = session_pb.CloseSessionRequest(session_id=session.session_id)
            await guest.call(guest.sessions.CloseSession, close)


def waiting_call(client: AsyncClient, page: AsyncPage) -> Any:
    """A call that holds a place until it is cancelled."""
    request = action_pb.WaitForRequest(session_id=page.session_id, text="what never comes")
    return client.actions.WaitFor(request, timeout=60)


def details_of(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    (raw,) = (value for key, value in error.trailing_metadata() or () if key == "grpc-status-details-bin")
    found: dict[str, Any] = {}
    for detail in status_pb2.Status.FromString(raw).details:  # type: ignore[arg-type]
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo):
            if detail.Is(kind.DESCRIPTOR):
                message = kind()
                detail.Unpack(message)
                found[kind.__name__] = message
    return found


async def refusal(call: Any) -> tuple[grpc.StatusCode, str, str, float]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    details = details_of(caught.value)
    retry = details["RetryInfo"].retry_delay.ToTimedelta().total_seconds() if "RetryInfo" in details else 0
    return caught.value.code(), details["ErrorInfo"].reason, caught.value.details() or "", retry


async def test_a_saturated_service_refuses_at_once_and_answers_health(
    small: Service, guest: AsyncClient, two: tuple[AsyncPage, AsyncPage]
) -> None:
    first, second = two
    gate = small.admission
    await until(lambda: gate.under_way == 0)
    calls = [waiting_call(guest, first) for _ in range(3)]
    await until(lambda: gate.under_way == 3 and gate.waiting == 1)

    code, reason, words, retry_s = await refusal(waiting_call(guest, second))
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")
    assert retry_s > 0
    assert "2 places" in words
    code, reason, words, retry_s = await refusal(waiting_call(guest, first))
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SESSION_BUSY")
    assert retry_s > 0
    assert "3 calls" in words
    health = health_pb2_grpc.HealthStub(guest.channel)
    assert (await health.Check(health_pb2.HealthCheckRequest(), timeout=10)).status == 1
    await guest.call(guest.sessions.ListSessions, session_pb.ListSessionsRequest())

    calls.pop().cancel()  # the one that waits: its place in the queue is another's
    await until(lambda: gate.waiting == 0)
    follower = asyncio.ensure_future(second.snapshot(mode="MODE_TEXT"))
    await until(lambda: gate.waiting == 1)
    for call in calls:
        call.cancel()
    assert (await follower).snapshot_id
    await until(lambda: gate.under_way == 0)
    await asyncio.wait_for(gate.calls.idle.wait(), 10)


async def test_sessions_and_watches_have_their_limits(
    small: Service, guest: AsyncClient, two: tuple[AsyncPage, AsyncPage]
) -> None:
    await guest.open()
    code, reason, words, retry_s = await refusal(
        guest.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=30)
    )
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SESSION_LIMIT")
    assert retry_s > 0
    assert "all 3 sessions" in words
    watch = two[0].watch(mode="MODE_TEXT")
    await anext(watch)
    with pytest.raises(RemoteError) as caught:
        await anext(two[1].watch(mode="MODE_TEXT"))
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "WATCH_LIMIT")
    await watch.aclose()
    await until(lambda: small.admission.under_way == 0)
    again = two[1].watch(mode="MODE_TEXT")
    await anext(again)
    await again.aclose()


async def test_sessions_cancelled_while_they_open_leave_their_places_free(small: Service, guest: AsyncClient) -> None:
    for delay_s in (0.0, 0.02, 0.1):
        call = guest.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=60)
        await asyncio.sleep(delay_s)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await until(lambda: small.admission.under_way == 0)
        for session in small.context.sessions.sessions[2:]:  # it was done before it was cancelled
            close = session_pb.CloseSessionRequest(session_id=session.session_id)
            await guest.call(guest.sessions.CloseSession, close)
    await guest.open()
    assert len(small.context.sessions.sessions) == 3


async def test_a_session_whose_closing_is_cancelled_is_closed_anyway(small: Service, guest: AsyncClient) -> None:
    manager = small.context.sessions
    page = await guest.open()
    session = manager.get(page.session_id)
    call = guest.sessions.CloseSession(session_pb.CloseSessionRequest(session_id=page.session_id), timeout=60)
    await until(lambda: session not in manager.sessions)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await until(lambda: session.browser.egress not in session.host._proxies)
    await until(lambda: manager.browsers._held[session.host] == 2)


async def test_a_dedicated_browser_is_a_process_of_its_own_and_ends_though_its_closing_is_cancelled(
    small: Service, guest: AsyncClient, two: tuple[AsyncPage, AsyncPage]
) -> None:
    own = await guest.open(dedicated_browser=True)
    manager = small.context.sessions
    host = manager.get(own.session_id).host
    assert host.pid != manager.get(two[0].session_id).host.pid
    assert (await own.snapshot(mode="MODE_TEXT")).snapshot_id
    call = guest.sessions.CloseSession(session_pb.CloseSessionRequest(session_id=own.session_id), timeout=60)
    await until(lambda: len(manager.sessions) == 2)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await until(lambda: len(manager.browsers.all) == 1 and not host.alive)
    assert (await two[0].snapshot(mode="MODE_TEXT")).snapshot_id


def programs() -> set[int]:
    """The process ids of the programs that this process has started: drivers and browsers, without their parts."""
    return {process.pid for process in psutil.Process().children()}


async def test_browsers_cancelled_while_they_start_leave_no_process(small: Service, guest: AsyncClient) -> None:
    before = programs()
    request = session_pb.CreateSessionRequest(options=session_pb.SessionOptions(dedicated_browser=True))
    for count in (1, 2):  # its driver starts; the driver runs and the browser starts
        call = guest.sessions.CreateSession(request, timeout=60)
        await until(lambda: len(programs() - before) >= count)  # noqa: B023
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await until(lambda: small.admission.under_way == 0)
        await until(lambda: programs() <= before)


async def test_a_browser_comes_up_though_its_callers_cannot_wait_for_it(service: Service, tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}")
    async with borrowing(service, settings) as (slow, _):
        browsers, begun, may_start = slow.context.sessions.browsers, asyncio.Event(), asyncio.Event()
        start = browsers._start_in_time

        async def start_late() -> BrowserHost:
            begun.set()
            await may_start.wait()
            return await start()

        browsers._start_in_time = start_late  # type: ignore[method-assign]
        client = await aconnect(settings.address, timeout_s=60)
        while not begun.is_set():  # on a busy machine a call may end before the browser begins to start
            with pytest.raises(RemoteError, match=r"starting the browser|Deadline") as caught:
                await client.call(client.sessions.CreateSession, session_pb.CreateSessionRequest(), timeout_s=0.4)
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        may_start.set()
        await until(lambda: bool(browsers.all))
        (host,) = browsers.all
        page = await client.open()
        assert slow.context.sessions.get(page.session_id).host is host
        await client.close()


async def test_a_service_that_ends_while_its_browser_starts_leaves_nothing(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", drain_s=0)
    before = programs()
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    call = client.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=60)
    await until(lambda: service.context.sessions.browsers._starting is not None)
    await service.stop()
    await asyncio.gather(call, return_exceptions=True)
    await client.close()
    await until(lambda: programs() <= before)


async def test_a_request_id_that_is_repeated_at_once_opens_one_session(guest: AsyncClient) -> None:
    request = session_pb.CreateSessionRequest(request_id="same")
    replies = await asyncio.gather(*(guest.sessions.CreateSession(request, timeout=60) for _ in range(2)))
    assert replies[0].session.session_id == replies[1].session.session_id


async def test_an_idle_session_ends_and_is_reported(small: Service, guest: AsyncClient) -> None:
    page = await guest.open(idle_timeout=timedelta(seconds=0.2))
    await until(lambda: len(small.context.sessions.sessions) == 2)
    with pytest.raises(RemoteError) as caught:
        await page.snapshot()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.NOT_FOUND, "SESSION_EXPIRED")
    assert "idle_timeout" in str(caught.value)


@pytest.mark.parametrize("seconds", [0, 1801])
async def test_an_invalid_idle_timeout_is_refused(guest: AsyncClient, seconds: int) -> None:
    with pytest.raises(RemoteError) as caught:
        await guest.open(idle_timeout=timedelta(seconds=seconds))
    assert caught.value.reason == "BAD_INPUT"
    assert "1800 s" in str(caught.value)


async def test_a_session_has_its_expire_time(guest: AsyncClient, two: tuple[AsyncPage, AsyncPage]) -> None:
    request = session_pb.GetSessionRequest(session_id=two[0].session_id)
    session = (await guest.call(guest.sessions.GetSession, request)).session
    assert session.options.idle_timeout.seconds == 90
    left = session.expire_time.ToSeconds() - session.last_used_time.ToSeconds()
    assert 85 <= left <= 95


@pytest.fixture(scope="module")
async def aging(service: Service, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A service whose sessions get old in no time."""
    settings = Settings(address=f"unix:{tmp_path_factory.mktemp('aging') / 'socket'}", session_age_s=0.5)
    async with borrowing(service, settings) as (aging, _):
        yield aging


@pytest.fixture
async def youth(aging: Service) -> AsyncIterator[AsyncClient]:
    client = await aconnect(aging.context.settings.address, timeout_s=60)
    yield client
    await client.close()


async def test_an_old_session_ends(aging: Service, youth: AsyncClient) -> None:
    page = await youth.open()
    await until(lambda: not aging.context.sessions.sessions)
    with pytest.raises(RemoteError, match="no session may be older") as caught:
        await page.snapshot()
    assert caught.value.reason == "SESSION_EXPIRED"


async def test_a_call_reports_that_its_session_became_too_old(
    youth: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perception.server.sessions.manager.LAST_CALLS_SECONDS", 0.0)
    page = await youth.open()
    with pytest.raises(RemoteError, match="no session may be older") as caught:
        await page.wait_for(text="what never comes", timeout_s=50)
    assert caught.value.reason == "SESSION_EXPIRED"


async def test_a_browser_over_its_memory_limit_is_replaced_when_its_sessions_have_ended(
    service: Service, tmp_path: Path
) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", browser_memory_mib=1, memory_check_s=600)
    async with borrowing(service, settings) as (heavy, _):
        client = await aconnect(settings.address, timeout_s=60)
        manager = heavy.context.sessions
        first = await client.open()
        old = manager.get(first.session_id).host
        await manager.browsers.look_at_memory()
        assert old.alive, "a session is in it"
        second = await client.open()
        assert manager.get(second.session_id).host is not old
        assert (await first.snapshot(mode="MODE_TEXT")).snapshot_id
        await first.close()
        await until(lambda: old not in manager.browsers.all)
        assert not old.alive
        await client.close()


async def test_over_the_limit_of_all_memory_no_session_is_opened(service: Service, tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", memory_limit_mib=1, memory_check_s=600)
    async with borrowing(service, settings) as (heavy, _):
        client = await aconnect(settings.address, timeout_s=60)
        browsers = heavy.context.sessions.browsers
        page = await client.open()
        await browsers.look_at_memory()
        code, reason, words, retry_s = await refusal(
            client.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=30)
        )
        assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MEMORY_LIMIT")
        assert "1 MiB" in words
        assert retry_s > 0
        await page.close()
        await asyncio.gather(*(browsers._end(host) for host in browsers.all))
        await browsers.look_at_memory()
        assert (await client.open()).session_id
        await client.close()


async def test_while_it_drains_it_reports_not_serving_refuses_and_finishes(
    service: Service, tmp_path: Path, site: str
) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", allow_hosts=("127.0.0.1",), drain_s=30)
    async with borrowing(service, settings) as (draining, _):
        client = await aconnect(settings.address, timeout_s=60)
        page = await client.open(f"{site}/inner.html")
        await until(lambda: draining.admission.under_way == 0)
        under_way = asyncio.ensure_future(page.wait_for(text="Later", timeout_s=30))
        await until(lambda: draining.admission.under_way == 1)
        session = draining.context.sessions.get(page.session_id)
        stopping = asyncio.create_task(draining.stop())
        health = health_pb2_grpc.HealthStub(client.channel)
        ask, not_serving = health_pb2.HealthCheckRequest(), health_pb2.HealthCheckResponse.NOT_SERVING
        async with asyncio.timeout(30):
            while (await health.Check(ask, timeout=10)).status != not_serving:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        code, reason, _, retry_s = await refusal(
            client.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=30)
        )
        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
        assert retry_s > 0
        tab = session.browser.tab()
        await tab.page.evaluate("document.body.append('Later')")
        await under_way
        await stopping
        await client.close()
