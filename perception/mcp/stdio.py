"""The stdio transport: one client, one connection, until standard input closes."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from perception.mcp.backend import Backend
from perception.mcp.server import Context, Offer, make_server
from perception.mcp.sessions import Connection


async def serve_stdio(backend: Backend, offer: Offer) -> None:
    """Serves until the client closes standard input, then closes what it has opened."""
    connection: Connection | None = None

    async def connection_of(_: Context) -> Connection:
        nonlocal connection
        caller = await backend.caller()
        if connection is None or connection.caller is not caller:  # the private service was started again
            connection = Connection(caller, names=offer.names)
        return connection

    server = make_server(offer, connection_of)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        if connection is not None and not backend.is_private:
            await connection.close_all()
