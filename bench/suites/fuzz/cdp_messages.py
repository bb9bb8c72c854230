"""A fake browser whose DevTools messages are wrong in every way that a WebSocket allows.

In every case, commands end within their deadline, and the link can be closed and leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.browser.cdp.cdp_link import CdpCallError, CdpLink
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, DeadlineError, PageCrashedError, SessionLostError

MESSAGES_AT_ONCE = 32

MAX_CDP_BYTES = 100_000
"""Message limit of the tested link; testing the browser's own limit would take gigabytes."""

BUDGET_SECONDS = 0.15

LATE_SECONDS = 2.0
"""How much later than their deadline the commands may end."""

LINK_CLOSE_SECONDS = 5.0
"""A link waits for the other side's close message, but not for long."""

ASKED = 4
"""Commands that are pending while the odd frames arrive."""

ENDS = (CdpCallError, SessionLostError, PageCrashedError, DeadlineError)

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2, 3, 4, 1.5, 2**31, 2**63, 10**30, -(10**30), "", "1", "x" * 1000, [], [1], {}, {"id": 1}),
    *("Target.detachedFromTarget", "Inspector.targetCrashed", "S1", "S2", {"sessionId": "S1"}, {"sessionId": 1}),
    *({"code": "x", "message": 5}, {"message": None}, {"code": 10**30, "message": "m" * 1000}),
)
MESSAGE_KEYS = ("id", "method", "params", "result", "error", "sessionId", "x")
BROKEN = (
    *(
        "",
        "{",
        "[",
        "nul",
        '{"id":}',
        '{"id":1',
        "\0",
        "{'id': 1}",
        "NaN",
        '{"id":1e999}',
        '{"id":"\ud800"}',
        "[]",
        "1",
    ),
    *('"x"', "null", "true", "[" * 2000, '{"id":' * 500, '{"id": 1, "id": 2}', '{"id":1}{"id":2}', "\ufeff{}"),
)


def draw_frames(random: Random) -> Iterator[tuple[str, Any]]:
    """The browser's steps in order: `text`, `binary`, `parts`, `raw` or `close`."""
    for _ in range(random.randrange(1, 7)):
        lot = random.random()
        if lot < 0.4:
            keys = random.sample(MESSAGE_KEYS, random.randrange(1, 5))
            message = {key: random.choice(VALUES) for key in keys}
            yield random.choice(("text", "text", "binary", "parts")), msgspec.json.encode(message, enc_hook=str)
        elif lot < 0.6:
            number = random.randrange(1, ASKED + 2)
            yield "text", msgspec.json.encode({"id": number, random.choice(MESSAGE_KEYS[3:5]): random.choice(VALUES)})
        elif lot < 0.75:
            yield "text", random.choice(BROKEN).encode("utf-8", "surrogatepass")
        elif lot < 0.8:
            yield "binary", random.randbytes(random.choice((0, 1, 100)))
        elif lot < 0.84:
            yield (
                "text",
                b'{"method":"a","params":"' + b"x" * random.choice((1000, MAX_CDP_BYTES, MAX_CDP_BYTES + 1)) + b'"}',
            )
        elif lot < 0.9:
            yield (
                "raw",
                random.choice((b"\x81\x7f", b"\x83\x00", b"\x81\x05ab", b"\x01\x01a", b"\x88\x01x", b"\xff\xff")),
            )
        elif lot < 0.95:
            yield "ping", b""
        else:
            yield "close", random.choice((1000, 1001, 1011, 4000))
            return


async def _play(socket: ServerConnection, frames: list[tuple[str, Any]]) -> None:
    """Receives the commands, then does the steps of the case, then sends nothing more."""
    try:
        for _ in range(ASKED):
            await socket.recv()
        for kind, data in frames:
            if kind == "text":
                # A text frame that is not UTF-8 is sent unchanged.
                _write(socket, b"\x81", data)
            elif kind == "binary":
                await socket.send(data)
            elif kind == "parts":
                middle = len(data) // 2
                _write(socket, b"\x01", data[:middle])
                _write(socket, b"\x80", data[middle:])
            elif kind == "raw":
                socket.transport.write(data)
            elif kind == "ping":
                await socket.ping()
            else:
                await socket.close(data)
                return
        await socket.wait_closed()
    except (ConnectionClosed, OSError):
        pass


def _write(socket: ServerConnection, head: bytes, data: bytes) -> None:
    size = len(data)
    length = (
        bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2) if size < 65_536 else b"\x7f" + size.to_bytes(8)
    )
    socket.transport.write(head + length + data)


async def try_link(url: str) -> tuple[list[str], str]:
    """How the commands ended, and what is wrong with that; empty if nothing is."""
    try:
        link = await CdpLink.connect(url, Deadline.of(5.0), max_bytes=MAX_CDP_BYTES)
    except BrowserUnavailableError:
        return ["no link"], ""
    heard: list[Any] = []
    link.on("", "Target.detachedFromTarget", heard.append)
    link.on("S1", "Inspector.targetCrashed", lambda params: heard.append(params["reason"]))
    deadline = Deadline.of(BUDGET_SECONDS)
    sessions = ("", "S1", "", "S2")
    asked = [link.session(sessions[at]).call(f"X.m{at}", deadline, "trying the link", at=at) for at in range(ASKED)]
    try:
        done = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), BUDGET_SECONDS + LATE_SECONDS)
    except TimeoutError:
        return ["HANG"], "commands wait beyond their deadline"
    wrong = [each for each in done if not isinstance(each, (dict, *ENDS))]
    try:
        await asyncio.wait_for(link.close(), LINK_CLOSE_SECONDS)
    except TimeoutError:
        return ["HANG"], f"the link is not closed after {LINK_CLOSE_SECONDS:g} s"
    except Exception as exc:  # this is the subject of the test
        return ["close failed"], f"closing: {type(exc).__name__}: {exc}"
    if not link.closed.is_set():
        return ["not closed"], "the link does not know that it is closed"
    names = ["result" if isinstance(each, dict) else type(each).__name__ for each in done]
    return names, f"a command ended as {wrong[0]!r}" if wrong else ""


async def fuzz_cdp(cases: int, seed: int) -> PartOutcome:
    outcome = PartOutcome("cdp")
    start = time.monotonic()
    unheard: list[str] = []
    gc.collect()  # what was left before is not said of these links
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: unheard.append(str(context.get("exception") or context["message"])))
    tasks = len(asyncio.all_tasks())

    async def play(socket: ServerConnection) -> None:
        assert socket.request is not None
        await _play(socket, frames_of(seed, int(socket.request.path.strip("/"))))

    try:
        async with serve(play, "127.0.0.1", 0, compression=None, ping_interval=None, close_timeout=0.1) as server:
            port = server.sockets[0].getsockname()[1]
            numbers = iter(range(cases))

            async def work() -> None:
                for number in numbers:
                    names, why = await try_link(f"ws://127.0.0.1:{port}/{number}")
                    outcome.cases += 1
                    outcome.add_codes(names)
                    if why:
                        outcome.fail(number, frames_of(seed, number), why)

            await asyncio.gather(*(work() for _ in range(MESSAGES_AT_ONCE)))
        await asyncio.sleep(0)
        gc.collect()
        for said in sorted(set(unheard)):
            outcome.fail(cases, f"{unheard.count(said)} times", f"nobody heard of {said}")
        if more := await _tasks_over(tasks):
            outcome.fail(cases, "tasks", f"{more} tasks are left")
    finally:
        loop.set_exception_handler(before)
    outcome.seconds = time.monotonic() - start
    return outcome


async def _tasks_over(count: int) -> int:
    """How many tasks more than this many there are; those that are about to end, or are others', have some time."""
    end = time.monotonic() + LINK_CLOSE_SECONDS
    while (more := len(asyncio.all_tasks()) - count) > 0 and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    return max(0, more)


def frames_of(seed: int, number: int) -> list[tuple[str, Any]]:
    return list(draw_frames(Random(f"{seed} cdp {number}")))
