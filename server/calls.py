"""The call that is being served: which one it is, who made it, and what it is about.

Every call passes the service's gates in their order, from the outside in: each may refuse it, and holds what the call
needs until it has ended.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from perception.budget import Budget
from perception.server.settings import Settings
from perception.stages import traced

REQUEST_ID_KEY = "x-request-id"
"""Metadata by which a client names its call; the answer's trailing metadata has it too."""

MAX_REQUEST_ID = 64


@dataclass(slots=True)
class Call:
    """One call.

    Attributes:
        method: `/perception.v1.ActionService/Click`.
        request_id: the client's own name for it, else a new one.
        principal: who made it; empty where nobody has to say so.
        session_id: what it is about, once that is known.
        reason: why it failed, as the client is told; empty until it has.
    """

    method: str
    request_id: str
    principal: str = ""
    session_id: str = ""
    reason: str = ""

    @property
    def name(self) -> str:
        """`Click`."""
        return self.method.rpartition("/")[2]


Gate: TypeAlias = Callable[[Call, Any, Any], AbstractAsyncContextManager[None]]
"""Takes the call, its request and gRPC's context. Raises a PerceptionError to refuse it."""

_current: ContextVar[Call | None] = ContextVar("perception_call", default=None)


def current() -> Call | None:
    """The call that this task serves; None outside of one."""
    return _current.get()


def principal() -> str:
    """Who made the call that this task serves; empty where nobody has to say so."""
    call = _current.get()
    return call.principal if call else ""


def name_session(session_id: str) -> None:
    """Says which session the call is about, where its request could not."""
    if (call := _current.get()) is not None:
        call.session_id = session_id


@asynccontextmanager
async def through(gates: Sequence[Gate], call: Call, request: Any, context: Any) -> AsyncIterator[None]:
    """Makes it the current call, and takes it through the gates."""
    _current.set(call)
    call.session_id = _usable(getattr(request, "session_id", ""))
    async with AsyncExitStack() as held:
        with traced("admission"):
            for gate in gates:
                await held.enter_async_context(gate(call, request, context))
        yield


def begin(method: str, metadata: Sequence[tuple[str, str | bytes]]) -> Call:
    """A call as it arrives."""
    given = next((str(value) for key, value in metadata if key == REQUEST_ID_KEY), "")
    return Call(method, _usable(given) or secrets.token_hex(8))


def budget_of(context: Any, settings: Settings) -> Budget:
    """The caller's deadline, a little early so that there is time to answer; the default where it set none."""
    remaining = context.time_remaining()
    seconds = settings.default_deadline_s if remaining is None else remaining
    seconds = min(seconds, settings.max_deadline_s)
    return Budget.of(max(0.0, seconds - settings.reply_reserve_s))


def _usable(given: str) -> str:
    """An id that a client gave, if it is one that can stand in a log; else empty."""
    return given if given.isascii() and given.isprintable() and 0 < len(given) <= MAX_REQUEST_ID else ""
