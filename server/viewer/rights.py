"""What a person's token may do, so that the web application offers nothing else.

The service says it by refusing: an rpc of each right is called for a session that does not exist.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from perception.client.errors import RemoteError
from perception.server.viewer.calls import CALL_SECONDS, ServiceCalls, as_person
from perception.server.viewer.logins import Login
from perception.v1 import control_service_pb2 as control_pb
from perception.v1 import perception_service_pb2 as perception_pb

_NO_SESSION = "none"


async def find_rights(calls: ServiceCalls, login: Login) -> str:
    """`view`, `control` or `all`. Raises RpcError where the service cannot be asked."""
    steer = control_pb.RenewControlRequest(session_id=_NO_SESSION, lease_id=_NO_SESSION)
    look = perception_pb.CaptureSnapshotRequest(session_id=_NO_SESSION)
    if not await _is_allowed(calls.control.RenewControl, steer, login):
        return "view"
    return "all" if await _is_allowed(calls.perception.CaptureSnapshot, look, login) else "control"


async def _is_allowed(rpc: Callable[..., Awaitable[Any]], request: Any, login: Login) -> bool:
    try:
        await rpc(request, metadata=as_person(login), timeout=CALL_SECONDS)
    except grpc.RpcError as exc:
        error = RemoteError.of(exc)
        if error.code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNAVAILABLE):
            raise
        return error.code is not grpc.StatusCode.PERMISSION_DENIED
    return True
