"""Claims while workers refuse, go away, or were not heard yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from perception.bench.suites.cluster_faults.processes import Relay
from perception.client import AsyncClient, RemoteError, aconnect
from perception.errors import BrowserUnavailableError, SessionLimitError
from perception.server.placement import unclaimed, workers
from perception.server.placement.local import Slot
from tests.support.scripted_workers import CREATE, Cluster, ScriptedWorker, address_of, cluster, until


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cluster]:
    monkeypatch.setattr(workers, "FIRST_WORDS_SECONDS", 60.0)  # a busy machine may take 5 s to connect
    async with cluster(tmp_path) as house:
        yield house


@asynccontextmanager
async def far_worker(house: Cluster) -> AsyncIterator[tuple[ScriptedWorker, Relay, str]]:
    """A worker that an edge does not hear at its second address before the relay passes."""
    worker = await house.worker("127.0.0.1:0")
    relay = await Relay.begin([int(worker.address.rpartition(":")[2])])
    try:
        await relay.tell(0, "stall")
        yield worker, relay, f"127.0.0.1:{relay.ports[0]}"
    finally:
        await relay.end()


async def full_worker(house: Cluster) -> tuple[ScriptedWorker, Slot]:
    worker = await house.worker(slots=1)
    return worker, worker.placement.claim()


async def late_worker(house: Cluster) -> tuple[ScriptedWorker, asyncio.Event, asyncio.Event]:
    """A worker that has opened a session before it is told to answer; and both events."""
    opened, may_answer = asyncio.Event(), asyncio.Event()

    async def create(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        reply = await worker.create(request)
        opened.set()
        await may_answer.wait()
        return reply

    worker = await house.worker(handlers={CREATE: grpc.unary_unary_rpc_method_handler(create)})
    return worker, opened, may_answer


def owner_of(house: Cluster, session_id: str) -> ScriptedWorker:
    return next(each for each in house.workers if session_id in each.opened)


async def client_of(house: Cluster, *addresses: str, unheard: str = "") -> AsyncClient:
    edge = await house.edge(*addresses, unheard=unheard)
    await until(lambda: bool(edge.workers.up))
    return await aconnect(address_of(edge), timeout_s=60)


async def test_a_repeated_request_opens_a_session_elsewhere_where_its_first_worker_has_none_any_more(
    house: Cluster,
) -> None:
    full, free = await house.worker(), await house.worker()
    full.by_request["", "r1"] = "of a caller who went away, and just closed"
    full.refusal = SessionLimitError("all 2 sessions are in use", limit="2")
    client = await client_of(house)
    page = await client.open(request_id="r1")
    assert owner_of(house, page.session_id) is free
    await client.close()


async def test_an_edge_that_has_only_started_hears_all_workers_before_it_says_that_they_are_full(
    house: Cluster,
) -> None:
    full, _ = await full_worker(house)
    async with far_worker(house) as (free, relay, address):
        client = await client_of(house, full.address, address, unheard=address)
        claim = asyncio.create_task(client.open())
        await until(lambda: full.created > 0)
        await relay.tell(0, "pass")
        assert owner_of(house, (await claim).session_id) is free
        await client.close()


async def test_an_edge_that_has_only_started_finds_the_session_of_a_repeated_request(house: Cluster) -> None:
    near, slot = await full_worker(house)
    async with far_worker(house) as (far, relay, address):
        before = await client_of(house, near.address, far.address)
        first = await before.open(request_id="r1")
        near.placement.release(slot)
        client = await client_of(house, near.address, address, unheard=address)
        claim = asyncio.create_task(client.open(request_id="r1"))
        with pytest.raises(RemoteError, match="no session"):  # the claim came first, and waits
            await client.attach("nonsense")
        await relay.tell(0, "pass")
        assert (await claim).session_id == first.session_id
        assert near.opened == {}
        await client.close()
        await before.close()


async def test_a_worker_without_a_browser_is_named_where_the_others_are_full(house: Cluster) -> None:
    ill = await house.worker()
    ill.refusal = BrowserUnavailableError("no space left on its disk")
    for _ in range(2):
        await full_worker(house)
    client = await client_of(house)
    with pytest.raises(RemoteError, match="no space left on its disk") as caught:
        await client.open()
    assert caught.value.reason == "BROWSER_UNAVAILABLE"
    await client.close()


def is_closing_unclaimed() -> bool:
    """Whether an edge knows that a caller has gone: what a worker answers before, the edge sends to the caller."""
    return any(each.get_name() == "close-unclaimed" for each in asyncio.all_tasks())


async def test_a_session_that_opens_as_its_caller_goes_is_closed(
    house: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unclaimed, "OPENING_SECONDS", 60.0)
    worker, opened, may_answer = await late_worker(house)
    client = await client_of(house)
    claim = asyncio.create_task(client.open())
    await opened.wait()
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim
    await until(is_closing_unclaimed)
    assert worker.placement.taken == 1
    may_answer.set()
    await until(lambda: worker.placement.taken == 0)
    await client.close()


async def test_a_session_of_a_request_that_can_be_repeated_stays(house: Cluster) -> None:
    worker, opened, may_answer = await late_worker(house)
    client, other = await client_of(house), await client_of(house)
    claim = asyncio.create_task(client.open(request_id="r1"))
    await opened.wait()
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim
    may_answer.set()
    page = await other.open(request_id="r1")
    assert worker.opened.keys() == {page.session_id}
    await client.close()
    await other.close()
