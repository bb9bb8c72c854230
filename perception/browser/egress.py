"""A session's only way out: a SOCKS5 proxy on loopback that its browser context is made with.

For each connection it is given a host and a port, as the page has them. It resolves the host once, holds every address
to the rules, and connects to one of those very addresses: what a name server says later changes nothing. What goes
through is never looked at. SOCKS (https://www.rfc-editor.org/rfc/rfc1928) rather than HTTP: plain http and WebSockets
have connections of their own to one host and port, too, so that there is no second reading of headers that could be at
odds with Chromium's or the server's, and none to pay for.

Rule 1: nothing is sent on, and nothing looked up, before the whole request is read and allowed.
Rule 2: a refusal is told by the SOCKS reply and remembered, never by a page.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Final

import structlog

from perception.browser import own_ports
from perception.browser.addresses import Address, Host, read_host
from perception.browser.policy import MALFORMED, Blocked, UrlPolicy, host_and_port
from perception.errors import NavigationFailedError, OriginBlockedError
from perception.metrics import EGRESS_BLOCKED

log = structlog.get_logger(__name__)

MAX_CONNECTIONS = 512
"""Of a session. Chromium opens 32 through a proxy, and 255 WebSockets (net/socket/client_socket_pool_manager.cc)."""

HANDSHAKE_SECONDS = 10.0
"""For a greeting and a request of some bytes, from this machine."""

CONNECT_SECONDS = 30.0
"""For all addresses of a host; Chromium itself gives up after 4 minutes."""

HEAD_START_SECONDS = 0.25
"""Before the next address is tried, too: https://www.rfc-editor.org/rfc/rfc8305#section-5."""

KEPT = 200
"""Hosts whose last refusal or failure is remembered."""

LOGGED = 100
"""Hosts that a session's refusals are logged for, once each."""

HIGH_WATER_BYTES = 2**20
"""What may wait for the slower side before the faster one is held up."""

_GREETING_MAX = 2 + 255
_REQUEST_MAX = 4 + 1 + 255 + 2
_V5, _NO_AUTH, _NO_METHOD, _CONNECT = 5, 0, 0xFF, 1
_IPV4, _NAME, _IPV6 = 1, 3, 4

_DONE: Final = 0
_FAILED: Final = 1
_NOT_ALLOWED: Final = 2
_HOST_UNREACHABLE: Final = 4
_REFUSED: Final = 5
_NO_SUCH_COMMAND: Final = 7

NAME_NOT_RESOLVED = "net::ERR_NAME_NOT_RESOLVED"
CONNECTION_REFUSED = "net::ERR_CONNECTION_REFUSED"
CONNECTION_TIMED_OUT = "net::ERR_CONNECTION_TIMED_OUT"
ADDRESS_UNREACHABLE = "net::ERR_ADDRESS_UNREACHABLE"


class EgressProxy:
    """Made by `start`; has to be closed."""

    def __init__(self, policy: UrlPolicy) -> None:
        self.policy = policy
        self.port = 0
        self.connections: set[_Inside] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._last: OrderedDict[tuple[Host, int], Blocked | str] = OrderedDict()
        self._logged: set[str] = set()

    @classmethod
    async def start(cls, policy: UrlPolicy) -> EgressProxy:
        proxy = cls(policy)
        loop = asyncio.get_running_loop()
        proxy._server = await loop.create_server(lambda: _Inside(proxy), "127.0.0.1", 0)
        proxy.port = proxy._server.sockets[0].getsockname()[1]
        own_ports.guard(proxy.port)
        return proxy

    @property
    def url(self) -> str:
        return f"socks5://127.0.0.1:{self.port}"

    async def close(self) -> None:
        """Ends all connections. Safe to call twice."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        own_ports.release(self.port)
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for connection in list(self.connections):
            connection.abort()

    def error_of(self, url: str) -> OriginBlockedError | NavigationFailedError | None:
        """Why the last connection for a URL came to nothing; None where one did, or none was tried."""
        place = host_and_port(url)
        known = self._last.get(place) if place else None
        if isinstance(known, Blocked):
            return known.error()
        if known is None:
            return None
        return NavigationFailedError(
            f"the page could not be opened ({known}): check the address and that the server is up", error=known
        )

    def note(self, host: Host, port: int, outcome: Blocked | str | None) -> None:
        """Remembers how a connection ended: refused, failed (in Chromium's word for it), or made (None)."""
        self._last.pop((host, port), None)
        if outcome is None:
            return
        self._last[host, port] = outcome
        while len(self._last) > KEPT:
            self._last.popitem(last=False)
        if isinstance(outcome, Blocked):
            self._count(outcome)

    def note_malformed(self) -> None:
        self._count(Blocked(MALFORMED, "", ""))

    def _count(self, blocked: Blocked) -> None:
        EGRESS_BLOCKED.labels(blocked.why).inc()
        if blocked.shown not in self._logged and len(self._logged) < LOGGED:
            self._logged.add(blocked.shown)
            log.info("egress blocked", host=blocked.shown, why=blocked.why)


class _Inside(asyncio.Protocol):
    """The browser's end of a connection: a greeting, a request, then whatever it likes.

    Either end closes both: a browser that hangs up wants no answer any more, and a server that does has given it.
    """

    def __init__(self, proxy: EgressProxy) -> None:
        self._proxy = proxy
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._step: Callable[[], bool] = self._greet
        self._late: asyncio.TimerHandle | None = None
        self._serving: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self.outside: _Outside | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # since it was made
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._proxy.connections) >= MAX_CONNECTIONS:
            transport.abort()
            return
        self._proxy.connections.add(self)
        self._late = self._loop.call_later(HANDSHAKE_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        if self.outside is not None:
            self.outside.transport.write(data)
            return
        self._buffer += data
        while self._step():
            pass

    def connection_lost(self, exc: Exception | None) -> None:
        self._proxy.connections.discard(self)
        self._rest()
        if self._serving is not None:
            self._serving.cancel()
        if self.outside is not None:
            self.outside.leave(exc)

    def pause_writing(self) -> None:
        if self.outside is not None:
            self.outside.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.outside is not None:
            self.outside.transport.resume_reading()

    def abort(self) -> None:
        self.transport.abort()
        if self.outside is not None:
            self.outside.transport.abort()

    def _rest(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _greet(self) -> bool:
        """`VER NMETHODS METHODS…`: whether there was a whole one."""
        if len(self._buffer) < 2:
            return False
        end = 2 + self._buffer[1]
        if self._buffer[0] != _V5:
            return self._give_up(b"")
        if len(self._buffer) < end:
            return False
        if _NO_AUTH not in self._buffer[2:end]:
            return self._give_up(bytes((_V5, _NO_METHOD)))
        del self._buffer[:end]
        self._step = self._read_request
        self.transport.write(bytes((_V5, _NO_AUTH)))
        return True

    def _read_request(self) -> bool:
        """`VER CMD RSV ATYP ADDR PORT`."""
        head = self._buffer
        if len(head) < 5:
            return False
        if head[0] != _V5 or head[2] != 0 or head[3] not in (_IPV4, _NAME, _IPV6):
            return self._give_up(_reply(_FAILED))
        start = 5 if head[3] == _NAME else 4
        end = start + {_IPV4: 4, _NAME: head[4], _IPV6: 16}[head[3]]
        if len(head) < end + 2:
            return False
        if head[1] != _CONNECT or len(head) > end + 2:  # nobody speaks before it is answered
            return self._give_up(_reply(_NO_SUCH_COMMAND if head[1] != _CONNECT else _FAILED))
        raw, (port,) = bytes(head[start:end]), struct.unpack("!H", head[end : end + 2])
        try:
            host = read_host(raw.decode("ascii") if head[3] == _NAME else str(ip_address(raw)))
        except ValueError:
            return self._give_up(_reply(_NOT_ALLOWED))
        if port == 0:
            return self._give_up(_reply(_NOT_ALLOWED))
        self._buffer.clear()
        self._step = self._wait
        self._serving = self._loop.create_task(self._serve(host, port), name="egress")
        self._proxy.tasks.add(self._serving)
        self._serving.add_done_callback(self._served)
        return False

    def _served(self, task: asyncio.Task[None]) -> None:
        self._proxy.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("egress failed", error=type(error).__name__)
            self.transport.abort()

    def _wait(self) -> bool:
        """Nothing is expected before the answer."""
        if self._buffer:
            self._proxy.note_malformed()
            self.transport.abort()
        return False

    def _give_up(self, answer: bytes) -> bool:
        self._proxy.note_malformed()
        self.transport.write(answer)
        self.transport.close()
        self._step = lambda: False
        return False

    async def _serve(self, host: Host, port: int) -> None:
        blocked, addresses = await self._proxy.policy.lead(host, port)
        if blocked is not None:
            self._refuse(host, port, blocked, _NOT_ALLOWED)
            return
        if not addresses:
            self._refuse(host, port, NAME_NOT_RESOLVED, _HOST_UNREACHABLE)
            return
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                made = await _connect(addresses, port)
        except ConnectionRefusedError:
            self._refuse(host, port, CONNECTION_REFUSED, _REFUSED)
        except TimeoutError:
            self._refuse(host, port, CONNECTION_TIMED_OUT, _HOST_UNREACHABLE)
        except OSError:
            self._refuse(host, port, ADDRESS_UNREACHABLE, _HOST_UNREACHABLE)
        else:
            await self._join(host, port, made)

    def _refuse(self, host: Host, port: int, outcome: Blocked | str, code: int) -> None:
        self._proxy.note(host, port, outcome)
        self._rest()
        self.transport.write(_reply(code))
        self.transport.close()

    async def _join(self, host: Host, port: int, made: socket.socket) -> None:
        if self.transport.is_closing():
            made.close()
            return
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a peer that vanished is noticed some day
        _, outside = await self._loop.create_connection(lambda: _Outside(self), sock=made)
        self._proxy.note(host, port, None)
        self._rest()
        self.transport.set_write_buffer_limits(HIGH_WATER_BYTES)
        outside.transport.set_write_buffer_limits(HIGH_WATER_BYTES)
        self.transport.write(_reply(_DONE))
        self.outside = outside
        outside.begin()


class _Outside(asyncio.Protocol):
    """The server's end. What it says before the browser was answered waits."""

    def __init__(self, inside: _Inside) -> None:
        self._inside = inside
        self._transport: asyncio.Transport | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # since it was made
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.pause_reading()

    def begin(self) -> None:
        self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        self._inside.transport.write(data)

    def leave(self, exc: Exception | None) -> None:
        """The browser's end is gone: what it has sent still goes out, if it went in order."""
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


def _reply(code: int) -> bytes:
    return bytes((_V5, code, 0, _IPV4)) + bytes(6)


async def _connect(addresses: Sequence[Address], port: int) -> socket.socket:
    """The first that answers, each begun a little after the one before, or at once when that failed.

    Raises:
        OSError: none did; the last one's.
    """
    waiting: set[asyncio.Task[socket.socket]] = set()
    left, error = list(_interleaved(addresses)), OSError("no address")
    try:
        while left or waiting:
            if left:
                waiting.add(asyncio.ensure_future(_connect_one(left.pop(0), port)))
            timeout = HEAD_START_SECONDS if left else None
            done, waiting = await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            made = [task.result() for task in done if task.exception() is None]
            for spare in made[1:]:
                spare.close()
            if made:
                return made[0]
            error = next((failed for task in done if isinstance(failed := task.exception(), OSError)), error)
        raise error
    finally:
        for task in waiting:
            task.cancel()
            task.add_done_callback(_close_unwanted)


async def _connect_one(address: Address, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(made, (str(address), port))
    except BaseException:
        made.close()
        raise
    return made


def _close_unwanted(task: asyncio.Task[socket.socket]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().close()


def _interleaved(addresses: Sequence[Address]) -> list[Address]:
    """The families in turn, beginning with the first one's: one of them may lead nowhere."""
    first = [each for each in addresses if each.version == addresses[0].version]
    other = [each for each in addresses if each.version != addresses[0].version]
    turns = [each for pair in zip(first, other, strict=False) for each in pair]
    return turns + first[len(other) :] + other[len(first) :]
