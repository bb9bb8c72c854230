"""Leases that callers of an edge have taken: given back to the worker when the token that took one loses the right.

A worker knows no tokens. What is forgotten here, such as by a restart of the edge, ends with the lease itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable

import grpc

from perception.errors import PerceptionError
from perception.server.auth.rights import Right
from perception.server.contract import Method
from perception.server.control.turn import MAX_LEASE_SECONDS
from perception.server.placement.worker_link import WorkerLink
from perception.server.rpc_call import RpcCall
from perception.v1 import control_service_pb2 as pb

RELEASE = "/perception.v1.ControlService/ReleaseControl"

RELEASE_SECONDS = 10.0
"""How long a worker may take to clear up after a person."""


class EdgeLeases:
    """The leases of one edge, by session: a session has one at a time."""

    def __init__(self) -> None:
        self._forgetting: dict[str, Callable[[], None]] = {}
        self._releasing: set[asyncio.Task[None]] = set()

    def note(self, method: Method, request: bytes, reply: bytes, link: WorkerLink, call: RpcCall) -> None:
        """Watches the token of an answered call that took or renewed a lease."""
        if call.while_allowed is None or method.name not in ("TakeControl", "RenewControl"):
            return
        if method.name == "TakeControl":
            session_id = pb.TakeControlRequest.FromString(request).session_id
            lease_id = pb.TakeControlResponse.FromString(reply).lease_id
        else:
            renewed = pb.RenewControlRequest.FromString(request)
            session_id, lease_id = renewed.session_id, renewed.lease_id
        self._forget(session_id)
        ask = pb.ReleaseControlRequest(session_id=session_id, lease_id=lease_id, outcome=pb.RELEASE_OUTCOME_CANCELLED)
        by = RpcCall(RELEASE, secrets.token_hex(8), call.principal, call.right)

        def end(_: PerceptionError) -> None:
            self._forget(session_id)
            task = asyncio.create_task(_release(link, by, ask), name="release-control")
            self._releasing.add(task)
            task.add_done_callback(self._releasing.discard)

        stop = call.while_allowed(Right.CONTROL, end)
        late = asyncio.get_running_loop().call_later(MAX_LEASE_SECONDS, self._forget, session_id)

        def forget() -> None:
            stop()
            late.cancel()

        self._forgetting[session_id] = forget

    def _forget(self, session_id: str) -> None:
        self._forgetting.pop(session_id, lambda: None)()


async def _release(link: WorkerLink, by: RpcCall, ask: pb.ReleaseControlRequest) -> None:
    """Gives a lease back. One that has ended meanwhile, or whose worker has, needs nothing more."""
    with contextlib.suppress(grpc.aio.AioRpcError):
        await link.call_of(RELEASE)(ask.SerializeToString(), timeout=RELEASE_SECONDS, metadata=link.signed(by))
