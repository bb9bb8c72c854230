"""Proxies on loopback, written apart from the client's side that they test: HTTP CONNECT and SOCKS5."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class ScriptedProxy:
    """A proxy that connects whatever it is asked for to one place.

    Attributes:
        scheme: `http` or `socks5`.
        to: port of loopback that it connects to.
        credentials: `user:password` that it wants; empty for none.
        answer: what it sends in place of an answer of its own; None for its own.
        asked: the addresses and ports that it was asked for.
        given: the credentials that it was given.
    """

    scheme: str
    to: int
    credentials: str = ""
    answer: bytes | None = None
    asked: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            allowed = await (self._http if self.scheme == "http" else self._socks)(reader, writer)
            if allowed:
                inside, outside = await asyncio.open_connection("127.0.0.1", self.to)
                await asyncio.gather(_copy(reader, outside), _copy(inside, writer))
        writer.close()

    async def _http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, place, _ = head.split("\r\n")[0].split(" ")
        assert method == "CONNECT"
        self.asked.append(place)
        for line in head.split("\r\n"):
            if line.startswith("Proxy-Authorization: Basic "):
                self.given.append(base64.b64decode(line.rpartition(" ")[2]).decode())
        if self.answer is not None:
            writer.write(self.answer)
            return False
        if self.credentials and self.given[-1:] != [self.credentials]:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")
            return False
        writer.write(b"HTTP/1.1 200 Connection established\r\nVia: a\r\n\r\n")
        return True

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        if self.answer is not None:
            writer.write(self.answer)
            return False
        if self.credentials and 2 not in methods:
            writer.write(b"\x05\xff")
            return False
        writer.write(b"\x05\x02" if self.credentials else b"\x05\x00")
        if self.credentials:
            _, size = await reader.readexactly(2)
            user = await reader.readexactly(size)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            self.given.append(f"{user.decode()}:{password.decode()}")
            is_right = self.given[-1] == self.credentials
            writer.write(b"\x01\x00" if is_right else b"\x01\x01")
            if not is_right:
                return False
        kind = (await reader.readexactly(4))[3]
        assert kind in (1, 4)  # never a name
        address = ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16))
        port = int.from_bytes(await reader.readexactly(2))
        self.asked.append(f"{address}:{port}")
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        return True


async def _copy(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(2**16):
            to.write(data)
            await to.drain()
    to.close()


@asynccontextmanager
async def serve_proxy(proxy: ScriptedProxy) -> AsyncIterator[ScriptedProxy]:
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
