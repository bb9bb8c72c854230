"""Calls that send a stream, and end with what the service answered while more was being sent.

gRPC for asyncio (1.7x) ends a call as INTERNAL, without details, where a message cannot be sent any more, and as
canceled where its end cannot: even if that is since the service has refused the call, or its time is over, whichever
is noticed first. Here the call's own status is waited for: there always is one, of the connection's end, where that
broke.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import grpc

_CORE = "_cython_call"


class _WaitsForStatus:
    """A call of gRPC's core that takes its end from its status alone."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def set_internal_error(self, error: str) -> None:
        """Does nothing: who sends then waits for the status."""

    async def send_receive_close(self) -> None:
        """Says that no more is sent. Where that fails, the status is on its way."""
        with contextlib.suppress(grpc.aio.InternalError):
            await self._core.send_receive_close()


def ending_as_answered(method: Callable[..., Any]) -> Callable[..., Any]:
    """A stub's method that takes a stream of requests. One of a blocking channel needs nothing, and stays as it is."""

    def start(*given: Any, **options: Any) -> Any:
        call = method(*given, **options)
        core = getattr(call, _CORE, None)
        if core is not None:
            setattr(call, _CORE, _WaitsForStatus(core))
        return call

    return start
