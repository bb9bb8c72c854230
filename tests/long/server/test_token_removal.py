"""A token whose line is gone from the token file, or has fewer rights: what it had under way ends, and says why."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import control_service_pb2 as control_pb
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import live_service_pb2 as live_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1.control_service_pb2_grpc import ControlServiceStub
from perception.v1.file_service_pb2_grpc import FileServiceStub
from perception.v1.live_service_pb2_grpc import LiveServiceStub
from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub
from tests.support.lent_browser import borrowing
from tests.support.waiting import until

ENDS_WITHIN_S = 2.0
OWNER = secrets.token_urlsafe(32)


@dataclass
class Tokens:
    """A token file."""

    path: Path
    lines: dict[str, str] = field(default_factory=dict)

    def add(self, rights: str = "all") -> str:
        token = secrets.token_urlsafe(32)
        self.set(token, rights)
        return token

    def set(self, token: str, rights: str) -> None:
        self.lines[token] = f"me {token} {rights}"
        self._write()

    def remove(self, token: str) -> None:
        del self.lines[token]
        self._write()

    def _write(self) -> None:
        self.path.touch(0o600)
        self.path.write_text("\n".join(self.lines.values()))


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    tokens = Tokens(tmp_path_factory.mktemp("tokens") / "tokens")
    tokens.set(OWNER, "all")
    return tokens


@pytest.fixture(scope="module")
async def running(service: Service, tokens: Tokens) -> AsyncIterator[tuple[Service, int]]:
    settings = Settings(
        address="127.0.0.1:0", token_file=tokens.path, data_dir=tokens.path.parent / "data", max_sessions=3
    )
    async with borrowing(service, settings) as running:
        yield running


@pytest.fixture(scope="module")
def address(running: tuple[Service, int]) -> str:
    return f"127.0.0.1:{running[1]}"


@pytest.fixture(scope="module")
async def owner(address: str) -> AsyncIterator[AsyncClient]:
    client = await aconnect(address, token=OWNER, timeout_s=30)
    yield client
    await client.close()


@pytest.fixture(scope="module")
async def page(owner: AsyncClient) -> AsyncPage:
    return await owner.open()


async def opened(call: Any, request: Any) -> Any:
    """A stream with a first message written."""
    await call.write(request)
    return call


def watch_snapshots(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    ask = perception_pb.WatchSnapshotsRequest(session_id=session_id)
    return PerceptionServiceStub(channel).WatchSnapshots(ask, metadata=headers)


def watch_control(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    return ControlServiceStub(channel).WatchControl(
        control_pb.WatchControlRequest(session_id=session_id), metadata=headers
    )


def watch_calls(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    return LiveServiceStub(channel).WatchCalls(live_pb.WatchCallsRequest(session_id=session_id), metadata=headers)


async def frames(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    ask = live_pb.WatchFramesRequest(session_id=session_id)
    return await opened(LiveServiceStub(channel).WatchFrames(metadata=headers), ask)


async def upload(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    start = file_pb.StreamUploadRequest(session_id=session_id, name="a.txt", data=b"x")
    return await opened(FileServiceStub(channel).StreamUpload(metadata=headers), start)


async def reflection(channel: grpc.aio.Channel, _: str, headers: Any) -> Any:
    ask = reflection_pb2.ServerReflectionRequest(list_services="")
    return await opened(reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(metadata=headers), ask)


def wait_for(channel: grpc.aio.Channel, session_id: str, headers: Any) -> Any:
    ask = control_pb.RequestHumanRequest(session_id=session_id, reason="a captcha")
    return ControlServiceStub(channel).RequestHuman(ask, metadata=headers)


async def read_to_the_end(call: Any) -> None:
    if hasattr(call, "read"):
        while await call.read() is not grpc.aio.EOF:
            pass
    await call


async def ended(call: Any) -> tuple[RemoteError, float]:
    """What a call ends with, and after how many seconds."""
    start = time.monotonic()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async with asyncio.timeout(10):
            await (read_to_the_end(call) if not hasattr(call, "write") or hasattr(call, "read") else call)
    return RemoteError.of(caught.value), time.monotonic() - start


@pytest.mark.parametrize(
    "begin",
    [watch_snapshots, watch_control, watch_calls, frames, upload, reflection, wait_for],
    ids=lambda f: f.__name__,
)
async def test_a_call_ends_with_its_token(
    running: tuple[Service, int], address: str, tokens: Tokens, page: AsyncPage, begin: Callable[..., Any]
) -> None:
    token = tokens.add()
    async with grpc.aio.insecure_channel(address) as channel:
        call = begin(channel, page.session_id, (("authorization", f"Bearer {token}"),))
        call = await call if asyncio.iscoroutine(call) else call
        await until(lambda: running[0].authenticator.watch.uses == 1)
        tokens.remove(token)
        error, seconds = await ended(call)
    assert error.code is grpc.StatusCode.UNAUTHENTICATED
    assert "no longer in the token file" in error.plain
    assert seconds < ENDS_WITHIN_S


async def test_control_ends_with_the_token_that_took_it(address: str, tokens: Tokens, page: AsyncPage) -> None:
    token = tokens.add("view,control")
    headers = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address) as channel:
        control = ControlServiceStub(channel)
        ask = control_pb.TakeControlRequest(session_id=page.session_id)
        ask.lease.FromSeconds(300)
        lease = (await control.TakeControl(ask, metadata=headers)).lease_id
        sending = control.SendInput(metadata=headers)
        await sending.write(control_pb.SendInputRequest(session_id=page.session_id, lease_id=lease, number=1))
        assert (await sending.read()).number == 1
        tokens.remove(token)
        error, seconds = await ended(sending)
        assert error.code is grpc.StatusCode.UNAUTHENTICATED
        await page.snapshot(mode="text", timeout_s=ENDS_WITHIN_S)  # it waits while a person has control
    assert seconds < ENDS_WITHIN_S


async def test_a_token_keeps_what_its_fewer_rights_allow(address: str, tokens: Tokens, page: AsyncPage) -> None:
    token = tokens.add("view,control")
    headers = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address) as channel:
        control = ControlServiceStub(channel)
        await control.TakeControl(control_pb.TakeControlRequest(session_id=page.session_id), metadata=headers)
        watching = watch_control(channel, page.session_id, headers)
        assert (await watching.read()).control.state == control_pb.CONTROL_STATE_HELD
        uploading = await upload(channel, page.session_id, headers)
        tokens.set(token, "view")
        error, _ = await ended(uploading)
        assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "RIGHT_MISSING")
        async with asyncio.timeout(ENDS_WITHIN_S):
            while (await watching.read()).control.state != control_pb.CONTROL_STATE_FREE:
                pass
        watching.cancel()


async def test_a_token_that_is_written_again_at_once_ends_nothing(
    address: str, tokens: Tokens, page: AsyncPage
) -> None:
    token = tokens.add()
    async with grpc.aio.insecure_channel(address) as channel:
        watching = watch_control(channel, page.session_id, (("authorization", f"Bearer {token}"),))
        await watching.read()
        tokens.remove(token)
        await asyncio.sleep(0.1)
        tokens.set(token, "all")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watching.read(), ENDS_WITHIN_S)
