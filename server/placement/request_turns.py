"""One edge at a time opens the session of a request: the first workers to which the request leads give it turns.

Two edges that get the same request see different workers for a moment: news is late, a worker is not reached by one of
them, a slot becomes free between two claims. Both ask the same owners first, in the same order, so that none waits for
one that waits for it.

Rule 1: a turn lasts as long as its call. Where an edge dies, its calls end, and the next one has its turn.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import msgspec

from perception.deadline import Deadline
from perception.server.placement.worker_link import WorkerLink, unreachable
from perception.server.placement.worker_status import HOLD, SILENT_SECONDS, Asked, Held, Wanted
from perception.server.rpc_call import RpcCall

KEPT_REQUESTS = 4096
"""Requests of which a worker remembers who was asked for their session last. News comes within SILENT_SECONDS: that is
800 requests a second. Chosen by hand."""


_WITHOUT_TURNS = (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNAUTHENTICATED)
"""What a worker of an older version answers, where sessions open as they did: a caller is signed for a method, and it
has none of that name."""


@dataclass(slots=True)
class _Line:
    """Those that want a turn of one request."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class RequestTurns:
    """The turns that a worker gives, as an owner of requests."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}
        self._asked: OrderedDict[str, int] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many there are, those whose turn it is included."""
        return sum(each.waiting for each in self._lines.values())

    def asked(self, key: str) -> int | None:
        """The number of the worker that was asked for the request's session last; None where that is not known."""
        return self._asked.get(key)

    def note(self, key: str, worker: int) -> None:
        """A worker is about to be asked for it."""
        self._asked[key] = worker
        self._asked.move_to_end(key)
        while len(self._asked) > KEPT_REQUESTS:
            self._asked.popitem(last=False)

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """One inside at a time for each key, in the order in which they came."""
        line = self._lines.setdefault(key, _Line())
        line.waiting += 1
        try:
            async with line.lock:
                yield
        finally:
            line.waiting -= 1
            if not line.waiting:
                del self._lines[key]


class Turn:
    """The turn of one edge's call.

    Attributes:
        asked: numbers of the workers that were asked for the session last, as far as the owners know.
    """

    def __init__(self) -> None:
        self.asked: set[int] = set()
        self._calls: list[Any] = []

    async def note(self, link: WorkerLink) -> None:
        """Call before a worker is asked for the session. Does nothing where it is not known who that is."""
        if link.status is None:
            return
        message = msgspec.json.encode(Asked(link.status.number))
        await asyncio.gather(*(each.write(message) for each in self._calls), return_exceptions=True)

    async def join(self, owner: WorkerLink, wanted: Wanted, deadline: Deadline) -> None:
        """Waits for the turn at one owner. Raises as `turn_of`."""
        caller = RpcCall(HOLD, secrets.token_hex(8))
        start = owner.call_of(HOLD, streams_requests=True, streams_answers=True)
        call = start(metadata=owner.signed(caller))
        self._calls.append(call)
        try:
            async with deadline.phase("waiting for the same request"):
                async with asyncio.timeout(SILENT_SECONDS):
                    await call.write(msgspec.json.encode(wanted))
                    await _next(call)  # it is in line
                held = msgspec.json.decode(await _next(call), type=Held)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, EOFError, TimeoutError) as exc:
            call.cancel()
            if await call.code() not in _WITHOUT_TURNS:
                raise unreachable(owner.name) from exc
        else:
            self.asked.update(() if held.asked is None else (held.asked,))

    def end(self) -> None:
        """The next one has its turn."""
        for each in self._calls:
            each.cancel()


@asynccontextmanager
async def turn_of(wanted: Wanted, owners: Sequence[WorkerLink], deadline: Deadline) -> AsyncIterator[Turn]:
    """Inside, no other edge opens the session of the request, as far as it has one of the same owners.

    Args:
        owners: empty for a request that nobody can repeat.

    Raises:
        DeadlineError: others had their turns until then.
        WorkerUnreachableError: an owner does not answer.
    """
    turn = Turn()
    try:
        for each in owners:
            await turn.join(each, wanted, deadline)
        yield turn
    finally:
        turn.end()


async def _next(call: Any) -> bytes:
    """The next message of a stream. Raises EOFError at its end, and AioRpcError."""
    message = await call.read()
    if message is grpc.aio.EOF:
        raise EOFError
    return bytes(message)
