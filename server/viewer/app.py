"""The viewer as one application."""

from __future__ import annotations

from pathlib import Path

import grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from perception.server.viewer.calls import RefusedError, ServiceCalls, answer_refusal, answer_rpc_error
from perception.server.viewer.guard import Guard
from perception.server.viewer.login_pages import LoginPages
from perception.server.viewer.logins import Logins
from perception.server.viewer.options import ViewerOptions
from perception.server.viewer.session_pages import SessionPages

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
    of_session = "/api/sessions/{session_id}"
    routes = [
        Route("/", _page),
        Route("/sessions/{session_id}", _page),
        Route("/static/{name}", _file),
        Route("/api/login", login.log_in, methods=["POST"]),
        Route("/api/logout", login.log_out, methods=["POST"]),
        Route("/api/link", login.make_link, methods=["POST"]),
        Route("/api/sessions", sessions.list_sessions),
        Route(of_session, sessions.get_session),
        Route(f"{of_session}/look", sessions.look, methods=["POST"]),
        Route(f"{of_session}/explain", sessions.explain, methods=["POST"]),
    ]
    handlers = {RefusedError: answer_refusal, grpc.RpcError: answer_rpc_error}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(app, options.names, secure=secure)


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
