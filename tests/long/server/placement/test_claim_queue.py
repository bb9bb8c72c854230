"""Sessions that wait at an edge for a slot: in order, for as long as they may, and only while somebody waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from pydantic import ValidationError

from perception.client import AsyncClient, RemoteError
from perception.deadline import Deadline
from perception.server.placement.claim_queue import ClaimQueue
from perception.server.placement.edge import Edge
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb
from tests.long.server.placement.test_edge import connected, open_session
from tests.support.scripted_workers import Cluster, cluster, until


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with cluster(tmp_path) as house:
        yield house


async def close_session(client: AsyncClient, session_id: str) -> None:
    await client.sessions.CloseSession(pb.CloseSessionRequest(session_id=session_id), timeout=30)


async def waiting_claims(edge: Edge, client: AsyncClient, count: int) -> list[asyncio.Task[str]]:
    """Claims in the order in which they came."""
    begun = []
    for number in range(1, count + 1):
        begun.append(asyncio.create_task(open_session(client)))
        await until(lambda number=number: edge.claims.waiting == number)  # type: ignore[misc]
    return begun


async def test_claims_wait_for_a_slot_and_get_it_in_the_order_in_which_they_came(house: Cluster) -> None:
    worker = await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    taken = await open_session(client)
    begun = await waiting_claims(edge, client, 3)
    for each in begun:
        await close_session(client, taken)
        taken = await each
        assert taken in worker.opened
        assert all(not later.done() for later in begun[begun.index(each) + 1 :])
    assert edge.claims.waiting == 0
    await client.close()


async def test_who_comes_later_does_not_overtake(house: Cluster) -> None:
    await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    taken = await open_session(client)
    (first,) = await waiting_claims(edge, client, 1)
    closing = asyncio.create_task(close_session(client, taken))
    late = asyncio.create_task(open_session(client))
    await closing
    taken = await first
    assert not late.done()
    await close_session(client, taken)
    await late
    await client.close()


async def test_a_claim_whose_caller_went_away_leaves_the_line(house: Cluster) -> None:
    worker = await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    taken = await open_session(client)
    call = client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=20)
    await until(lambda: edge.claims.waiting == 1)
    call.cancel()
    await until(lambda: edge.claims.waiting == 0)
    await close_session(client, taken)
    await open_session(client)
    assert worker.placement.taken == 1
    await client.close()


async def test_a_claim_that_has_waited_long_enough_is_refused(house: Cluster) -> None:
    await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=0.05)
    client = await connected(edge)
    await open_session(client)
    with pytest.raises(RemoteError, match="all 1 sessions of 1 workers are in use"):
        await client.open()
    assert edge.claims.waiting == 0
    await client.close()


async def test_a_deadline_that_ends_first_ends_the_wait(house: Cluster) -> None:
    await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    await open_session(client)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=0.2)
    assert caught.value.code() in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)
    await until(lambda: edge.claims.waiting == 0)
    await client.close()


async def test_a_full_line_refuses_at_once(house: Cluster) -> None:
    await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20, max_queue=1)
    client = await connected(edge)
    await open_session(client)
    (first,) = await waiting_claims(edge, client, 1)
    with pytest.raises(RemoteError, match="are in use"):
        await client.open()
    first.cancel()
    await client.close()


async def test_claims_wait_for_workers_that_are_not_there_yet(house: Cluster) -> None:
    address = house.address()
    edge = await house.edge(address, claim_wait_s=20)
    client = await connected(edge)
    (first,) = await waiting_claims(edge, client, 1)
    worker = await house.worker(address)
    assert await first in worker.opened
    await client.close()


async def test_a_repeated_request_that_waits_opens_one_session(house: Cluster) -> None:
    worker = await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    taken = await open_session(client)
    both = [asyncio.create_task(open_session(client, "same")) for _ in range(2)]
    await until(lambda: edge.claims.waiting == 2)
    await close_session(client, taken)
    one, two = await asyncio.gather(*both)
    assert one == two
    assert worker.placement.taken == 1
    await client.close()


async def test_an_edge_that_ends_says_so_to_those_that_wait(house: Cluster) -> None:
    await house.worker(slots=1)
    edge = await house.edge(claim_wait_s=20)
    client = await connected(edge)
    await open_session(client)
    (first,) = await waiting_claims(edge, client, 1)
    await edge.stop()
    with pytest.raises(grpc.aio.AioRpcError, match="this edge is shutting down"):
        await first
    await client.close()


async def test_as_many_try_as_there_are_free_slots() -> None:
    free = 0
    queue = ClaimQueue(20, 10, lambda: free, asyncio.Event())
    tried: list[int] = []

    async def claim(number: int) -> None:
        with queue.claim(Deadline.of(20)) as claim:
            assert await claim.wait_for_slot()
            tried.append(number)
            await release.wait()

    release = asyncio.Event()
    claims = []
    for number in range(4):
        claims.append(asyncio.create_task(claim(number)))
        await until(lambda number=number: queue.waiting == number + 1)  # type: ignore[misc]
    free = 2
    queue.wake()
    await until(lambda: len(tried) == 2)
    assert tried == [0, 1]
    release.set()
    await asyncio.gather(*claims)
    assert tried == [0, 1, 2, 3]
    assert queue.waiting == 0


def test_only_edges_have_a_line() -> None:
    with pytest.raises(ValidationError, match="sessions wait for a slot at edges: give --placement, too"):
        Settings(claim_wait_s=1)
