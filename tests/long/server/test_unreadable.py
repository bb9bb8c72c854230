"""Bytes that are no request, and rpcs that there are not, are refused in the contract's own terms."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from perception.bench.suites.fuzz.outcomes import error_info
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb

CLICK, WATCH = "/perception.v1.ActionService/Click", "/perception.v1.PerceptionService/WatchSnapshots"

SEND_INPUT, WATCH_FRAMES = "/perception.v1.ControlService/SendInput", "/perception.v1.LiveService/WatchFrames"
UPLOAD = "/perception.v1.FileService/StreamUpload"


async def refusal(client: AsyncClient, path: str, data: bytes) -> tuple[grpc.StatusCode, str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.channel.unary_unary(path)(data, timeout=10)  # type: ignore[type-var]
    info = error_info(caught.value)
    return caught.value.code(), info.reason if info else "", caught.value.details() or ""


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x0a", id="cut"),
        pytest.param(b"\x0a\x02\xff\xfe", id="no-utf-8"),
        pytest.param(b"\x0f", id="no-such-wire-type"),
        pytest.param(b"\x0a\xff\xff\xff\xff\x07", id="longer-than-it-is"),
    ],
)
@pytest.mark.parametrize("path", [CLICK, WATCH])
async def test_bytes_that_are_no_message_are_bad_input(client: AsyncClient, path: str, data: bytes) -> None:
    code, reason, message = await refusal(client, path, data)
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_INPUT")
    assert path.rpartition("/")[2] in message
    assert "protobuf" not in message


@pytest.mark.parametrize("path", [SEND_INPUT, WATCH_FRAMES, UPLOAD])
async def test_a_stream_of_bytes_that_are_no_message_is_bad_input(client: AsyncClient, path: str) -> None:
    call = client.channel.stream_stream(path)(iter([b"\x0a\x02\xff\xfe"]), timeout=10)  # type: ignore[type-var]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    info = error_info(caught.value)
    assert (caught.value.code(), info and info.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_INPUT")


@pytest.mark.parametrize("path", ["/perception.v1.ActionService/Nothing", "/x/y", "/perception.v9.ActionService/Click"])
async def test_an_rpc_that_there_is_not_is_unimplemented(client: AsyncClient, path: str) -> None:
    code, reason, _ = await refusal(client, path, b"")
    assert (code, reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED")


@pytest.mark.parametrize(
    "duration",
    [
        pytest.param(Duration(seconds=2**63 - 1), id="more-than-a-duration-may-be"),
        pytest.param(Duration(seconds=-(2**63)), id="less"),
        pytest.param(Duration(nanos=2**31 - 1), id="too-many-nanos"),
        pytest.param(Duration(seconds=1, nanos=-1), id="signs-that-differ"),
    ],
)
async def test_an_invalid_duration_is_bad_input(client: AsyncClient, page: AsyncPage, duration: Duration) -> None:
    asked = extraction_pb.ExtractContentRequest(session_id=page.session_id, settle_timeout=duration)
    with pytest.raises(RemoteError, match="settle_timeout is") as caught:
        await client.call(client.extraction.ExtractContent, asked)
    assert caught.value.reason == "BAD_INPUT"


async def test_a_node_that_is_no_element_is_no_target(client: AsyncClient, page: AsyncPage, site: str) -> None:
    """Low numbers are documents, their types and their parts, of this and of other pages."""
    await page.navigate(f"{site}/form.html")
    reasons = set()
    for number in range(-1, 12):
        asked = perception_pb.CaptureSnapshotRequest(session_id=page.session_id)
        asked.options.root.backend_node_id = number
        try:
            await client.call(client.perception.CaptureSnapshot, asked)
        except RemoteError as exc:
            reasons.add(exc.reason)
    assert reasons <= {"NO_MATCH", "STALE_REF", "BAD_INPUT"}


@pytest.mark.parametrize(
    "script", ["'half \\ud800'", "console.error('half \\ud800')", "document.title = 'half \\ud800'"]
)
async def test_half_a_character_on_one_page_leaves_other_sessions_alone(
    client: AsyncClient, page: AsyncPage, site: str, script: str
) -> None:
    await page.navigate(f"{site}/form.html")
    other = await client.open(f"{site}/form.html", allow_evaluate=True)
    try:
        answer = await other.evaluate(script)
        assert answer in ("half \ufffd", None)
        assert (await other.snapshot(mode="text")).elements
    finally:
        await other.close()
    assert (await page.snapshot(mode="text")).elements
