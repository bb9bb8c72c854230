"""The control gate: calls of the agent wait, or are refused, while a person has control of their session.

It comes before admission: a call that waits for a person takes no slot from other sessions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from perception.errors import ShuttingDownError
from perception.server.rpc_call import SERVICE_PREFIX, RpcCall, deadline_of, lease_of
from perception.server.sessions.manager import SessionManager
from perception.server.settings import Settings


class ControlGate:
    """See the module."""

    def __init__(self, sessions: SessionManager, settings: Settings) -> None:
        self._sessions = sessions
        self._settings = settings

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """Raises HumanControlError, and LeaseExpiredError for a person's call whose lease has ended."""
        session = self._sessions.find(call.session_id, call.principal)
        if session is None or call.rules.beside_person or not call.method.startswith(SERVICE_PREFIX):
            yield
            return
        lease_id = lease_of(context)
        if lease_id:
            with session.control.persons_call(lease_id):
                call.by_person = True
                yield
            return
        async with session.control.agents_call(call.name, deadline_of(context, self._settings)):
            if self._sessions.closing.is_set():
                raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
            yield
