"""An edge over scripted workers: frames, metadata, deadlines and cancellation pass; sessions stay where they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from structlog.testing import capture_logs

from perception.client import AsyncClient, RemoteError, aconnect
from perception.client.access import CHANNEL_OPTIONS
from perception.client.sent_streams import ending_as_answered
from perception.errors import BadInputError, MemoryLimitError, StaleRefError
from perception.server.auth.rights import Right
from perception.server.contract import Method, Way, methods
from perception.server.placement import worker as worker_module
from perception.server.placement import worker_index
from perception.server.placement.edge import Edge
from perception.server.placement.worker_status import Wanted, WatchAsked
from perception.server.rpc_call import RpcCall
from perception.server.settings import Settings
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import control_service_pb2 as control_pb
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as pb
from perception.v1 import types_pb2 as types_pb
from tests.support.scripted_workers import CREATE, Cluster, ScriptedWorker, address_of, cluster, until, write_keys

CLICK = "/perception.v1.ActionService/Click"
SCREENSHOT = "/perception.v1.PerceptionService/CaptureScreenshot"
WATCH = "/perception.v1.PerceptionService/WatchSnapshots"
UPLOAD = "/perception.v1.FileService/StreamUpload"
PARSE = "/perception.v1.DetectionService/ParseImage"
TAKE = "/perception.v1.ControlService/TakeControl"
RELEASE = "/perception.v1.ControlService/ReleaseControl"
DELETE_PROFILE = "/perception.v1.SessionService/DeleteProfile"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with cluster(tmp_path) as house:
        yield house


async def connected(edge: Edge, **access: Any) -> AsyncClient:
    return await aconnect(address_of(edge), timeout_s=10, **access)


async def open_session(client: AsyncClient, request_id: str = "") -> str:
    reply = await client.sessions.CreateSession(pb.CreateSessionRequest(request_id=request_id), timeout=10)
    return str(reply.session.session_id)


def owner_of(house: Cluster, session_id: str) -> ScriptedWorker:
    return next(each for each in house.workers if session_id in each.opened)


# Sessions and their workers


async def test_sessions_go_to_the_least_loaded_and_any_edge_finds_them(house: Cluster) -> None:
    for _ in range(3):
        await house.worker()
    first, second = await house.edge(), await house.edge()
    one, two = await connected(first), await connected(second)
    ids = [await open_session(one) for _ in range(3)]
    assert len({owner_of(house, each).address for each in ids}) == 3
    for each in ids:
        assert (await two.attach(each)).session_id == each
    assert sorted(each.session_id for each in await two.open_sessions()) == sorted(ids)
    await one.close()
    await two.close()


async def test_full_workers_refuse_cleanly_and_a_closed_session_makes_room(house: Cluster) -> None:
    await house.worker(slots=1)
    await house.worker(slots=1)
    client = await connected(await house.edge())
    ids = [await open_session(client) for _ in range(2)]
    with pytest.raises(RemoteError, match="all 2 sessions of 2 workers are in use") as caught:
        await client.open()
    assert (caught.value.reason, caught.value.limit) == ("SESSION_LIMIT", 2)
    await client.sessions.CloseSession(pb.CloseSessionRequest(session_id=ids[0]), timeout=30)
    await open_session(client)
    await client.close()


async def test_of_two_edges_that_claim_the_last_slot_one_is_refused(house: Cluster) -> None:
    worker = await house.worker(slots=1)
    one, two = await connected(await house.edge()), await connected(await house.edge())
    worker.may_open.clear()
    first = asyncio.ensure_future(open_session(one))
    await worker.opening.wait()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await open_session(two)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    worker.may_open.set()
    assert await first in worker.opened
    assert worker.placement.taken == 1
    await one.close()
    await two.close()


async def test_a_claim_whose_caller_went_away_is_released(house: Cluster) -> None:
    worker = await house.worker(slots=1)
    client = await connected(await house.edge())
    worker.may_open.clear()
    waiting = client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)
    await worker.opening.wait()
    waiting.cancel()
    await until(lambda: worker.placement.taken == 0)
    worker.may_open.set()
    assert await open_session(client)
    await client.close()


async def test_a_worker_that_cannot_open_a_session_is_passed_over(house: Cluster) -> None:
    ill, well = await house.worker(), await house.worker()
    ill.refusal = MemoryLimitError("its memory is full", limit="1")
    client = await connected(await house.edge())
    for _ in range(2):
        assert owner_of(house, await open_session(client)) is well
    well.memory_share = 2.0
    with pytest.raises(RemoteError) as caught:
        await client.open()
    assert caught.value.reason in ("MEMORY_LIMIT", "SESSION_LIMIT")
    await client.close()


async def test_a_refusal_that_any_worker_would_give_is_not_asked_twice(house: Cluster) -> None:
    one, two = await house.worker(), await house.worker()
    one.refusal = two.refusal = BadInputError("the locale is none", field="options.locale")
    client = await connected(await house.edge())
    with pytest.raises(RemoteError, match="the locale is none") as caught:
        await client.open()
    assert caught.value.field == "options.locale"
    assert one.created + two.created == 1
    await client.close()


async def test_a_repeated_request_finds_its_session_through_any_edge(house: Cluster) -> None:
    for _ in range(3):
        await house.worker(slots=1)
    one, two = await connected(await house.edge()), await connected(await house.edge())
    first = await open_session(one, "r1")
    await open_session(one)  # so that others are less loaded
    assert await open_session(two, "r1") == first
    assert sum(len(each.opened) for each in house.workers) == 2
    await one.close()
    await two.close()


async def test_the_same_request_at_two_edges_at_once_opens_one_session(house: Cluster) -> None:
    for _ in range(3):
        await house.worker()
    clients = [await connected(await house.edge()) for _ in range(2)]
    ids = await asyncio.gather(*(open_session(each, "r1") for each in clients for _ in range(3)))
    assert sum(len(each.opened) for each in house.workers) == len(set(ids)) == 1
    for each in clients:
        await each.close()


async def test_a_slot_that_becomes_free_between_two_edges_opens_no_second_session(
    house: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_index, "FIRST_ASKED", 0)  # and nobody has said yet that the session opens
    for _ in range(2):
        await house.worker(slots=1)
    one, two = await house.edge(), await house.edge()
    clients = [await connected(each) for each in (one, two)]
    owners = [each.address for each in one.workers.owners_of(Wanted("", "r1"))]
    full, roomy = sorted(house.workers, key=lambda each: owners.index(each.address))
    taken = full.placement.claim()
    roomy.may_open.clear()
    first = asyncio.create_task(open_session(clients[0], "r1"))
    await roomy.opening.wait()
    full.placement.release(taken)
    again = asyncio.create_task(open_session(clients[1], "r1"))
    await until(lambda: again.done() or full.worker.turns.waiting == 2)
    roomy.may_open.set()
    assert await first == await again
    assert full.created == 1
    for each in clients:
        await each.close()


async def test_the_same_request_opens_one_session_where_each_edge_misses_another_worker(house: Cluster) -> None:
    for _ in range(3):
        await house.worker()
    whole = await house.edge()
    first, second, third = (each.address for each in whole.workers._index.by_affinity(Wanted("", "r1").key))
    clients = [await connected(await house.edge(*each)) for each in ((first, second), (second, third))]
    ids = await asyncio.gather(*(open_session(each, "r1") for each in clients for _ in range(3)))
    assert len(set(ids)) == 1
    for each in clients:
        await each.close()


async def test_a_caller_that_leaves_gives_its_turn_to_the_next(house: Cluster) -> None:
    worker = await house.worker()
    clients = [await connected(await house.edge()) for _ in range(2)]
    worker.may_open.clear()
    first = asyncio.create_task(open_session(clients[0], "r1"))
    await worker.opening.wait()
    again = asyncio.create_task(open_session(clients[1], "r1"))
    await until(lambda: worker.worker.turns.waiting == 2)
    first.cancel()
    worker.may_open.set()
    assert await again in worker.opened
    await until(lambda: not worker.worker.turns.waiting)
    assert len(worker.opened) == 1
    for each in clients:
        await each.close()


async def test_a_worker_of_a_version_without_turns_opens_sessions_of_requests(
    house: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "HOLD", "/perception.cluster.v1.WorkerService/Other")
    worker = await house.worker()
    client = await connected(await house.edge())
    assert await open_session(client, "r1") == await open_session(client, "r1")
    assert len(worker.opened) == 1
    await client.close()


async def test_a_repeated_request_finds_its_session_among_many_workers(
    house: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_index, "FIRST_ASKED", 0)
    for _ in range(4):
        await house.worker()
    one, two = await house.edge(), await house.edge()
    clients = [await connected(each) for each in (one, two)]
    first = await open_session(clients[0], "r1")
    await until(lambda: any(each.status and each.status.requests for each in two.workers.up))
    before = sum(each.asked for each in house.workers)
    assert await open_session(clients[1], "r1") == first
    assert sum(each.asked for each in house.workers) == before + 1
    for each in clients:
        await each.close()


async def test_a_worker_without_news_says_so_in_no_bytes(house: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perception.server.placement.worker.HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr("perception.server.placement.worker.RARE_HEARTBEAT_SECONDS", 0.01)
    worker = await house.worker()

    async def said(request: bytes) -> AsyncIterator[bytes]:
        async for each in worker.worker._watch(request, None):
            yield each

    new, old = said(msgspec.json.encode(WatchAsked())), said(b"")
    assert b"slots" in await anext(new)
    assert [await anext(new) for _ in range(3)] == [b""] * 3
    assert all([b"slots" in await anext(old) for _ in range(3)])
    slot = worker.placement.claim()
    while not (news := await anext(new)):
        pass
    assert b'"taken":1' in news
    worker.placement.release(slot)
    await new.aclose()
    await old.aclose()


# Ids


async def test_a_forged_id_reaches_no_worker(house: Cluster) -> None:
    worker = await house.worker()
    client = await connected(await house.edge())
    real = await open_session(client)
    before = len(worker.metadata)
    for place in (1, 9, 28):
        other = "A" if real[place] != "A" else "B"
        with pytest.raises(RemoteError) as caught:
            await client.attach(real[:place] + other + real[place + 1 :])
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAUTHENTICATED, "SESSION_ID_FORGED")
    for unknown in ("s1", "no session"):
        with pytest.raises(RemoteError) as caught:
            await client.attach(unknown)
        assert caught.value.reason == "UNKNOWN_SESSION"
    assert len(worker.metadata) == before
    await client.close()


async def test_a_restarted_worker_loses_its_sessions_and_takes_new_ones(house: Cluster) -> None:
    worker = await house.worker()
    edge = await house.edge()
    client = await connected(edge)
    before = await open_session(client)
    await worker.kill()
    with pytest.raises(RemoteError) as caught:
        await client.attach(before)
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.ABORTED, "SESSION_LOST")
    again = await house.worker(worker.address)
    await until(lambda: bool(edge.workers.up))
    with pytest.raises(RemoteError) as caught:
        await client.attach(before)
    assert caught.value.reason == "SESSION_LOST"
    assert await open_session(client) in again.opened
    await client.close()


async def test_a_worker_that_is_not_among_the_edges_is_lost(house: Cluster) -> None:
    ours, other = await house.worker(), await house.worker()
    whole = await connected(await house.edge())
    while not other.opened:
        await open_session(whole)
    part = await connected(await house.edge(ours.address))
    with pytest.raises(RemoteError) as caught:
        await part.attach(next(iter(other.opened)))
    assert caught.value.reason == "SESSION_LOST"
    await whole.close()
    await part.close()


async def test_an_edge_that_starts_before_its_workers_waits_for_them(house: Cluster) -> None:
    address = house.address()
    edge = Edge(Settings(address=house.address(), session_keys=house.keys, placement=f"static={address}", drain_s=0.5))
    await edge.start()
    client = await connected(edge)
    with pytest.raises(RemoteError, match="none of the 1 workers is reached") as caught:
        await client.open()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAVAILABLE, "WORKER_UNREACHABLE")
    assert caught.value.retry_after_s == 1
    assert not await client.is_serving()
    worker = await house.worker(address)
    await until(lambda: bool(edge.workers.up))
    assert await open_session(client) in worker.opened
    assert await client.is_serving()
    await client.close()
    await edge.stop()


# What is carried


def answering(reply: Any) -> grpc.RpcMethodHandler[Any, Any]:
    async def answer(_: bytes, __: Any) -> bytes:
        if isinstance(reply, BaseException):
            raise reply
        return bytes(reply)

    return grpc.unary_unary_rpc_method_handler(answer)


async def test_an_answer_of_16_mib_passes_as_it_is(house: Cluster) -> None:
    image = bytes(range(256)) * (16 * 2**20 // 256 - 4)
    whole = perception_pb.CaptureScreenshotResponse(image=types_pb.Image(data=image)).SerializeToString()
    assert 15.9 * 2**20 < len(whole) <= 16 * 2**20
    await house.worker(handlers={SCREENSHOT: answering(whole)})
    client = await connected(await house.edge())
    session_id = await open_session(client)
    request = perception_pb.CaptureScreenshotRequest(session_id=session_id)
    assert (await client.perception.CaptureScreenshot(request, timeout=30)).image.data == image
    await client.close()


async def test_an_error_passes_with_its_details_and_the_request_id(house: Cluster) -> None:
    await house.worker(handlers={CLICK: answering(StaleRefError("ref e12 is gone", snapshot="s3"))})
    client = await connected(await house.edge())
    session_id = await open_session(client)
    call = client.actions.Click(
        action_pb.ClickRequest(session_id=session_id), timeout=30, metadata=(("x-request-id", "mine"),)
    )
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    error = RemoteError.of(caught.value)
    assert (error.reason, error.metadata["snapshot"], str(error)) == ("STALE_REF", "s3", "ref e12 is gone")
    assert ("x-request-id", "mine") in tuple(caught.value.trailing_metadata() or ())
    await client.close()


async def test_metadata_goes_along_without_the_token(house: Cluster, tmp_path: Path) -> None:
    token = "t" * 40
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {token}\nbob {'b' * 40}\n")
    tokens.chmod(0o600)
    worker = await house.worker()
    edge = await house.edge(token_file=tokens)
    nobody = await connected(edge)
    with pytest.raises(RemoteError) as caught:
        await nobody.open()
    assert caught.value.reason == "UNAUTHENTICATED"
    await nobody.close()
    client, other = await connected(edge, token=token), await connected(edge, token="b" * 40)
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    mine = (("traceparent", trace), ("x-lease", "l1"), ("perception-caller", "forged"))
    reply = await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=30, metadata=mine)
    session_id = reply.session.session_id
    assert worker.opened[session_id][1] == "ana"
    carried = worker.metadata[-1]
    assert carried["x-lease"] == "l1"
    version, trace_id, _, flags = carried["traceparent"].split("-")  # a traced edge adds a span of its own
    assert [version, trace_id, flags] == [part for at, part in enumerate(trace.split("-")) if at != 2]
    assert "authorization" not in carried
    assert token not in repr(worker.metadata)
    assert [each.session_id for each in await client.open_sessions()] == [session_id]
    assert await other.open_sessions() == []
    await client.close()
    await other.close()


async def test_what_a_token_may_do_is_checked_by_the_edge_and_by_the_worker(house: Cluster, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {'a' * 40}\nana {'v' * 40} view\n")
    tokens.chmod(0o600)
    worker = await house.worker()
    edge = await house.edge(token_file=tokens)
    agent, watcher = await connected(edge, token="a" * 40), await connected(edge, token="v" * 40)
    session_id = await open_session(agent)
    assert (await watcher.attach(session_id)).session_id == session_id
    before = len(worker.metadata)
    with pytest.raises(RemoteError, match="may only watch: CreateSession needs the right 'all'") as caught:
        await watcher.open()
    assert (caught.value.reason, len(worker.metadata)) == ("RIGHT_MISSING", before)
    careless = RpcCall(CREATE, "r1", principal="ana", right=Right.VIEW)  # as of an edge that does not check
    (link,) = edge.workers.links
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await link.call_of(CREATE)(b"", timeout=30, metadata=link.signed(careless))
    assert RemoteError.of(refused.value).reason == "RIGHT_MISSING"
    assert list(worker.opened) == [session_id]
    await agent.close()
    await watcher.close()


async def test_streams_and_leases_end_with_the_token_at_an_edge(house: Cluster, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {'a' * 40}\nana {'b' * 40}\n")
    tokens.chmod(0o600)
    cancelled, released = asyncio.Event(), asyncio.Event()

    async def watch(_: bytes, context: Any) -> AsyncIterator[bytes]:
        yield perception_pb.WatchSnapshotsResponse().SerializeToString()
        context.add_done_callback(lambda _: cancelled.set())
        await asyncio.Event().wait()

    async def take(_: bytes, __: Any) -> bytes:
        return control_pb.TakeControlResponse(lease_id="lease").SerializeToString()

    async def release(data: bytes, _: Any) -> bytes:
        asked = control_pb.ReleaseControlRequest.FromString(data)
        assert (asked.session_id, asked.lease_id) == (session_id, "lease")
        released.set()
        return b""

    unary = grpc.unary_unary_rpc_method_handler
    await house.worker(
        handlers={WATCH: grpc.unary_stream_rpc_method_handler(watch), TAKE: unary(take), RELEASE: unary(release)}
    )
    edge = await house.edge(token_file=tokens)
    client = await connected(edge, token="b" * 40)
    session_id = await open_session(client)
    watching = client.perception.WatchSnapshots(perception_pb.WatchSnapshotsRequest(session_id=session_id))
    await watching.read()
    await client.control.TakeControl(control_pb.TakeControlRequest(session_id=session_id), timeout=30)
    tokens.write_text(f"ana {'a' * 40}\n")
    with pytest.raises(grpc.aio.AioRpcError, match="no longer in the token file") as caught:
        async with asyncio.timeout(2):
            await watching.read()
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    await asyncio.wait_for(cancelled.wait(), 30)
    await asyncio.wait_for(released.wait(), 30)
    await client.close()


async def test_a_stream_that_its_caller_does_not_read_ends_with_the_token(house: Cluster, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {'a' * 40}\nana {'b' * 40}\n")
    tokens.chmod(0o600)

    async def watch(_: bytes, __: Any) -> AsyncIterator[bytes]:
        while True:
            yield bytes(2**20)

    await house.worker(handlers={WATCH: grpc.unary_stream_rpc_method_handler(watch)})
    edge = await house.edge(token_file=tokens)
    client = await connected(edge, token="b" * 40)
    session_id = await open_session(client)
    request = perception_pb.WatchSnapshotsRequest(session_id=session_id)
    watching = client.perception.WatchSnapshots(request)
    await until(lambda: edge.authenticator.watch.uses == 1)
    tokens.write_text(f"ana {'a' * 40}\n")
    async with asyncio.timeout(2):
        await until(lambda: not edge.authenticator.watch.uses)

    async def read_on() -> None:
        while True:
            await watching.read()

    with pytest.raises(grpc.aio.AioRpcError):
        await asyncio.wait_for(read_on(), 10)
    await client.close()


async def test_a_stream_that_is_cut_off_since_nobody_reads_it_is_logged_with_the_cause(
    house: Cluster, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {'a' * 40}\nana {'b' * 40}\n")
    tokens.chmod(0o600)

    async def watch(_: bytes, __: Any) -> AsyncIterator[bytes]:
        while True:
            yield bytes(2**20)

    await house.worker(handlers={WATCH: grpc.unary_stream_rpc_method_handler(watch)})
    edge = await house.edge(token_file=tokens)
    client = await connected(edge, token="b" * 40)
    request = perception_pb.WatchSnapshotsRequest(session_id=await open_session(client))
    watching = client.perception.WatchSnapshots(request)
    await until(lambda: edge.authenticator.watch.uses == 1)
    with capture_logs() as logs:
        tokens.write_text(f"ana {'a' * 40}\n")
        await until(lambda: sum(each.get("method") == WATCH for each in logs) == 2)  # the edge's, and the worker's
    ended = {(each["code"], each["reason"]) for each in logs if each.get("method") == WATCH}
    assert ended == {("UNAUTHENTICATED", "UNAUTHENTICATED"), ("CANCELLED", "")}
    watching.cancel()
    await client.close()


async def test_the_deadline_that_is_left_goes_along(house: Cluster) -> None:
    left: list[float] = []

    async def answer(_: bytes, context: Any) -> bytes:
        left.append(context.time_remaining())
        return b""

    await house.worker(handlers={CLICK: grpc.unary_unary_rpc_method_handler(answer)})
    client = await connected(await house.edge())
    await client.actions.Click(action_pb.ClickRequest(session_id=await open_session(client)), timeout=60)
    assert 30 < left[0] < 60 + 2 * 0.1 + 0.01  # gRPC rounds what is left up to a tenth, at each of two calls
    await client.close()


async def test_a_slow_worker_holds_its_callers_until_their_deadline_and_nobody_else(house: Cluster) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def answer(_: bytes, __: Any) -> bytes:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return b""

    slow = {CLICK: grpc.unary_unary_rpc_method_handler(answer)}
    await house.worker(handlers=slow)
    await house.worker(handlers={CLICK: answering(b"")})
    client = await connected(await house.edge())
    ids = [await open_session(client) for _ in range(2)]
    at_slow = next(each for each in ids if owner_of(house, each) is house.workers[0])
    other = next(each for each in ids if each != at_slow)
    request = action_pb.ClickRequest(session_id=at_slow)
    waiting = asyncio.ensure_future(client.call(client.actions.Click, request, 60))
    await begun.wait()
    await client.actions.Click(action_pb.ClickRequest(session_id=other), timeout=30)
    assert not waiting.done()
    waiting.cancel()
    async with asyncio.timeout(30):
        await cancelled.wait()
        begun.clear()
        cancelled.clear()
        while not begun.is_set():  # on a busy machine a call may end before it has come to the worker
            with pytest.raises(RemoteError) as caught:
                await client.call(client.actions.Click, request, 0.3)
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        await cancelled.wait()
    await client.close()


async def test_a_caller_that_cancels_cancels_at_the_worker(house: Cluster) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def answer(_: bytes, __: Any) -> bytes:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return b""

    await house.worker(handlers={CLICK: grpc.unary_unary_rpc_method_handler(answer)})
    client = await connected(await house.edge())
    call = client.actions.Click(action_pb.ClickRequest(session_id=await open_session(client)), timeout=60)
    asking = asyncio.ensure_future(call.code())
    await begun.wait()
    call.cancel()
    async with asyncio.timeout(10):
        await cancelled.wait()
    assert await asking is grpc.StatusCode.CANCELLED
    await client.close()


async def until_end(call: Any) -> AsyncIterator[Any]:
    while (frame := await call.read()) is not grpc.aio.EOF:
        yield frame


def watching(seen: list[str]) -> grpc.RpcMethodHandler[Any, Any]:
    """A watch without an end that says how it was left."""

    async def watch(_: bytes, __: Any) -> AsyncIterator[bytes]:
        seen.append("begun")
        try:
            for number in range(1000):
                yield perception_pb.WatchSnapshotsResponse(
                    snapshot=types_pb.Snapshot(snapshot_id=f"s{number}")
                ).SerializeToString()
                await asyncio.sleep(0.01 if number < 3 else 60)
        finally:
            seen.append("left")

    return grpc.unary_stream_rpc_method_handler(watch)


async def test_a_stream_passes_frame_by_frame_and_its_end_too(house: Cluster) -> None:
    seen: list[str] = []
    await house.worker(handlers={WATCH: watching(seen)})
    client = await connected(await house.edge())
    request = perception_pb.WatchSnapshotsRequest(session_id=await open_session(client))
    call = client.perception.WatchSnapshots(request, timeout=30)
    frames = [(await call.read()).snapshot.snapshot_id for _ in range(4)]
    assert frames == ["s0", "s1", "s2", "s3"]
    call.cancel()
    await until(lambda: seen == ["begun", "left"])
    await client.close()


async def test_an_edge_that_ends_ends_its_watches_and_the_other_edge_goes_on(house: Cluster) -> None:
    seen: list[str] = []
    worker = await house.worker(handlers={WATCH: watching(seen)})
    ending, other = await house.edge(), await house.edge()
    one, two = await connected(ending), await connected(other)
    session_id = await open_session(one)
    request = perception_pb.WatchSnapshotsRequest(session_id=session_id)
    call = one.perception.WatchSnapshots(request, timeout=30)
    await call.read()
    stopping = asyncio.ensure_future(ending.stop())
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        [frame async for frame in until_end(call)]
    error = RemoteError.of(caught.value)
    assert (error.code, error.reason, error.retry_after_s) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN", 1)
    await stopping
    await until(lambda: "left" in seen)
    assert (await two.attach(session_id)).session_id == session_id
    assert session_id in worker.opened
    await one.close()
    await two.close()


async def test_an_upload_streams_to_its_worker(house: Cluster) -> None:
    received: list[bytes] = []

    async def take(requests: AsyncIterator[bytes], _: Any) -> bytes:
        async for each in requests:
            received.append(file_pb.StreamUploadRequest.FromString(each).data)
        return file_pb.StreamUploadResponse(upload_id="u1").SerializeToString()

    await house.worker(handlers={UPLOAD: grpc.stream_unary_rpc_method_handler(take)})
    client = await connected(await house.edge())
    session_id = await open_session(client)

    async def parts() -> AsyncIterator[file_pb.StreamUploadRequest]:
        yield file_pb.StreamUploadRequest(session_id=session_id, name="a.txt", data=b"0")
        for number in range(1, 20):
            yield file_pb.StreamUploadRequest(data=b"%d" % number)

    reply = await client.files.StreamUpload(parts(), timeout=20)
    assert reply.upload_id == "u1"
    assert received == [b"%d" % number for number in range(20)]
    await client.close()


@pytest.mark.parametrize("attempt", range(10))
async def test_a_refused_upload_ends_while_it_is_sent(house: Cluster, attempt: int) -> None:
    async def refuse(requests: AsyncIterator[bytes], _: Any) -> bytes:
        await anext(requests)
        raise BadInputError("too large", field="size_bytes")

    await house.worker(handlers={UPLOAD: grpc.stream_unary_rpc_method_handler(refuse)})
    client = await connected(await house.edge())
    session_id = await open_session(client)

    async def parts() -> AsyncIterator[file_pb.StreamUploadRequest]:
        yield file_pb.StreamUploadRequest(session_id=session_id, name="a.txt")
        while True:
            yield file_pb.StreamUploadRequest(data=b"x" * 100_000)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ending_as_answered(client.files.StreamUpload)(parts(), timeout=20)
    assert RemoteError.of(caught.value).field == "size_bytes"
    await client.close()


async def test_messages_pass_in_both_directions_at_once(house: Cluster) -> None:
    path = "/perception.v1.PerceptionService/Converse"  # no rpc of today streams both ways
    method = Method(path, True, True, Way.SESSION, session_field=1, request_id_field=0)
    methods()[path] = method
    left: list[str] = []

    async def converse(requests: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        try:
            async for each in requests:
                yield each * 2
        finally:
            left.append("left")

    try:
        await house.worker(handlers={path: grpc.stream_stream_rpc_method_handler(converse)})
        edge = await house.edge()
        client = await connected(edge)
        first = pb.GetSessionRequest(session_id=await open_session(client)).SerializeToString()
        async with grpc.aio.insecure_channel(address_of(edge), options=CHANNEL_OPTIONS) as channel:
            call = channel.stream_stream(path)(timeout=20)
            await call.write(first)
            assert await call.read() == first * 2
            for number in range(50):  # each answer comes before the next question
                await call.write(b"%d" % number)
                assert await call.read() == b"%d" % number * 2
            await call.done_writing()
            assert await call.read() is grpc.aio.EOF
            cut = channel.stream_stream(path)(timeout=20)
            await cut.write(first)
            await cut.read()
            cut.cancel()
            await until(lambda: len(left) == 2)
        await client.close()
    finally:
        del methods()[path]


async def test_a_request_that_is_no_message_is_explained_by_a_worker(house: Cluster) -> None:
    seen: list[bytes] = []

    async def answer(data: bytes, _: Any) -> bytes:
        seen.append(data)
        raise BadInputError("the request's bytes are no message")

    await house.worker(handlers={CLICK: grpc.unary_unary_rpc_method_handler(answer)})
    edge = await house.edge()
    async with grpc.aio.insecure_channel(address_of(edge), options=CHANNEL_OPTIONS) as channel:
        for data in (b"\xff\xff", b""):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(CLICK)(data, timeout=30)
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary("/perception.v1.ActionService/NoSuch")(b"", timeout=30)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert seen == [b"\xff\xff", b""]


# Calls without a session


async def test_a_call_that_changes_nothing_goes_to_another_worker_where_one_ends(house: Cluster) -> None:
    begun: list[ScriptedWorker] = []

    def parsing(own: list[ScriptedWorker]) -> grpc.RpcMethodHandler[Any, Any]:
        async def parse(_: bytes, __: Any) -> bytes:
            begun.append(own[0])
            if len(begun) == 1:
                own[0].kill_soon()
                await asyncio.sleep(60)
            return b""

        return grpc.unary_unary_rpc_method_handler(parse)

    for _ in range(2):
        own: list[ScriptedWorker] = []
        own.append(await house.worker(handlers={PARSE: parsing(own)}))
    client = await connected(await house.edge())
    await client.detection.ParseImage(detection_pb.ParseImageRequest(), timeout=10)
    assert len(set(map(id, begun))) == 2
    await client.close()


async def test_a_call_that_may_have_changed_something_is_not_repeated(house: Cluster) -> None:
    begun: list[int] = []

    def deleting(own: list[ScriptedWorker]) -> grpc.RpcMethodHandler[Any, Any]:
        async def delete(_: bytes, __: Any) -> bytes:
            begun.append(1)
            own[0].kill_soon()
            await asyncio.sleep(60)
            return b""

        return grpc.unary_unary_rpc_method_handler(delete)

    for _ in range(2):
        own: list[ScriptedWorker] = []
        own.append(await house.worker(handlers={DELETE_PROFILE: deleting(own)}))
    client = await connected(await house.edge())
    with pytest.raises(RemoteError, match="whether it was carried out is not known") as caught:
        await client.delete_profile("shop")
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.ABORTED, "CALL_BROKEN")
    assert begun == [1]
    await client.close()


async def test_a_list_says_how_many_workers_are_missing(house: Cluster) -> None:
    async def hang(_: bytes, __: Any) -> bytes:
        raise RuntimeError("broken")

    well = await house.worker()
    await house.worker(
        handlers={"/perception.v1.SessionService/ListSessions": grpc.unary_unary_rpc_method_handler(hang)}
    )
    client = await connected(await house.edge())
    session_id = await open_session(client)
    while owner_of(house, session_id) is not well:
        session_id = await open_session(client)
    reply = await client.sessions.ListSessions(pb.ListSessionsRequest(), timeout=30)
    assert session_id in [each.session_id for each in reply.sessions]
    assert reply.workers_missing == 1
    await client.close()


# Drain


async def test_a_worker_that_drains_keeps_its_sessions_and_takes_none(house: Cluster) -> None:
    seen: list[str] = []
    leaving = await house.worker(handlers={WATCH: watching(seen)})
    client = await connected(await house.edge())
    session_id = await open_session(client)
    call = client.perception.WatchSnapshots(perception_pb.WatchSnapshotsRequest(session_id=session_id), timeout=30)
    await call.read()
    drained = asyncio.ensure_future(leaving.worker.drain())
    staying = await house.worker()
    both = await connected(await house.edge())
    for _ in range(2):
        assert await open_session(both) in staying.opened
    for _ in range(3):
        assert (await call.read()).snapshot.snapshot_id  # the watch goes on
    got = client.sessions.GetSession(pb.GetSessionRequest(session_id=session_id), timeout=30)
    await got
    notice = dict(await got.trailing_metadata())
    assert float(notice["perception-closes-by"]) > 0
    with pytest.raises(RemoteError) as caught:
        await client.open()
    assert (caught.value.reason, caught.value.retry_after_s) == ("SHUTTING_DOWN", 1)
    assert not drained.done()
    await client.sessions.CloseSession(pb.CloseSessionRequest(session_id=session_id), timeout=30)
    async with asyncio.timeout(10):
        await drained
    call.cancel()
    await client.close()
    await both.close()


async def test_a_drain_ends_with_its_grace(house: Cluster) -> None:
    worker = await house.worker(grace_s=0.2)
    edge = await house.edge()
    client = await connected(edge)
    session_id = await open_session(client)
    async with asyncio.timeout(10):
        await worker.worker.drain()
    assert worker.placement.taken == 1
    await worker.worker.announce_end()
    await until(lambda: not edge.workers.up)
    with pytest.raises(RemoteError) as caught:
        await client.attach(session_id)
    assert caught.value.reason == "SESSION_LOST"
    await client.close()


# Settings and access


async def test_a_worker_takes_nothing_from_others(house: Cluster) -> None:
    worker = await house.worker()
    with pytest.raises(RemoteError, match="takes calls from edges alone") as caught:
        await aconnect(worker.address, timeout_s=5)
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_an_edge_with_other_keys_reaches_no_worker(house: Cluster, tmp_path: Path) -> None:
    worker = await house.worker()
    other = write_keys(tmp_path / "other.keys", b"x" * 32)
    edge = Edge(
        Settings(address=house.address(), session_keys=other, placement=f"static={worker.address}", drain_s=0.5)
    )
    await edge.start()
    client = await connected(edge)
    with pytest.raises(RemoteError) as caught:
        await client.open(timeout_s=1)
    assert caught.value.reason in ("WORKER_UNREACHABLE", "DEADLINE")
    assert worker.placement.taken == 0
    await client.close()
    await edge.stop()


@pytest.mark.parametrize(
    "placement", ["", "static=", "static=host", "static=:1", "static=a:99999", "elsewhere", "local2"]
)
def test_a_placement_that_names_no_workers_is_refused(placement: str, tmp_path: Path) -> None:
    keys = write_keys(tmp_path / "keys", b"k" * 32)
    with pytest.raises(BadInputError, match="names no workers: write --placement local, or static="):
        Edge(Settings(address="127.0.0.1:0", session_keys=keys, placement=placement))


def test_a_worker_of_another_machine_is_not_reached_in_the_clear(tmp_path: Path) -> None:
    keys = write_keys(tmp_path / "keys", b"k" * 32)
    with pytest.raises(BadInputError, match="not encrypted"):
        Edge(Settings(address="127.0.0.1:0", session_keys=keys, placement="static=10.0.0.1:50052"))


def test_an_edge_or_a_worker_without_keys_is_refused() -> None:
    from perception.server.auth.authenticator import Authenticator

    with pytest.raises(BadInputError, match="an edge shares keys with its workers"):
        Edge(Settings(address="127.0.0.1:0", placement="static=127.0.0.1:1"))
    with pytest.raises(BadInputError, match="a worker knows its edges by the session keys"):
        Authenticator(Settings(address="127.0.0.1:0", worker=True))
