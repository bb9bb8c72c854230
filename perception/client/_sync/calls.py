"""Calls of a service: its stubs on one channel, a deadline for each call, and one kind of error."""

from __future__ import annotations

from typing import Any

import grpc

from perception.client._sync.stubs import Stubs
from perception.client.access import LEASE_KEY, WORKER_HEALTH, Channel
from perception.client.errors import RemoteError, unavailable
from perception.client.message_fields import timeout_of
from perception.client.trace_context import trace_metadata


class Calls(Stubs):
    """A channel and its stubs.

    Attributes:
        channel: the connection; other stubs can use it too.
        timeout_s: the deadline, in seconds, of each call that sets none.
    """

    def __init__(self, channel: Channel, timeout_s: float) -> None:
        self.channel = channel
        self.timeout_s = timeout_of(timeout_s, 60.0)
        self._is_closed = False
        self._lease_id = ""

    @property
    def metadata(self) -> tuple[tuple[str, str], ...] | None:
        """What each call carries beside its request."""
        given = trace_metadata()
        return (*(given or ()), (LEASE_KEY, self._lease_id)) if self._lease_id else given

    def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        """Calls a stub's method under a deadline, the client's where none is given.

        Raises:
            RemoteError: the service refused it, or did not answer in time.
            BadInputError: the timeout is not a number over 0.
        """
        deadline_s = timeout_of(timeout_s, self.timeout_s)
        if self._is_closed:
            raise unavailable("this client is closed: connect again")
        try:
            return method(request, timeout=deadline_s, metadata=self.metadata)
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc

    def is_serving(self, service: str = "", *, timeout_s: float | None = None) -> bool:
        """The answer of the service's health check: for all of it, or for one service by its full name."""
        from grpc_health.v1 import health_pb2, health_pb2_grpc

        request = health_pb2.HealthCheckRequest(service=service)
        reply = self.call(health_pb2_grpc.HealthStub(self.channel).Check, request, timeout_s)
        return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

    def worker_states(self, *, timeout_s: float | None = None) -> dict[str, str]:
        """An edge's workers by their names: `up`, `draining` (about to end) or `missing` (not reached). Empty of a
        service without workers, and for a caller who may not know them."""
        from grpc_health.v1 import health_pb2, health_pb2_grpc

        states = {
            health_pb2.HealthCheckResponse.SERVING: "up",
            health_pb2.HealthCheckResponse.NOT_SERVING: "draining",
            health_pb2.HealthCheckResponse.SERVICE_UNKNOWN: "missing",
        }
        list_all = getattr(health_pb2_grpc.HealthStub(self.channel), "List", None)
        if list_all is None:  # grpcio-health-checking of protobuf 6 has no such call
            return {}
        try:
            reply = self.call(list_all, health_pb2.HealthListRequest(), timeout_s)
        except RemoteError:
            return {}
        return {
            name.removeprefix(WORKER_HEALTH): states[told.status]
            for name, told in sorted(reply.statuses.items())
            if name.startswith(WORKER_HEALTH)
        }


def calls_with_lease(calls: Calls, lease_id: str) -> Calls:
    """The same channel for the calls of a person who has control of a session."""
    leased = Calls(calls.channel, calls.timeout_s)
    leased._lease_id = lease_id
    return leased
