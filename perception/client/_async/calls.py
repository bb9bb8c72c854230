"""Calls of a service: its stubs on one channel, a deadline for each call, and one kind of error."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import grpc

from perception.client.access import LEASE_KEY, WORKER_HEALTH, AsyncChannel
from perception.client.errors import RemoteError, unavailable
from perception.client.message_fields import timeout_of
from perception.client.trace_context import trace_metadata

if TYPE_CHECKING:
    from perception.v1.action_service_pb2_grpc import ActionServiceAsyncStub
    from perception.v1.control_service_pb2_grpc import ControlServiceAsyncStub
    from perception.v1.detection_service_pb2_grpc import DetectionServiceAsyncStub
    from perception.v1.extraction_service_pb2_grpc import ExtractionServiceAsyncStub
    from perception.v1.file_service_pb2_grpc import FileServiceAsyncStub
    from perception.v1.live_service_pb2_grpc import LiveServiceAsyncStub
    from perception.v1.network_service_pb2_grpc import NetworkServiceAsyncStub
    from perception.v1.page_tool_service_pb2_grpc import PageToolServiceAsyncStub
    from perception.v1.perception_service_pb2_grpc import PerceptionServiceAsyncStub
    from perception.v1.session_service_pb2_grpc import SessionServiceAsyncStub
    from perception.v1.video_service_pb2_grpc import VideoServiceAsyncStub


class AsyncCalls:
    """The stubs of a channel. Each is loaded when it is used first: a program that makes one call waits for one only.

    Attributes:
        channel: the connection; other stubs can use it too.
        timeout_s: the deadline, in seconds, of each call that sets none.
    """

    def __init__(self, channel: AsyncChannel, timeout_s: float) -> None:
        self.channel = channel
        self.timeout_s = timeout_of(timeout_s, 60.0)
        self._is_closed = False
        self._lease_id = ""

    @cached_property
    def sessions(self) -> SessionServiceAsyncStub:
        from perception.v1.session_service_pb2_grpc import SessionServiceStub

        return SessionServiceStub(self.channel)

    @cached_property
    def perception(self) -> PerceptionServiceAsyncStub:
        from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub

        return PerceptionServiceStub(self.channel)

    @cached_property
    def detection(self) -> DetectionServiceAsyncStub:
        from perception.v1.detection_service_pb2_grpc import DetectionServiceStub

        return DetectionServiceStub(self.channel)

    @cached_property
    def actions(self) -> ActionServiceAsyncStub:
        from perception.v1.action_service_pb2_grpc import ActionServiceStub

        return ActionServiceStub(self.channel)

    @cached_property
    def extraction(self) -> ExtractionServiceAsyncStub:
        from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub

        return ExtractionServiceStub(self.channel)

    @cached_property
    def files(self) -> FileServiceAsyncStub:
        from perception.v1.file_service_pb2_grpc import FileServiceStub

        return FileServiceStub(self.channel)

    @cached_property
    def live(self) -> LiveServiceAsyncStub:
        from perception.v1.live_service_pb2_grpc import LiveServiceStub

        return LiveServiceStub(self.channel)

    @cached_property
    def network(self) -> NetworkServiceAsyncStub:
        from perception.v1.network_service_pb2_grpc import NetworkServiceStub

        return NetworkServiceStub(self.channel)

    @cached_property
    def page_tools(self) -> PageToolServiceAsyncStub:
        from perception.v1.page_tool_service_pb2_grpc import PageToolServiceStub

        return PageToolServiceStub(self.channel)

    @cached_property
    def control(self) -> ControlServiceAsyncStub:
        from perception.v1.control_service_pb2_grpc import ControlServiceStub

        return ControlServiceStub(self.channel)

    @cached_property
    def video(self) -> VideoServiceAsyncStub:
        from perception.v1.video_service_pb2_grpc import VideoServiceStub

        return VideoServiceStub(self.channel)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...] | None:
        """What each call carries beside its request."""
        given = trace_metadata()
        return (*(given or ()), (LEASE_KEY, self._lease_id)) if self._lease_id else given

    async def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        """Calls a stub's method under a deadline, the client's where none is given.

        Raises:
            RemoteError: the service refused it, or did not answer in time.
            BadInputError: the timeout is no number over 0.
        """
        deadline_s = timeout_of(timeout_s, self.timeout_s)
        if self._is_closed:
            raise unavailable("this client is closed: connect again")
        try:
            return await method(request, timeout=deadline_s, metadata=self.metadata)
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc

    async def is_serving(self, service: str = "", *, timeout_s: float | None = None) -> bool:
        """The answer of the service's health check: for all of it, or for one service by its full name."""
        from grpc_health.v1 import health_pb2, health_pb2_grpc

        request = health_pb2.HealthCheckRequest(service=service)
        reply = await self.call(health_pb2_grpc.HealthStub(self.channel).Check, request, timeout_s)
        return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

    async def worker_states(self, *, timeout_s: float | None = None) -> dict[str, str]:
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
            reply = await self.call(list_all, health_pb2.HealthListRequest(), timeout_s)
        except RemoteError:
            return {}
        return {
            name.removeprefix(WORKER_HEALTH): states[told.status]
            for name, told in sorted(reply.statuses.items())
            if name.startswith(WORKER_HEALTH)
        }


def calls_with_lease(calls: AsyncCalls, lease_id: str) -> AsyncCalls:
    """The same channel for the calls of a person who has control of a session."""
    leased = AsyncCalls(calls.channel, calls.timeout_s)
    leased._lease_id = lease_id
    return leased
