"""When browsers are started, shared, given up and ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY

from perception.browser.browser_session import SessionOptions
from perception.deadline import Deadline
from perception.errors import (
    BrowserUnavailableError,
    DeadlineError,
    MemoryLimitError,
    PerceptionError,
    SessionLostError,
)
from perception.server.sessions import browsers as module
from perception.server.sessions.browsers import Browsers, UnfitError
from perception.server.settings import Settings
from tests.support.fakes import FakeBrowserSession, FakeHost, FakeHosts, turns, until

MIB = 2**20
LIMIT, LIMIT_ALL = 100, 300
"""MiB."""


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> FakeHosts:
    """The browsers that are started, in place of Chromium."""
    hosts = FakeHosts()
    monkeypatch.setattr(module, "BrowserHost", hosts)
    return hosts


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Memory of browsers by process id, MiB; a test changes it."""
    sizes: dict[int, int] = {}
    monkeypatch.setattr(module, "tree_bytes", lambda pids: {pid: sizes.get(pid, 0) * MIB for pid in pids})
    return sizes


@pytest.fixture
def lost() -> list[FakeHost]:
    return []


@pytest.fixture
def browsers(hosts: FakeHosts, sizes: dict[int, int], lost: list[FakeHost]) -> Browsers:
    settings = Settings(browser_memory_mib=LIMIT, memory_limit_mib=LIMIT_ALL)
    browsers = Browsers(settings)
    browsers.when_lost(lost.append)  # type: ignore[arg-type]
    return browsers


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.of(5)


@pytest.fixture
def count_restarts() -> Callable[[str], float]:
    """How many browsers were started again for a cause since the test began."""

    def read(cause: str) -> float:
        return REGISTRY.get_sample_value("perception_browser_restarts_total", {"cause": cause}) or 0.0

    before = {cause: read(cause) for cause in ("crash", "memory", "hung", "folder")}
    return lambda cause: read(cause) - before[cause]


async def open_in(browsers: Browsers, host: object, deadline: Deadline) -> FakeBrowserSession:
    return await browsers.open_session(host, SessionOptions(), lambda _: None, deadline)  # type: ignore[arg-type,return-value]


async def test_callers_at_the_same_time_share_one_browser(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    taken = await asyncio.gather(*(browsers.take_shared(deadline) for _ in range(3)))
    assert taken == [hosts.started[0]] * 3
    await browsers.end_all()


async def test_the_shared_browser_stays_when_its_last_session_ends(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    host = await browsers.take_shared(deadline)
    await browsers.release(host)
    assert host.alive
    assert await browsers.take_shared(deadline) is host
    await browsers.end_all()


async def test_a_slow_start_goes_on_when_its_caller_leaves(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    hosts.gate.clear()
    with pytest.raises(DeadlineError, match="starting the browser"):
        await browsers.take_shared(Deadline.of(0.001))
    hosts.gate.set()
    assert await browsers.take_shared(deadline) is hosts.started[0]
    assert hosts.begun == 1
    await browsers.end_all()


async def test_a_start_that_failed_is_tried_again_by_the_next_caller(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    hosts.errors.append(BrowserUnavailableError("no browser"))
    with pytest.raises(BrowserUnavailableError, match="no browser"):
        await browsers.take_shared(deadline)
    assert await browsers.take_shared(deadline) is hosts.started[0]
    await browsers.end_all()


async def test_a_browser_that_never_comes_up_is_no_deadline_of_its_caller(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    hosts.errors.append(deadline.error("starting the browser"))
    with pytest.raises(BrowserUnavailableError, match="was not up within 60 s: `perception doctor`"):
        await browsers.take_shared(deadline)


async def test_a_browser_of_one_session_ends_with_it(browsers: Browsers, deadline: Deadline) -> None:
    own = await browsers.take_own(deadline)
    assert await browsers.take_shared(deadline) is not own
    await browsers.release(own)
    assert not own.alive
    assert own not in browsers.all
    await browsers.end_all()


async def test_an_attached_browser_is_let_go_with_its_session(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    host = await browsers.attach("http://127.0.0.1:9222", deadline)
    assert hosts.endpoints == ["http://127.0.0.1:9222"]
    await browsers.release(host)
    assert hosts.started[0].is_closed


async def test_a_browser_over_its_memory_limit_gets_no_more_sessions(
    browsers: Browsers, hosts: FakeHosts, sizes: dict[int, int], deadline: Deadline
) -> None:
    heavy = await browsers.take_shared(deadline)
    sizes[1] = LIMIT
    await browsers.look_at_memory()
    assert heavy.alive, "its session goes on"
    other = await browsers.take_shared(deadline)
    assert other is hosts.started[1]
    assert heavy.alive
    await browsers.release(heavy)
    assert not heavy.alive, "its last session has ended"
    assert await browsers.take_shared(deadline) is other
    await browsers.end_all()


async def test_an_unused_browser_over_its_limit_ends_at_once(
    browsers: Browsers, sizes: dict[int, int], deadline: Deadline, count_restarts: Callable[[str], float]
) -> None:
    heavy = await browsers.take_shared(deadline)
    await browsers.release(heavy)
    sizes[1] = LIMIT
    await browsers.look_at_memory()
    assert not heavy.alive
    assert browsers.all == ()
    await browsers.take_shared(deadline)
    assert count_restarts("memory") == 1
    await browsers.end_all()


@pytest.mark.parametrize(("size", "is_relieved"), [(81, False), (79, True)])
async def test_a_browser_gets_sessions_again_a_fifth_below_its_limit(
    browsers: Browsers, sizes: dict[int, int], deadline: Deadline, size: int, is_relieved: bool
) -> None:
    heavy = await browsers.take_shared(deadline)
    for sizes[1] in (LIMIT, size):
        await browsers.look_at_memory()
    assert (await browsers.take_shared(deadline) is heavy) is is_relieved
    await browsers.end_all()


async def test_no_session_opens_until_all_browsers_are_a_fifth_below_the_limit(
    browsers: Browsers, sizes: dict[int, int], deadline: Deadline
) -> None:
    for _ in range(4):
        await browsers.take_own(deadline)
    sizes |= {1: 80, 2: 80, 3: 80, 4: 60}
    await browsers.look_at_memory()
    with pytest.raises(MemoryLimitError, match=f"over {LIMIT_ALL} MiB, this service's limit: close a session"):
        browsers.check_memory()
    sizes[4] = 1
    await browsers.look_at_memory()
    with pytest.raises(MemoryLimitError):
        browsers.check_memory()
    sizes[1] = 78
    await browsers.look_at_memory()
    browsers.check_memory()
    await browsers.end_all()


async def test_memory_of_browsers_that_are_not_ours_is_not_looked_at(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[int]] = []
    monkeypatch.setattr(module, "tree_bytes", lambda pids: asked.append(list(pids)) or {})
    await browsers.attach("http://127.0.0.1:9222", deadline)
    await browsers.take_own(deadline)
    await browsers.look_at_memory()
    assert asked == [[2]]
    await browsers.end_all()


async def test_a_browser_that_ends_as_a_session_opens_is_unfit(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    host = await browsers.take_shared(deadline)
    hosts.started[0].outcomes.append(SessionLostError("gone"))
    hosts.started[0].end()
    with pytest.raises(UnfitError, match="ended as it opened the session"):
        await open_in(browsers, host, deadline)


async def test_a_failed_session_of_a_healthy_browser_is_its_callers_error(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENDING_SECONDS", 0.0)
    host = await browsers.take_shared(deadline)
    hosts.started[0].outcomes.append(SessionLostError("try again"))
    with pytest.raises(SessionLostError, match="try again") as caught:
        await open_in(browsers, host, deadline)
    assert not isinstance(caught.value, UnfitError)
    await until(lambda: hosts.started[0].opened)  # the probe
    await turns()
    assert hosts.started[0].opened[0].is_closed
    assert await browsers.take_shared(deadline) is host
    await browsers.end_all()


async def test_a_browser_that_opens_no_empty_session_either_is_not_used_again(
    browsers: Browsers,
    hosts: FakeHosts,
    deadline: Deadline,
    monkeypatch: pytest.MonkeyPatch,
    count_restarts: Callable[[str], float],
) -> None:
    monkeypatch.setattr(module, "ENDING_SECONDS", 0.0)
    host = await browsers.take_shared(deadline)
    hosts.started[0].outcomes += [SessionLostError("try again"), SessionLostError("not this one either")]
    with pytest.raises(SessionLostError):
        await open_in(browsers, host, deadline)
    await browsers.release(host)
    await until(lambda: hosts.started[0].is_closed)
    assert await browsers.take_shared(deadline) is hosts.started[1]
    assert count_restarts("hung") == 1
    await browsers.end_all()


async def test_a_slow_browser_on_a_busy_machine_is_kept(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENDING_SECONDS", 0.0)
    monkeypatch.setattr(module, "SLOW_ANSWER_SECONDS", -1.0)  # so each answer counts as late
    host = await browsers.take_shared(deadline)
    hosts.started[0].outcomes += [SessionLostError("try again"), SessionLostError("not this one either")]
    with pytest.raises(SessionLostError):
        await open_in(browsers, host, deadline)
    await until(lambda: "Browser.getVersion" in hosts.started[0].link.methods())
    await turns()
    assert await browsers.take_shared(deadline) is host
    await browsers.end_all()


async def test_callers_do_not_wait_for_a_browser_that_turns_out_unfit(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOW_SECONDS", 0.0)
    host = await browsers.take_shared(deadline)
    hosts.started[0].outcomes += [asyncio.Event(), PerceptionError("the probe fails")]
    opening = asyncio.create_task(open_in(browsers, host, deadline))
    await asyncio.sleep(0)
    await until(opening.done)  # at once: its end is not waited for
    with pytest.raises(UnfitError, match="opens no sessions any more"):
        opening.result()
    assert hosts.started[0].opened == [], "it is not probed again"
    await browsers.release(host)
    assert hosts.started[0].is_closed


async def test_a_session_that_opens_as_its_caller_leaves_is_closed(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    host = await browsers.take_shared(deadline)
    gate = asyncio.Event()
    hosts.started[0].outcomes.append(gate)
    opening = asyncio.create_task(open_in(browsers, host, deadline))
    await turns()
    gate.set()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await turns()
    assert [each.is_closed for each in hosts.started[0].opened] == [True]
    await browsers.end_all()


async def test_a_browser_whose_folder_was_removed_is_replaced(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    host = await browsers.take_shared(deadline)
    hosts.started[0].has_folder = False
    assert await browsers.take_shared(deadline) is hosts.started[1]
    assert host.alive
    await browsers.release(host)
    assert not host.alive
    await browsers.end_all()


async def test_a_browser_whose_folder_was_removed_ends_at_the_next_check(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline, count_restarts: Callable[[str], float]
) -> None:
    await browsers.release(await browsers.take_shared(deadline))
    await browsers.look_at_folders()
    assert not hosts.started[0].is_closed
    hosts.started[0].has_folder = False
    await browsers.look_at_folders()
    assert hosts.started[0].is_closed
    await browsers.take_shared(deadline)
    assert count_restarts("folder") == 1
    await browsers.end_all()


async def test_a_browser_that_ends_by_itself_is_reported_and_replaced(
    browsers: Browsers,
    hosts: FakeHosts,
    lost: list[FakeHost],
    deadline: Deadline,
    count_restarts: Callable[[str], float],
) -> None:
    host = await browsers.take_shared(deadline)
    assert host.epoch == 1
    hosts.started[0].end()
    await until(lambda: hosts.started[0].is_closed)
    assert lost == [host]
    assert browsers.lost == 1
    await browsers.release(host)  # its session is closed, too
    assert (await browsers.take_shared(deadline)).epoch == 2
    assert count_restarts("crash") == 1
    await browsers.end_all()


async def test_a_browser_that_we_end_is_not_reported_as_lost(
    browsers: Browsers, lost: list[FakeHost], deadline: Deadline
) -> None:
    await browsers.take_own(deadline)
    await browsers.end_all()
    await turns()
    assert lost == []
    assert browsers.lost == 0


async def test_all_browsers_end_with_the_service_those_that_start_too(
    browsers: Browsers, hosts: FakeHosts, deadline: Deadline
) -> None:
    await browsers.take_own(deadline)
    hosts.gate.clear()
    waiting = asyncio.create_task(browsers.take_shared(deadline))
    await turns()
    await browsers.end_all()
    assert [each.is_closed for each in hosts.started] == [True]
    assert browsers.all == ()
    with pytest.raises(asyncio.CancelledError):
        await waiting
