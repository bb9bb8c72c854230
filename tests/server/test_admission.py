"""What is over the limits is refused at once and says which; what waits is dropped with its caller; nothing leaks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.deadline import Deadline
from perception.errors import DeadlineError, QueueFullError
from perception.server.admission.limits import Places
from perception.server.app import Service
from perception.server.sessions.lifetime import Lifetime
from perception.server.settings import Settings
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import session_service_pb2 as session_pb
from tests.server.conftest import until


async def held(places: Places, deadline: Deadline, until_set: asyncio.Event) -> None:
    places.check()
    async with places.hold(deadline):
        await until_set.wait()


async def test_places_come_free_however_their_holders_end() -> None:
    dice = random.Random(7)
    places, end = Places(3, 1000), asyncio.Event()
    tasks = [asyncio.create_task(held(places, Deadline.of(dice.choice((0.001, 60))), end)) for _ in range(300)]
    for task in dice.sample(tasks, 200):
        await asyncio.sleep(0)
        task.cancel()
    end.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in outcomes} <= {type(None), asyncio.CancelledError, DeadlineError}
    assert places.waiting == 0
    held_now = asyncio.Event()
    last = [asyncio.create_task(held(places, Deadline.of(60), held_now)) for _ in range(3)]
    await asyncio.sleep(0)
    assert places.waiting == 0, "all three places were free"
    held_now.set()
    await asyncio.gather(*last)


async def test_what_waits_goes_first_come_first_served() -> None:
    places, order = Places(1, 10), []

    async def work(number: int) -> None:
        async with places.hold(Deadline.of(60)):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(10)))
    assert order == list(range(10))


async def test_a_full_queue_refuses_and_names_the_limits() -> None:
    places, end = Places(1, 1), asyncio.Event()
    tasks = [asyncio.create_task(held(places, Deadline.of(60), end)) for _ in range(2)]
    await until(lambda: places.waiting == 1)
    with pytest.raises(QueueFullError, match="all 1 places are taken and 1 calls wait"):
        places.check()
    tasks[1].cancel()
    await asyncio.gather(tasks[1], return_exceptions=True)
    places.check()
    end.set()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_service_with_a_call_under_way_is_in_use_however_long_it_takes(
    service: Service, client: AsyncClient
) -> None:
    page = await client.open()
    waiting = asyncio.create_task(page.wait_for(text="never", timeout_s=0.5))
    await until(lambda: service.admission.under_way == 1)
    unused = asyncio.create_task(service.admission.calls.unused_for(0.01))
    await asyncio.wait({unused}, timeout=0.1)
    assert not unused.done()
    with pytest.raises(RemoteError):
        await waiting
    await asyncio.wait_for(unused, 10)
    await page.close()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_session_in_use_is_not_idle_but_ages() -> None:
    clock = Clock()
    lifetime = Lifetime(idle_s=10, age_s=100, clock=clock)
    clock.now += 9
    assert lifetime.remaining_s == 1
    with lifetime.using():
        clock.now += 50
        assert lifetime.remaining_s == 10
    assert lifetime.remaining_s == 10
    clock.now += 39
    with lifetime.using():
        assert lifetime.remaining_s == 2
        clock.now += 3
        assert lifetime.is_old
        assert lifetime.remaining_s < 0


LIMITS = {
    "max_sessions": 3,
    "max_calls": 2,
    "max_queue": 1,
    "max_calls_per_session": 3,
    "max_watches": 1,
}


@pytest.fixture(scope="module")
async def small(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A service that is soon full."""
    address = f"unix:{tmp_path_factory.mktemp('small') / 'socket'}"
    service = Service(Settings(address=address, allow_hosts=("127.0.0.1",), **LIMITS))  # type: ignore[arg-type]
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def guest(small: Service) -> AsyncIterator[AsyncClient]:
    client = await aconnect(small.context.settings.address, timeout_s=60)
    yield client
    for session in (await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())).sessions:
        await client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=session.session_id))
    await client.close()


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


async def test_a_saturated_service_refuses_at_once_and_answers_health(small: Service, guest: AsyncClient) -> None:
    first, second = await guest.open(), await guest.open()
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


async def test_queued_work_whose_deadline_passes_reports_what_it_waited_for(small: Service, guest: AsyncClient) -> None:
    page, other = await guest.open(), await guest.open()
    await until(lambda: small.admission.under_way == 0)
    calls = [waiting_call(guest, page), waiting_call(guest, page)]
    await until(lambda: small.admission.under_way == 2)
    with pytest.raises(RemoteError) as caught:
        await other.press("Tab", timeout_s=1)
    assert caught.value.reason == "DEADLINE"
    assert caught.value.metadata == {"phase": "waiting for a place", "input_dispatched": "false"}
    for call in calls:
        call.cancel()
    await until(lambda: small.admission.under_way == 0)


async def test_sessions_and_watches_have_their_limits(small: Service, guest: AsyncClient) -> None:
    pages = [await guest.open() for _ in range(3)]
    code, reason, words, retry_s = await refusal(
        guest.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=30)
    )
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SESSION_LIMIT")
    assert retry_s > 0
    assert "all 3 sessions" in words
    watch = pages[0].watch(mode="MODE_TEXT")
    await anext(watch)
    with pytest.raises(RemoteError) as caught:
        await anext(pages[1].watch(mode="MODE_TEXT"))
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "WATCH_LIMIT")
    await watch.aclose()
    await until(lambda: small.admission.under_way == 0)
    again = pages[1].watch(mode="MODE_TEXT")
    await anext(again)
    await again.aclose()


async def test_sessions_cancelled_while_they_open_leave_their_places_free(small: Service, guest: AsyncClient) -> None:
    for delay_s in (0.0, 0.005, 0.02, 0.05, 0.1, 0.2):
        calls = [guest.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=60) for _ in range(2)]
        await asyncio.sleep(delay_s)
        for call in calls:
            call.cancel()
        await asyncio.gather(*(each for each in calls), return_exceptions=True)
    await until(lambda: small.admission.under_way == 0)
    for session in small.context.sessions.sessions:  # some were done before they were cancelled
        await guest.call(guest.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=session.session_id))
    pages = [await guest.open() for _ in range(3)]
    assert len({page.session_id for page in pages}) == 3


async def test_a_session_whose_closing_is_cancelled_is_closed_anyway(small: Service, guest: AsyncClient) -> None:
    manager = small.context.sessions
    for dedicated in (False, True):
        page = await guest.open(dedicated_browser=dedicated)
        host = manager.get(page.session_id).host
        call = guest.sessions.CloseSession(session_pb.CloseSessionRequest(session_id=page.session_id), timeout=60)
        await until(lambda: not manager.sessions)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await until(lambda: not host._proxies and not manager.browsers._held.get(host))  # noqa: B023
        await until(lambda: host.alive is not dedicated)  # noqa: B023


async def test_browsers_cancelled_while_they_start_leave_no_process(small: Service, guest: AsyncClient) -> None:
    await (await guest.open()).close()
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    request = session_pb.CreateSessionRequest(options=session_pb.SessionOptions(dedicated_browser=True))
    for delay_s in (0.02, 0.1, 0.2, 0.4):
        call = guest.sessions.CreateSession(request, timeout=60)
        await asyncio.sleep(delay_s)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    await until(lambda: small.admission.under_way == 0)
    for session in small.context.sessions.sessions:  # a fast machine's was done before
        await guest.call(guest.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=session.session_id))
    await until(lambda: {process.pid for process in psutil.Process().children(recursive=True)} <= before)


async def test_a_browser_comes_up_though_its_callers_cannot_wait_for_it(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}")
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    browsers = service.context.sessions.browsers
    try:
        with pytest.raises(RemoteError, match=r"starting the browser|Deadline") as caught:
            await client.call(client.sessions.CreateSession, session_pb.CreateSessionRequest(), timeout_s=0.4)
        assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        await until(lambda: bool(browsers.all))
        (host,) = browsers.all
        page = await client.open()
        assert service.context.sessions.get(page.session_id).host is host
    finally:
        await client.close()
        await service.stop()


async def test_a_service_that_ends_while_its_browser_starts_leaves_nothing(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", drain_s=0)
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    call = client.sessions.CreateSession(session_pb.CreateSessionRequest(), timeout=60)
    await until(lambda: service.context.sessions.browsers._starting is not None)
    await service.stop()
    await asyncio.gather(call, return_exceptions=True)
    await client.close()
    await until(lambda: {process.pid for process in psutil.Process().children(recursive=True)} <= before)


async def test_a_request_id_that_is_repeated_at_once_opens_one_session(guest: AsyncClient) -> None:
    request = session_pb.CreateSessionRequest(request_id="same")
    replies = await asyncio.gather(*(guest.sessions.CreateSession(request, timeout=60) for _ in range(2)))
    assert replies[0].session.session_id == replies[1].session.session_id


async def test_an_idle_session_ends_and_is_reported(small: Service, guest: AsyncClient) -> None:
    page = await guest.open(idle_timeout=timedelta(seconds=1))
    busy = waiting_call(guest, page)
    session = small.context.sessions.get(page.session_id)
    assert session.lifetime.idle_s == 1
    await until(lambda: session.lifetime.calls == 1)
    busy.cancel()
    await until(lambda: not small.context.sessions.sessions)
    with pytest.raises(RemoteError) as caught:
        await page.snapshot()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.NOT_FOUND, "SESSION_EXPIRED")
    assert "idle_timeout" in str(caught.value)
    assert (await (await guest.open()).snapshot(mode="MODE_TEXT")).snapshot_id


@pytest.mark.parametrize("seconds", [0, 1801])
async def test_an_invalid_idle_timeout_is_refused(guest: AsyncClient, seconds: int) -> None:
    with pytest.raises(RemoteError) as caught:
        await guest.open(idle_timeout=timedelta(seconds=seconds))
    assert caught.value.reason == "BAD_INPUT"
    assert "1800 s" in str(caught.value)


async def test_a_session_has_its_expire_time(guest: AsyncClient) -> None:
    options = session_pb.SessionOptions(idle_timeout=timedelta(seconds=90))
    request = session_pb.CreateSessionRequest(options=options)
    session = (await guest.call(guest.sessions.CreateSession, request)).session
    assert session.options.idle_timeout.seconds == 90
    left = session.expire_time.ToSeconds() - session.last_used_time.ToSeconds()
    assert 85 <= left <= 95


async def test_an_old_session_ends(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", session_age_s=1.0)
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    try:
        page = await client.open()
        await until(lambda: not service.context.sessions.sessions)
        with pytest.raises(RemoteError, match="no session may be older") as caught:
            await page.snapshot()
        assert caught.value.reason == "SESSION_EXPIRED"
    finally:
        await client.close()
        await service.stop()


async def test_a_call_reports_that_its_session_became_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perception.server.sessions.manager.LAST_CALLS_SECONDS", 0.2)
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", session_age_s=1.5)
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    try:
        page = await client.open()
        with pytest.raises(RemoteError, match="no session may be older") as caught:
            await page.wait_for(text="what never comes", timeout_s=50)
        assert caught.value.reason == "SESSION_EXPIRED"
    finally:
        await client.close()
        await service.stop()


async def test_a_dedicated_browser_is_a_process_of_its_own(small: Service, guest: AsyncClient) -> None:
    shared, own = await guest.open(), await guest.open(dedicated_browser=True)
    manager = small.context.sessions
    pids = {page.session_id: manager.get(page.session_id).host.pid for page in (shared, own)}
    assert len(set(pids.values())) == 2
    assert (await own.snapshot(mode="MODE_TEXT")).snapshot_id
    await own.close()
    await until(lambda: len(manager.browsers.all) == 1)
    assert (await shared.snapshot(mode="MODE_TEXT")).snapshot_id


async def test_a_browser_over_its_memory_limit_is_replaced_when_its_sessions_have_ended(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", browser_memory_mib=1, memory_check_s=600)
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    manager = service.context.sessions
    try:
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
    finally:
        await client.close()
        await service.stop()


async def test_over_the_limit_of_all_memory_no_session_is_opened(tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", memory_limit_mib=1, memory_check_s=600)
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    browsers = service.context.sessions.browsers
    try:
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
    finally:
        await client.close()
        await service.stop()


async def test_while_it_drains_it_reports_not_serving_refuses_and_finishes(tmp_path: Path, site: str) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", allow_hosts=("127.0.0.1",), drain_s=30)
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    await until(lambda: service.admission.under_way == 0)
    under_way = asyncio.ensure_future(page.wait_for(text="Later", timeout_s=30))
    await until(lambda: service.admission.under_way == 1)
    session = service.context.sessions.get(page.session_id)
    stopping = asyncio.create_task(service.stop())
    health = health_pb2_grpc.HealthStub(client.channel)
    not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
    async with asyncio.timeout(30):
        while (await health.Check(health_pb2.HealthCheckRequest(), timeout=10)).status != not_serving:  # noqa: ASYNC110
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
