"""A service as a process: signals, the end, and what it listens on."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, NoReturn, Protocol

import grpc
import structlog

from perception import host_os
from perception.browser.chromium.leftovers import end_own
from perception.errors import BadInputError
from perception.server.settings import MAX_MESSAGE_BYTES, Settings
from perception.server.telemetry.logs import log_background_errors

log = structlog.get_logger(__name__)

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

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT)

COLLECT_AFTER = 20_000
"""Objects that have to be new for a collection of the new ones; CPython's default is 700."""

MAPPED_BYTES = 2**20
"""Larger blocks, such as a picture's, are given back to the system as they are freed."""

HARD_END = 3
"""Exit code of a service that did not stop in time."""

LINGER_SECONDS = 0.5
"""For the next calls of clients whose last one just ended: they get the reason, not a broken connection."""

CLOSE_SECONDS = 5.0
"""For answers in flight after all calls ended, and for browsers to close."""


class FoundByName:
    """What generated functions add their services to: the server then finds each method by its name.

    grpc.aio (1.85) makes a future for each method that is registered, and waits for all of them anew with each call.
    """

    def __init__(self, server: grpc.aio.Server) -> None:
        self.add_generic_rpc_handlers = server.add_generic_rpc_handlers

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Registers nothing: the generated functions add the same handlers as generic ones."""


class Served(Protocol):
    """What runs as a process: a service, or an edge."""

    @property
    def viewer_link(self) -> str:
        """Where people open the viewer; empty without one."""

    async def start(self) -> int:
        """Binds and serves. Returns the TCP port, 0 for a Unix socket. Raises BadInputError."""

    async def asked_to_end(self) -> None:
        """Returns when a client that may do so has asked it to end."""

    async def drain(self) -> None:
        """Waits for what may go on after the service was told to end."""

    def hurry(self) -> None:
        """Ends the drain."""

    async def stop(self) -> None:
        """Ends what is under way, then itself."""

    async def unused_for(self, seconds: float) -> None:
        """Returns when no call has been under way for that long."""


async def serve(
    make: Callable[[Settings], Awaitable[Served]],
    settings: Settings,
    ready: Callable[[int, str], None],
    until: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Runs until SIGTERM or SIGINT, or until `until` returns. A second signal, or a stop that takes too long, ends it
    at once; the second signal of a worker that drains ends the drain.

    Args:
        make: the service of these settings.
        ready: called with the port and the link of the viewer, empty without one.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    log_background_errors(loop)
    service = await _made(make(settings))
    stopping = asyncio.Event()

    def end() -> None:
        if stopping.is_set():
            _end_hard()
        if stop.is_set():
            service.hurry()
        stop.set()

    for number in ENDING_SIGNALS:
        loop.add_signal_handler(number, end)
    watchers = [asyncio.create_task(_end_with(each, stop)) for each in (service.asked_to_end, until) if each]
    if settings.idle_exit_s:
        unused = partial(service.unused_for, settings.idle_exit_s)
        watchers.append(asyncio.create_task(_end_with(unused, stop)))
    try:
        ready(await service.start(), service.viewer_link)
        _keep_out_of_collections()
        host_os.give_memory_back(MAPPED_BYTES)
        await stop.wait()
        await service.drain()
        log.info("stopping", drain_s=settings.drain_s)
    finally:
        stopping.set()
        last = threading.Timer(settings.drain_s + 3 * CLOSE_SECONDS, _end_hard)
        last.daemon = True
        last.start()
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
        await service.stop()
        last.cancel()


async def _made(making: Awaitable[Served]) -> Served:
    """What is being made. A signal meanwhile ends this process at once, and the browser that it may have started."""

    def end(number: int) -> None:
        end_own()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        loop.add_signal_handler(number, end, number)
    return await making


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


async def require_unused(address: str) -> None:
    """Refuses a Unix socket that another process listens on; gRPC would take it over."""
    if not address.startswith("unix:"):
        return
    try:
        _, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
    except OSError:
        return
    writer.close()
    raise BadInputError(f"{address} is in use by another program: choose another path", field="address")
