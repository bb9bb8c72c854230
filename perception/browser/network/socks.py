"""The server's side of SOCKS5 (https://www.rfc-editor.org/rfc/rfc1928): read a request, then relay bytes both ways.

What a request leads to is decided by a `SocksOwner`. Nothing that is relayed is inspected.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from enum import IntEnum
from ipaddress import ip_address
from typing import Protocol

from perception.browser.network.addresses import Host, read_host

HANDSHAKE_SECONDS = 10.0
"""For a greeting and a request of some bytes, from this machine. Chosen by hand."""

HIGH_WATER_BYTES = 2**20
"""Bytes that may wait for the slower side before the faster one is paused. Chosen by hand."""

_V5, _NO_AUTH, _NO_METHOD, _CONNECT = 5, 0, 0xFF, 1
_IPV4, _NAME, _IPV6 = 1, 3, 4


class SocksReply(IntEnum):
    """Reply codes: https://www.rfc-editor.org/rfc/rfc1928#section-6."""

    SUCCEEDED = 0
    FAILED = 1
    NOT_ALLOWED = 2
    HOST_UNREACHABLE = 4
    CONNECTION_REFUSED = 5
    COMMAND_NOT_SUPPORTED = 7


class SocksOwner(Protocol):
    """What decides about connections. It answers a request by the connection's `refuse` or `join`."""

    def open(self, connection: SocksConnection) -> bool:
        """A browser connected. False: there are too many connections."""

    def close_connection(self, connection: SocksConnection) -> None:
        """The browser's end is closed."""

    def report_malformed(self) -> None:
        """A browser sent what is not a SOCKS5 request."""

    def serve(self, connection: SocksConnection, host: Host, port: int) -> asyncio.Task[None]:
        """Begins to answer a request; the connection cancels the task when the browser hangs up."""


class SocksConnection(asyncio.Protocol):
    """The browser's end of a connection: a greeting, a request, then any bytes.

    Either end closes both: a browser that hangs up expects no answer, and a server that hangs up has given it.
    """

    def __init__(self, owner: SocksOwner) -> None:
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._step: Callable[[], bool] = self._read_greeting
        self._timeout: asyncio.TimerHandle | None = None
        self._serving: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._upstream: UpstreamConnection | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # set when the connection is made
        return self._transport

    @property
    def is_relaying(self) -> bool:
        """The request was answered by success."""
        return self._upstream is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if not self._owner.open(self):
            transport.abort()
            return
        self._timeout = self._loop.call_later(HANDSHAKE_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._upstream is not None:
            self._upstream.transport.write(data)
            return
        self._buffer += data
        while self._step():
            pass

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.close_connection(self)
        self._stop_timeout()
        if self._serving is not None:
            self._serving.cancel()
        if self._upstream is not None:
            self._upstream.close(exc)

    def pause_writing(self) -> None:
        if self._upstream is not None:
            self._upstream.transport.pause_reading()

    def resume_writing(self) -> None:
        if self._upstream is not None:
            self._upstream.transport.resume_reading()

    def abort(self) -> None:
        """Closes both ends at once."""
        self.transport.abort()
        if self._upstream is not None:
            self._upstream.transport.abort()

    def refuse(self, code: SocksReply) -> None:
        """Answers the request by an error, and closes the connection."""
        self._stop_timeout()
        self.transport.write(_reply(code))
        self.transport.close()

    async def join(self, upstream: socket.socket) -> bool:
        """Answers the request by success, and relays between the browser and a connected socket.

        Returns:
            False where the browser hung up meanwhile; then the socket is closed.
        """
        if self.transport.is_closing():
            upstream.close()
            return False
        upstream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # detects peers that vanished
        _, outside = await self._loop.create_connection(lambda: UpstreamConnection(self), sock=upstream)
        self._stop_timeout()
        self.transport.set_write_buffer_limits(HIGH_WATER_BYTES)
        outside.transport.set_write_buffer_limits(HIGH_WATER_BYTES)
        self.transport.write(_reply(SocksReply.SUCCEEDED))
        self._upstream = outside
        outside.transport.resume_reading()
        return True

    def _stop_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def _read_greeting(self) -> bool:
        """`VER NMETHODS METHODS…`. Returns whether it was complete."""
        if len(self._buffer) < 2:
            return False
        end = 2 + self._buffer[1]
        if self._buffer[0] != _V5:
            return self._reject(b"")
        if len(self._buffer) < end:
            return False
        if _NO_AUTH not in self._buffer[2:end]:
            return self._reject(bytes((_V5, _NO_METHOD)))
        del self._buffer[:end]
        self._step = self._read_request
        self.transport.write(bytes((_V5, _NO_AUTH)))
        return True

    def _read_request(self) -> bool:
        """`VER CMD RSV ATYP ADDR PORT`. Returns False: the next bytes are not SOCKS."""
        head = self._buffer
        if len(head) < 5:
            return False
        if head[0] != _V5 or head[2] != 0 or head[3] not in (_IPV4, _NAME, _IPV6):
            return self._reject(_reply(SocksReply.FAILED))
        start = 5 if head[3] == _NAME else 4
        end = start + {_IPV4: 4, _NAME: head[4], _IPV6: 16}[head[3]]
        if len(head) < end + 2:
            return False
        if head[1] != _CONNECT:
            return self._reject(_reply(SocksReply.COMMAND_NOT_SUPPORTED))
        if len(head) > end + 2:  # bytes after the request, before its answer
            return self._reject(_reply(SocksReply.FAILED))
        raw, (port,) = bytes(head[start:end]), struct.unpack("!H", head[end : end + 2])
        try:
            host = read_host(raw.decode("ascii") if head[3] == _NAME else str(ip_address(raw)))
        except ValueError:
            return self._reject(_reply(SocksReply.NOT_ALLOWED))
        if port == 0:
            return self._reject(_reply(SocksReply.NOT_ALLOWED))
        self._buffer.clear()
        self._step = self._expect_nothing
        self._serving = self._owner.serve(self, host, port)
        return False

    def _expect_nothing(self) -> bool:
        """A browser sends nothing before its request is answered."""
        if self._buffer:
            self._owner.report_malformed()
            self.transport.abort()
        return False

    def _reject(self, answer: bytes) -> bool:
        self._owner.report_malformed()
        self.transport.write(answer)
        self.transport.close()
        self._step = lambda: False
        return False


class UpstreamConnection(asyncio.Protocol):
    """The server's end. It is not read before the browser's request is answered."""

    def __init__(self, inside: SocksConnection) -> None:
        self._inside = inside
        self._transport: asyncio.Transport | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # set when the connection is made
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        self._inside.transport.write(data)

    def close(self, exc: Exception | None) -> None:
        """The browser's end is closed; what it sent before an orderly end still goes out."""
        if exc is None:
            self.transport.close()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self._inside.transport.close()
        else:
            self._inside.transport.abort()

    def pause_writing(self) -> None:
        self._inside.transport.pause_reading()

    def resume_writing(self) -> None:
        self._inside.transport.resume_reading()


def _reply(code: SocksReply) -> bytes:
    return bytes((_V5, code, 0, _IPV4)) + bytes(6)
