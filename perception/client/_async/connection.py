"""Connections: to a service at an address, or to one that is started for the client."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from perception.client._async.calls import AsyncCalls
from perception.client._async.page import AsyncPage
from perception.client.access import AsyncChannel, open_async_channel, prepare_access
from perception.client.child import ChildError, ServiceChild
from perception.client.errors import RemoteError, describe_no_answer, unavailable
from perception.v1 import session_service_pb2 as session_pb


async def aconnect(
    address: str | None = None, *, allow_hosts: Sequence[str] = (), timeout_s: float = 60.0, **access: Any
) -> AsyncClient:
    """Connects to the service at an address (`HOST:PORT` or `unix:PATH`), or to one started for this client.

    Args:
        address: where the service listens; None to start one.
        allow_hosts: private hosts that a service started here may open pages of.
        timeout_s: the deadline, in seconds, of each call that sets none.
        access: as of `perception.client.access.prepare_access`: `token` or `token_file`; `root_certificates`,
            `client_certificate` and `client_key` (PEM files); `tls`, on by default for other machines. A service
            started here needs none of it.

    Raises:
        RemoteError: no service answers there, or the service did not start.
        BadInputError: a file cannot be read, or a token would be sent unencrypted to another machine.
    """
    child = None
    if address:
        shown = prepare_access(address, **access)
    else:
        try:
            child = await ServiceChild.astart(allow_hosts)
        except ChildError as exc:
            raise unavailable(str(exc)) from exc
        address, shown = child.address, child.access
    client = AsyncClient(open_async_channel(address, shown), child, timeout_s)
    try:
        await client.is_serving()
    except RemoteError as exc:
        await client.close()
        raise describe_no_answer(exc, address) from exc
    except BaseException:
        await client.close()
        raise
    return client


class AsyncClient(AsyncCalls):
    """A connection to a service. A context manager; `close` ends the service if it was started for this client."""

    def __init__(self, channel: AsyncChannel, child: ServiceChild | None, timeout_s: float) -> None:
        super().__init__(channel, timeout_s)
        self._child = child

    async def open(self, url: str = "", **options: Any) -> AsyncPage:
        """Opens a new session, at a URL if one is given. `options` are fields of SessionOptions."""
        request = session_pb.CreateSessionRequest(url=url, options=session_pb.SessionOptions(**options))
        reply = await self.call(self.sessions.CreateSession, request)
        return AsyncPage(self, reply.session.session_id)

    async def close(self) -> None:
        """Closes the connection. Safe to call twice."""
        try:
            await self.channel.close()
        finally:
            if self._child:
                await self._child.astop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
