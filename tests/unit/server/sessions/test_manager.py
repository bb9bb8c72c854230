"""Who has which session, how many there are, and why they end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from perception.browser.browser_session import SessionOptions
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    BrowserUnavailableError,
    DeadlineError,
    MemoryLimitError,
    PageCrashedError,
    SessionExpiredError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    StaleRefError,
    UnknownSessionError,
)
from perception.server.rpc_call import RpcCall
from perception.server.sessions import browsers as browsers_module
from perception.server.sessions import manager as module
from perception.server.sessions.browsers import UnfitError
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.manager import SessionManager
from perception.server.sessions.results import RequestKey
from perception.server.sessions.session import Session
from perception.server.settings import Settings
from perception.testing import FakeClock
from tests.support.fakes import FakeHost, FakeHosts, called_by, turns, until

MAX_SESSIONS = 3


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> FakeHosts:
    """The browsers that are started, in place of Chromium."""
    hosts = FakeHosts()
    monkeypatch.setattr(browsers_module, "BrowserHost", hosts)
    return hosts


@pytest_asyncio.fixture(loop_scope="function")
async def manager(hosts: FakeHosts) -> AsyncIterator[SessionManager]:
    manager = SessionManager(Settings(max_sessions=MAX_SESSIONS, memory_limit_mib=100, allow_hosts=("127.0.0.1",)))
    yield manager
    hosts.gate.set()
    await manager.close_all()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(100.0)


async def create(
    manager: SessionManager,
    *,
    lifetime: Lifetime | None = None,
    request_id: str = "",
    endpoint: str = "",
    dedicated: bool = False,
    deadline: Deadline | None = None,
) -> Session:
    options = SessionOptions(dedicated_browser=dedicated)
    request = RequestKey("CreateSession", request_id)
    return await manager.create(options, lifetime or Lifetime(60, 600), endpoint, request, deadline or Deadline.of(5))


def call_of(session: Session) -> RpcCall:
    return RpcCall("/perception.v1.ActionService/Click", "id", session_id=session.session_id)


async def test_a_session_is_found_by_its_id(manager: SessionManager) -> None:
    session = await create(manager)
    assert manager.get(session.session_id) is session
    assert manager.sessions == (session,)
    assert (await create(manager)).session_id != session.session_id


async def test_a_session_that_was_never_made_is_unknown(manager: SessionManager) -> None:
    with pytest.raises(UnknownSessionError, match="no session 'nonsense': it was closed or never created"):
        manager.get("nonsense")


async def test_sessions_of_others_do_not_exist_for_a_caller(manager: SessionManager) -> None:
    async with called_by("ann"):
        session = await create(manager)
    async with called_by("bob"):
        with pytest.raises(UnknownSessionError):
            manager.get(session.session_id)
        with pytest.raises(UnknownSessionError):
            await manager.close(session.session_id)
        assert manager.mine == ()
    async with called_by("ann"):
        assert manager.mine == (session,)


async def test_sessions_over_the_limit_are_refused(manager: SessionManager) -> None:
    sessions = [await create(manager) for _ in range(MAX_SESSIONS)]
    with pytest.raises(SessionLimitError, match=f"all {MAX_SESSIONS} sessions are in use") as caught:
        await create(manager)
    assert caught.value.metadata == {"limit": str(MAX_SESSIONS), "setting": "PERCEPTION_MAX_SESSIONS"}
    assert "--max-sessions or PERCEPTION_MAX_SESSIONS" in str(caught.value)
    await manager.close(sessions[0].session_id)
    await create(manager)


async def test_sessions_that_still_open_count_for_the_limit(manager: SessionManager, hosts: FakeHosts) -> None:
    hosts.gate.clear()
    opening = [asyncio.create_task(create(manager)) for _ in range(MAX_SESSIONS)]
    await turns()
    with pytest.raises(SessionLimitError):
        await create(manager)
    hosts.gate.set()
    await asyncio.gather(*opening)


async def test_a_session_that_could_not_be_opened_takes_no_place(manager: SessionManager, hosts: FakeHosts) -> None:
    for _ in range(MAX_SESSIONS + 1):
        hosts.errors.append(BrowserUnavailableError("no browser"))
        with pytest.raises(BrowserUnavailableError):
            await create(manager)
    await create(manager)


async def test_no_session_opens_without_memory(manager: SessionManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers_module, "tree_bytes", lambda pids: dict.fromkeys(pids, 100 * 2**20))
    await create(manager)
    await manager.browsers.look_at_memory()
    with pytest.raises(MemoryLimitError, match="over 100 MiB"):
        await create(manager)


async def test_only_some_sessions_open_at_the_same_time(
    manager: SessionManager, hosts: FakeHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OPEN_AT_ONCE", 1)
    few = SessionManager(Settings(max_sessions=MAX_SESSIONS))
    hosts.gate.clear()
    first = asyncio.create_task(create(few))
    await turns()
    with pytest.raises(DeadlineError, match="waiting for other sessions to open"):
        await create(few, deadline=Deadline.of(0.001))
    hosts.gate.set()
    await first
    await create(few)
    await few.close_all()


async def test_no_session_opens_once_the_service_ends(manager: SessionManager) -> None:
    manager.begin_closing()
    with pytest.raises(ShuttingDownError):
        await create(manager)


async def test_a_browser_that_ends_as_a_session_opens_is_replaced_by_the_next(
    manager: SessionManager, hosts: FakeHosts
) -> None:
    await create(manager)
    hosts.started[0].outcomes.append(SessionLostError("gone"))
    hosts.started[0].end()
    session = await create(manager)
    assert session.host is hosts.started[1]


async def test_two_browsers_that_end_are_enough(manager: SessionManager, hosts: FakeHosts) -> None:
    def end_at_once(host: FakeHost) -> None:
        host.outcomes.append(SessionLostError("gone"))
        host.end()

    hosts.prepare = end_at_once
    with pytest.raises(UnfitError, match="try again"):
        await create(manager, dedicated=True)
    assert len(hosts.started) == 2


async def test_a_browser_of_its_own_ends_with_a_session_that_failed_to_open(
    manager: SessionManager, hosts: FakeHosts
) -> None:
    hosts.prepare = lambda host: host.outcomes.append(BadInputError("no such locale", field="options.locale"))
    with pytest.raises(BadInputError):
        await create(manager, dedicated=True)
    assert [each.is_closed for each in hosts.started] == [True]


async def test_an_endpoint_that_may_not_be_reached_is_refused_by_its_field(
    manager: SessionManager, hosts: FakeHosts
) -> None:
    with pytest.raises(BadInputError) as caught:
        await create(manager, endpoint="http://")
    assert caught.value.field == "cdp_endpoint"
    assert hosts.endpoints == []
    await create(manager, endpoint="http://127.0.0.1:9222")
    assert len(hosts.endpoints) == 1


async def test_the_same_request_makes_one_session(manager: SessionManager, hosts: FakeHosts) -> None:
    hosts.gate.clear()
    repeated = [asyncio.create_task(create(manager, request_id="once")) for _ in range(3)]
    await turns()
    hosts.gate.set()
    made = await asyncio.gather(*repeated)
    assert len({each.session_id for each in made}) == 1
    assert len(manager.sessions) == 1
    assert await create(manager, request_id="twice") is not made[0]


async def test_a_repeated_request_waits_no_longer_than_its_deadline(manager: SessionManager, hosts: FakeHosts) -> None:
    hosts.gate.clear()
    first = asyncio.create_task(create(manager, request_id="once"))
    await turns()
    with pytest.raises(DeadlineError, match="waiting for the same request"):
        await create(manager, request_id="once", deadline=Deadline.of(0.001))
    hosts.gate.set()
    await first


async def test_equal_request_ids_of_two_callers_are_two_requests(manager: SessionManager) -> None:
    made = []
    for name in ("ann", "bob"):
        async with called_by(name):
            made.append(await create(manager, request_id="once"))
    assert made[0] is not made[1]


async def test_a_request_whose_session_has_ended_makes_a_new_one(manager: SessionManager) -> None:
    first = await create(manager, request_id="once")
    await manager.close(first.session_id)
    assert await create(manager, request_id="once") is not first


async def test_a_request_that_failed_is_made_again(manager: SessionManager, hosts: FakeHosts) -> None:
    hosts.errors.append(BrowserUnavailableError("no browser"))
    with pytest.raises(BrowserUnavailableError):
        await create(manager, request_id="once")
    await create(manager, request_id="once")


async def test_a_closed_session_gives_up_its_context_alone(manager: SessionManager, hosts: FakeHosts) -> None:
    first, second = await create(manager), await create(manager)
    await manager.close(first.session_id)
    assert [each.is_closed for each in hosts.started[0].opened] == [True, False]
    assert hosts.started[0].alive
    with pytest.raises(UnknownSessionError, match="it was closed"):
        manager.get(first.session_id)
    assert manager.get(second.session_id) is second


async def test_a_session_is_closed_even_if_its_caller_leaves(manager: SessionManager, hosts: FakeHosts) -> None:
    session = await create(manager)
    closing = asyncio.create_task(manager.close(session.session_id))
    await asyncio.sleep(0)
    closing.cancel()
    await until(lambda: hosts.started[0].opened[0].is_closed)


async def test_an_idle_session_ends_and_says_why(manager: SessionManager, hosts: FakeHosts, clock: FakeClock) -> None:
    manager.start()
    session = await create(manager, lifetime=Lifetime(10, 600, clock))
    clock.advance(9)
    await create(manager)  # wakes what looks for sessions that are due
    await turns()
    assert manager.get(session.session_id) is session
    clock.advance(1)
    await create(manager)
    await until(lambda: hosts.started[0].opened[0].is_closed)
    with pytest.raises(SessionExpiredError, match=r"nobody had used it for 10 s \(its own idle_timeout, or ") as caught:
        manager.get(session.session_id)
    named = {"session": session.session_id, "limit": "10", "setting": "PERCEPTION_SESSION_IDLE_S"}
    assert caught.value.metadata == named
    assert named["setting"] in str(caught.value)
    assert len(manager.sessions) == 2


async def test_a_session_that_is_in_use_is_not_idle(manager: SessionManager, clock: FakeClock) -> None:
    manager.start()
    session = await create(manager, lifetime=Lifetime(10, 600, clock))
    async with manager.gate(call_of(session), None, None):
        clock.advance(100)
        await create(manager)
        await turns()
        assert manager.get(session.session_id) is session


async def test_an_old_session_ends_though_it_is_in_use(
    manager: SessionManager, hosts: FakeHosts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LAST_CALLS_SECONDS", 0.0)
    manager.start()
    session = await create(manager, lifetime=Lifetime(10, 50, clock))

    async def outlast() -> None:
        async with manager.gate(call_of(session), None, None):
            clock.advance(50)
            await create(manager)
            await until(lambda: hosts.started[0].opened[0].is_closed)
            raise SessionLostError("the tab was closed")

    with pytest.raises(SessionExpiredError, match=r"it was 50 s old, and no session may be older \(PERCEPTION_SES"):
        await outlast()


async def test_the_last_calls_of_an_old_session_get_time_to_end(
    manager: SessionManager, hosts: FakeHosts, clock: FakeClock
) -> None:
    manager.start()
    session = await create(manager, lifetime=Lifetime(10, 50, clock))
    async with manager.gate(call_of(session), None, None):
        clock.advance(50)
        await create(manager)
        await turns()
        assert session not in manager.sessions
        assert not hosts.started[0].opened[0].is_closed


async def test_sessions_of_a_lost_browser_end_with_its_epoch(manager: SessionManager, hosts: FakeHosts) -> None:
    shared, own = await create(manager), await create(manager, dedicated=True)
    hosts.started[0].end()
    await until(lambda: len(manager.sessions) == 1)
    with pytest.raises(SessionLostError, match="the browser of this session is gone") as caught:
        manager.get(shared.session_id)
    assert caught.value.metadata == {"epoch": "2", "session": shared.session_id}
    assert manager.get(own.session_id) is own
    assert (await create(manager)).host.epoch == 2


async def test_why_a_session_ended_is_told_to_its_owner_alone(manager: SessionManager, hosts: FakeHosts) -> None:
    async with called_by("ann"):
        session = await create(manager)
    hosts.started[0].end()
    await until(lambda: not manager.sessions)
    async with called_by("bob"):
        with pytest.raises(UnknownSessionError):
            manager.get(session.session_id)
    async with called_by("ann"):
        with pytest.raises(SessionLostError):
            manager.get(session.session_id)


async def test_reasons_are_kept_of_the_last_sessions_alone(
    manager: SessionManager, hosts: FakeHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_ENDED", 1)
    first, second = await create(manager), await create(manager)
    hosts.started[0].end()
    await until(lambda: not manager.sessions)
    with pytest.raises(UnknownSessionError):
        manager.get(first.session_id)
    with pytest.raises(SessionLostError):
        manager.get(second.session_id)


async def test_a_call_is_told_that_its_session_was_closed_meanwhile(manager: SessionManager) -> None:
    session = await create(manager)

    async def outlast() -> None:
        async with manager.gate(call_of(session), None, None):
            await manager.close(session.session_id)
            raise PageCrashedError("the page crashed")

    with pytest.raises(SessionLostError, match="the session was closed while this call was under way"):
        await outlast()


@pytest.mark.parametrize("error", [PageCrashedError("the page crashed"), StaleRefError("stale")])
async def test_errors_of_a_session_that_goes_on_are_its_own(manager: SessionManager, error: Exception) -> None:
    session = await create(manager)
    with pytest.raises(type(error)):
        async with manager.gate(call_of(session), None, None):
            raise error


async def test_calls_about_a_session_of_others_are_refused_at_the_gate(manager: SessionManager) -> None:
    async with called_by("ann"):
        session = await create(manager)
    with pytest.raises(UnknownSessionError):
        async with manager.gate(call_of(session), None, None):
            raise AssertionError("it was let in")


async def test_all_ends_with_the_service(manager: SessionManager, hosts: FakeHosts) -> None:
    manager.start()
    await create(manager)
    await create(manager, dedicated=True)
    await manager.close_all()
    assert manager.sessions == ()
    assert [each.is_closed for each in hosts.started] == [True, True]
