"""An edge's connection to one worker: what the worker says of itself, and whether it is there."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import grpc
import msgspec
import structlog

from perception.client.sent_streams import ending_as_answered
from perception.deadline import Deadline, loop_time
from perception.errors import WorkerUnreachableError
from perception.server.auth.edge_callers import CALLER_KEY, Caller, sign_caller
from perception.server.auth.session_ids import ClusterKey
from perception.server.placement.authority import HOST, edge_credentials, session_keys
from perception.server.placement.worker_status import (
    FIND,
    HEARTBEAT_SECONDS,
    SILENT_SECONDS,
    WATCH,
    Found,
    Wanted,
    WatchAsked,
    WorkerStatus,
)
from perception.server.rpc_call import REQUEST_ID_KEY, RpcCall
from perception.server.settings import MAX_MESSAGE_BYTES

log = structlog.get_logger(__name__)

GONE_SECONDS = 30.0
"""After which a worker that cannot be reached counts as gone: its sessions are lost. One that has ended, or whose port
refuses connections, is gone at once. Chosen by hand."""

RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0)
"""Pauses before the connection is tried again."""

VERDICT_SECONDS = 2.0
"""How long a call whose connection broke waits to learn whether the worker is gone. Chosen by hand."""

PROBE_SECONDS = 1.0

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    # A connection that is tried again in a second, not in minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    # How long an attempt may take: an edge that starts connects to all its workers at once, which takes 200 TLS
    # connections more than 0.1 s on two cores.
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # A worker whose machine or network is gone is noticed; see SERVER_OPTIONS.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)

Answer = TypeVar("Answer")


def tls_options() -> tuple[tuple[str, Any], ...]:
    """Of a channel whose worker is known by the cluster's authority, and not by its address."""
    return (("grpc.ssl_target_name_override", HOST),)


@dataclass(slots=True, eq=False)
class WorkerLink:
    """One worker of an edge.

    Attributes:
        address: `HOST:PORT` or `unix:PATH`.
        keys: sign what the edge sends; the first one does.
        credentials: of TLS; None for plaintext.
        options: of its channel, beside those of all.
        on_change: called with this link when the worker has said something new, or is no longer reached.
        clock: seconds, from any start.
        heartbeat_s: returns how often the worker is to say that it is there.
        status: what it said last; None before it has said anything.
        up: it is reached now.
        pending: claims since then.
        browser_since_s: when its browser started, by the clock; None for none.
    """

    address: str
    keys: Callable[[], tuple[ClusterKey, ...]]
    on_change: Callable[[WorkerLink], None] = lambda _: None
    credentials: grpc.ChannelCredentials | None = None
    options: tuple[tuple[str, Any], ...] = ()
    clock: Callable[[], float] = loop_time
    heartbeat_s: Callable[[], float] = lambda: HEARTBEAT_SECONDS
    status: WorkerStatus | None = None
    up: bool = False
    pending: int = 0
    browser_since_s: float | None = None
    _refused: bool = False
    _down_since: float = field(init=False)
    _channel: grpc.aio.Channel = field(init=False)
    _watching: asyncio.Task[None] | None = None
    _calls: dict[tuple[str, bool, bool], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._down_since = self.clock()
        self._connect()

    def _connect(self) -> None:
        options = (*CHANNEL_OPTIONS, *self.options)
        if self.credentials is None:
            self._channel = grpc.aio.insecure_channel(self.address, options=options)
        else:
            self._channel = grpc.aio.secure_channel(self.address, self.credentials, options=options)

    @property
    def name(self) -> str:
        """The worker's own name, its address before that is known."""
        return self.status.name if self.status is not None else self.address

    @property
    def is_refused(self) -> bool:
        """Whether nobody listened there when it was looked last."""
        return self._refused

    @property
    def is_gone(self) -> bool:
        """Whether it has ended, refuses connections, or was not reached for long: its sessions are lost."""
        if self.up:
            return False
        ended = self.status is not None and self.status.ended
        return ended or self._refused or self.is_long_down

    @property
    def is_long_down(self) -> bool:
        """Whether it was not reached for so long that it counts as gone."""
        return not self.up and self.clock() - self._down_since > GONE_SECONDS

    def start(self) -> None:
        self._watching = asyncio.create_task(self._watch(), name="watch-worker")

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._channel.close()

    def call_of(self, path: str, *, streams_requests: bool = False, streams_answers: bool = False) -> Any:
        """The method of the worker at that path, whose messages are bytes."""
        key = (path, streams_requests, streams_answers)
        if key not in self._calls:
            kinds = {
                (False, False): self._channel.unary_unary,
                (False, True): self._channel.unary_stream,
                (True, False): self._channel.stream_unary,
                (True, True): self._channel.stream_stream,
            }
            method: Any = kinds[streams_requests, streams_answers](path)
            self._calls[key] = ending_as_answered(method) if streams_requests else method
        return self._calls[key]

    def signed(self, call: RpcCall) -> tuple[tuple[str, str], ...]:
        """Metadata that says who makes a call."""
        caller = sign_caller(Caller(call.principal, call.right), call, self.keys()[0])
        return (REQUEST_ID_KEY, call.request_id), (CALLER_KEY, caller)

    async def has_request(self, wanted: Wanted, deadline: Deadline) -> bool:
        """Whether it has the session of a request. Raises WorkerUnreachableError."""
        return (await self.ask(FIND, wanted, Found, deadline)).here

    async def ask(self, path: str, request: msgspec.Struct, kind: type[Answer], deadline: Deadline) -> Answer:
        """Asks the worker itself. Raises WorkerUnreachableError where it does not answer in SILENT_SECONDS."""
        call = RpcCall(path, secrets.token_hex(8))
        timeout_s = min(SILENT_SECONDS, deadline.remaining())
        try:
            reply = await self.call_of(path)(
                msgspec.json.encode(request), timeout=timeout_s, metadata=self.signed(call)
            )
        except grpc.aio.AioRpcError as exc:
            raise unreachable(self.name) from exc
        return msgspec.json.decode(reply, type=kind)

    async def outlived(self, epoch: int | None, deadline: Deadline) -> bool:
        """Whether the worker of that epoch is still there after its connection broke. Waits shortly to learn it."""
        until = min(VERDICT_SECONDS, deadline.remaining())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(until):
                while not self.is_gone and not (self.up and await self._is_reached()):  # noqa: ASYNC110  (of two causes)
                    await asyncio.sleep(0.02)
        return not self.is_gone and self.status is not None and self.status.epoch == epoch

    async def _is_reached(self) -> bool:
        """Whether it answers now: `up` may be of before the break."""
        try:
            await self.ask(FIND, Wanted("", ""), Found, Deadline.of(PROBE_SECONDS))
        except WorkerUnreachableError:
            return False
        return True

    async def _watch(self) -> None:
        """Reads what the worker says of itself, and connects again for as long as the edge runs."""
        failures = 0
        while True:
            try:
                if await self._read_statuses():
                    failures = 0
            except (grpc.aio.AioRpcError, TimeoutError, msgspec.MsgspecError) as exc:
                if not failures:
                    log.warning("worker not reached", worker=self.name, why=_why(exc))
            await self._note_down()
            await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    async def _read_statuses(self) -> bool:
        """Until the stream ends. Returns whether there was one."""
        call = RpcCall(WATCH, secrets.token_hex(8))
        asked = msgspec.json.encode(WatchAsked(self.heartbeat_s()))
        stream = self.call_of(WATCH, streams_answers=True)(asked, metadata=self.signed(call))
        heard = False
        try:
            while True:
                async with asyncio.timeout(SILENT_SECONDS):
                    data = await stream.read()
                if data is grpc.aio.EOF:
                    return heard
                if data:
                    self.hear(msgspec.json.decode(data, type=WorkerStatus))
                elif self.status is not None:
                    self.hear_again()
                heard = True
        finally:
            stream.cancel()

    def hear(self, status: WorkerStatus) -> None:
        """What the worker says of itself."""
        if not self.up and not status.ended:
            log.info("worker reached", worker=status.name, epoch=status.epoch, slots=status.slots)
        if status.ended:
            self._down_since = self.clock()
        changed = status != self.status or not self.up or bool(self.pending)
        self.status, self.up, self._refused = status, not status.ended, False
        self.pending = 0
        age_s = status.browser_age_s
        self.browser_since_s = None if age_s is None else self.clock() - age_s
        if changed:
            self.on_change(self)

    def hear_again(self) -> None:
        """The worker is there, and what it said last still holds."""
        if self.pending or not self.up:
            assert self.status is not None
            self.up, self._refused, self.pending = not self.status.ended, False, 0
            self.on_change(self)

    async def _note_down(self) -> None:
        self.note_down(refused=False)
        if await _is_refused(self.address):
            self.note_down(refused=True)

    def note_down(self, *, refused: bool) -> None:
        """It is no longer reached. `refused`: nobody listens at its address."""
        if self.up:
            self.up, self._down_since = False, self.clock()
        self._refused = refused
        self.on_change(self)


def link_by(folder: Path, address: str, on_change: Callable[[WorkerLink], None] = lambda _: None) -> WorkerLink:
    """A connection with the certificates and keys of a cluster's folder. Raises BadInputError."""
    keys = session_keys(folder)
    return WorkerLink(address, lambda: keys, on_change, edge_credentials(folder), tls_options())


def unreachable(name: str) -> WorkerUnreachableError:
    return WorkerUnreachableError(f"worker {name} is not reached at the moment: nothing was done; try again")


def _why(error: Exception) -> str:
    """For the log: gRPC's own words hold addresses, and nothing of callers."""
    return (error.details() or error.code().name) if isinstance(error, grpc.aio.AioRpcError) else type(error).__name__


async def _is_refused(address: str) -> bool:
    """Whether nobody listens there, which a machine that can be reached says at once."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            if address.startswith("unix:"):
                _, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
            else:
                host, _, port = address.rpartition(":")
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (ConnectionRefusedError, FileNotFoundError):
        return True
    except (OSError, TimeoutError):
        return False
    writer.close()
    return False
