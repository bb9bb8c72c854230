"""An edge: where clients call, in front of workers that have the sessions.

Rule 1: an edge keeps no state of sessions, so that any number of edges are alike.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import grpc
import structlog
from grpc_channelz.v1 import channelz
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from perception.errors import BadInputError
from perception.instrumentation.metrics import CLAIMS_WAITING, SLOTS, WORKERS
from perception.server.auth.authenticator import Authenticator
from perception.server.auth.private_file import reread_private
from perception.server.auth.session_ids import KEYS_NAME, parse_keys
from perception.server.contract import methods, services
from perception.server.environment import how_to_set
from perception.server.health_port import HealthPort
from perception.server.interceptor import ErrorInterceptor
from perception.server.placement.authority import edge_credentials
from perception.server.placement.carrier import Carrier
from perception.server.placement.claim_queue import ClaimQueue
from perception.server.placement.edge_calls import EdgeCalls
from perception.server.placement.edge_health import EdgeHealth
from perception.server.placement.figures import WorkersFigures
from perception.server.placement.members import members_of
from perception.server.placement.worker_link import WorkerLink, tls_options
from perception.server.placement.workers import Workers
from perception.server.process import CLOSE_SECONDS, LINGER_SECONDS, SERVER_OPTIONS, FoundByName, require_unused
from perception.server.settings import Settings
from perception.server.viewer.beside import ViewerBeside

log = structlog.get_logger(__name__)


class Edge:
    """One running edge. Raises BadInputError for settings that it cannot work with."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._members = members_of(settings)
        if settings.session_keys is None:
            raise BadInputError(
                f"an edge shares keys with its workers: give both the same ones ({how_to_set('cluster')}, or "
                f"{how_to_set('session_keys')} on one machine)",
                field="cluster",
            )
        keys = reread_private(settings.session_keys, KEYS_NAME, parse_keys)
        self._keys = lambda: keys.content
        folder = settings.cluster
        self._credentials = edge_credentials(folder) if folder is not None else None
        self._channel_options = tls_options() if folder is not None else ()
        self.authenticator = Authenticator(settings)
        self.workers = Workers(self._keys, self._link, self._note_change)
        self._viewer = ViewerBeside(settings) if settings.viewer else None
        self._calls = EdgeCalls(settings, lambda: len(self.workers.up))
        self._news = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._health = EdgeHealth(lambda: self.workers.links)
        self._figures = WorkersFigures()
        self._health_port = HealthPort(settings.health_address, self._health)
        self._server = grpc.aio.server(
            interceptors=[ErrorInterceptor((self.authenticator.gate, self._calls.gate))], options=SERVER_OPTIONS
        )
        closing = self._calls.closing
        self.claims = ClaimQueue(
            settings.claim_wait_s,
            settings.max_queue,
            lambda: self.workers.free,
            closing,
            lambda: self._members.report(self.claims.waiting),
        )
        self._server.add_generic_rpc_handlers((_Carried(Carrier(self.workers, self.claims, closing, settings)),))
        by_name = FoundByName(self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, by_name)
        channelz.add_channelz_servicer(by_name)
        names = (service.full_name for service in services())
        self._names = ("", *names)
        reflection.enable_server_reflection(
            (*self._names[1:], health.SERVICE_NAME, "grpc.channelz.v1.Channelz", reflection.SERVICE_NAME), self._server
        )
        CLAIMS_WAITING.set_function(lambda: self.claims.waiting)
        WORKERS.labels(state="up").set_function(lambda: len(self.workers.up))
        WORKERS.labels(state="down").set_function(lambda: len(self.workers.links) - len(self.workers.up))
        SLOTS.labels(state="taken").set_function(lambda: sum(each.taken for each in self._statuses()))
        SLOTS.labels(state="free").set_function(
            lambda: sum(each.slots - each.taken for each in self._statuses() if not each.is_draining)
        )

    async def start(self) -> int:
        """Binds and serves. Returns the TCP port, 0 for a Unix socket. Raises BadInputError."""
        address = self._settings.address
        await require_unused(address)
        port = self.authenticator.open(self._server)
        await self._members.start(self.workers.expect)
        self._telling = asyncio.create_task(self._tell_health(), name="tell-health")
        if self._viewer is not None:
            self._viewer.listen(self._server)
        await self._server.start()
        await self._health_port.start()
        if self._settings.metrics_address:
            self._figures.start(self.workers.up)
        if self._viewer is not None:
            await self._viewer.start(port)
        return 0 if address.startswith("unix:") else port

    @property
    def viewer_link(self) -> str:
        """Where people open the viewer; empty without one."""
        return self._viewer.link if self._viewer is not None else ""

    async def unused_for(self, seconds: float) -> None:
        """Returns when no call has been under way for that long."""
        await self._calls.under_way.unused_for(seconds)

    async def asked_to_end(self) -> None:
        """Never returns: only signals end an edge."""
        await asyncio.Event().wait()

    async def drain(self) -> None:
        """Does nothing: its sessions are the workers', and go on through other edges."""

    def hurry(self) -> None:
        """Does nothing."""

    async def stop(self) -> None:
        """Health says NOT_SERVING, new calls are refused, watches end, other calls finish."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)
        self._figures.stop()
        await self._health.enter_graceful_shutdown()
        if self._viewer is not None:
            await self._viewer.stop()
        await self._members.close()
        self.workers.drain()
        self._calls.closing.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.drain_s):
                await self._calls.under_way.idle.wait()
        await asyncio.sleep(min(LINGER_SECONDS, self._settings.drain_s))
        await self._server.stop(min(CLOSE_SECONDS, self._settings.drain_s))
        await self._health_port.stop()
        await self.workers.close()

    def _link(
        self, address: str, on_change: Callable[[WorkerLink], None], heartbeat_s: Callable[[], float]
    ) -> WorkerLink:
        return WorkerLink(
            address, self._keys, on_change, self._credentials, self._channel_options, heartbeat_s=heartbeat_s
        )

    def _statuses(self) -> list[Any]:
        return [each.status for each in self.workers.up if each.status is not None]

    def _note_change(self) -> None:
        self.claims.wake()
        self._news.set()

    async def _tell_health(self) -> None:
        """Health says SERVING while a worker is reached."""
        told: int | None = None
        while True:
            self._news.clear()
            up = bool(self.workers.up)
            status = health_pb2.HealthCheckResponse.SERVING if up else health_pb2.HealthCheckResponse.NOT_SERVING
            if status != told:
                told = status
                for name in self._names:
                    await self._health.set(name, status)
            await self._news.wait()


class _Carried(grpc.GenericRpcHandler):
    """All rpcs of the contract."""

    def __init__(self, carrier: Carrier) -> None:
        self._handlers = {path: carrier.handler(method) for path, method in methods().items()}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        return self._handlers.get(handler_call_details.method)
