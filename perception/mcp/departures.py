"""Clients over HTTP that have gone in the middle of a request, without a word.

A connection of the protocol of 2025 outlives its requests, so that nothing tells a client that has died from one that
thinks. A request that was cut is a sign: the connection's session is closed unless the client comes back soon, and at
once where another client gets no session because there are too many.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION_HEADER = "mcp-session-id"

GONE_SECONDS = 120.0
"""For a client to come back. One that cut a call because it took too long goes on within a turn of its model."""


class Departures:
    """The connections that may have lost their client, by the SDK's id, the one that was cut longest ago first.

    Args:
        close: closes what a connection has open.
        gone_s: seconds in which a client may come back.
    """

    def __init__(self, close: Callable[[str], Awaitable[None]], gone_s: float = GONE_SECONDS) -> None:
        self._close = close
        self._gone_s = gone_s
        self._open: Counter[str] = Counter()
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def began(self, key: str) -> None:
        """A request of a connection has come."""
        self._open[key] += 1
        if waiting := self._waiting.pop(key, None):
            waiting.cancel()

    def ended(self, key: str, *, was_cut: bool) -> None:
        """A request has ended; where it was cut and was the last one, its client may have gone."""
        self._open[key] -= 1
        if self._open[key] > 0:
            return
        del self._open[key]
        if was_cut:
            self._waiting[key] = asyncio.create_task(self._close_later(key))

    async def close_one(self, may_close: Callable[[str], bool]) -> bool:
        """Closes the connection that was cut longest ago. False where there is none.

        Args:
            may_close: which connections are considered.
        """
        for key, waiting in list(self._waiting.items()):
            if may_close(key):
                waiting.cancel()
                self._waiting.pop(key, None)
                await self._close(key)
                return True
        return False

    async def _close_later(self, key: str) -> None:
        await asyncio.sleep(self._gone_s)
        self._waiting.pop(key, None)
        await self._close(key)


class RequestWatch:
    """ASGI middleware that tells Departures of requests."""

    def __init__(self, app: ASGIApp, departures: Departures) -> None:
        self._app = app
        self._departures = departures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(SESSION_HEADER) if scope["type"] == "http" else None
        if not key:
            await self._app(scope, receive, send)
            return
        is_answered, was_cut = False, False

        async def watched_receive() -> Message:
            nonlocal was_cut
            message = await receive()
            was_cut = was_cut or (message["type"] == "http.disconnect" and not is_answered)
            return message

        async def watched_send(message: Message) -> None:
            nonlocal is_answered
            is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        self._departures.began(key)
        try:
            await self._app(scope, watched_receive, watched_send)
        finally:
            self._departures.ended(key, was_cut=was_cut)
