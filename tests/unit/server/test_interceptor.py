"""Whatever a service raises, the caller gets a status that this project chose, and gets it at once."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import AsyncMock

import grpc
import pytest
from grpc_status import rpc_status
from prometheus_client import REGISTRY

from perception.client import RemoteError
from perception.deadline import Deadline
from perception.errors import BadInputError, PerceptionError, SessionLimitError, StaleRefError
from perception.server.interceptor import ErrorInterceptor
from perception.server.status import status_of
from perception.v1 import perception_service_pb2 as pb
from perception.v1.perception_service_pb2_grpc import (
    PerceptionServiceServicer,
    PerceptionServiceStub,
    add_PerceptionServiceServicer_to_server,
)
from tests.support.waiting import until

pytestmark = pytest.mark.real_time  # sockets

SECRET = "token=abc123"


async def late() -> None:
    async with Deadline.of(0).phase("testing"):
        await asyncio.Event().wait()


class Failing(PerceptionServiceServicer):
    """Fails in the way that the session id names."""

    asked: ClassVar[list[int]] = []
    """Ids of the requests, which are held nowhere else."""

    async def CaptureSnapshot(self, request: pb.CaptureSnapshotRequest, context: Any) -> Any:  # noqa: N802
        self.asked.append(id(request))
        match request.session_id:
            case "defect":
                raise ValueError(SECRET)
            case "stray":
                raise asyncio.CancelledError
            case "late":
                await late()
            case "overdue":
                await asyncio.sleep(30)
            case "group":
                async with asyncio.TaskGroup() as group:
                    group.create_task(late())
            case "stale":
                raise StaleRefError("ref e1 is stale", ref="e1")
        return pb.CaptureSnapshotResponse(screenshot={"data": bytes(17 * 2**20)})

    async def WatchSnapshots(self, request: pb.WatchSnapshotsRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        yield pb.WatchSnapshotsResponse()
        raise ValueError(SECRET)


@pytest.fixture
async def stub(tmp_path: Path) -> AsyncIterator[PerceptionServiceStub]:
    server = grpc.aio.server(interceptors=[ErrorInterceptor()])
    add_PerceptionServiceServicer_to_server(Failing(), server)  # type: ignore[abstract]
    address = f"unix:{tmp_path / 'socket'}"
    server.add_insecure_port(address)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield PerceptionServiceStub(channel)
    await server.stop(0)


@pytest.mark.parametrize(
    ("how", "code", "reason"),
    [
        pytest.param("defect", "INTERNAL", "INTERNAL", id="defect"),
        pytest.param("stray", "INTERNAL", "INTERNAL", id="stray-cancel"),
        pytest.param("late", "DEADLINE_EXCEEDED", "DEADLINE", id="deadline"),
        pytest.param("group", "DEADLINE_EXCEEDED", "DEADLINE", id="out-of-a-task-group"),
        pytest.param("large", "RESOURCE_EXHAUSTED", "REPLY_TOO_LARGE", id="too-large"),
        pytest.param("stale", "FAILED_PRECONDITION", "STALE_REF", id="ours"),
    ],
)
async def test_every_failure_becomes_a_status(stub: PerceptionServiceStub, how: str, code: str, reason: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.CaptureSnapshot(pb.CaptureSnapshotRequest(session_id=how), timeout=20)
    error = RemoteError.of(caught.value)
    assert (error.code.name, error.reason) == (code, reason)
    assert SECRET not in str(caught.value)


async def test_the_details_are_those_that_grpcs_own_library_reads(stub: PerceptionServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.CaptureSnapshot(pb.CaptureSnapshotRequest(session_id="stale"), timeout=20)
    assert rpc_status.from_call(caught.value) == status_of(StaleRefError("ref e1 is stale", ref="e1"))


@pytest.mark.parametrize("how", ["large", "late", "group", "stale", "overdue"])
async def test_a_request_that_failed_is_let_go_without_the_garbage_collector(
    stub: PerceptionServiceStub, how: str
) -> None:
    Failing.asked.clear()
    gc.disable()
    try:
        call = stub.CaptureSnapshot(pb.CaptureSnapshotRequest(session_id=how), timeout=20)
        await until(lambda: bool(Failing.asked))
        if how == "overdue":
            call.cancel()
        with pytest.raises((grpc.aio.AioRpcError, asyncio.CancelledError)):
            await call
        await until(lambda: not is_held(Failing.asked[0]))
    finally:
        gc.enable()


def is_held(number: int) -> bool:
    """Whether the request of that id is anywhere in memory."""
    return any(id(each) == number and isinstance(each, pb.CaptureSnapshotRequest) for each in gc.get_objects())


METHOD = "/perception.v1.PerceptionService/CaptureSnapshot"


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, {"method": METHOD, **labels}) or 0.0


async def test_every_call_is_counted_by_its_code(stub: PerceptionServiceStub) -> None:
    before = sample("rpc_server_duration_seconds_count", code="FAILED_PRECONDITION")
    with pytest.raises(grpc.aio.AioRpcError):
        await stub.CaptureSnapshot(pb.CaptureSnapshotRequest(session_id="stale"), timeout=20)
    # Counted after the answer was sent.
    await until(lambda: sample("rpc_server_duration_seconds_count", code="FAILED_PRECONDITION") == before + 1)


async def test_a_call_that_outlives_its_deadline_is_counted(stub: PerceptionServiceStub) -> None:
    before = sample("perception_deadline_overshoot_seconds_count")

    async def call() -> None:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.CaptureSnapshot(pb.CaptureSnapshotRequest(session_id="overdue"), timeout=0.1)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED

    await call()
    while sample("perception_deadline_overshoot_seconds_count") == before:  # on a busy machine it may not have come
        await call()


async def test_a_stream_that_breaks_reveals_no_secrets(stub: PerceptionServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in stub.WatchSnapshots(pb.WatchSnapshotsRequest(), timeout=20):
            pass
    assert RemoteError.of(caught.value).reason == "INTERNAL"
    assert SECRET not in str(caught.value)


def errors_of_calls() -> list[type[PerceptionError]]:
    """The classes of `perception.errors`; those of other rooms never leave them."""
    found: list[type[PerceptionError]] = [PerceptionError]
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found[1:] if kind.__module__.startswith("perception.errors.")]


@pytest.mark.parametrize("kind", errors_of_calls(), ids=lambda kind: kind.__name__)
def test_every_error_class_has_a_code(kind: type[PerceptionError]) -> None:
    assert kind.grpc_code != PerceptionError.grpc_code
    assert kind.grpc_code in grpc.StatusCode.__members__


@pytest.mark.parametrize("character", ["x", "\u00e4", "\u6f22", "\U0001f600"])
def test_an_error_that_quotes_long_texts_fits_into_headers(character: str) -> None:
    long = character * 20_000
    status = rpc_status.to_status(status_of(BadInputError(long, field="url", ref=long)))
    percent_encoded = sum(1 if each.isascii() else 3 * len(each.encode()) for each in status.details)
    assert 300 <= percent_encoded <= 3000
    assert sum(len(value) * 4 / 3 for _, value in status.trailing_metadata) + percent_encoded < 8192


def test_details_name_the_field_and_the_time_to_retry() -> None:
    types = [detail.type_url.rsplit(".", 1)[1] for detail in status_of(BadInputError("x", field="url")).details]
    assert types == ["ErrorInfo", "BadRequest"]
    assert [d.type_url.rsplit(".", 1)[1] for d in status_of(SessionLimitError("x")).details] == [
        "ErrorInfo",
        "RetryInfo",
    ]


async def test_a_message_that_cannot_be_written_is_an_error_and_a_caller_who_left_is_none() -> None:
    async def one(request: Any, context: Any) -> AsyncIterator[Any]:
        yield pb.WatchSnapshotsResponse()

    async def end_by(error: Exception) -> BaseException:
        context: Any = GoneContext()
        context.write = AsyncMock(side_effect=error)
        context.abort = AsyncMock(side_effect=grpc.aio.AbortError)
        context.code = lambda: grpc.StatusCode.INTERNAL
        with pytest.raises((asyncio.CancelledError, grpc.aio.AbortError)) as caught:
            await (await watched(one))(pb.WatchSnapshotsRequest(), context)
        return caught.value

    assert isinstance(await end_by(grpc.aio.UsageError("RPC already finished.")), asyncio.CancelledError)
    assert isinstance(await end_by(ValueError("no message")), grpc.aio.AbortError)


class GoneContext:
    """A call's context that must not be asked once the call is gone: gRPC would read freed memory."""

    def __init__(self) -> None:
        self.gone = False
        self.writing = asyncio.Event()

    async def write(self, _: Any) -> None:
        self.writing.set()
        await asyncio.Event().wait()

    def __getattr__(self, name: str) -> Any:
        assert not self.gone, f"{name} of a call that is gone"
        return {"peer": lambda: "unix:"}.get(name, lambda *_: None)


async def test_a_stream_that_ends_late_does_not_ask_for_its_call() -> None:
    async def endless(request: Any, context: Any) -> AsyncIterator[Any]:
        while True:
            yield pb.WatchSnapshotsResponse()

    context = GoneContext()
    serving = asyncio.create_task((await watched(endless))(pb.WatchSnapshotsRequest(), context))
    await context.writing.wait()
    context.gone = True
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def watched(behavior: Any) -> Any:
    """The behavior as WatchSnapshots is answered with it."""
    handler = grpc.unary_stream_rpc_method_handler(behavior)

    async def served(_: Any) -> Any:
        return handler

    details = SimpleNamespace(method="/perception.v1.PerceptionService/WatchSnapshots")
    guarded = await ErrorInterceptor().intercept_service(served, details)  # type: ignore[arg-type]
    assert guarded is not None
    return guarded.unary_stream
