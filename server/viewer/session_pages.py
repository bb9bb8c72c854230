"""What the web application asks over HTTP: sessions, looks that a person asks for, explanations.

Rule 1: a look happens only where a person asks for one; all else comes from what the agent was served.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from perception.server.viewer.calls import CALL_SECONDS, LOOK_SECONDS, WATCHER, RefusedError, ServiceCalls, as_person
from perception.server.viewer.login_pages import LoginPages, json_body
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.sessions import plain_session
from perception.server.viewer.plain.snapshots import plain_explanation, plain_snapshot
from perception.server.viewer.rate_limits import RateLimit
from perception.v1 import perception_service_pb2 as looks
from perception.v1 import session_service_pb2 as pb
from perception.v1 import types_pb2 as types

MAX_SESSIONS = 200

_HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
"""JSON can say it, UTF-8 and so protobuf cannot."""

LOOKS = {
    "text": looks.SnapshotOptions(mode=looks.MODE_TEXT),
    "fused": looks.SnapshotOptions(mode=looks.MODE_FUSED),
    "digest": looks.SnapshotOptions(mode=looks.MODE_FUSED, view=looks.VIEW_DIGEST),
}
"""What a person may ask for beside what the agent was served."""


class SessionPages:
    """Sessions for people who are logged in."""

    def __init__(self, logins: LoginPages, calls: ServiceCalls) -> None:
        self._logins = logins
        self._calls = calls
        self._requests = RateLimit(per_second=20, burst=100)
        self._looks = RateLimit(per_second=1, burst=5)

    async def list_sessions(self, request: Request) -> Response:
        login = self.enter(request)
        reply = await self._calls.sessions.ListSessions(
            pb.ListSessionsRequest(), metadata=as_person(login), timeout=CALL_SECONDS
        )
        sessions = [plain_session(each, mine=each.session_id in login.leases) for each in reply.sessions[:MAX_SESSIONS]]
        more = max(0, len(reply.sessions) - MAX_SESSIONS)
        return JSONResponse({"sessions": sessions, "more": more, "workersMissing": reply.workers_missing})

    async def get_session(self, request: Request) -> Response:
        login = self.enter(request)
        reply = await self._calls.sessions.GetSession(
            pb.GetSessionRequest(session_id=session_id_of(request)), metadata=as_person(login), timeout=CALL_SECONDS
        )
        return JSONResponse(plain_session(reply.session, mine=reply.session.session_id in login.leases))

    async def look(self, request: Request) -> Response:
        """`{"kind": "text" | "fused" | "digest", "tabId": …, "since": …}`: a look, with the changes since another."""
        login = self.enter(request, self._looks)
        given = await json_body(request)
        options = LOOKS.get(text_of(given, "kind"))
        if options is None:
            raise RefusedError(400, "INVALID_ARGUMENT", f"kind is one of {', '.join(LOOKS)}")
        reply = await self._calls.perception.CaptureSnapshot(
            looks.CaptureSnapshotRequest(
                session_id=session_id_of(request),
                tab_id=text_of(given, "tabId"),
                options=options,
                since_snapshot_id=text_of(given, "since"),
            ),
            metadata=(*as_person(login, session_id_of(request)), *WATCHER),
            timeout=LOOK_SECONDS,
        )
        return JSONResponse(plain_snapshot(reply.snapshot))

    async def explain(self, request: Request) -> Response:
        """Why something is (not) listed: `{"x": …, "y": …}`, CSS px of the viewport, or `{"text": …}`."""
        login = self.enter(request, self._looks)
        given = await json_body(request)
        ask = looks.ExplainElementRequest(
            session_id=session_id_of(request),
            tab_id=text_of(given, "tabId"),
            text=text_of(given, "text"),
            options=LOOKS["fused"],
        )
        if not ask.text:
            point = types.Coordinate(x=number_of(given, "x"), y=number_of(given, "y"))
            ask.target.CopyFrom(types.Target(coordinate=point))
        person = (*as_person(login, ask.session_id), *WATCHER)
        reply = await self._calls.perception.ExplainElement(ask, metadata=person, timeout=LOOK_SECONDS)
        return JSONResponse(plain_explanation(reply))

    def enter(self, request: Request, limit: RateLimit | None = None) -> Login:
        """The login of a request. Raises RefusedError for one that is not logged in, or asks too often."""
        login = self._logins.login_of(request)
        wait_s = (limit or self._requests).take(login.name)
        if wait_s:
            raise RefusedError(429, "TOO_MANY_REQUESTS", f"too many requests: wait {wait_s:.1f} s", wait_s)
        return login


def session_id_of(request: HTTPConnection) -> str:
    return str(request.path_params["session_id"])[:200]


def text_of(given: dict[str, Any], name: str) -> str:
    """A text field; empty where it is absent. Raises RefusedError for another type."""
    value = given.get(name) or ""
    if not isinstance(value, str):
        raise RefusedError(400, "INVALID_ARGUMENT", f"{name} is not text")
    if _HALF_CHARACTER.search(value):
        raise RefusedError(400, "INVALID_ARGUMENT", f"{name} has half a character (a lone surrogate): leave it out")
    return value


def number_of(given: dict[str, Any], name: str) -> float:
    """A number field. Raises RefusedError for another type."""
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e9:
        raise RefusedError(400, "INVALID_ARGUMENT", f"{name} is not a number")
    return float(value)
