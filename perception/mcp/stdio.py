"""The stdio transport: one client, one connection, until standard input closes or this process is asked to end."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import signal
from contextlib import suppress
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from perception.mcp.server import Context, make_server
from perception.tools.backend import Backend, OwnConnection
from perception.tools.offer import Offer
from perception.tools.sessions import Connection

log = logging.getLogger(__name__)

_SURROGATE = re.compile("[\ud800-\udfff]")


async def serve_stdio(backend: Backend, offer: Offer) -> None:
    """Serves one client, then closes what it has opened.

    After a signal a thread still waits for a line of the client, which nothing can stop: the process has to end without
    it (`os._exit`).
    """
    connection = OwnConnection(backend, offer.names)

    async def connection_of(_: Context) -> Connection:
        return await connection.get()

    serving = asyncio.ensure_future(_serve(make_server(offer, connection_of)))
    asked = asyncio.ensure_future(signaled())
    try:
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
    finally:
        asked.cancel()
        await connection.close()


async def _serve(server: Server[Any]) -> None:
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(RepairedStream(incoming, outgoing), outgoing, server.create_initialization_options())
    except* BrokenPipeError:
        log.info("the client has gone in the middle of a call")


class RepairedStream:
    """The messages of the client; a line that the SDK cannot read is repaired, or refused, where the SDK says nothing.

    JSON of JavaScript may have half of a surrogate pair, as models write when they are cut within an emoji: U+FFFD
    takes its place.
    """

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def receive(self) -> SessionMessage | Exception:
        while True:
            received = await self._incoming.receive()
            if not isinstance(received, ValidationError):
                return received
            repaired = repaired_message(str(received.errors(include_url=False)[0]["input"]))
            if repaired is not None:
                return SessionMessage(repaired)
            refusal = types.ErrorData(code=types.PARSE_ERROR, message="this line is not a JSON-RPC message")
            await self._outgoing.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=refusal)))

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def repaired_message(line: str) -> types.JSONRPCMessage | None:
    """The message of a line with lone surrogates; None for a line that is not a message for another reason."""
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        return types.jsonrpc_message_adapter.validate_json(_SURROGATE.sub("\ufffd", text), by_name=False)
    except (ValueError, RecursionError):
        return None


async def signaled() -> None:
    """Returns when this process is asked to end."""
    asked = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows: the process ends at once, and a private service with it
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
    await asked.wait()
