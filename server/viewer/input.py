"""A person's input, over a WebSocket, to the page.

    browser → {"hello": true}, then {"number": 7, "mouse": {"kind": "down", "x": 10, "y": 20, "button": 0, "count": 1}}
    viewer  → {"number": 7, "error": ""} when the page has it

Rule 1: nothing of it is kept, and no error quotes it.
"""

from __future__ import annotations

from typing import Any

from starlette.websockets import WebSocket

from perception.server.viewer.calls import RefusedError, ServiceCalls, as_person
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.control import input_of, plain_acknowledgement
from perception.server.viewer.session_pages import session_id_of
from perception.server.viewer.sockets import first_end, receive_object


class InputSocket:
    """Input of people who have control."""

    def __init__(self, calls: ServiceCalls) -> None:
        self._calls = calls

    async def serve(self, websocket: WebSocket, login: Login) -> None:
        """Until the socket, the lease or the session ends. Raises as `sockets` says."""
        await receive_object(websocket)
        session_id = session_id_of(websocket)
        lease_id = login.leases.get(session_id, "")
        if not lease_id:
            raise RefusedError(403, "LEASE_EXPIRED", "you have no control of this session: take over first")
        call = self._calls.control.SendInput(metadata=as_person(login))
        try:
            await websocket.send_json({"ready": True})
            await first_end(_send(websocket, call, session_id, lease_id), _acknowledge(websocket, call))
        finally:
            call.cancel()


async def _send(websocket: WebSocket, call: Any, session_id: str, lease_id: str) -> None:
    """Passes events on, each when the browser sends it."""
    while True:
        given = await receive_object(websocket)
        try:
            event = input_of(given)
        except RefusedError as exc:
            number = given.get("number")
            await websocket.send_json({"number": number if isinstance(number, int) else 0, "error": str(exc)})
            continue
        event.session_id, event.lease_id = session_id, lease_id
        await call.write(event)


async def _acknowledge(websocket: WebSocket, call: Any) -> None:
    async for reply in call:
        await websocket.send_json(plain_acknowledgement(reply))
