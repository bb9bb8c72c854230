"""What a browser says wrongly costs the command that it is about, and nothing else."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs
from websockets.asyncio.server import ServerConnection, serve

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink, consume
from perception.deadline import Deadline

pytestmark = pytest.mark.real_time  # real sockets

HELLO = '{"id":2,"result":{"said":"hello"}}'


@asynccontextmanager
async def browser_saying(*frames: str | bytes) -> AsyncIterator[CdpLink]:
    """A link to a browser that hears two commands, then says these."""

    async def play(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.recv()
        for frame in frames:
            await socket.send(frame)
        await socket.wait_closed()

    async with serve(play, "127.0.0.1", 0, compression=None) as server:
        link = await CdpLink.connect(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", Deadline.of(10))
        yield link
        await link.close()


def start_two(link: CdpLink) -> tuple[Any, Any]:
    return link.start("", "X.first", {}), link.start("", "X.second", {})


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param("{", id="cut"),
        pytest.param("[]", id="no-object"),
        pytest.param("null", id="null"),
        pytest.param(b"\xff\xfe", id="no-text"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"id":[1],"result":{}}', id="an-id-that-is-a-list"),
        pytest.param('{"params":{}}', id="an-event-without-a-name"),
        pytest.param('{"method":{"x":1}}', id="a-name-that-is-an-object"),
        pytest.param('{"method":"Target.detachedFromTarget"}', id="detached-from-nothing"),
        pytest.param('{"method":"Target.detachedFromTarget","params":{"sessionId":[1]}}', id="detached-from-a-list"),
        pytest.param('{"id":99,"result":{}}', id="an-answer-that-nobody-waits-for"),
    ],
)
async def test_a_wrong_frame_is_passed_over(frame: str | bytes) -> None:
    async with browser_saying(frame, HELLO) as link:
        _, second = start_two(link)
        assert await second == {"said": "hello"}
        assert not link.closed.is_set()


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        pytest.param('{"id":1,"result":5}', "not an object", id="a-number"),
        pytest.param('{"id":1,"error":"no"}', "X.first: ", id="an-error-that-is-a-string"),
        pytest.param('{"id":1,"error":{"code":"x","message":5}}', "X.first: 5", id="an-error-of-other-types"),
    ],
)
async def test_a_wrong_answer_fails_its_command(answer: str, match: str) -> None:
    async with browser_saying(answer, HELLO) as link:
        first, second = start_two(link)
        with pytest.raises(CdpCallError, match=match):
            await first
        assert await second == {"said": "hello"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param(r"half \ud800 x", "half \ufffd x", id="the-first-half"),
        pytest.param(r"half \udc00 x", "half \ufffd x", id="the-second-half"),
        pytest.param(r"\ud800\ud83d\ude00", "\ufffd\U0001f600", id="a-half-before-a-pair"),
        pytest.param(r"\\ud800 \ud800", "\\ud800 \ufffd", id="one-that-only-looks-like-it"),
        pytest.param(r"\uDBFF\"", '\ufffd"', id="in-capitals-before-another-escape"),
    ],
)
async def test_halves_of_characters_become_the_sign_for_them(written: str, read: str) -> None:
    async with browser_saying('{"id":1,"result":{"value":"' + written + '"}}') as link:
        first, _ = start_two(link)
        assert await first == {"value": read}


async def test_an_event_whose_listener_fails_is_logged_and_the_next_one_delivered() -> None:
    heard: list[Any] = []
    listeners: tuple[Callable[[dict[str, Any]], Any], ...] = (lambda params: params["gone"], heard.append)
    async with browser_saying('{"method":"X.event"}', HELLO) as link:
        for listener in listeners:
            link.on("", "X.event", listener)
        with capture_logs() as logs:
            _, second = start_two(link)
            await second
    assert heard == [{}]
    assert [(each["log_level"], each["event_name"]) for each in logs] == [("error", "X.event")]


class _Stalled:
    """A socket that takes a message and never finishes sending it; nothing but the sending itself holds its future."""

    def __init__(self) -> None:
        self.sending: weakref.ref[asyncio.Future[None]] | None = None

    async def send(self, _: str) -> None:
        future = asyncio.get_running_loop().create_future()
        self.sending = weakref.ref(future)
        await future

    async def close(self) -> None:
        future = self.sending() if self.sending is not None else None
        if future is not None:
            future.set_result(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        await asyncio.Event().wait()
        yield ""


async def test_a_command_that_is_being_sent_is_not_garbage() -> None:
    socket = _Stalled()
    link = CdpLink(socket)  # type: ignore[arg-type]  # what the link uses of a connection
    link.start("", "X.slow", {}).add_done_callback(consume)
    await asyncio.sleep(0)  # the sending begins
    gc.collect()
    assert socket.sending is not None
    assert socket.sending() is not None
    await link.close()
