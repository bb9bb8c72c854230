"""The viewer as one application."""

from __future__ import annotations

from pathlib import Path

import grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import ASGIApp

from perception.server.viewer.calls import RefusedError, ServiceCalls, answer_refusal
from perception.server.viewer.control_pages import ControlPages
from perception.server.viewer.events import CallPages, EventSocket
from perception.server.viewer.frames import FrameSocket, Thumbnails
from perception.server.viewer.guard import Guard
from perception.server.viewer.input import InputSocket
from perception.server.viewer.login_pages import LoginPages
from perception.server.viewer.logins import Logins
from perception.server.viewer.options import ViewerOptions
from perception.server.viewer.recording_pages import RecordingPages
from perception.server.viewer.session_pages import SessionPages
from perception.server.viewer.sockets import PersonSockets

STATIC = Path(__file__).parent / "static"

FILES = {
    "app.js": "text/javascript",
    "app.css": "text/css",
    "icon.svg": "image/svg+xml",
}
"""The web application beside its one page: all that is served of the folder."""


def make_viewer_app(logins: Logins, calls: ServiceCalls, options: ViewerOptions, port: int) -> ASGIApp:
    """The ASGI application.

    Args:
        logins: who is logged in.
        calls: the service.
        options: how it is served.
        port: where it listens: cookies are for a host with all its ports.
    """
    secure = options.certificate is not None
    cookie = f"__Host-perception-{port}" if secure else f"perception-{port}"
    login = LoginPages(logins, calls, open_to_all=options.open_to_all, cookie=cookie, secure=secure)
    sessions = SessionPages(login, calls)
    routes = [
        Route("/", _page),
        Route("/sessions/{session_id}", _page),
        Route("/static/{name}", _file),
        Route("/api/login", login.log_in, methods=["POST"]),
        Route("/api/logout", login.log_out, methods=["POST"]),
        Route("/api/link", login.make_link, methods=["POST"]),
        Route("/api/me", login.me),
        Route("/api/sessions", sessions.list_sessions),
        Route("/api/sessions/{session_id}", sessions.get_session),
        Mount("/api/sessions/{session_id}", routes=_session_routes(sessions, calls)),
        Mount("/ws/sessions/{session_id}", routes=_socket_routes(login, calls)),
    ]
    handlers = {RefusedError: answer_refusal, grpc.RpcError: login.answer_rpc_error}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(app, options.names, secure=secure)


def _session_routes(sessions: SessionPages, calls: ServiceCalls) -> list[BaseRoute]:
    """What is asked of one session."""
    control, recording = ControlPages(sessions, calls), RecordingPages(sessions, calls)
    one_call, thumbnails = CallPages(sessions, calls), Thumbnails(sessions, calls)
    acts = {
        "look": sessions.look,
        "explain": sessions.explain,
        "control/take": control.take,
        "control/renew": control.renew,
        "control/release": control.release,
        "dialog": control.dialog,
        "navigate": control.navigate,
        "recording/start": recording.start,
        "recording/stop": recording.stop,
        "recording/make": recording.make,
    }
    return [
        Route("/thumbnail", thumbnails.get),
        Route("/calls/{number}", one_call.get),
        Route("/calls/{number}/{which}", one_call.picture),
        *(Route(f"/{path}", act, methods=["POST"]) for path, act in acts.items()),
    ]


def _socket_routes(login: LoginPages, calls: ServiceCalls) -> list[BaseRoute]:
    """What is watched of one session, and input for it."""
    sockets = PersonSockets(login)
    served = {
        "frames": FrameSocket(calls).serve,
        "events": EventSocket(calls).serve,
        "input": InputSocket(calls).serve,
    }
    return [WebSocketRoute(f"/{name}", sockets.endpoint(serve)) for name, serve in served.items()]


async def _page(_: Request) -> Response:
    """The one page: it holds nothing of anybody."""
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")


async def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        return JSONResponse({"error": {"code": "", "reason": "NOT_FOUND", "message": "no such file"}}, 404)
    return FileResponse(
        STATIC / name, media_type=f"{FILES[name]}; charset=utf-8", headers={"Cache-Control": "no-cache"}
    )
