"""Health of an edge: also of each of its workers, for those who may know them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from grpc_health.v1 import health, health_pb2

from perception.client.access import WORKER_HEALTH
from perception.errors import NotImplementedYetError
from perception.server.placement.worker_link import WorkerLink
from perception.server.rpc_call import current

_Status = health_pb2.HealthCheckResponse


class EdgeHealth(health.aio.HealthServicer):  # type: ignore[misc]  # grpc_health has no types
    """Answers `List` with the edge's own health, and with `worker:NAME` for each worker.

    Args:
        links: the workers now.
    """

    def __init__(self, links: Callable[[], Collection[WorkerLink]]) -> None:
        super().__init__()
        self._links = links
        self._own: dict[str, int] = {}

    async def set(self, service: str, status: Any) -> None:
        await super().set(service, status)
        self._own[service] = status

    async def List(self, request: health_pb2.HealthListRequest, context: Any) -> health_pb2.HealthListResponse:  # noqa: N802
        if current() is None:  # at an address that asks nobody who they are
            raise NotImplementedYetError("workers are listed at the edge's own address alone")
        statuses = {f"{WORKER_HEALTH}{link.name}": _health_of(link) for link in self._links()}
        return health_pb2.HealthListResponse(
            statuses={name: _Status(status=status) for name, status in (self._own | statuses).items()}
        )


def _health_of(link: WorkerLink) -> Any:
    """SERVING for one that takes sessions, NOT_SERVING for one that is to end, SERVICE_UNKNOWN for one that is not
    reached."""
    if not link.up or link.status is None:
        return _Status.SERVICE_UNKNOWN
    return _Status.NOT_SERVING if link.status.is_draining else _Status.SERVING
