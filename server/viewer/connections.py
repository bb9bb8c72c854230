"""Connections of a viewer's port: silent ones keep nobody out.

A browser that has logged in holds a WebSocket. Anybody can open a connection and send nothing, or half a request:
where there are as many connections as may be, the oldest of those ends for a new one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 256


class BoundedHttpProtocol(H11Protocol):
    """HTTP/1.1 for at most MAX_CONNECTIONS, WebSockets included."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection; ends the oldest one that waits for a request where there are too many."""
        super().connection_made(transport)
        self._made_s = time.monotonic()
        if len(self.connections) >= MAX_CONNECTIONS:
            oldest = min(_waiting(self.connections, self), key=lambda each: each._made_s, default=None)
            if oldest is not None:
                self.connections.discard(oldest)
                oldest.transport.abort()


def _waiting(connections: Iterable[object], new: BoundedHttpProtocol) -> list[BoundedHttpProtocol]:
    """Those other than the new one whose client has not sent a whole request since the last answer."""
    return [
        each
        for each in connections
        if isinstance(each, BoundedHttpProtocol)
        and each is not new
        and (each.cycle is None or each.cycle.response_complete or each.cycle.more_body)
    ]
