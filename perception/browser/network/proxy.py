"""A session's only way to the network: a SOCKS5 proxy on loopback that its browser context uses.

Each connection names a host and a port, as the page has them. The proxy resolves the host once, checks every address
against the policy, and connects to one of those addresses: a later answer of a name server changes nothing. What is
relayed is not inspected. SOCKS rather than HTTP: plain http and WebSockets, too, have connections of their own to one
host and port, so that no second parser of headers can disagree with Chromium's or the server's, and none costs time.

Rule 1: nothing is sent on, and no name resolved, before the whole request is read and allowed.
Rule 2: a refusal is reported by the SOCKS reply and remembered, never shown as a page.
"""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Sequence

import structlog

from perception.browser.network import reserved_ports
from perception.browser.network.addresses import Address, Host
from perception.browser.network.pace import Pace
from perception.browser.network.policy import MALFORMED, Blocked, UrlPolicy, host_and_port
from perception.browser.network.socks import SocksConnection, SocksReply
from perception.browser.network.tcp_connect import connect_first
from perception.browser.network.upstream import UpstreamError, UpstreamProxy, connect_through, goes_direct
from perception.errors import NavigationFailedError, OriginBlockedError
from perception.instrumentation.metrics import EGRESS_BLOCKED

log = structlog.get_logger(__name__)

MAX_CONNECTIONS = 512
"""Most connections of a session. Chromium opens 32 through a proxy, and 255 WebSockets
(net/socket/client_socket_pool_manager.cc)."""

CONNECTIONS_PER_SECOND, CONNECTIONS_AT_ONCE = 100.0, 200
"""New ones of a session: all sessions share the event loop, which spends a millisecond on each. Those that come faster
wait in the kernel, and in Chromium once BACKLOG of them do. Chosen by hand: a page of many images opens 32, and uses
them again."""

BACKLOG = 100

ACCEPT_AGAIN_SECONDS = 1.0
"""After a failed accept, such as for want of file descriptors; as asyncio's own servers."""

CONNECT_SECONDS = 30.0
"""For all addresses of a host; Chromium itself gives up after 4 minutes. Chosen by hand."""

KEPT_CONNECTIONS = 200
"""Hosts whose last refusal or failure is remembered. Chosen by hand."""

LOGGED = 100
"""Hosts whose refusals are logged for a session, once each. Chosen by hand."""

NAME_NOT_RESOLVED = "net::ERR_NAME_NOT_RESOLVED"
CONNECTION_REFUSED = "net::ERR_CONNECTION_REFUSED"
CONNECTION_TIMED_OUT = "net::ERR_CONNECTION_TIMED_OUT"
ADDRESS_UNREACHABLE = "net::ERR_ADDRESS_UNREACHABLE"


class EgressProxy:
    """Made by `start`; has to be closed.

    Attributes:
        policy: what connections are checked against.
        upstream: proxies that allowed connections to public addresses go on through, one behind the other.
        port: the loopback port that it listens on; 0 before it was started.
        connections: those of the browser that are open.
        tasks: requests that are being answered.
    """

    def __init__(self, policy: UrlPolicy, upstream: Sequence[UpstreamProxy] = ()) -> None:
        self.policy = policy
        self.upstream = tuple(upstream)
        self.port = 0
        self.connections: set[SocksConnection] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._last: OrderedDict[tuple[Host, int], Blocked | UpstreamError | str] = OrderedDict()
        self._logged: set[str] = set()

    @classmethod
    async def start(cls, policy: UrlPolicy, upstream: Sequence[UpstreamProxy] = ()) -> EgressProxy:
        """Listens on a free port of loopback."""
        proxy = cls(policy, upstream)
        proxy._listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        proxy._listener.setblocking(False)
        proxy.port = proxy._listener.getsockname()[1]
        reserved_ports.guard(proxy.port)
        proxy._accepting = asyncio.create_task(proxy._accept(proxy._listener), name="egress-accept")
        return proxy

    @property
    def url(self) -> str:
        """Its address, for the browser."""
        return f"socks5://127.0.0.1:{self.port}"

    async def close(self) -> None:
        """Ends all connections. Safe to call twice."""
        if self._listener is None or self._accepting is None:
            return
        listener, self._listener = self._listener, None
        tasks = [self._accepting, *self.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        listener.close()
        reserved_ports.release(self.port)
        for connection in list(self.connections):
            connection.abort()

    async def _accept(self, listener: socket.socket) -> None:
        """Takes the browser's connections, no faster than their pace."""
        loop, pace = asyncio.get_running_loop(), Pace(CONNECTIONS_PER_SECOND, CONNECTIONS_AT_ONCE)
        while True:
            try:
                taken, _ = await loop.sock_accept(listener)
            except OSError as exc:
                log.error("the egress proxy takes no connections", why=exc.strerror)
                await asyncio.sleep(ACCEPT_AGAIN_SECONDS)
                continue
            await loop.connect_accepted_socket(lambda: SocksConnection(self), taken)
            await pace.turn()

    def error_of(self, url: str) -> OriginBlockedError | NavigationFailedError | None:
        """Why the last connection for a URL failed; None where it did not, or where there was none."""
        place = host_and_port(url)
        known = self._last.get(place) if place else None
        if isinstance(known, Blocked):
            return known.error()
        if known is None:
            return None
        if isinstance(known, UpstreamError):
            return NavigationFailedError(f"the page could not be opened: {known}", error=known.error)
        return NavigationFailedError.by(known)

    def open(self, connection: SocksConnection) -> bool:
        """Counts a connection of the browser. False where there are too many."""
        if len(self.connections) >= MAX_CONNECTIONS:
            return False
        self.connections.add(connection)
        return True

    def close_connection(self, connection: SocksConnection) -> None:
        """Stops counting a connection."""
        self.connections.discard(connection)

    def report_malformed(self) -> None:
        """Counts a request that is not a SOCKS5 request."""
        self._count(Blocked(MALFORMED, "", ""))

    def serve(self, connection: SocksConnection, host: Host, port: int) -> asyncio.Task[None]:
        """Begins to answer a request."""
        task = asyncio.create_task(self._serve(connection, host, port), name="egress")
        self.tasks.add(task)
        task.add_done_callback(lambda done: self._on_served(connection, done))
        return task

    def _on_served(self, connection: SocksConnection, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("egress failed", error=type(error).__name__)
            connection.transport.abort()

    async def _serve(self, connection: SocksConnection, host: Host, port: int) -> None:
        blocked, addresses = await self.policy.lead(host, port)
        if blocked is not None:
            self._note(host, port, blocked)
            connection.refuse(SocksReply.NOT_ALLOWED)
            return
        failure: UpstreamError | str = NAME_NOT_RESOLVED
        code = SocksReply.HOST_UNREACHABLE
        if addresses:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    upstream = await self._connect(addresses, port)
            except UpstreamError as exc:
                failure = exc
            except ConnectionRefusedError:
                failure, code = CONNECTION_REFUSED, SocksReply.CONNECTION_REFUSED
            except TimeoutError:
                failure = CONNECTION_TIMED_OUT
            except OSError:
                failure = ADDRESS_UNREACHABLE
            else:
                if await connection.join(upstream):
                    self._last.pop((host, port), None)
                return
        self._note(host, port, failure)
        connection.refuse(code)

    async def _connect(self, addresses: Sequence[Address], port: int) -> socket.socket:
        """A connection to addresses that were checked; those of this machine's network are not the proxies'."""
        if self.upstream and not goes_direct(addresses):
            return await connect_through(self.upstream, self.policy, addresses, port)
        return await connect_first(addresses, port)

    def _note(self, host: Host, port: int, outcome: Blocked | UpstreamError | str) -> None:
        """Remembers that a connection was refused, or failed (in Chromium's term)."""
        self._last.pop((host, port), None)
        self._last[host, port] = outcome
        while len(self._last) > KEPT_CONNECTIONS:
            self._last.popitem(last=False)
        if isinstance(outcome, Blocked):
            self._count(outcome)

    def _count(self, blocked: Blocked) -> None:
        EGRESS_BLOCKED.labels(blocked.why).inc()
        if blocked.shown not in self._logged and len(self._logged) < LOGGED:
            self._logged.add(blocked.shown)
            log.info("egress blocked", host=blocked.shown, why=blocked.why)
