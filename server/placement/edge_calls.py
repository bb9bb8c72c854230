"""Calls that an edge carries: how many there are, and whether more are taken.

Rule 1: an edge has no queue: calls wait at their workers, which know their own limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from perception.errors import QueueFullError, ShuttingDownError
from perception.server.admission.calls_under_way import CallsUnderWay
from perception.server.admission.limits import OPEN_PREFIXES, ROOM_FOR_RELIEF
from perception.server.environment import how_to_set, variable_of
from perception.server.rpc_call import RpcCall
from perception.server.settings import Settings


class EdgeCalls:
    """The admission gate of an edge.

    Args:
        workers: how many there are now: each one takes and queues as many calls as the edge's own settings say.

    Attributes:
        under_way: the calls that it carries.
        closing: set when the edge is about to end.
    """

    def __init__(self, settings: Settings, workers: Callable[[], int]) -> None:
        self._of_one = ROOM_FOR_RELIEF * (settings.max_calls + settings.max_queue)
        self._workers = workers
        self.under_way = CallsUnderWay()
        self.closing = asyncio.Event()

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """Raises ShuttingDownError or QueueFullError."""
        if call.method.startswith(OPEN_PREFIXES):
            yield
            return
        self._check()
        with self.under_way.counted():
            yield

    def _check(self) -> None:
        if self.closing.is_set():
            raise ShuttingDownError("this edge is shutting down: use another one, or wait for its restart")
        most = self._of_one * max(1, self._workers())
        if self.under_way.count >= most:
            raise QueueFullError(
                f"{most} calls are under way, which is as many as may be: try again in a moment, or start the edge "
                f"with more ({how_to_set('max_calls')}, {how_to_set('max_queue')})",
                limit=str(most),
                setting=variable_of("max_calls"),
            )
