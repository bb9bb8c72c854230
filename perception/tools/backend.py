"""The service behind the tools: one at an address, or a private one.

Rule 1: a private service is started by the first call, or ahead of it, and again by the next call after it has ended.
One that was started ahead and that nobody calls is ended: a server that nobody uses costs no browser for long.
One that others share ends by itself; where it does not answer, this process starts one for itself alone.
Rule 2: with callers' tokens, each call goes to the service with its caller's own: who they are and what they may do is
decided there, and only there.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perception.client import RemoteError, aconnect
from perception.client.access import Access, open_async_channel, prepare_access
from perception.client.child import START_SECONDS, WITH_BROWSER, ChildError, ServiceChild
from perception.client.errors import unavailable
from perception.errors import BadInputError, PerceptionError, UnauthenticatedError
from perception.interaction.answers import ToolNames
from perception.tools.endings import HearingClient
from perception.tools.sessions import Caller, Connection

if TYPE_CHECKING:
    from perception.client.shared_service import SharedService

log = logging.getLogger(__name__)

MAX_CALLERS = 1024
"""Channels that are kept open, one for each token; the one that was used longest ago is closed first."""

_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
"""What gRPC's metadata can carry; which of it are tokens is the service's to say."""

CHECK_SECONDS = 10.0
"""For asking the service whether it takes a token."""

UNUSED_SECONDS = 120.0
"""For the first call to come to a service that was started ahead. Chosen by hand: a host starts its servers with
itself, or with a task."""


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """Which service, and how sessions are opened there.

    Attributes:
        address: `HOST:PORT` or `unix:PATH`; empty for a private one.
        access: how this process authenticates, as of `perception.client.access.prepare_access`.
        allow_hosts: private hosts that a private service may open pages of.
        service_options: further options of `perception serve` for a private service.
        timeout_s: seconds for each call.
        session: fields of SessionOptions.
        lease_s: idle time of sessions at an address, where something renews it; None for the service's own.
    """

    address: str = ""
    access: Mapping[str, Any] = field(default_factory=dict)
    allow_hosts: Sequence[str] = ()
    service_options: Sequence[str] = ()
    timeout_s: float = 60.0
    session: Mapping[str, Any] = field(default_factory=dict)
    lease_s: float | None = None


class Backend:
    """Gives each caller a client of the service.

    Args:
        options: which service.
        started: a private service that was started ahead; `close` ends it.
        shared: a private service that other processes of this user may have.
    """

    def __init__(
        self, options: BackendOptions, started: ServiceChild | None = None, shared: SharedService | None = None
    ) -> None:
        self._options = options
        self._child = started
        self._shared = shared
        self._shared_address = ""
        self.has_service_alone = not options.address and shared is None
        self._callers: OrderedDict[str, Caller] = OrderedDict()
        self._lock = asyncio.Lock()

    @property
    def callers(self) -> tuple[Caller, ...]:
        """Those that have called."""
        return tuple(self._callers.values())

    async def check(self, *, asks_for_tokens: bool) -> None:
        """Checks that the service at the address answers; a private one is left alone.

        Args:
            asks_for_tokens: it must refuse calls without a token, since everybody who reaches this server reaches it.

        Raises:
            RemoteError: nothing answers there, or it does not take this process's token.
            BadInputError: it takes calls without a token.
        """
        address = self._options.address
        if not address:
            return
        access = _without_token(self._options.access) if asks_for_tokens else self._options.access
        async with await aconnect(address, timeout_s=CHECK_SECONDS, **access) as client:
            try:
                await client.open_sessions()
            except RemoteError as exc:
                if not asks_for_tokens or exc.reason != UnauthenticatedError.reason:
                    raise
                return
        if asks_for_tokens:
            raise BadInputError(f"the service at {address} asks for no tokens: start it with --token-file")

    async def caller(self, token: str = "") -> Caller:
        """The caller of a token; without one, this process.

        Raises:
            RemoteError: the private service did not start.
        """
        async with self._lock:
            await self._ensure_service()
            caller = self._callers.get(token)
            if caller is None:
                caller = self._callers[token] = Caller(self._open(token), self._options.session, self._options.lease_s)
                if len(self._callers) > MAX_CALLERS:
                    _, oldest = self._callers.popitem(last=False)
                    await oldest.client.close()
            self._callers.move_to_end(token)
            return caller

    async def takes(self, token: str) -> bool:
        """Whether the service takes a token. Raises RemoteError where it does not answer."""
        if not _TOKEN.fullmatch(token):
            return False
        async with self._lock:
            await self._ensure_service()
            client = self._open(token)
        try:
            await client.open_sessions(timeout_s=CHECK_SECONDS)
        except RemoteError as exc:
            if exc.reason == UnauthenticatedError.reason:
                return False
            raise
        finally:
            await client.close()
        return True

    async def end_unused(self) -> None:
        """Ends a service that was started ahead if nobody has called it in time."""
        await asyncio.sleep(UNUSED_SECONDS)
        async with self._lock:
            if not self._callers:
                await self._end()

    async def close(self) -> None:
        """Closes all channels, and ends a private service with its browser. Safe to call twice."""
        async with self._lock:
            await self._end()

    async def _end(self) -> None:
        callers, self._callers = list(self._callers.values()), OrderedDict()
        for caller in callers:
            await caller.client.close()
        child, self._child = self._child, None
        if child is not None:
            await child.astop()

    async def _ensure_service(self) -> None:
        """Starts a private service that does not run, and waits until it listens. It goes on when its caller leaves."""
        if self._options.address or (self._shared is not None and await self._join(self._shared)):
            return
        self._shared = None
        if self._child is None or self._child.process.poll() is not None:
            await self._end()
            self._child = ServiceChild.launch(
                self._options.allow_hosts, (*WITH_BROWSER, *self._options.service_options)
            )
        if not self._child.address:
            try:
                await asyncio.to_thread(self._child.wait_until_ready)
            except ChildError as exc:
                raise unavailable(str(exc)) from exc

    async def _join(self, shared: SharedService) -> bool:
        """Has the shared service run. Returns False where it does not start, or does not answer."""
        try:
            address = await asyncio.to_thread(shared.find_or_start, time.monotonic() + START_SECONDS)
        except (PerceptionError, OSError) as exc:
            log.warning("the service that MCP servers share is not to be had: %s", exc)
            return False
        if address == self._shared_address:
            return True
        await self._end()
        self._shared_address = address
        async with self._open("") as client:
            with suppress(RemoteError):
                if await client.is_serving(timeout_s=CHECK_SECONDS):
                    return True
        log.warning("the service that MCP servers share does not answer at %s", address)
        return False

    def _open(self, token: str) -> HearingClient:
        options = self._options
        if self._shared is not None:
            address, access = self._shared_address, Access()
        elif self._child is not None:
            address = self._child.address
            access = prepare_access(address, token=token) if token else self._child.access
        else:
            address = options.address
            own = {**_without_token(options.access), "token": token} if token else options.access
            access = prepare_access(address, **own)
        return HearingClient(open_async_channel(address, access), None, options.timeout_s)


class OwnConnection:
    """The one connection of a process that calls for itself; after a private service has ended, a new one."""

    def __init__(self, backend: Backend, names: ToolNames) -> None:
        self._backend = backend
        self._names = names
        self._connection: Connection | None = None

    async def get(self) -> Connection:
        """Starts a private service where none runs. Raises RemoteError."""
        caller = await self._backend.caller()
        if self._connection is None or self._connection.caller is not caller:
            self._connection = Connection(caller, names=self._names)
        return self._connection

    async def close(self) -> None:
        """Closes what was opened over it; a service of this process alone ends with its sessions."""
        if self._connection is not None and not self._backend.has_service_alone:
            await self._connection.close_all()


def _without_token(access: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in access.items() if name not in ("token", "token_file")}
