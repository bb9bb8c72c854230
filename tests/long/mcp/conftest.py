"""MCP servers as hosts start them, and one in this process for what needs no transport."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters
from mcp.server import Server

from perception.mcp.server import make_server
from perception.server.app import Service
from perception.tools.backend import Backend, BackendOptions
from perception.tools.offer import MoreTools, Offer
from perception.tools.profiles import find_profile
from perception.tools.sessions import Connection
from perception.tools.tool import choose_tools
from tests.support.processes import perception

ERAS = ("legacy", "auto")
"""As the SDK's client calls them: the handshake of 2025, and the stateless protocol of 2026."""


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


@dataclass
class Tools:
    """Calls tools of a server, for tests that read their texts."""

    client: Client

    async def __call__(self, name: str, /, **arguments: Any) -> str:
        """The text of an answer that is no error."""
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def refused(self, name: str, /, **arguments: Any) -> str:
        """The text of an error."""
        result = await self.client.call_tool(name, arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


@dataclass
class InProcess:
    """A server in this process, of the service that all tests share."""

    backend: Backend
    opened: list[Connection] = field(default_factory=list)

    @asynccontextmanager
    async def connect(
        self,
        profile: str = "default",
        tools: Sequence[str] = ("all",),
        more_tools: MoreTools | None = None,
        **client: Any,
    ) -> AsyncIterator[Tools]:
        chosen = find_profile(profile)
        connection = Connection(await self.backend.caller(), names=chosen.names)

        async def connection_of(_: object) -> Connection:
            return connection

        offer = Offer(choose_tools(chosen.tools, tools), chosen.instructions, chosen.names, 30.0, more_tools)
        server: Server[Any] = make_server(offer, connection_of)
        try:
            async with Client(server, **client) as connected:
                yield Tools(connected)
        finally:
            await connection.close_all()


@pytest.fixture(scope="session")
async def in_process(service: Service) -> AsyncIterator[InProcess]:
    options = BackendOptions(service.context.settings.address, timeout_s=30.0, session={"allow_evaluate": True})
    backend = Backend(options)
    yield InProcess(backend)
    await backend.close()


@pytest.fixture
async def tools(in_process: InProcess) -> AsyncIterator[Tools]:
    """All tools of the default profile, over a connection of its own.

    The SDK's client has to be left by the task that entered it, and a fixture's two halves are two tasks.
    """
    ready: asyncio.Future[Tools] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with in_process.connect() as connected:
            ready.set_result(connected)
            await done.wait()

    holding = asyncio.create_task(hold())
    yield await ready
    done.set()
    await holding


def stdio(*options: str) -> StdioServerParameters:
    """`perception mcp` as a host's configuration starts it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command, *arguments = perception("mcp", *options)
    return StdioServerParameters(command=command, args=arguments, env=environment)


@asynccontextmanager
async def http_server(*options: str, **environment: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """`perception mcp --http` on a free port: its URL and process."""
    process = await asyncio.create_subprocess_exec(
        *perception("mcp", *options),
        env=os.environ | environment,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    told = b""
    try:
        while b"serves at " not in told:
            line = await process.stderr.readline()
            told += line
            assert line, told.decode()
        yield told.split(b"serves at ")[1].split()[0].decode(), process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]


@pytest.fixture
def two(site: str) -> str:
    return f"{site}/html?body={quote('<h1>Two</h1><button onclick=this.remove()>Go away</button>')}"


@pytest.fixture(scope="session")
async def http_url(service: Service) -> AsyncIterator[str]:
    async with http_server("--http", "127.0.0.1:0", "--address", service.context.settings.address) as (url, _):
        yield url
