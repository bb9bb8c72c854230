"""Sessions as tools use them: by handle, or the one session of a connection.

A handle is the service's session id. It is an argument of every tool, so that one server serves many agents side by
side. Without one, a connection has one session, which is opened on first use and closed with the connection.

Rule 1: who may use a session is the service's business: a handle of another caller is unknown there.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from perception.client import AsyncPage, PerceptionError, RemoteError
from perception.deadline import loop_time
from perception.errors import BadInputError, SessionLimitError
from perception.interaction.answers import ENDED, ToolNames
from perception.interaction.session_state import SessionState
from perception.tools.endings import HearingClient

MAX_KNOWN = 512
"""Sessions of a caller whose last looks are remembered. A service has 32 sessions by default."""

CLOSE_SECONDS = 5.0
"""For closing the sessions of a connection that has ended."""


@dataclass(slots=True)
class Caller:
    """Who calls: a client of the service with this caller's token, and the sessions that it has used.

    Attributes:
        client: of the service.
        options: fields of SessionOptions for its sessions.
        lease_s: idle time of its sessions, which something renews; None for the service's own, also where that is
            shorter.
    """

    client: HearingClient
    options: Mapping[str, Any]
    lease_s: float | None = None
    _known: OrderedDict[str, SessionState] = field(default_factory=OrderedDict)
    _leased: dict[str, float] = field(default_factory=dict)

    def state(self, handle: str) -> SessionState:
        """The state of a session; a new one for a handle that was not seen before."""
        state = self._known.get(handle)
        if state is None:
            state = self._known[handle] = SessionState(AsyncPage(self.client, handle))
            if len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
        self._known.move_to_end(handle)
        if handle in self._leased:
            self._leased[handle] = loop_time()
        return state

    def forget(self, handle: str) -> None:
        self._known.pop(handle, None)
        self._leased.pop(handle, None)

    async def open(self, **options: Any) -> SessionState:
        """Opens a session with an empty tab."""
        options = {**self.options, **options}
        if self.lease_s is not None:
            try:
                page = await self.client.open(**options, idle_timeout=self.lease_s)
            except RemoteError as exc:
                if exc.field != "options.idle_timeout":  # longer than the service's own
                    raise
                self.lease_s = None
            else:
                self._leased[page.session_id] = loop_time()
                return self.state(page.session_id)
        page = await self.client.open(**options)
        return self.state(page.session_id)

    async def renew(self, since_s: float, timeout_s: float) -> None:
        """Calls the leased sessions that were used since a time, on `loop_time`."""
        await asyncio.gather(
            *(self._renew(handle, timeout_s) for handle, used_s in self._leased.items() if used_s >= since_s)
        )

    async def _renew(self, handle: str, timeout_s: float) -> None:
        try:
            await AsyncPage(self.client, handle).tabs(timeout_s=timeout_s)
        except RemoteError as exc:  # it is gone, or slow: the next tool or the next call to it says so
            if exc.reason in ENDED:
                self._leased.pop(handle, None)


@dataclass(slots=True)
class Connection:
    """What one client has open over one connection.

    Attributes:
        caller: who it is.
        keeps_state: whether calls without a handle share a session. A stateless request has no connection.
        names: of the tools that errors send a model to.
        default: the handle of that session; empty before the first use.
        opened: handles of all sessions that were opened over it.
        make_room: closes a session that nobody needs any more, where there are too many; False where there is none.
    """

    caller: Caller
    keeps_state: bool = True
    names: ToolNames = field(default_factory=ToolNames)
    default: str = ""
    opened: set[str] = field(default_factory=set)
    make_room: Callable[[], Awaitable[bool]] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def session(self, handle: str | None) -> SessionState:
        """The session of a handle, or the connection's.

        Raises:
            BadInputError: there is no handle, and no session was opened.
        """
        if handle:
            return self.caller.state(handle)
        if self.default:
            return self.caller.state(self.default)
        if not self.keeps_state:
            raise BadInputError(
                f"session is missing: requests of this protocol version share no connection; give the session that "
                f"{self.names.open} answered",
                field="session",
            )
        raise BadInputError(f"no session is open: call {self.names.open} with a url first", field="session")

    async def session_or_new(self, handle: str | None, *, fresh: bool = False, **options: Any) -> SessionState:
        """The session of a handle, or the connection's, which is opened where there is none.

        Args:
            handle: of an open session; None for the connection's.
            fresh: open one beside the others, with a handle of its own.
            options: fields of SessionOptions for a session that is opened.
        """
        if handle:
            return self.caller.state(handle)
        if fresh or not self.keeps_state:
            state = await self._open(options)
            self.opened.add(state.page.session_id)
            return state
        async with self._lock:
            if not self.default:
                state = await self._open(options)
                self.default = state.page.session_id
                self.opened.add(self.default)
            return self.caller.state(self.default)

    async def _open(self, options: Mapping[str, Any]) -> SessionState:
        try:
            return await self.caller.open(**options)
        except RemoteError as exc:
            if exc.reason != SessionLimitError.reason or self.make_room is None or not await self.make_room():
                raise
        return await self.caller.open(**options)

    def note_error(self, error: PerceptionError) -> None:
        """Forgets a session that has ended, so that the next use opens a new one."""
        if isinstance(error, RemoteError) and error.reason in ENDED and error.session:
            self.forget(error.session)

    def forget(self, handle: str) -> None:
        self.caller.forget(handle)
        self.opened.discard(handle)
        if self.default == handle:
            self.default = ""

    def ending(self, handle: str | None) -> str:
        """What a model is to know of the end of a session, the connection's without a handle; empty for nothing new."""
        ending = self.caller.client.ending(handle or self.default)
        return f"note: {ending}, and this session with it: finish, or go on in a new one" if ending else ""

    async def close_unnamed(self, state: SessionState) -> None:
        """Closes a session that was opened for a call which has failed, and whose handle nobody was told."""
        handle = state.page.session_id
        if handle in self.opened and handle != self.default and not state.snapshot_id:
            await self._close([handle])

    async def close_default(self) -> None:
        """Closes the connection's own session."""
        await self._close([self.default] if self.default else [])

    async def close_all(self) -> None:
        """Closes every session that was opened over it."""
        await self._close(list(self.opened))

    async def _close(self, handles: list[str]) -> None:
        pages = [self.caller.state(handle).page for handle in handles]
        for handle in handles:
            self.forget(handle)
        with suppress(PerceptionError):  # it closes idle sessions itself
            await asyncio.gather(*(page.close(timeout_s=CLOSE_SECONDS) for page in pages))
