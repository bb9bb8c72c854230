"""StreamUpload: files by their bytes, as a stream; what breaks off, what is too large, what is somebody else's."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from perception.client import AsyncClient, AsyncPage, BadInputError, RemoteError, connect
from perception.client.sent_streams import ending_as_answered
from perception.server.app import Service
from perception.server.files.uploads import MAX_RUNNING
from perception.server.sessions.session import Session
from perception.v1 import file_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.live import Show
from tests.support.waiting import title_of, until

FIELD = (
    "<title>0</title><input type=file id=f multiple "
    "onchange='Promise.all([...this.files].map(async each => each.name + (await each.text()).length))"
    ".then(all => document.title = all)'>"
)
LIMIT = 2**20


def session_of(service: Service, page: AsyncPage) -> Session:
    return next(each for each in service.context.sessions.sessions if each.session_id == page.session_id)


async def send(client: AsyncClient, messages: Sequence[pb.StreamUploadRequest]) -> pb.StreamUploadResponse:
    async def requests() -> AsyncIterator[pb.StreamUploadRequest]:
        for message in messages:
            yield message

    reply: pb.StreamUploadResponse = await client.call(ending_as_answered(client.files.StreamUpload), requests())
    return reply


async def refused(call: Awaitable[Any]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


async def until_titled(page: AsyncPage, title: str) -> None:
    """Until the page says so: it reads its files after the event."""
    async with asyncio.timeout(30):
        while await title_of(page) != title:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def folders(session: Session) -> list[Path]:
    return [each for each in session.browser.uploads.folders if each.is_dir()]


async def test_a_streamed_file_is_given_to_a_page_as_often_as_wanted(
    page: AsyncPage, show: Show, tmp_path: Path
) -> None:
    large, empty = tmp_path / "large.bin", tmp_path / "empty"
    large.write_bytes(b"a" * 600_000)
    empty.write_bytes(b"")
    seen: list[tuple[int, int]] = []
    sent = await page.send_file(large, name="é a.bin", on_progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (600_000, 600_000)
    assert (sent, await page.send_file(empty)) == ("u1", "u2")
    await show(FIELD)
    await page.upload("#f", "cv.txt", contents={"b": b"b"}, uploads=[sent, "u2"])
    await until_titled(page, "cv.txt7,b1,é a.bin600000,empty0")
    await show(FIELD)
    await page.upload("#f", uploads=[sent])
    await until_titled(page, "é a.bin600000")
    await page.upload_local("#f", empty)
    await until_titled(page, "empty0")


async def test_the_answer_has_size_and_hash(client: AsyncClient, page: AsyncPage) -> None:
    head = pb.StreamUploadRequest(
        session_id=page.session_id,
        name="a",
        data=b"one ",
        size_bytes=7,
        sha256=hashlib.sha256(b"one two").hexdigest().upper(),
    )
    reply = await send(client, [head, pb.StreamUploadRequest(data=b"two")])
    assert (reply.upload_id, reply.size_bytes) == ("u1", 7)
    assert reply.sha256 == hashlib.sha256(b"one two").hexdigest()


@pytest.mark.parametrize(
    ("head", "rest", "field", "said"),
    [
        pytest.param({"name": "../a"}, [], "name", "'../a' is not a plain file name", id="folders"),
        pytest.param({"name": ""}, [], "name", "'' is not a plain file name", id="no-name"),
        pytest.param({"name": "a", "size_bytes": -1}, [], "size_bytes", "size_bytes is -1", id="negative"),
        pytest.param(
            {"name": "a", "size_bytes": 3}, [b"12"], "size_bytes", "the file has 2 bytes, not the 3", id="less"
        ),
        pytest.param(
            {"name": "a", "size_bytes": 1}, [b"12"], "size_bytes", "has at least 2 bytes, not the 1", id="more"
        ),
        pytest.param({"name": "a", "sha256": "00"}, [b"12"], "sha256", "the file's SHA-256 is 6b51d4", id="hash"),
    ],
)
async def test_what_is_not_the_file_that_was_meant_leaves_nothing(
    client: AsyncClient,
    service: Service,
    page: AsyncPage,
    head: dict[str, Any],
    rest: list[bytes],
    field: str,
    said: str,
) -> None:
    first = pb.StreamUploadRequest(session_id=page.session_id, **head)
    error = await refused(send(client, [first, *(pb.StreamUploadRequest(data=each) for each in rest)]))
    assert (error.reason, error.field) == ("BAD_INPUT", field)
    assert said in str(error)
    session = session_of(service, page)
    assert (session.browser.uploads.used_bytes, folders(session)) == (0, [])


async def test_a_later_message_says_no_more_than_bytes(client: AsyncClient, page: AsyncPage) -> None:
    first = pb.StreamUploadRequest(session_id=page.session_id, name="a")
    error = await refused(send(client, [first, first]))
    assert (error.reason, error.field) == ("BAD_INPUT", "data")


@pytest.mark.parametrize("messages", [[], [pb.StreamUploadRequest(data=b"x")],
                                      [pb.StreamUploadRequest(session_id="nobody's", name="a")]],
                         ids=["none", "no-session", "unknown-session"])  # fmt: skip
async def test_a_stream_without_a_session_of_the_caller_is_refused(
    client: AsyncClient, messages: list[pb.StreamUploadRequest]
) -> None:
    error = await refused(send(client, messages))
    assert error.reason == ("UNKNOWN_SESSION" if messages else "BAD_INPUT")


async def test_bytes_that_are_no_message_are_refused(client: AsyncClient) -> None:
    rpc = client.channel.stream_unary("/perception.v1.FileService/StreamUpload")

    async def requests() -> AsyncIterator[bytes]:
        yield b"\xff\xff"

    with pytest.raises(grpc.RpcError) as caught:
        await rpc(requests(), timeout=10)
    assert "not a message that StreamUpload takes" in str(RemoteError.of(caught.value))


@pytest.mark.parametrize("announced", [LIMIT + 1, None])
async def test_more_than_the_session_may_upload_is_refused(
    client: AsyncClient, service: Service, page: AsyncPage, announced: int | None
) -> None:
    first = pb.StreamUploadRequest(session_id=page.session_id, name="a", size_bytes=announced)
    parts = [pb.StreamUploadRequest(data=b"x" * 300_000)] * 4
    error = await refused(send(client, [first, *parts]))
    assert (error.reason, error.limit, error.setting) == ("UPLOAD_LIMIT", 1, "PERCEPTION_MAX_SESSION_UPLOADS_MIB")
    assert session_of(service, page).browser.uploads.used_bytes == 0
    assert (
        await send(client, [first.__class__(session_id=page.session_id, name="b"), *parts[:3]])
    ).size_bytes == 900_000
    assert (await refused(send(client, [first.__class__(session_id=page.session_id, name="c"), parts[0]]))).reason == (
        "UPLOAD_LIMIT"
    )


async def test_an_upload_that_breaks_off_leaves_nothing(client: AsyncClient, service: Service, page: AsyncPage) -> None:
    session = session_of(service, page)
    call = client.files.StreamUpload(timeout=30)
    await call.write(pb.StreamUploadRequest(session_id=page.session_id, name="a", data=b"x" * 1000))
    await until(lambda: session.browser.uploads.used_bytes == 1000)
    assert len(folders(session)) == 1
    call.cancel()
    await until(lambda: session.browser.uploads.used_bytes == 0)
    assert folders(session) == []


async def test_a_deadline_that_passes_while_the_client_is_busy_is_reported_as_one(
    client: AsyncClient, page: AsyncPage
) -> None:
    async def requests() -> AsyncIterator[pb.StreamUploadRequest]:
        yield pb.StreamUploadRequest(session_id=page.session_id, name="a.txt", size_bytes=2)
        time.sleep(0.1)  # noqa: ASYNC251 - nothing of gRPC for asyncio runs meanwhile

    error = await refused(client.call(ending_as_answered(client.files.StreamUpload), requests(), 0.05))
    assert error.code is grpc.StatusCode.DEADLINE_EXCEEDED, error


async def test_a_slow_sender_is_ended_by_its_deadline_and_holds_up_nobody(
    client: AsyncClient, service: Service, page: AsyncPage
) -> None:
    session = session_of(service, page)
    head = pb.StreamUploadRequest(session_id=page.session_id, name="a", data=b"x")
    slow = [client.files.StreamUpload(timeout=60) for _ in range(MAX_RUNNING)]
    for call in slow:
        await call.write(head)
    await until(lambda: session.browser.uploads.used_bytes == MAX_RUNNING)
    assert service.admission.running == 0
    error = await refused(send(client, [pb.StreamUploadRequest(session_id=page.session_id, name="b")]))
    assert (error.reason, error.limit) == ("SESSION_BUSY", MAX_RUNNING)
    slow.pop().cancel()
    await until(lambda: session.browser.uploads.used_bytes == MAX_RUNNING - 1)
    with early_ends(service) as reserve:
        late = client.files.StreamUpload(timeout=reserve + 2)
        await late.write(head)
        with pytest.raises(grpc.RpcError) as caught:
            await late
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "receiving the file (1 bytes came)" in str(RemoteError.of(caught.value))
    for call in slow:
        call.cancel()
    await until(lambda: session.browser.uploads.used_bytes == 0)


@pytest.mark.parametrize("spoil", [False, True], ids=["unknown", "removed"])
async def test_an_upload_that_is_not_there_is_refused(
    service: Service, page: AsyncPage, show: Show, tmp_path: Path, spoil: bool
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    sent = await page.send_file(tmp_path / "a")
    if spoil:
        session_of(service, page).uploads.find(sent).path.unlink()
    await show(FIELD)
    error = await refused(page.upload("#f", uploads=[sent if spoil else "u9"]))
    assert error.reason == "UNKNOWN_UPLOAD"
    assert ("removed on the service's disk: send it again" if spoil else "'u9': this session has u1") in str(error)


async def test_an_upload_of_a_neighbor_is_unknown(
    client: AsyncClient, page: AsyncPage, site: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    await page.send_file(tmp_path / "a")
    neighbor = await client.open(f"{site}/form.html")
    assert (await refused(neighbor.upload("#f", uploads=["u1"]))).reason in ("UNKNOWN_UPLOAD", "NO_MATCH")
    await neighbor.close()


async def test_files_go_with_the_session(client: AsyncClient, service: Service, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    page = await client.open()
    path = session_of(service, page).uploads.find(await page.send_file(tmp_path / "a")).path
    await page.close()
    assert not await asyncio.to_thread(path.exists)
    with pytest.raises(BadInputError, match="cannot be read"):
        await page.send_file(tmp_path / "none")


async def test_the_blocking_client_sends_too(service: Service, page: AsyncPage, show: Show, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a" * 300_000)
    await show(FIELD)

    def give() -> None:
        with connect(service.context.settings.address) as client:
            client.attach(page.session_id).upload_local("#f", tmp_path / "a")

    await asyncio.to_thread(give)
    await until_titled(page, "a300000")
