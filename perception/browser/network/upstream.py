"""Proxies of others that a session's connections go on through: HTTP (CONNECT) and SOCKS5.

Rule 1: names are resolved and addresses checked here, before the proxy hears of them; it is asked for an address and
never for a name, so that it cannot lead a name elsewhere.
Rule 2: credentials are in no message, and in no representation.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from perception.browser.network.addresses import Address, Host, read_host, why_not_public
from perception.browser.network.policy import Blocked, UrlPolicy
from perception.browser.network.socks import SocksReply
from perception.browser.network.tcp_connect import connect_first
from perception.errors import BadInputError

DEFAULT_PORTS = {"http": 80, "socks5": 1080}

MAX_URL = 1000
"""Characters of a proxy's URL; a host name has at most 253."""

MAX_HEAD = 16 * 2**10
"""Bytes of an HTTP proxy's answer to CONNECT; common servers write at most 8 KiB."""

MAX_CREDENTIAL = 255
"""Bytes of a user's name or password: https://www.rfc-editor.org/rfc/rfc1929#section-2."""

MAX_ADDRESSES = 4
"""Addresses of a host that a proxy is asked for, one after the other. Chosen by hand."""

PROXY_FAILED = "net::ERR_PROXY_CONNECTION_FAILED"
PROXY_AUTH = "net::ERR_PROXY_AUTH_REQUESTED"
TUNNEL_FAILED = "net::ERR_TUNNEL_CONNECTION_FAILED"

_NO_AUTH, _PASSWORD, _NO_METHOD = 0, 2, 0xFF
_REPLIES = {
    1: "it failed",
    2: "its rules do not allow this",
    3: "the network cannot be reached",
    4: "the host cannot be reached",
    5: "the connection was refused",
    6: "the time ran out",
    7: "it does not do CONNECT",
    8: "it does not take this kind of address",
}
"""https://www.rfc-editor.org/rfc/rfc1928#section-6"""


class UpstreamError(OSError):
    """A proxy that cannot be used, or that does not connect.

    Attributes:
        error: Chromium's name of the failure.
        is_of_proxy: the proxy itself fails: other addresses would fail alike.
    """

    def __init__(self, message: str, error: str, *, is_of_proxy: bool = False) -> None:
        super().__init__(message)
        self.error = error
        self.is_of_proxy = is_of_proxy


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """One proxy.

    Attributes:
        scheme: `http` or `socks5`.
        host, port: where it listens.
        is_trusted: the operator names it: its address may be private.
        secret: name of the secret that holds its credentials; empty for none.
        credentials: returns `user:password` as of now; None where it needs none.
    """

    scheme: str
    host: Host
    port: int
    is_trusted: bool = False
    secret: str = ""
    credentials: Callable[[], str] | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in str(self.host) else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.place}"

    async def lead(self, policy: UrlPolicy) -> tuple[Blocked | None, tuple[Address, ...]]:
        """The addresses of the proxy itself, or why it may not be used. Neither: its name cannot be resolved."""
        if not self.is_trusted:
            return await policy.within(()).lead(self.host, self.port)
        return None, await policy.resolve(self.host) if isinstance(self.host, str) else (self.host,)


def parse_upstream(url: str, field_name: str) -> UpstreamProxy:
    """A proxy from `http://HOST:PORT` or `socks5://HOST:PORT`.

    Raises:
        BadInputError: the URL is not a proxy's; the message never repeats a password.
    """
    form = "write http://HOST:PORT or socks5://HOST:PORT"
    try:
        parts = urlsplit(url.strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        if parts.username is not None or parts.password is not None:
            raise BadInputError(
                f"{field_name} holds credentials: leave them out, and name a secret that holds USER:PASSWORD",
                field=field_name,
            )
        if scheme not in DEFAULT_PORTS:
            hint = "; socks5 resolves no names either: use it in its place" if scheme in ("socks5h", "socks4") else ""
            raise BadInputError(f"{field_name} is not an http: or socks5: URL: {form}{hint}", field=field_name)
        if len(url) > MAX_URL or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("more than a host and a port")
        return UpstreamProxy(scheme, read_host(host), DEFAULT_PORTS[scheme] if port is None else port)
    except ValueError as exc:
        raise BadInputError(f"{field_name} is not a proxy's URL: {form}", field=field_name) from exc


def check_credentials(text: str, name: str) -> None:
    """Raises BadInputError for a secret that no proxy takes; the message does not hold it."""
    user, found, password = text.partition(":")
    too_long = max(len(user.encode()), len(password.encode())) > MAX_CREDENTIAL
    if not found or not user or too_long or not text.isprintable():
        raise BadInputError(
            f"secret {name} does not hold a proxy's credentials: give USER:PASSWORD, each up to {MAX_CREDENTIAL} bytes",
            field="secret",
        )


def goes_direct(addresses: Sequence[Address]) -> bool:
    """Whether a host's addresses mean this machine's network: a proxy's own network has other hosts there."""
    return any(why_not_public(each) for each in addresses)


async def connect_through(
    proxies: Sequence[UpstreamProxy], policy: UrlPolicy, addresses: Sequence[Address], port: int
) -> socket.socket:
    """A connection to the first of a host's addresses to which the proxies connect, one behind the other.

    Raises:
        UpstreamError: none of them; that of the last attempt.
    """
    failed = UpstreamError("no address", TUNNEL_FAILED)
    for address in addresses[:MAX_ADDRESSES]:
        try:
            return await _connect(proxies, policy, address, port)
        except UpstreamError as exc:
            failed = exc
            if exc.is_of_proxy:
                break
    raise failed


async def _connect(proxies: Sequence[UpstreamProxy], policy: UrlPolicy, address: Address, port: int) -> socket.socket:
    ways = [await _addresses_of(proxy, policy) for proxy in proxies]
    first = proxies[0]
    try:
        connection = await connect_first(ways[0], first.port)
    except OSError as exc:
        raise _unreachable(first, "nothing answers there") from exc
    try:
        stops = [(way[0], proxy.port) for way, proxy in zip(ways[1:], proxies[1:], strict=True)]
        for index, (proxy, to) in enumerate(zip(proxies, [*stops, (address, port)], strict=True)):
            try:
                await _HANDSHAKES[proxy.scheme](_Wire(connection), proxy, *to)
            except UpstreamError as exc:
                exc.is_of_proxy |= index < len(proxies) - 1
                raise
            except (OSError, EOFError) as exc:
                raise _unreachable(proxy, "it hung up") from exc
    except BaseException:
        connection.close()
        raise
    return connection


async def _addresses_of(proxy: UpstreamProxy, policy: UrlPolicy) -> tuple[Address, ...]:
    blocked, addresses = await proxy.lead(policy)
    if blocked is not None:
        raise UpstreamError(f"the upstream proxy may not be used: {blocked.message}", PROXY_FAILED, is_of_proxy=True)
    if not addresses:
        raise _unreachable(proxy, "its name cannot be resolved")
    return addresses


def _unreachable(proxy: UpstreamProxy, why: str) -> UpstreamError:
    return UpstreamError(f"the upstream proxy {proxy.url} cannot be used: {why}", PROXY_FAILED, is_of_proxy=True)


def _refused(proxy: UpstreamProxy, why: str) -> UpstreamError:
    credentials = f"the credentials of secret {proxy.secret}" if proxy.secret else "a connection without credentials"
    return UpstreamError(f"the upstream proxy {proxy.url} refuses {credentials} ({why})", PROXY_AUTH, is_of_proxy=True)


class _Wire:
    """Reads a connected socket by exact lengths: what comes after the answer belongs to the browser."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()

    async def send(self, data: bytes) -> None:
        await self._loop.sock_sendall(self._connection, data)

    async def read(self, size: int) -> bytes:
        """Raises EOFError where the other side closed before."""
        data = b""
        while len(data) < size:
            part = await self._loop.sock_recv(self._connection, size - len(data))
            if not part:
                raise EOFError
            data += part
        return data


async def _http_connect(wire: _Wire, proxy: UpstreamProxy, address: Address, port: int) -> None:
    place = f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.credentials is not None:
        lines.append(f"Proxy-Authorization: Basic {b64encode(proxy.credentials().encode()).decode()}")
    await wire.send("\r\n".join([*lines, "", ""]).encode())
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        if len(head) >= MAX_HEAD:
            raise _unreachable(proxy, "its answer is not HTTP")
        head += await wire.read(1)
    version, _, rest = head.partition(b" ")
    status = rest[:3].decode("latin-1")
    if not version.startswith(b"HTTP/") or not status.isdecimal():
        raise _unreachable(proxy, "its answer is not HTTP")
    if status in ("401", "407"):
        raise _refused(proxy, f"HTTP {status}")
    if not status.startswith("2"):
        raise UpstreamError(f"the upstream proxy {proxy.url} does not connect (HTTP {status})", TUNNEL_FAILED)


async def _socks_connect(wire: _Wire, proxy: UpstreamProxy, address: Address, port: int) -> None:
    methods = (_NO_AUTH,) if proxy.credentials is None else (_NO_AUTH, _PASSWORD)
    await wire.send(bytes((5, len(methods), *methods)))
    version, method = await wire.read(2)
    if version != 5:
        raise _unreachable(proxy, "its answer is not SOCKS5")
    if method == _NO_METHOD or method not in methods:
        raise _refused(proxy, "SOCKS5 wants others")
    if method == _PASSWORD and proxy.credentials is not None:
        user, _, password = (part.encode() for part in proxy.credentials().partition(":"))
        await wire.send(bytes((1, len(user))) + user + bytes((len(password),)) + password)
        if (await wire.read(2))[1] != 0:
            raise _refused(proxy, "SOCKS5")
    kind = 4 if address.version == 6 else 1
    await wire.send(bytes((5, 1, 0, kind)) + address.packed + port.to_bytes(2))
    version, code, _, kind = await wire.read(4)
    if version != 5 or kind not in (1, 3, 4):
        raise _unreachable(proxy, "its answer is not SOCKS5")
    await wire.read({1: 4, 4: 16}.get(kind) or (await wire.read(1))[0])
    await wire.read(2)
    if code != SocksReply.SUCCEEDED:
        why = _REPLIES.get(code, f"code {code}")
        raise UpstreamError(f"the upstream proxy {proxy.url} does not connect: {why}", TUNNEL_FAILED)


_HANDSHAKES = {"http": _http_connect, "socks5": _socks_connect}
