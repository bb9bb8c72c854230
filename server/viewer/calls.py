"""Calls of the service for a person, and their errors."""

from __future__ import annotations

from typing import Any

import grpc
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from perception.client.access import AUTHORIZATION, LEASE_KEY, WATCHER_KEY, AsyncChannel
from perception.client.errors import RemoteError
from perception.errors import SessionIdForgedError, SessionLostError
from perception.server.viewer.logins import Login
from perception.v1.control_service_pb2_grpc import ControlServiceStub
from perception.v1.live_service_pb2_grpc import LiveServiceStub
from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub
from perception.v1.session_service_pb2_grpc import SessionServiceStub
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub

WATCHER = ((WATCHER_KEY, "1"),)
"""Metadata that marks a look as a watcher's own: the agent is not told of it, and those who watch neither."""

CALL_SECONDS = 10.0
"""For what the service answers from memory, or by one question to the browser."""

LOOK_SECONDS = 30.0
"""For what looks at a page, with vision where the person asks for it."""

_HTTP_STATUS = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.OUT_OF_RANGE: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


_GONE = frozenset((SessionLostError.reason, SessionIdForgedError.reason))
"""Reasons of calls in a session that is not there, whose codes say other things: that something broke off, or that the
caller is nobody."""


class RefusedError(Exception):
    """A request that the viewer itself refuses.

    Attributes:
        status: of HTTP.
        reason: for programs.
        retry_after_s: seconds after which a repeat may succeed.
    """

    def __init__(self, status: int, reason: str, message: str, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.retry_after_s = retry_after_s


class ServiceCalls:
    """The service's own interface. Each call needs `as_person(…)` as its metadata."""

    def __init__(self, channel: AsyncChannel) -> None:
        self.sessions: Any = SessionServiceStub(channel)
        self.perception: Any = PerceptionServiceStub(channel)
        self.live: Any = LiveServiceStub(channel)
        self.control: Any = ControlServiceStub(channel)
        self.subroutines: Any = SubroutineServiceStub(channel)


def as_person(login: Login, session_id: str = "") -> tuple[tuple[str, str], ...]:
    """Metadata that has a call made with the rights of a person, and with the control that they have of a session."""
    lease_id = login.leases.get(session_id, "")
    return (*of_token(login.token), *(((LEASE_KEY, lease_id),) if lease_id else ()))


def of_token(token: str) -> tuple[tuple[str, str], ...]:
    """Metadata with a token; none for an empty one."""
    return ((AUTHORIZATION, f"Bearer {token}"),) if token else ()


def is_gone(error: RemoteError) -> bool:
    """Whether a call failed as there is no such session, or not any more."""
    return error.code is grpc.StatusCode.NOT_FOUND or error.reason in _GONE


def plain_error(error: RemoteError) -> dict[str, Any]:
    """An error of the service as the web application gets it."""
    return {"code": error.code.name, "reason": error.reason, "message": error.plain}


async def answer_rpc_error(_: Request, error: Exception) -> Response:
    """Starlette's handler of errors of calls."""
    assert isinstance(error, grpc.RpcError)
    remote = RemoteError.of(error)
    status = 404 if is_gone(remote) else _HTTP_STATUS.get(remote.code, 502)
    return JSONResponse({"error": plain_error(remote)}, status)


async def answer_refusal(_: Request, error: Exception) -> Response:
    """Starlette's handler of what the viewer refuses."""
    assert isinstance(error, RefusedError)
    headers = {"Retry-After": str(max(1, round(error.retry_after_s)))} if error.retry_after_s else None
    body = {"error": {"code": "", "reason": error.reason, "message": str(error)}}
    return JSONResponse(body, error.status, headers)
