"""The call that is being served: its method, its caller and its session.

Every call passes the service's gates from the outside in. Each gate may refuse the call, and holds what the call needs
until it ends.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from perception.client.access import LEASE_KEY, WATCHER_KEY
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.instrumentation.stages import traced
from perception.server.contract import rules_of
from perception.server.settings import Settings
from perception.v1.options_pb2 import MethodRules

REQUEST_ID_KEY = "x-request-id"
"""Metadata key by which a client names its call; the trailing metadata of the answer repeats it."""

MAX_REQUEST_ID = 64

SERVICE_PREFIX = "/perception."
"""Methods of this project's own services."""


class WhileAllowed(Protocol):
    """Watches what the token of a call began; see `TokenWatch`."""

    def __call__(self, needed: Any, end: Callable[[PerceptionError], None]) -> Callable[[], None]:
        """Calls `end` when the token no longer has this `Right`. The result stops the watch."""
        ...


@dataclass(slots=True)
class RpcCall:
    """One call.

    Attributes:
        method: `/perception.v1.ActionService/Click`.
        request_id: the id that the client gave, else a generated one.
        principal: the caller; empty where the service has no authentication.
        right: what its caller may do, a `Right`; None for everything.
        session_id: its session, once it is known; else empty.
        worker: name of the worker that an edge carried it to; else empty.
        reason: the ErrorInfo reason that is returned; empty unless the call failed.
        answer: what is answered, the last message of a stream; None before that.
        by_person: it shows the lease of the person who has control of its session.
        by_watcher: it is a look of a person who watches.
        is_sending: it is a stream, and its caller is taking a message.
        ended: why it must end before its time; None for no reason.
        while_allowed: watches what it leaves behind, such as a lease; None where the service has no tokens.
    """

    method: str
    request_id: str
    principal: str = ""
    right: int | None = None
    session_id: str = ""
    reason: str = ""
    worker: str = ""
    answer: Any = None
    by_person: bool = False
    by_watcher: bool = False
    is_sending: bool = False
    ended: PerceptionError | None = None
    while_allowed: WhileAllowed | None = None

    @property
    def service(self) -> str:
        """`ActionService`."""
        return self.method.rpartition("/")[0].rpartition(".")[2]

    @property
    def name(self) -> str:
        """`Click`."""
        return self.method.rpartition("/")[2]

    @property
    def rules(self) -> MethodRules:
        """How the contract has it treated."""
        return rules_of(self.method)


Gate: TypeAlias = Callable[[RpcCall, Any, Any], AbstractAsyncContextManager[None]]
"""Takes the call, its request and gRPC's context. Raises a PerceptionError to refuse it."""

_current: ContextVar[RpcCall | None] = ContextVar("perception_call", default=None)


def current() -> RpcCall | None:
    """The call that this task serves; None outside of one."""
    return _current.get()


def principal() -> str:
    """The principal of the call that this task serves; empty where the service has no authentication."""
    call = _current.get()
    return call.principal if call else ""


def is_by_person() -> bool:
    """Whether the call that this task serves is a person's own: who has control of its session, or watches it."""
    call = _current.get()
    return call is not None and (call.by_person or call.by_watcher)


def name_session(session_id: str) -> None:
    """Sets the session of the current call, where the request does not name it."""
    if (call := _current.get()) is not None:
        call.session_id = _usable(session_id)


@asynccontextmanager
async def through(gates: Sequence[Gate], call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
    """Makes it the current call, and passes it through the gates."""
    _current.set(call)
    call.session_id = _usable(getattr(request, "session_id", ""))
    async with AsyncExitStack() as held:
        with traced("admission"):
            for gate in gates:
                await held.enter_async_context(gate(call, request, context))
        yield


def begin(method: str, metadata: Sequence[tuple[str, str | bytes]]) -> RpcCall:
    """The values of a call that has just arrived."""
    given = next((str(value) for key, value in metadata if key == REQUEST_ID_KEY), "")
    call = RpcCall(method, _usable(given) or secrets.token_hex(8))
    call.by_watcher = call.rules.for_watchers and any(key == WATCHER_KEY for key, _ in metadata)
    return call


def deadline_of(context: Any, settings: Settings) -> Deadline:
    """The caller's deadline, slightly early so that there is time to answer; the default deadline where there is
    none."""
    remaining = context.time_remaining()
    seconds = settings.default_deadline_s if remaining is None else remaining
    seconds = min(seconds, settings.max_deadline_s)
    return Deadline.of(max(0.0, seconds - settings.reply_reserve_s))


def transfer_deadline_of(context: Any, settings: Settings) -> Deadline:
    """As `deadline_of`; but the longest deadline where the caller sets none: a file takes as long as its connection."""
    if context.time_remaining() is None:
        return Deadline.of(settings.max_deadline_s)
    return deadline_of(context, settings)


def lease_of(context: Any) -> str:
    """The lease that a call shows; empty for none."""
    return next((str(value) for key, value in context.invocation_metadata() or () if key == LEASE_KEY), "")


def _usable(given: str) -> str:
    """The id that a client gave if it is safe to log, else empty."""
    return given if given.isascii() and given.isprintable() and 0 < len(given) <= MAX_REQUEST_ID else ""
