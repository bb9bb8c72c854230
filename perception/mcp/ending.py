"""The end of an HTTP server that is asked to end: no request begins any more, and those under way are answered."""

from __future__ import annotations

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

END_SECONDS = 0.6
"""For calls that are under way to be answered, with the reason, when their service ends. The SDK takes 1 s
more where one is not (2.3), and all of the end less than 2 s."""


class RefuseAtEnd:
    """ASGI middleware that takes no request after `ending` is set."""

    def __init__(self, app: ASGIApp, ending: asyncio.Event) -> None:
        self._app = app
        self._ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = PlainTextResponse("the server ends: connect again later\n", 503) if self._ending.is_set() else self._app
        await app(scope, receive, send)
