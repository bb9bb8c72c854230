"""A recording of what is done in a session, and the subroutine that is made of it, over HTTP."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from perception.server.viewer.calls import LOOK_SECONDS, ServiceCalls, as_person
from perception.server.viewer.login_pages import json_body
from perception.server.viewer.session_pages import SessionPages, session_id_of, text_of
from perception.v1 import subroutine_service_pb2 as pb

MAX_STEPS = 500


class RecordingPages:
    """Recordings for people who are logged in."""

    def __init__(self, pages: SessionPages, calls: ServiceCalls) -> None:
        self._pages = pages
        self._calls = calls

    async def start(self, request: Request) -> Response:
        """`{"tabId": …}`."""
        login, given = self._pages.enter(request), await json_body(request)
        ask = pb.StartRecordingRequest(session_id=session_id_of(request), tab_id=text_of(given, "tabId"))
        person = as_person(login, ask.session_id)
        reply = await self._calls.subroutines.StartRecording(ask, metadata=person, timeout=LOOK_SECONDS)
        return JSONResponse({"id": reply.recording_id})

    async def stop(self, request: Request) -> Response:
        """`{"id": …}`: what was recorded, secrets masked."""
        login, given = self._pages.enter(request), await json_body(request)
        ask = pb.StopRecordingRequest(session_id=session_id_of(request), recording_id=text_of(given, "id"))
        person = as_person(login, ask.session_id)
        reply = await self._calls.subroutines.StopRecording(ask, metadata=person, timeout=LOOK_SECONDS)
        return JSONResponse(
            {
                "id": reply.recording_id,
                "steps": list(reply.steps[:MAX_STEPS]),
                "events": reply.event_count,
                "requests": reply.request_count,
                "leftOut": [*reply.left_out, *(f"without an answer: {each}" for each in reply.open_requests)],
            }
        )

    async def make(self, request: Request) -> Response:
        """`{"id": …, "name": …, "description": …}`: a subroutine of a recording."""
        login, given = self._pages.enter(request), await json_body(request)
        ask = pb.CreateSubroutineRequest(
            recording_ids=[text_of(given, "id")],
            name=text_of(given, "name"),
            description=text_of(given, "description"),
        )
        reply = await self._calls.subroutines.CreateSubroutine(ask, metadata=as_person(login), timeout=LOOK_SECONDS)
        return JSONResponse({"id": reply.subroutine.subroutine_id, "name": reply.subroutine.name})
