"""A client of MCP over HTTP that sends what an SDK would not: lone surrogates, and connections that are cut."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from perception.bench.mcp_client import McpError

PROTOCOL = "2025-06-18"
"""The era in which a connection keeps its session."""


@dataclass(slots=True)
class RawClient:
    """A connection. Its requests share an id of the server's; each has a TCP connection of its own or a used one."""

    http: httpx.AsyncClient
    url: str
    session: str = ""
    _number: int = 0

    async def request(self, method: str, params: Any) -> Any:
        """The result of a request. Raises McpError for an error of the protocol, or none of its answers."""
        self._number += 1
        reply = await self._post({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for message in _messages(reply):
            if message.get("id") == self._number:
                if "result" in message:
                    return message["result"]
                raise McpError(f"{method}: {json.dumps(message.get('error'))[:300]}")
        raise McpError(f"{method}: HTTP {reply.status_code} without an answer: {reply.text[:200]!r}")

    async def call(self, name: Any, arguments: Any) -> tuple[str, bool]:
        """Text of a tool's answer, and whether it is an error. Raises McpError."""
        result = await self.request("tools/call", {"name": name, "arguments": arguments})
        texts = [each.get("text", "") for each in result["content"]]
        return "\n".join(texts), bool(result.get("isError"))

    async def _post(self, message: Mapping[str, Any]) -> httpx.Response:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        if self.session:
            headers |= {"Mcp-Session-Id": self.session, "Mcp-Protocol-Version": PROTOCOL}
        try:
            return await self.http.post(self.url, headers=headers, content=json.dumps(message).encode())
        except httpx.HTTPError as exc:
            raise McpError(f"{message['method']}: {type(exc).__name__}: {exc}") from exc

    async def _start(self) -> None:
        who = {"name": "fuzz", "version": "1"}
        params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": who}
        reply = await self._post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self.session = reply.headers.get("mcp-session-id", "")
        if not self.session:
            raise McpError(f"initialize: HTTP {reply.status_code}: {reply.text[:200]!r}")
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def end(self) -> None:
        """Says that the connection has ended."""
        await self.http.delete(self.url, headers={"Mcp-Session-Id": self.session})


@asynccontextmanager
async def raw_client(url: str) -> AsyncIterator[RawClient]:
    """A connection of the protocol of 2025. At the end its sockets are closed, and nothing is said."""
    async with httpx.AsyncClient(timeout=None) as http:
        client = RawClient(http, url)
        await client._start()
        yield client


def _messages(reply: httpx.Response) -> list[dict[str, Any]]:
    """The messages of an answer, which is one of JSON or a stream of events."""
    if not reply.headers.get("content-type", "").startswith("text/event-stream"):
        try:
            return [json.loads(reply.text)]
        except ValueError:
            return []
    return [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]
