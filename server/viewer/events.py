"""The calls of a session and who has control, over a WebSocket, as both change.

    browser → {"after": 12, "calls": true, "pictures": false}
    viewer  → {"call": {…}} and {"control": {…}}

Rule 1: a page that is hidden asks for no calls; it only waits for a request for a person.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from perception.server.viewer.calls import CALL_SECONDS, RefusedError, ServiceCalls, as_person
from perception.server.viewer.control_watch import ControlWatch
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.calls import plain_call, plain_call_details
from perception.server.viewer.session_pages import SessionPages, session_id_of
from perception.server.viewer.sockets import first_end, receive_object, until_closed
from perception.v1 import live_service_pb2 as pb

MAX_NUMBER = 2**53 - 1
"""Largest number of a call, as JavaScript can say it (`Number.MAX_SAFE_INTEGER`)."""


class EventSocket:
    """Events for people who are logged in."""

    def __init__(self, calls: ServiceCalls) -> None:
        self._calls = calls

    async def serve(self, websocket: WebSocket, login: Login) -> None:
        """Until the socket or the session ends. Raises as `sockets` says."""
        given = await receive_object(websocket)
        session_id, after = session_id_of(websocket), given.get("after", 0)
        jobs = [until_closed(websocket), ControlWatch(self._calls, websocket, login, session_id).run()]
        if given.get("calls") is True:
            ask = pb.WatchCallsRequest(
                session_id=session_id,
                after_number=after if isinstance(after, int) and 0 <= after <= MAX_NUMBER else 0,
                pictures=given.get("pictures") is True,
            )
            jobs.append(self._watch_calls(websocket, login, ask))
        await first_end(*jobs)

    async def _watch_calls(self, websocket: WebSocket, login: Login, ask: pb.WatchCallsRequest) -> None:
        call = self._calls.live.WatchCalls(ask, metadata=as_person(login))
        try:
            async for reply in call:
                await websocket.send_json({"call": plain_call(reply.call)})
        finally:
            call.cancel()


class CallPages:
    """Single calls, over HTTP."""

    def __init__(self, pages: SessionPages, calls: ServiceCalls) -> None:
        self._pages = pages
        self._calls = calls

    async def get(self, request: Request) -> Response:
        """A call with what it was asked and answered."""
        return JSONResponse(plain_call_details(await self._call(request)))

    async def picture(self, request: Request) -> Response:
        """The picture before or after a call."""
        reply, which = await self._call(request), request.path_params["which"]
        if which not in ("before", "after") or not reply.HasField(which):
            raise RefusedError(404, "NOT_FOUND", "there is no such picture")
        image = getattr(reply, which)
        kind = image.mime_type if image.mime_type in ("image/jpeg", "image/png") else "application/octet-stream"
        return Response(image.data, media_type=kind)

    async def _call(self, request: Request) -> Any:
        login, number = self._pages.enter(request), _number(request.path_params["number"])
        ask = pb.GetCallRequest(session_id=session_id_of(request), number=number)
        return await self._calls.live.GetCall(ask, metadata=as_person(login), timeout=CALL_SECONDS)


def _number(given: str) -> int:
    """The number of a call in an address. Raises RefusedError for anything else."""
    if not (given.isascii() and given.isdecimal() and len(given) <= len(str(MAX_NUMBER)) and int(given) <= MAX_NUMBER):
        raise RefusedError(404, "NOT_FOUND", "there is no call of this number: see the list of calls")
    return int(given)
