"""Anybody may connect to a viewer's port. Who sends nothing keeps nobody out."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from perception.client.access import Access
from perception.server.viewer.connections import MAX_CONNECTIONS
from perception.server.viewer.options import ViewerOptions
from perception.server.viewer.serving import Viewer

pytestmark = pytest.mark.real_time

GET = b"GET /gone HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"


@pytest.fixture
async def viewer() -> AsyncIterator[Viewer]:
    started = await Viewer.start(ViewerOptions("127.0.0.1", 0), "127.0.0.1:1", Access())
    try:
        yield started
    finally:
        await started.stop()


async def status_of(viewer: Viewer) -> bytes:
    """Of an answer to a request over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", viewer.port)
    try:
        writer.write(GET % viewer.port)
        async with asyncio.timeout(20):
            return (await reader.readline()).split()[1]
    finally:
        writer.close()


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTT", b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf", GET % 1],
    ids=["nothing", "half a request", "half a body", "a request, then nothing"],
)
async def test_connections_that_wait_keep_nobody_out(viewer: Viewer, sent: bytes) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(MAX_CONNECTIONS + 20):
            _, writer = await asyncio.open_connection("127.0.0.1", viewer.port)
            stack.callback(writer.close)
            writer.write(sent)
        assert await status_of(viewer) == b"404"


async def test_the_oldest_silent_connection_ends_first(viewer: Viewer) -> None:
    async with contextlib.AsyncExitStack() as stack:
        links = []
        for _ in range(MAX_CONNECTIONS):
            links.append(await asyncio.open_connection("127.0.0.1", viewer.port))
            stack.callback(links[-1][1].close)
        with contextlib.suppress(ConnectionResetError):
            assert await links[0][0].read() == b""
        assert not links[1][0].at_eof()
        last_reader, last_writer = links[-1]
        last_writer.write(GET % viewer.port)
        assert b"404" in await last_reader.readline()
