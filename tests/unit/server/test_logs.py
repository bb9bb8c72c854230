"""What the service says of itself: enough to find a call again, nothing of what pages and clients hold."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog

from perception.errors import ElementObscuredError
from perception.server import rpc_call
from perception.server.interceptor import ErrorInterceptor
from perception.server.telemetry import logs
from perception.v1 import perception_service_pb2 as pb
from perception.v1.perception_service_pb2_grpc import (
    PerceptionServiceServicer,
    PerceptionServiceStub,
    add_PerceptionServiceServicer_to_server,
)
from tests.support.log_lines import MARKER, Lines, logged

pytestmark = pytest.mark.real_time  # sockets


@pytest.fixture
def lines() -> Iterator[Lines]:
    with logged() as lines:
        yield lines


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("", id="empty"),
        pytest.param("x" * 65, id="long"),
        pytest.param("a\nb", id="two-lines"),
        pytest.param("\u202eb", id="not-ascii"),
    ],
)
def test_an_id_that_cannot_stand_in_a_log_is_replaced(given: str) -> None:
    made = rpc_call.begin("/a/B", ((rpc_call.REQUEST_ID_KEY, given),)).request_id
    assert made != given
    assert len(made) == 16


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        pytest.param("at https://u:p@a.b/c?q=1#f now", "at https://a.b/c now", id="all-parts"),
        pytest.param("https://a.b?q", "https://a.b", id="no-path"),
        pytest.param("(http://a.b/c#x)", "(http://a.b/c", id="up-to-a-blank"),
        pytest.param("ws://h:1/a?token=1, wss://h/b", "ws://h:1/a wss://h/b", id="two"),
        pytest.param("see data:text/html,<b>x", "see data:<b>x", id="data"),
        pytest.param("ratio 3:4?", "ratio 3:4?", id="no-url"),
        pytest.param("", "", id="empty"),
    ],
)
def test_urls_lose_user_query_and_fragment(said: str, stands: str) -> None:
    assert logs.stripped(said) == stands


def test_urls_are_stripped_in_everything_that_is_logged(lines: Lines) -> None:
    structlog.get_logger().info("x", url=f"http://h/?{MARKER}", more=[{"at": f"http://{MARKER}@h/"}])
    assert MARKER not in lines.text
    assert lines.of("x")[0]["more"] == [{"at": "http://h/"}]


def _raise(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except BaseException as exc:
        return exc


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(ValueError(MARKER), "builtins.ValueError", id="words-of-a-page"),
        pytest.param(KeyError(MARKER), "builtins.KeyError", id="a-key"),
        pytest.param(ElementObscuredError(MARKER), "ElementObscuredError (ELEMENT_OBSCURED)", id="ours"),
        pytest.param(TypeError("f() takes 1"), "TypeError: f() takes 1", id="of-code"),
        pytest.param(FileNotFoundError(2, "No such file", MARKER), "(2: No such file)", id="system"),
        pytest.param(ExceptionGroup(MARKER, [ValueError(MARKER)]), "in a group", id="group"),
        pytest.param(_raise(ValueError(MARKER), RuntimeError(MARKER)), "RuntimeError", id="cause"),
    ],
)
def test_exceptions_are_logged_by_frames_and_classes(lines: Lines, error: BaseException, told: str) -> None:
    structlog.get_logger().error("failed", exc_info=_raise(error) if error.__traceback__ is None else error)
    said = lines.of("failed")[0]["exception"]
    assert told in said
    assert "test_logs.py" in said
    assert MARKER not in lines.text


class Broken(PerceptionServiceServicer):
    async def CaptureSnapshot(self, request: pb.CaptureSnapshotRequest, context: Any) -> Any:  # noqa: N802
        raise ValueError(MARKER)

    async def WatchSnapshots(self, request: pb.WatchSnapshotsRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        yield pb.WatchSnapshotsResponse()
        await asyncio.Event().wait()


@pytest.fixture
async def broken(tmp_path: Path) -> AsyncIterator[PerceptionServiceStub]:
    server = grpc.aio.server(interceptors=[ErrorInterceptor()])
    add_PerceptionServiceServicer_to_server(Broken(), server)  # type: ignore[abstract]
    address = f"unix:{tmp_path / 'socket'}"
    server.add_insecure_port(address)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield PerceptionServiceStub(channel)
    await server.stop(None)


async def test_a_defect_is_found_by_its_number(broken: PerceptionServiceStub, lines: Lines) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await broken.CaptureSnapshot(pb.CaptureSnapshotRequest())
    incident = lines.of("internal error")[0]
    assert str(incident["incident"]) in str(caught.value.details())
    assert incident["request_id"] == (await lines.call("CaptureSnapshot"))["request_id"]
    assert "ValueError" in incident["exception"]
    assert MARKER not in lines.text


async def test_a_watch_that_is_cancelled_is_one_line(broken: PerceptionServiceStub, lines: Lines) -> None:
    stream = broken.WatchSnapshots(pb.WatchSnapshotsRequest())
    await stream.read()
    stream.cancel()
    while not lines.of("rpc"):  # the server hears of it a moment later
        lines.stream.news.clear()
        await lines.stream.news.wait()
    assert (await lines.call("WatchSnapshots"))["code"] == "CANCELLED"


async def test_background_tasks_fail_into_the_log(lines: Lines) -> None:
    loop = asyncio.get_running_loop()
    logs.log_background_errors(loop)
    try:

        async def fail() -> None:
            raise ValueError(MARKER)

        task = asyncio.create_task(fail())
        await asyncio.wait([task])
        del task
        assert "ValueError" in lines.of("background task failed")[0]["exception"]
        assert MARKER not in lines.text
    finally:
        loop.set_exception_handler(None)


def test_threads_fail_into_the_log(lines: Lines) -> None:
    def fail() -> None:
        raise ValueError(MARKER)

    thread = threading.Thread(target=fail, name="reader")
    thread.start()
    thread.join()
    assert lines.of("background thread failed")[0]["thread"] == "reader"
    assert MARKER not in lines.text


def test_libraries_are_logged_by_their_templates(lines: Lines) -> None:
    logging.getLogger("somebody").warning("took %s", MARKER)
    logging.getLogger("somebody").info("not worth it")
    assert [line["template"] for line in lines.of("library")] == ["took %s"]
    assert MARKER not in lines.text


def test_a_person_may_read_along(lines: Lines) -> None:
    logs.set_up("info", "console", lines.stream)
    structlog.get_logger().info("rpc", url=f"http://h/?{MARKER}")
    assert "rpc" in lines.text
    assert "{" not in lines.text
    assert MARKER not in lines.text
