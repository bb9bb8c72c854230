"""MCP servers as a host starts them, and the official SDK's client of them: ours and the peers'."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import IO, Any, TextIO

from mcp import Client, types
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError as SdkError

from perception.errors import PerceptionError

START_SECONDS = 60.0
"""For a server to say where it listens; ours takes 1 s on a quiet machine."""

SHARING_COMMAND = (sys.executable, "-m", "perception", "mcp")
"""As hosts start it: with a service that others may have, too."""

OWN_COMMAND = (*SHARING_COMMAND, "--unshared")


class McpError(PerceptionError):
    """A server that does not start, or breaks the protocol."""

    reason = "MCP_FAILED"


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """The answer to a call.

    Attributes:
        text: all its texts.
        wire_bytes: size of the result as compact JSON.
    """

    text: str
    wire_bytes: int
    is_error: bool


@dataclass(frozen=True, slots=True)
class McpTools:
    """A connected client."""

    client: Client

    async def listed(self) -> list[dict[str, Any]]:
        """The tools as the server lists them: JSON with name, description, inputSchema."""
        found = (await self.client.list_tools()).tools
        return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in found]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> McpAnswer:
        """Calls a tool. Raises McpError for a protocol error or a connection that has ended."""
        try:
            result = await self.client.call_tool(name, dict(arguments))
        except (SdkError, RuntimeError, OSError) as exc:
            raise McpError(f"{name}: {type(exc).__name__}: {exc}") from exc
        texts = [each.text for each in result.content if isinstance(each, types.TextContent)]
        wire = result.model_dump_json(by_alias=True, exclude_none=True).encode("utf-8", "surrogatepass")
        return McpAnswer("\n".join(texts), len(wire), bool(result.is_error))


@asynccontextmanager
async def connected_over_stdio(
    command: Sequence[str], log: TextIO, *, environment: Mapping[str, str] | None = None
) -> AsyncIterator[McpTools]:
    """Starts a server and connects; it ends with the context.

    Args:
        command: the program and its arguments.
        log: a file for its standard error.
        environment: variables beside this process's own.

    Raises:
        McpError: it does not start.
    """
    whole = {**os.environ, **(environment or {})}
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=whole)
    is_started = False
    try:
        transport = stdio_client(parameters, errlog=log)
        async with asyncio.timeout(START_SECONDS) as starting, Client(transport, mode="legacy") as client:
            starting.reschedule(None)
            is_started = True
            yield McpTools(client)
    except Exception as exc:
        cause = _innermost(exc)
        if isinstance(cause, McpError):  # of the body: the SDK's task group has wrapped it
            raise cause from exc
        if is_started:
            raise
        raise McpError(f"{' '.join(command)[:200]} does not start: {cause}") from exc


@asynccontextmanager
async def own_http_server(*options: str, log: IO[bytes]) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """`perception mcp --http` on a free port of loopback: its URL and process.

    Args:
        options: further ones.
        log: a file for what it says on standard error.

    Raises:
        McpError: it does not start.
    """
    command = (*OWN_COMMAND, "--http", "127.0.0.1:0", *options)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    copying: asyncio.Task[None] | None = None
    try:
        try:
            line = (await asyncio.wait_for(process.stderr.readline(), START_SECONDS)).decode()
        except TimeoutError as exc:
            raise McpError(f"{' '.join(command)} does not start") from exc
        if " serves at " not in line:
            raise McpError(f"{' '.join(command)} does not start: {line.strip()}")
        copying = asyncio.create_task(_copy(process.stderr, log))
        yield line.split(" serves at ")[1].strip(), process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        if copying is not None:
            await copying


def _innermost(error: BaseException) -> BaseException:
    """The first error within groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _copy(source: asyncio.StreamReader, log: IO[bytes]) -> None:
    while line := await source.readline():
        log.write(line)
        log.flush()


def listed_tokens_text(tool: Mapping[str, Any]) -> str:
    """A tool as a host writes it for a model: compact JSON of name, description and schema."""
    shown = {"name": tool["name"], "description": tool.get("description", ""), "inputSchema": tool["inputSchema"]}
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
