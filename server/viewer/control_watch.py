"""Tells a browser who has control of a session: at each change, and when it becomes known that it is this person."""

from __future__ import annotations

import asyncio

from google.protobuf.duration_pb2 import Duration
from starlette.websockets import WebSocket

from perception.server.viewer.calls import ServiceCalls, as_person
from perception.server.viewer.control_pages import renew_control
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.control import plain_control
from perception.server.viewer.sockets import first_end
from perception.v1 import control_service_pb2 as pb

BACK_SECONDS = 60
"""Lease of a person whose page was away, from when it is back."""

_ENDED = (pb.CONTROL_STATE_FREE, pb.CONTROL_STATE_REQUESTED)


class ControlWatch:
    """The watch of one socket."""

    def __init__(self, calls: ServiceCalls, websocket: WebSocket, login: Login, session_id: str) -> None:
        self._calls = calls
        self._websocket = websocket
        self._login = login
        self._session_id = session_id
        self._control: pb.Control | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Until the session ends. Raises RpcError, and WebSocketDisconnect."""
        note = self._changed.set
        self._login.listeners.add(note)
        try:
            await self._ask_again()
            await first_end(self._follow(), self._tell())
        finally:
            self._login.listeners.discard(note)

    async def _follow(self) -> None:
        ask = pb.WatchControlRequest(session_id=self._session_id)
        call = self._calls.control.WatchControl(ask, metadata=as_person(self._login))
        try:
            async for reply in call:
                self._control = reply.control
                self._changed.set()
                if reply.control.state in _ENDED and self._session_id in self._login.leases:
                    await self._ask_again()  # it may be of before this person took control
        finally:
            call.cancel()

    async def _ask_again(self) -> None:
        """Finds out whether the person still has the lease that is kept for them."""
        await renew_control(self._calls, self._login, self._session_id, Duration(seconds=BACK_SECONDS))

    async def _tell(self) -> None:
        last = None
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._control is None:
                continue
            plain = plain_control(self._control, mine=self._session_id in self._login.leases)
            if plain != last:
                last = plain
                await self._websocket.send_json({"control": plain})
