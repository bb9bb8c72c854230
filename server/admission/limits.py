"""Limits on running and waiting calls. Calls over a limit are refused at once; a waiting call ends when its caller
leaves.

Rule 1: a call holds its slot until it ends, however it ends.
Rule 2: calls that relieve the service need no slot: closing, answering a dialog, listing, health.
Rule 3: neither one session nor watches and transfers of files, which last long, can take all slots.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from perception.deadline import Deadline, loop_time
from perception.errors import QueueFullError, SessionBusyError, ShuttingDownError, WatchLimitError
from perception.instrumentation.metrics import QUEUE_DEPTH, QUEUE_WAIT_SECONDS
from perception.server.admission.calls_under_way import CallsUnderWay
from perception.server.environment import how_to_set, variable_of
from perception.server.rpc_call import RpcCall, deadline_of
from perception.server.settings import Settings
from perception.v1.options_pb2 import MethodRules

OPEN_PREFIXES = ("/grpc.health.", "/grpc.reflection.", "/grpc.channelz.", "/perception.cluster.")
"""Methods that are answered at saturation and while the service stops."""

ROOM_FOR_RELIEF = 4
"""Factor on running plus waiting calls, for calls that need no slot: they end soon, but not instantly."""


class Places:
    """Slots for running calls and a first-in, first-out queue.

    Args:
        limit, queue_limit: running and waiting calls.
    """

    def __init__(self, limit: int, queue_limit: int) -> None:
        self._free = asyncio.Semaphore(limit)
        self._queue_limit = queue_limit
        self._limit = limit
        self.waiting = 0

    def check(self) -> None:
        """Raises QueueFullError when the queue is full."""
        if self._free.locked() and self.waiting >= self._queue_limit:
            raise QueueFullError(
                f"all {self._limit} places are taken and {self._queue_limit} calls wait already: try again in a "
                f"moment, or start the service with more ({how_to_set('max_calls')}, {how_to_set('max_queue')})",
                limit=str(self._limit),
                setting=variable_of("max_calls"),
            )

    @asynccontextmanager
    async def hold(self, deadline: Deadline) -> AsyncIterator[None]:
        """Holds a slot inside the `with` block. Raises DeadlineError when none came free in time."""
        await self._take(deadline)
        try:
            yield
        finally:
            self._free.release()

    async def _take(self, deadline: Deadline) -> None:
        started = loop_time()
        self.waiting += 1
        QUEUE_DEPTH.set(self.waiting)
        try:
            async with deadline.phase("waiting for a place"):
                await self._free.acquire()
        finally:
            self.waiting -= 1
            QUEUE_DEPTH.set(self.waiting)
            QUEUE_WAIT_SECONDS.observe(loop_time() - started)


class Admission:
    """The admission gate. `calls` are the admitted ones that have not ended: `under_way` counts them, `waiting` those
    of them without a slot."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._places = Places(settings.max_calls, settings.max_queue)
        self._most = ROOM_FOR_RELIEF * (settings.max_calls + settings.max_queue)
        self._by_session: Counter[str] = Counter()
        self._watches = 0
        self._transfers = 0
        self.calls = CallsUnderWay()
        self._is_closed = False

    @property
    def under_way(self) -> int:
        return self.calls.count

    @property
    def waiting(self) -> int:
        return self._places.waiting

    @property
    def running(self) -> int:
        """Calls that are at work: neither do they wait for a slot, nor are they watches or transfers, which mostly
        wait for something else."""
        return self.calls.count - self._places.waiting - self._watches - self._transfers

    def close(self) -> None:
        """Refuses new calls; admitted ones continue."""
        self._is_closed = True

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """Raises the OverLimitError of the reached limit, or ShuttingDownError."""
        if call.method.startswith(OPEN_PREFIXES):
            yield
            return
        self._check(call)
        with self._counted(call):
            if _needs_place(call):
                async with self._places.hold(deadline_of(context, self._settings)):
                    yield
            else:
                yield

    def _check(self, call: RpcCall) -> None:
        if self._is_closed:
            raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
        most = self._settings.max_calls_per_session
        if call.session_id and self._by_session[call.session_id] >= most and call.rules.load != MethodRules.LOAD_RELIEF:
            raise SessionBusyError(
                f"{most} calls of this session are under way, which is as many as may be: wait for one to end, or "
                f"start the service with more ({how_to_set('max_calls_per_session')})",
                limit=str(most),
                setting=variable_of("max_calls_per_session"),
            )
        most = self._settings.max_watches
        if call.rules.load == MethodRules.LOAD_WATCH and self._watches >= most:
            raise WatchLimitError(
                f"all {most} watches are in use: end one, or start the service with more ({how_to_set('max_watches')})",
                limit=str(most),
                setting=variable_of("max_watches"),
            )
        if _needs_place(call):
            self._places.check()
        elif self.calls.count >= self._most:
            raise QueueFullError(
                f"{self._most} calls are under way, which is as many as may be: try again in a moment, or start the "
                f"service with more ({how_to_set('max_calls')}, {how_to_set('max_queue')})",
                limit=str(self._most),
                setting=variable_of("max_calls"),
            )

    @contextlib.contextmanager
    def _counted(self, call: RpcCall) -> Iterator[None]:
        load, session_id = call.rules.load, call.session_id  # CreateSession's is known later
        lasts, transfers = load == MethodRules.LOAD_WATCH, load == MethodRules.LOAD_TRANSFER
        self._watches += lasts
        self._transfers += transfers
        self._by_session[session_id] += 1
        try:
            with self.calls.counted():
                yield
        finally:
            self._watches -= lasts
            self._transfers -= transfers
            self._by_session[session_id] -= 1
            if not self._by_session[session_id]:
                del self._by_session[session_id]


def _needs_place(call: RpcCall) -> bool:
    return call.rules.load == MethodRules.LOAD_UNSPECIFIED
