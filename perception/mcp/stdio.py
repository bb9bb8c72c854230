"""The stdio transport: one client, one connection, until standard input closes or this process is asked to end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server

from perception.mcp.server import Context, make_server
from perception.tools.backend import Backend, OwnConnection
from perception.tools.offer import Offer
from perception.tools.sessions import Connection


async def serve_stdio(backend: Backend, offer: Offer) -> None:
    """Serves one client, then closes what it has opened.

    After a signal a thread still waits for a line of the client, which nothing can stop: the process has to end without
    it (`os._exit`).
    """
    connection = OwnConnection(backend, offer.names)

    async def connection_of(_: Context) -> Connection:
        return await connection.get()

    serving = asyncio.ensure_future(_serve(make_server(offer, connection_of)))
    asked = asyncio.ensure_future(_signalled())
    try:
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
    finally:
        asked.cancel()
        await connection.close()


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _signalled() -> None:
    """Returns when this process is asked to end."""
    asked = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows: the process ends at once, and a private service with it
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
    await asked.wait()
