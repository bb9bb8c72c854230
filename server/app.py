"""The service as a process: construction, start, drain and stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NoReturn

import grpc
import numpy as np
import structlog
from grpc_channelz.v1 import channelz
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from perception.browser.chromium.leftovers import end_own, sweep
from perception.browser.network import reserved_ports as own_ports
from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.errors import BadInputError
from perception.paths import move_user_data
from perception.render.tokens import count_tokens
from perception.server.admission.limits import Admission
from perception.server.auth.authenticator import Authenticator
from perception.server.auth.secret_store import SecretStore
from perception.server.auth.upstream_proxies import service_upstream
from perception.server.control.gate import ControlGate
from perception.server.interceptor import ErrorInterceptor
from perception.server.live.timeline import Timeline
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
from perception.server.services.subroutine import SubroutineRpcs
from perception.server.services.video import VideoRpcs
from perception.server.sessions.looks_ahead import LookAheadSupport
from perception.server.sessions.manager import SessionManager
from perception.server.sessions.spare_time import SpareTime
from perception.server.settings import MAX_MESSAGE_BYTES, Settings
from perception.server.subroutines.subroutine_store import FOLDERS
from perception.server.telemetry.logs import log_background_errors
from perception.server.viewer.beside import ViewerBeside
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import control_service_pb2 as control_pb
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import live_service_pb2 as live_pb
from perception.v1 import network_service_pb2 as network_pb
from perception.v1 import page_tool_service_pb2 as page_tool_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1 import video_service_pb2 as video_pb
from perception.v1.action_service_pb2_grpc import add_ActionServiceServicer_to_server
from perception.v1.control_service_pb2_grpc import add_ControlServiceServicer_to_server
from perception.v1.detection_service_pb2_grpc import add_DetectionServiceServicer_to_server
from perception.v1.extraction_service_pb2_grpc import add_ExtractionServiceServicer_to_server
from perception.v1.file_service_pb2_grpc import add_FileServiceServicer_to_server
from perception.v1.live_service_pb2_grpc import add_LiveServiceServicer_to_server
from perception.v1.network_service_pb2_grpc import add_NetworkServiceServicer_to_server
from perception.v1.page_tool_service_pb2_grpc import add_PageToolServiceServicer_to_server
from perception.v1.perception_service_pb2_grpc import add_PerceptionServiceServicer_to_server
from perception.v1.session_service_pb2_grpc import add_SessionServiceServicer_to_server
from perception.v1.subroutine_service_pb2_grpc import add_SubroutineServiceServicer_to_server
from perception.v1.video_service_pb2_grpc import add_VideoServiceServicer_to_server

log = structlog.get_logger(__name__)

SERVICES = tuple(
    module.DESCRIPTOR.services_by_name[name].full_name
    for module, name in (
        (session_pb, "SessionService"),
        (perception_pb, "PerceptionService"),
        (detection_pb, "DetectionService"),
        (action_pb, "ActionService"),
        (extraction_pb, "ExtractionService"),
        (subroutine_pb, "SubroutineService"),
        (file_pb, "FileService"),
        (network_pb, "NetworkService"),
        (page_tool_pb, "PageToolService"),
        (live_pb, "LiveService"),
        (control_pb, "ControlService"),
        (video_pb, "VideoService"),
    )
)

CHANNELZ = "grpc.channelz.v1.Channelz"

WARM_UP_SECONDS = 60.0
"""No caller waits for the warm-up; this only ends one that a broken model keeps alive."""


SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a second service on the same port is an error, not a silent half
    # A client whose machine or network is gone is pinged, and its calls end when it does not answer.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # Clients may ping as often: gRPC's default closes connections that are pinged every minute.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
)

COLLECT_AFTER = 20_000
"""Objects that have to be new for a collection of the new ones; CPython's default is 700."""

HARD_END = 3
"""Exit code of a service that did not stop in time."""

LINGER_SECONDS = 0.5
"""For the next calls of clients whose last one just ended: they get the reason, not a broken connection."""

CLOSE_SECONDS = 5.0
"""For answers in flight after all calls ended, and for browsers to close."""


class Service:
    """One running service."""

    def __init__(self, settings: Settings, registry: Registry | None = None) -> None:
        self._settings = settings
        self._authenticator = Authenticator(settings)
        registry = registry or Registry.load()
        self.context = ServiceContext(
            settings=settings,
            sessions=SessionManager(settings),
            secret_store=SecretStore(settings.secrets_file),
            registry=registry,
            pool=DetectorPool(registry),
        )
        self._warming: asyncio.Task[None] | None = None
        self._port = 0
        self._viewer = ViewerBeside(settings) if settings.viewer else None
        self._health = health.aio.HealthServicer()
        self.admission = admission = Admission(settings)
        sessions = self.context.sessions
        sessions.upstream = service_upstream(settings, self.context.secret_store)
        if settings.look_ahead:
            spare = SpareTime(
                lambda: (admission.waiting, admission.running + sessions.busy_others), sessions.browsers.is_short
            )
            sessions.look_ahead = LookAheadSupport(spare, self.context.pool, lambda: len(sessions.sessions))
        control, timeline = ControlGate(sessions, settings), Timeline(sessions.find)
        gates = (self._authenticator.gate, control.gate, self.admission.gate, sessions.gate, timeline.gate)
        masked = ErrorInterceptor(gates, self.context.secret_store.masker)
        self._server = grpc.aio.server(interceptors=[masked], options=SERVER_OPTIONS)
        self._add_services()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        channelz.add_channelz_servicer(self._server)
        named = (*SERVICES, health.SERVICE_NAME, CHANNELZ, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(named, self._server)

    async def _warm_up(self) -> None:
        """Loads models and the tokenizer while the first caller's browser starts; after a browser that starts ahead,
        which the first call needs sooner."""
        context = self.context
        if context.settings.start_browser:
            await context.sessions.browsers.start_ahead()
        names = context.settings.detectors or await asyncio.to_thread(context.registry.defaults)
        blank = np.full((32, 32, 3), 255, np.uint8)
        await asyncio.to_thread(count_tokens, "")
        await context.pool.detect(names, [blank], Deadline.of(WARM_UP_SECONDS), CropCache(), reserve_s=0)

    def _add_services(self) -> None:
        """All services of the contract. An rpc that a class leaves out answers UNIMPLEMENTED by the generated base
        class."""
        context, server = self.context, self._server
        add_SessionServiceServicer_to_server(SessionRpcs(context), server)
        add_PerceptionServiceServicer_to_server(PerceptionRpcs(context), server)
        add_DetectionServiceServicer_to_server(DetectionRpcs(context), server)
        add_ActionServiceServicer_to_server(ActionRpcs(context), server)
        add_ExtractionServiceServicer_to_server(ExtractionRpcs(context), server)
        add_SubroutineServiceServicer_to_server(SubroutineRpcs(context), server)
        add_FileServiceServicer_to_server(FileRpcs(context), server)
        add_NetworkServiceServicer_to_server(NetworkRpcs(context), server)
        add_PageToolServiceServicer_to_server(PageToolRpcs(context), server)
        add_LiveServiceServicer_to_server(LiveRpcs(context), server)
        add_ControlServiceServicer_to_server(ControlRpcs(context), server)
        add_VideoServiceServicer_to_server(VideoRpcs(context), server)

    async def start(self) -> int:
        """Binds and serves. Returns the TCP port, 0 for a Unix socket.

        Raises:
            BadInputError: the address cannot be bound.
        """
        address = self._settings.address
        await _require_unused(address)
        for pid in await asyncio.to_thread(sweep):
            log.warning("ended a leftover of a service that was killed", pid=pid)
        if self._settings.data_dir is None:
            await asyncio.to_thread(_move_user_data)
        port = self._authenticator.open(self._server)
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
        self._warming = asyncio.create_task(self._warm_up(), name="warm-up")
        return 0 if address.startswith("unix:") else port

    @property
    def viewer_link(self) -> str:
        """Where people open the viewer; empty without one."""
        return self._viewer.link if self._viewer is not None else ""

    async def stop(self) -> None:
        """Drains: health says NOT_SERVING, new calls are refused, running calls finish, then the browsers end."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        await self._health.enter_graceful_shutdown()
        if self._viewer is not None:
            await self._viewer.stop()
        self.admission.close()
        self.context.sessions.begin_closing()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.admission.idle.wait(), self._settings.drain_s)
        await asyncio.sleep(min(LINGER_SECONDS, self._settings.drain_s))
        await self._server.stop(min(CLOSE_SECONDS, self._settings.drain_s))
        if self._port:
            own_ports.release(self._port)
            self._port = 0
        await self.context.sessions.close_all()
        await asyncio.to_thread(self.context.pool.close)


async def serve(
    settings: Settings, ready: Callable[[int, str], None], until: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Runs until SIGTERM or SIGINT, or until `until` returns. A second signal, or a stop that takes too long, ends it
    at once. `ready` gets the port and the link of the viewer, empty without one."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    log_background_errors(loop)

    def end() -> None:
        if stop.is_set():
            _end_hard()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    service = Service(settings)
    watchers = [asyncio.create_task(_end_with(until, stop))] if until else []
    if settings.idle_exit_s:
        unused = partial(service.admission.unused_for, settings.idle_exit_s)
        watchers.append(asyncio.create_task(_end_with(unused, stop)))
    try:
        ready(await service.start(), service.viewer_link)
        _keep_out_of_collections()
        await stop.wait()
        log.info("stopping", drain_s=settings.drain_s)
    finally:
        last = threading.Timer(settings.drain_s + 3 * CLOSE_SECONDS, _end_hard)
        last.daemon = True
        last.start()
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
        await service.stop()
        last.cancel()


def _keep_out_of_collections() -> None:
    """Has the garbage collector pass over what the service is made of: some 150,000 objects, which made each full
    collection stop all sessions for 80 to 200 ms (CPython 3.11). It comes less often, too: a look at
    10,000 elements makes 80,000 objects that live on, for which the default has it run a hundred times."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])


def _end_hard() -> NoReturn:
    """Ends at once: browsers and folders are removed as after a SIGKILL."""
    log.error("stopped hard: something did not end in time")
    end_own()
    os._exit(HARD_END)


async def stdin_closed() -> None:
    """Returns when standard input ends, which means that the parent process is gone."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    try:
        while await reader.read(4096):
            pass
    finally:
        transport.close()


async def _end_with(until: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
    await until()
    stop.set()


def _move_user_data() -> None:
    try:
        for name in move_user_data(FOLDERS):
            log.info("moved from the cache to the data folder", folder=name)
    except OSError as exc:
        log.warning("user data could not be moved: it is still in the cache folder", error=str(exc))


async def _require_unused(address: str) -> None:
    """Refuses a Unix socket that another process listens on; gRPC would take it over."""
    if not address.startswith("unix:"):
        return
    try:
        _, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
    except OSError:
        return
    writer.close()
    raise BadInputError(f"{address} is in use by another program: choose another path", field="address")
