"""A server that never answers, and says when it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def silent_site() -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Its address, and an event that is set with each connection: something waits for an answer from then on."""
    asked = asyncio.Event()
    writers = []

    def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        asked.set()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", asked
    finally:
        server.close()
        for each in writers:
            each.close()
