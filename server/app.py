"""The service: construction, start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import structlog
from grpc_channelz.v1 import channelz
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from perception.browser.chromium.leftovers import sweep
from perception.browser.network import reserved_ports as own_ports
from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.paths import move_user_data
from perception.render.tokens import count_tokens
from perception.server.admission.limits import Admission
from perception.server.auth.authenticator import Authenticator
from perception.server.auth.secret_store import SecretStore
from perception.server.auth.upstream_proxies import service_upstream
from perception.server.contract import services
from perception.server.control_gate import ControlGate
from perception.server.data_folder import NAMES, REMEDY, why_not_writable
from perception.server.health_port import HealthPort
from perception.server.interceptor import ErrorInterceptor
from perception.server.placement.folder_id import folder_id
from perception.server.placement.worker import Worker
from perception.server.process import CLOSE_SECONDS, LINGER_SECONDS, SERVER_OPTIONS, FoundByName, require_unused
from perception.server.services.action import ActionRpcs
from perception.server.services.control import ControlRpcs
from perception.server.services.detection import DetectionRpcs
from perception.server.services.extraction import ExtractionRpcs
from perception.server.services.file import FileRpcs
from perception.server.services.live import LiveRpcs
from perception.server.services.network import NetworkRpcs
from perception.server.services.page_tool import PageToolRpcs
from perception.server.services.perception import PerceptionRpcs
from perception.server.services.service_context import ServiceContext
from perception.server.services.session import SessionRpcs
from perception.server.services.snapshot_pages import SnapshotPages
from perception.server.services.subroutine import SubroutineRpcs
from perception.server.services.video import VideoRpcs
from perception.server.sessions.browsers import Browsers
from perception.server.sessions.looks_ahead import LookAheadSupport
from perception.server.sessions.manager import SessionManager
from perception.server.sessions.spare_time import SpareTime
from perception.server.settings import Settings
from perception.server.subroutines.subroutine_store import FOLDERS
from perception.server.timeline.timeline import Timeline
from perception.server.viewer.beside import ViewerBeside

log = structlog.get_logger(__name__)

SERVICES = tuple(each.full_name for each in services())

RPCS: tuple[type[Any], ...] = (
    ActionRpcs,
    ControlRpcs,
    DetectionRpcs,
    ExtractionRpcs,
    FileRpcs,
    LiveRpcs,
    NetworkRpcs,
    PageToolRpcs,
    PerceptionRpcs,
    SessionRpcs,
    SubroutineRpcs,
    VideoRpcs,
)
"""What answers the rpcs, a class for each service."""

CHANNELZ = "grpc.channelz.v1.Channelz"

WARM_UP_AFTER_SECONDS = 1.0
"""Without a call, after the first ones: those of one task come within milliseconds. Chosen by hand."""

WARM_UP_SECONDS = 60.0
"""No caller waits for the warm-up; this only ends one that a broken model keeps alive."""


class Service:
    """One running service."""

    def __init__(self, settings: Settings, registry: Registry | None = None, browsers: Browsers | None = None) -> None:
        """
        Args:
            registry: of the detectors; None for those that are installed.
            browsers: where one may be starting already; None for new ones.
        """
        self._settings = settings
        self.authenticator = Authenticator(settings)
        registry = registry or Registry.load()
        secrets = SecretStore(settings.secrets_file)
        browsers, pool = browsers or Browsers(settings), DetectorPool(registry)
        self.admission = Admission(settings)
        pages = SnapshotPages()
        look_ahead = self._look_ahead_support(pool, browsers, pages)
        self.context = ServiceContext(
            settings=settings,
            sessions=SessionManager(settings, browsers, service_upstream(settings, secrets), look_ahead),
            secret_store=secrets,
            registry=registry,
            pool=pool,
            pages=pages,
        )
        self._warming: asyncio.Task[None] | None = None
        self._keeping_spare: asyncio.Task[None] | None = None
        self._port = 0
        self._viewer = ViewerBeside(settings) if settings.viewer else None
        self._health = health.aio.HealthServicer()
        self._health_port = HealthPort(settings.health_address, self._health)
        sessions = self.context.sessions
        control, timeline = ControlGate(sessions, settings), Timeline(sessions.find)
        gates = (self.authenticator.gate, control.gate, self.admission.gate, sessions.gate, timeline.gate)
        self.worker = self._as_worker() if settings.worker else None
        worker = self.worker
        notice = (lambda: ()) if worker is None else (lambda: worker.notice)
        masked = ErrorInterceptor(gates, self.context.secret_store.masker, notice, settings.data_folder)
        self._server = grpc.aio.server(interceptors=[masked], options=SERVER_OPTIONS)
        by_name = FoundByName(self._server)
        self._add_services(by_name)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, by_name)
        channelz.add_channelz_servicer(by_name)
        named = (*SERVICES, health.SERVICE_NAME, CHANNELZ, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(named, self._server)  # it asks of what kind the server is

    def _look_ahead_support(
        self, pool: DetectorPool, browsers: Browsers, pages: SnapshotPages
    ) -> LookAheadSupport | None:
        """What sessions look ahead with; None where the service does not."""
        if not self._settings.look_ahead:
            return None

        def busy() -> tuple[int, int]:
            return self.admission.waiting, self.admission.running + self.context.sessions.busy_others

        spare = SpareTime(busy, browsers.is_short)
        return LookAheadSupport(
            spare, pool, lambda fence, made: pages.write(made, 0, fence), lambda: len(self.context.sessions.sessions)
        )

    def _as_worker(self) -> Worker:
        sessions = self.context.sessions
        browsers = sessions.browsers
        return Worker(
            sessions.placement,
            lambda: (browsers.memory_share, browsers.shared_age_s),
            sessions.has_request,
            self._settings.drain_grace_s,
            lambda: sessions.requests,
            folder_id(self._settings.data_folder),
        )

    async def _warm_up(self) -> None:
        """Loads models and libraries while the first caller's browser starts. Where a browser starts ahead, one is
        about to call: they are loaded after the first calls, or by a call that needs them."""
        context = self.context
        if context.settings.start_browser:
            await context.sessions.browsers.start_ahead()
            self._keeping_spare = asyncio.create_task(
                context.sessions.opener.keep_a_spare(self.admission.calls.unused_for), name="keep-a-spare"
            )
            await self.admission.calls.begun.wait()
            await self.admission.calls.unused_for(WARM_UP_AFTER_SECONDS)
        names = context.settings.detectors or await asyncio.to_thread(context.registry.defaults)
        blank = np.full((32, 32, 3), 255, np.uint8)
        await asyncio.to_thread(count_tokens, "")
        await context.pool.detect(names, [blank], Deadline.of(WARM_UP_SECONDS), CropCache(), reserve_s=0)

    def _add_services(self, by_name: FoundByName) -> None:
        """All services of the contract. An rpc that a class leaves out answers UNIMPLEMENTED by the generated base
        class."""
        for rpcs in RPCS:
            _add(rpcs(self.context), by_name)
        if self.worker is not None:
            self._server.add_generic_rpc_handlers((self.worker.handlers,))

    async def start(self) -> int:
        """Binds and serves. Returns the TCP port, 0 for a Unix socket.

        Raises:
            BadInputError: the address cannot be bound.
        """
        address = self._settings.address
        await require_unused(address)
        for pid in await asyncio.to_thread(sweep):
            log.warning("ended a leftover of a service that was killed", pid=pid)
        if self._settings.data_dir is None:
            await asyncio.to_thread(_move_user_data)
        await asyncio.to_thread(_warn_of_data_folder, self._settings.data_folder)
        port = self.authenticator.open(self._server)
        if port and not address.startswith("unix:"):
            own_ports.guard(port)
            self._port = port
        self.context.sessions.placement.take_address(address, port)
        if self._viewer is not None:
            self._viewer.listen(self._server)
        await self._server.start()
        self.context.sessions.start()
        if self._viewer is not None:
            await self._viewer.start(port)
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        await self._health_port.start()
        self._warming = asyncio.create_task(self._warm_up(), name="warm-up")
        return 0 if address.startswith("unix:") else port

    @property
    def viewer_link(self) -> str:
        """Where people open the viewer; empty without one."""
        return self._viewer.link if self._viewer is not None else ""

    async def unused_for(self, seconds: float) -> None:
        """Returns when no call has been under way for that long; health checks and reflection do not count."""
        await self.admission.calls.unused_for(seconds)

    async def asked_to_end(self) -> None:
        """Returns when a client that may do so has asked it to end."""
        await (asyncio.Event() if self.worker is None else self.worker.asked_to_end).wait()

    async def drain(self) -> None:
        """Drains a worker: health says NOT_SERVING, no more sessions are taken, and it returns when the last one has
        ended or the grace is over. Any other service has nothing to wait for."""
        if self.worker is not None:
            for name in ("", *SERVICES):
                await self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
            await self.worker.drain()

    def hurry(self) -> None:
        """Ends the drain."""
        if self.worker is not None:
            self.worker.hurry()

    async def stop(self) -> None:
        """Health says NOT_SERVING, new calls are refused, running calls finish, then the browsers end."""
        for each in filter(None, (self._warming, self._keeping_spare)):
            each.cancel()
            await asyncio.gather(each, return_exceptions=True)
        await self._health.enter_graceful_shutdown()
        if self._viewer is not None:
            await self._viewer.stop()
        if self.worker is not None:
            await self.worker.announce_end()
        self.admission.close()
        self.context.sessions.begin_closing()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.drain_s):
                await self.admission.calls.idle.wait()
        await asyncio.sleep(min(LINGER_SECONDS, self._settings.drain_s))
        await self._server.stop(min(CLOSE_SECONDS, self._settings.drain_s))
        await self._health_port.stop()
        if self._port:
            own_ports.release(self._port)
            self._port = 0
        await self.context.sessions.close_all()
        await asyncio.to_thread(self.context.pool.close)


def _add(rpcs: Any, server: FoundByName) -> None:
    """Has a server answer rpcs, by the function that was generated beside their base class."""
    base = next(each for each in type(rpcs).__mro__ if each.__module__.endswith("_pb2_grpc"))
    getattr(sys.modules[base.__module__], f"add_{base.__name__}_to_server")(rpcs, server)


def _warn_of_data_folder(folder: Path) -> None:
    if why := why_not_writable(folder, NAMES):
        log.warning("the data folder cannot be written: nothing is kept", folder=str(folder), error=why, fix=REMEDY)


def _move_user_data() -> None:
    try:
        for name in move_user_data(FOLDERS):
            log.info("moved from the cache to the data folder", folder=name)
    except OSError as exc:
        log.warning("user data could not be moved: it is still in the cache folder", error=str(exc))
