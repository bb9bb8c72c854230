"""WebSockets of people who are logged in: what all of them share.

Rule 1: a socket is accepted first, and closed with a code that says why: a page learns nothing of a refused handshake.
Rule 2: it ends when its login ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import grpc
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from perception.client.errors import RemoteError
from perception.server.viewer.calls import RefusedError, is_gone
from perception.server.viewer.login_pages import LoginPages
from perception.server.viewer.logins import Login

LOGGED_OUT, NOT_ALLOWED, GONE, TOO_MANY, AWAY, BAD_MESSAGE = 4401, 4403, 4404, 4429, 4503, 4400

MAX_SOCKETS = 32
"""Most sockets of one token: some pages, with three each."""

_CODES = {
    grpc.StatusCode.UNAUTHENTICATED: LOGGED_OUT,
    grpc.StatusCode.PERMISSION_DENIED: NOT_ALLOWED,
    grpc.StatusCode.FAILED_PRECONDITION: NOT_ALLOWED,
    grpc.StatusCode.RESOURCE_EXHAUSTED: TOO_MANY,
}

MAX_REASON_BYTES = 120
"""RFC 6455 leaves 123 for the reason of a close frame."""

Serve = Callable[[WebSocket, Login], Awaitable[None]]


class PersonSockets:
    """Accepts sockets, and closes them with what their service calls end with."""

    def __init__(self, logins: LoginPages) -> None:
        self._logins = logins

    def endpoint(self, serve: Serve) -> Callable[[WebSocket], Awaitable[None]]:
        """A route's endpoint that serves a socket for its person."""

        async def answer(websocket: WebSocket) -> None:
            await websocket.accept()
            code, why = await self._serve(websocket, serve)
            if websocket.client_state is WebSocketState.CONNECTED:
                cut = why.encode()[:MAX_REASON_BYTES].decode("utf-8", "ignore")
                with contextlib.suppress(WebSocketDisconnect):  # the browser has gone meanwhile
                    await websocket.close(code, cut)

        return answer

    async def _serve(self, websocket: WebSocket, serve: Serve) -> tuple[int, str]:
        """The code and the reason with which the socket ends."""
        try:
            login = self._logins.login_of(websocket)
        except RefusedError as exc:
            return LOGGED_OUT, str(exc)
        if self._logins.connections(login) >= MAX_SOCKETS:
            return TOO_MANY, f"you have {MAX_SOCKETS} connections in your browsers: close a page"
        serving = asyncio.ensure_future(serve(websocket, login))

        def close() -> None:
            serving.cancel()

        login.closers.add(close)
        try:
            await serving
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return LOGGED_OUT, login.why or "this browser is not logged in any more"
        except WebSocketDisconnect:
            return 1000, ""
        except RefusedError as exc:
            return (NOT_ALLOWED if exc.status == 403 else BAD_MESSAGE), str(exc)
        except grpc.RpcError as exc:
            error = RemoteError.of(exc)
            login.closers.discard(close)
            self._logins.note_error(websocket, error)
            return GONE if is_gone(error) else _CODES.get(error.code, AWAY), error.plain
        finally:
            login.closers.discard(close)
            serving.cancel()
        return 1000, ""


async def receive_object(websocket: WebSocket) -> dict[str, Any]:
    """The next message, a JSON object. Raises WebSocketDisconnect, and RefusedError for another message."""
    try:
        given = json.loads(await websocket.receive_text())
    except (KeyError, ValueError, RecursionError) as exc:
        raise RefusedError(400, "INVALID_ARGUMENT", "send JSON as text") from exc
    if not isinstance(given, dict):
        raise RefusedError(400, "INVALID_ARGUMENT", "send a JSON object")
    return given


async def until_closed(websocket: WebSocket) -> None:
    """Reads on until the browser closes the socket. Raises WebSocketDisconnect."""
    while True:
        await websocket.receive_text()


async def first_end(*jobs: Coroutine[Any, Any, None]) -> None:
    """Runs jobs side by side until the first one ends; the others are cancelled. Raises what it failed with."""
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
