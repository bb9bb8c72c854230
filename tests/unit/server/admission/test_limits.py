"""Which calls are admitted, wait or are refused at once."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

from perception.errors import (
    DeadlineError,
    PerceptionError,
    QueueFullError,
    SessionBusyError,
    ShuttingDownError,
    WatchLimitError,
)
from perception.server.admission.limits import ROOM_FOR_RELIEF, Admission
from perception.server.contract import methods
from perception.server.rpc_call import RpcCall
from perception.server.settings import Settings
from tests.support.fakes import FakeContext, turns


@pytest.fixture
def admission() -> Admission:
    settings = Settings(
        max_calls=2, max_queue=1, max_calls_per_session=2, max_watches=1, default_deadline_s=5, reply_reserve_s=0
    )
    return Admission(settings)


def gate(
    admission: Admission, name: str = "Click", session_id: str = "", remaining_s: float | None = None
) -> AbstractAsyncContextManager[None]:
    """The gate of a call."""
    path = next(path for path in methods() if path.endswith(f"/{name}"))
    call = RpcCall(path, "id", session_id=session_id)
    return admission.gate(call, None, FakeContext(remaining_s))


async def enter(admission: Admission, name: str = "Click", session_id: str = "") -> None:
    async with gate(admission, name, session_id, 1):
        pass


async def test_a_call_that_finds_no_place_waits_for_one(admission: Admission) -> None:
    first = AsyncExitStack()
    await first.enter_async_context(gate(admission))
    async with gate(admission):
        waiting = asyncio.create_task(enter(admission))
        await turns()
        assert (admission.under_way, admission.waiting) == (3, 1)
        await first.aclose()
        await waiting
    assert (admission.under_way, admission.waiting) == (0, 0)


async def test_a_call_that_finds_the_queue_full_is_refused_with_numbers(admission: Admission) -> None:
    async with gate(admission), gate(admission):
        waiting = asyncio.create_task(enter(admission))
        await turns()
        with pytest.raises(QueueFullError, match="all 2 places are taken and 1 calls wait already") as caught:
            await enter(admission)
        assert caught.value.metadata == {"limit": "2", "setting": "PERCEPTION_MAX_CALLS"}
        assert "PERCEPTION_MAX_CALLS, PERCEPTION_MAX_QUEUE" in str(caught.value)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def test_a_call_waits_no_longer_than_its_deadline(admission: Admission) -> None:
    async with gate(admission), gate(admission):
        with pytest.raises(DeadlineError, match="waiting for a place; no input was sent") as caught:
            async with gate(admission, remaining_s=0.001):
                raise AssertionError("it was let in")
        assert caught.value.metadata == {"phase": "waiting for a place", "input_dispatched": "false"}
        assert (admission.under_way, admission.waiting) == (2, 0)


@pytest.mark.parametrize("error", [PerceptionError("no"), asyncio.CancelledError()])
async def test_a_call_gives_its_place_back_however_it_ends(admission: Admission, error: BaseException) -> None:
    async def fail() -> None:
        async with gate(admission, session_id="S"):
            raise error

    for _ in range(5):
        with pytest.raises(type(error)):
            await fail()
    assert admission.calls.idle.is_set()
    async with gate(admission, session_id="S"), gate(admission, session_id="S"):
        pass


async def test_one_session_cannot_take_all_places(admission: Admission) -> None:
    async with gate(admission, session_id="S"):
        waiting = asyncio.create_task(enter(admission, "WatchSnapshots", "S"))
        await asyncio.sleep(0)
        async with gate(admission, session_id="S"):
            with pytest.raises(SessionBusyError, match="2 calls of this session are under way"):
                await enter(admission, session_id="S")
            await enter(admission, "CloseSession", "S")
            await enter(admission, "HandleDialog", "S")
        await waiting


@pytest.mark.parametrize("name", ["CloseSession", "ListSessions", "HandleDialog", "StopRecording"])
async def test_what_relieves_the_service_needs_no_place(admission: Admission, name: str) -> None:
    async with gate(admission), gate(admission):
        waiting = asyncio.create_task(enter(admission))
        await turns()
        await enter(admission, name)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def test_even_what_relieves_the_service_has_a_limit(admission: Admission) -> None:
    most = ROOM_FOR_RELIEF * 3
    async with AsyncExitStack() as held:
        for _ in range(most):
            await held.enter_async_context(gate(admission, "ListSessions"))
        with pytest.raises(QueueFullError, match=f"{most} calls are under way"):
            await enter(admission, "ListSessions")


async def test_watches_take_no_places_and_have_their_own_limit(admission: Admission) -> None:
    async with gate(admission, "WatchSnapshots"), gate(admission), gate(admission):
        with pytest.raises(WatchLimitError, match="all 1 watches are in use"):
            await enter(admission, "WatchSnapshots")
    await enter(admission, "WatchSnapshots")


async def test_a_service_that_stops_ends_admitted_calls_and_takes_no_new_ones(admission: Admission) -> None:
    async with gate(admission):
        admission.close()
        assert not admission.calls.idle.is_set()
        with pytest.raises(ShuttingDownError, match="shutting down"):
            await enter(admission)
        with pytest.raises(ShuttingDownError):
            await enter(admission, "CloseSession")
    assert admission.calls.idle.is_set()


async def test_health_is_answered_while_the_service_stops(admission: Admission) -> None:
    admission.close()
    call = RpcCall("/grpc.health.v1.Health/Check", "id")
    async with admission.gate(call, None, FakeContext()):
        assert admission.under_way == 0


async def test_the_service_is_idle_once_its_last_call_has_ended(admission: Admission) -> None:
    async with gate(admission):
        async with gate(admission):
            pass
        assert not admission.calls.idle.is_set()
    assert admission.calls.idle.is_set()


async def test_a_service_with_a_call_under_way_is_in_use_however_long_it_takes(admission: Admission) -> None:
    async with gate(admission, "WatchSnapshots"):
        unused = asyncio.create_task(admission.calls.unused_for(60))
        await asyncio.sleep(3600)
        assert not unused.done()
    await asyncio.sleep(59)
    assert not unused.done()
    await asyncio.wait_for(unused, 2)
