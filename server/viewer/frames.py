"""The pictures of a tab, over a WebSocket, and thumbnails.

    browser → {"tabId": "", "size": [1280, 800]}, then {"shown": 7} for each picture, and {"size": […]} for another size
    viewer  → 4 bytes (big endian): length of the head; the head, JSON; the JPEG. Without a JPEG the head has a `note`.

Rule 1: the service sends the next picture when the browser has shown the last one: a slow link gets fewer pictures, and
never old ones.
Rule 2: nothing is watched for longer than somebody looks: the socket is the watch.
"""

from __future__ import annotations

import json
from typing import Any

import grpc
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from perception.server.viewer.calls import CALL_SECONDS, RefusedError, ServiceCalls, as_person
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.frames import plain_frame
from perception.server.viewer.rate_limits import RateLimit
from perception.server.viewer.session_pages import SessionPages, session_id_of, text_of
from perception.server.viewer.sockets import first_end, receive_object
from perception.v1 import live_service_pb2 as pb

MIN_PX, MAX_PX = 160, 4096

QUALITY = 70
THUMBNAIL_PX = 480
THUMBNAIL_QUALITY = 60

FPS = ((640, 8.0), (1280, 12.0), (MAX_PX, 15.0))
"""Most pictures in a second by their width: what is small on the screen is looked at in passing."""


class FrameSocket:
    """Pictures for people who are logged in."""

    def __init__(self, calls: ServiceCalls) -> None:
        self._calls = calls

    async def serve(self, websocket: WebSocket, login: Login) -> None:
        """Until the socket, the tab or the session ends. Raises as `sockets` says."""
        given = await receive_object(websocket)
        session_id = session_id_of(websocket)
        call = self._calls.live.WatchFrames(metadata=as_person(login))
        try:
            first = pb.WatchFramesRequest(
                session_id=session_id,
                tab_id=text_of(given, "tabId"),
                quality=QUALITY,
                lease_id=login.leases.get(session_id, ""),
                **_size(given),
            )
            await call.write(first)
            await first_end(_read(websocket, call), _show(websocket, call))
        finally:
            call.cancel()


async def _read(websocket: WebSocket, call: Any) -> None:
    """Passes on which picture is shown, and which size is wanted."""
    while True:
        given = await receive_object(websocket)
        shown = given.get("shown")
        number = shown if isinstance(shown, int) and not isinstance(shown, bool) and 0 < shown < 2**53 else 0
        size = _size(given) if "size" in given else {}
        if number or size:
            await call.write(pb.WatchFramesRequest(acknowledged=number, **size))


async def _show(websocket: WebSocket, call: Any) -> None:
    async for reply in call:
        head = json.dumps(plain_frame(reply), ensure_ascii=False).encode()
        await websocket.send_bytes(b"".join((len(head).to_bytes(4, "big"), head, reply.jpeg)))


def _size(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of a request for a size. Raises RefusedError for anything else."""
    size = given.get("size")
    if not isinstance(size, list) or len(size) != 2 or not all(isinstance(each, int) for each in size):
        raise RefusedError(400, "INVALID_ARGUMENT", "size is [width, height] in whole px")
    width, height = (min(MAX_PX, max(MIN_PX, each)) for each in size)
    return {"max_width": width, "max_height": height, "max_fps": next(fps for px, fps in FPS if width <= px)}


class Thumbnails:
    """One small picture of a session's selected tab."""

    def __init__(self, pages: SessionPages, calls: ServiceCalls) -> None:
        self._pages = pages
        self._calls = calls
        self._limit = RateLimit(per_second=4, burst=40)

    async def get(self, request: Request) -> Response:
        """The picture as JPEG; 204 where there is none."""
        login = self._pages.enter(request, self._limit)
        call = self._calls.live.WatchFrames(metadata=as_person(login), timeout=CALL_SECONDS)
        try:
            await call.write(
                pb.WatchFramesRequest(
                    session_id=session_id_of(request),
                    max_width=THUMBNAIL_PX,
                    max_height=THUMBNAIL_PX,
                    quality=THUMBNAIL_QUALITY,
                )
            )
            reply = await call.read()
        finally:
            call.cancel()
        if reply is grpc.aio.EOF or not reply.jpeg:
            return Response(status_code=204)
        return Response(reply.jpeg, media_type="image/jpeg")
