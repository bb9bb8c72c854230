"""The proxy of a session over real sockets: what it refuses, what goes through it, and what is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from ipaddress import ip_address

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perception.browser.network import reserved_ports as own_ports
from perception.browser.network.addresses import Address
from perception.browser.network.policy import HostRule, Origin, UrlPolicy
from perception.browser.network.proxy import EgressProxy
from perception.browser.network.resolver import Resolve
from perception.browser.network.socks import SocksConnection
from perception.errors import NavigationFailedError, OriginBlockedError

pytestmark = pytest.mark.real_time  # real sockets

HELLO = b"\x05\x01\x00"
OK, NOT_ALLOWED, UNREACHABLE, REFUSED, NO_COMMAND = 0, 2, 4, 5, 7


class Target:
    """A server that says in capitals what it hears, and counts who came."""

    def __init__(self) -> None:
        self.hits = 0
        self.port = 0
        self.gone = asyncio.Event()
        self._writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hits += 1
        self._writers.append(writer)
        try:
            while data := await reader.read(2**16):
                writer.write(data.upper())
                await writer.drain()
        except ConnectionError:
            pass
        self.gone.set()
        writer.close()

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()


@pytest.fixture
async def target() -> AsyncIterator[Target]:
    target = Target()
    server = await asyncio.start_server(target.serve, "127.0.0.1", 0)
    target.port = server.sockets[0].getsockname()[1]
    yield target
    server.close()


@pytest.fixture
async def proxies() -> AsyncIterator[list[EgressProxy]]:
    made: list[EgressProxy] = []
    yield made
    for proxy in made:
        await proxy.close()


async def start(proxies: list[EgressProxy], policy: UrlPolicy) -> EgressProxy:
    proxies.append(await EgressProxy.start(policy))
    return proxies[-1]


def named(host: bytes, port: int) -> bytes:
    return b"\x05\x01\x00\x03" + bytes((len(host),)) + host + struct.pack("!H", port)


async def ask(proxy: EgressProxy, *parts: bytes) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
    """The last answer, empty when the proxy hung up, and the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    answer = b""
    for part in parts:
        writer.write(part)
        try:
            answer = await asyncio.wait_for(reader.read(10), 10)
        except ConnectionError:
            return b"", reader, writer
    return answer, reader, writer


async def expect_end(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(), 10) == b""


def answers(*turns: tuple[str, ...]) -> Resolve:
    left = [tuple(map(ip_address, turn)) for turn in turns]

    async def resolve(name: str) -> tuple[Address, ...]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


async def test_what_is_allowed_goes_through_both_ways(proxies: list[EgressProxy], target: Target) -> None:
    proxy = await start(proxies, UrlPolicy.of([f"127.0.0.1:{target.port}"]))
    answer, reader, writer = await ask(proxy, HELLO, named(b"127.0.0.1", target.port))
    assert answer[1] == OK
    sent = b"page " * 400_000
    writer.write(sent)
    assert await asyncio.wait_for(reader.readexactly(len(sent)), 30) == sent.upper()
    writer.close()
    await asyncio.wait_for(target.gone.wait(), 10)


@pytest.mark.parametrize("by", ["browser", "server", "proxy"])
async def test_closing_either_side_closes_both(proxies: list[EgressProxy], target: Target, by: str) -> None:
    proxy = await start(proxies, UrlPolicy.of(["127.0.0.1"]))
    _, reader, writer = await ask(proxy, HELLO, named(b"127.0.0.1", target.port))
    if by == "browser":
        writer.close()
    elif by == "server":
        writer.write(b"x")
        assert await reader.read(1) == b"X"
        target.hang_up()
    else:
        await proxy.close()
    if by != "browser":
        await expect_end(reader)
        writer.close()
    await asyncio.wait_for(target.gone.wait(), 10)
    assert not proxy.tasks


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        pytest.param((b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",), None, id="http"),
        pytest.param((b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n",), None, id="http-connect"),
        pytest.param((b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00",), None, id="socks4"),
        pytest.param((b"\x05\x01\x02",), 0xFF, id="password-only"),
        pytest.param((HELLO, b"\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50"), NO_COMMAND, id="bind"),
        pytest.param((HELLO, b"\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50"), NO_COMMAND, id="udp"),
        pytest.param((HELLO, b"\x05\x01\x00\x05\x7f\x00\x00\x01\x00\x50"), 1, id="no-such-type"),
        pytest.param((HELLO, b"\x05\x01\x01\x01\x7f\x00\x00\x01\x00\x50"), 1, id="reserved-set"),
        pytest.param((HELLO, named(b"localhost", 80) + b"GET /"), 1, id="speaks-too-early"),
        pytest.param((HELLO, named(b"", 80)), NOT_ALLOWED, id="no-name"),
        pytest.param((HELLO, named(b"a\x00.localhost", 80)), NOT_ALLOWED, id="nul"),
        pytest.param((HELLO, named(b"a\r\nb", 80)), NOT_ALLOWED, id="line-end"),
        pytest.param((HELLO, named("\uff11.example".encode(), 80)), NOT_ALLOWED, id="not-ascii"),
        pytest.param((HELLO, named(b"localhost", 0)), NOT_ALLOWED, id="port-0"),
        pytest.param((HELLO, b"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50"), NOT_ALLOWED, id="loopback-by-number"),
        pytest.param((HELLO, b"\x05\x01\x00\x04" + bytes(15) + b"\x01\x00\x50"), NOT_ALLOWED, id="loopback-v6"),
    ],
)
async def test_what_is_refused_is_refused_for_good(
    proxies: list[EgressProxy], parts: tuple[bytes, ...], code: int | None
) -> None:
    proxy = await start(proxies, UrlPolicy())
    answer, reader, writer = await ask(proxy, *parts)
    assert (answer[1] if answer else None) == code
    await expect_end(reader)
    writer.close()


async def test_a_name_that_changes_its_address_is_checked_at_each_use(
    proxies: list[EgressProxy], target: Target
) -> None:
    policy = UrlPolicy((HostRule.parse("good.example"),), resolve=answers(("127.0.0.1",)))
    proxy = await start(proxies, policy)
    answer, _, writer = await ask(proxy, HELLO, named(b"rebind.example", target.port))
    writer.close()
    assert (answer[1], target.hits) == (NOT_ALLOWED, 0)
    told = proxy.error_of(f"http://rebind.example:{target.port}/x")
    assert isinstance(told, OriginBlockedError)
    assert told.metadata == {"host": "rebind.example", "why": "loopback"}
    answer, _, writer = await ask(proxy, HELLO, named(b"good.example", target.port))
    writer.close()
    assert (answer[1], target.hits) == (OK, 1)


async def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    proxies: list[EgressProxy], target: Target
) -> None:
    """Asked once: a second question would lead elsewhere."""
    policy = UrlPolicy((HostRule.parse("a.example"),), resolve=answers(("127.0.0.1",), ("192.0.2.1",)))
    answer, _, writer = await ask(await start(proxies, policy), HELLO, named(b"a.example", target.port))
    writer.close()
    assert (answer[1], target.hits) == (OK, 1)


async def test_the_next_address_is_tried_when_one_fails(proxies: list[EgressProxy], target: Target) -> None:
    policy = UrlPolicy((HostRule.parse("a.example"),), resolve=answers(("127.0.0.9", "::1", "127.0.0.1")))
    answer, _, writer = await ask(await start(proxies, policy), HELLO, named(b"a.example", target.port))
    writer.close()
    assert answer[1] == OK


async def test_a_failure_is_reported_in_chromiums_words(proxies: list[EgressProxy], target: Target) -> None:
    proxy = await start(proxies, UrlPolicy((HostRule.parse("*"),), resolve=answers(())))
    answer, _, writer = await ask(proxy, HELLO, named(b"nobody.example", 80))
    writer.close()
    assert answer[1] == UNREACHABLE
    told = proxy.error_of("http://nobody.example/")
    assert isinstance(told, NavigationFailedError)
    assert told.metadata["error"] == "net::ERR_NAME_NOT_RESOLVED"
    answer, _, writer = await ask(proxy, HELLO, named(b"127.0.0.1", 1))
    writer.close()
    assert answer[1] == REFUSED
    assert "net::ERR_CONNECTION_REFUSED" in str(proxy.error_of("http://127.0.0.1:1/"))
    assert proxy.error_of("http://never.asked/") is None
    assert proxy.error_of("about:blank") is None


async def test_origins_hold_for_every_connection(proxies: list[EgressProxy], target: Target) -> None:
    policy = UrlPolicy.of(["127.0.0.1"]).within([Origin.parse("http://127.0.0.1:1")])
    proxy = await start(proxies, policy)
    answer, _, writer = await ask(proxy, HELLO, named(b"127.0.0.1", target.port))
    writer.close()
    assert (answer[1], target.hits) == (NOT_ALLOWED, 0)
    assert "allowed_origins" in str(proxy.error_of(f"http://127.0.0.1:{target.port}/"))


async def test_the_port_of_a_proxy_is_released_when_it_closes() -> None:
    proxy = await EgressProxy.start(UrlPolicy())
    assert own_ports.is_own([ip_address("127.0.0.1")], proxy.port)
    await proxy.close()
    await proxy.close()
    assert not own_ports.is_own([ip_address("127.0.0.1")], proxy.port)


async def test_a_browser_that_hangs_up_cancels_the_connecting(proxies: list[EgressProxy]) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def resolve(name: str) -> tuple[Address, ...]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ()

    proxy = await start(proxies, UrlPolicy(resolve=resolve))
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(HELLO)
    await reader.readexactly(2)
    writer.write(named(b"slow.example", 80))
    await asyncio.wait_for(begun.wait(), 10)
    writer.close()
    await asyncio.wait_for(ended.wait(), 10)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=3))
def test_any_bytes_are_refused_or_waited_for(parts: list[bytes]) -> None:
    """The reader of requests alone, without a socket: nothing raises, and nothing is connected to."""

    class Wire(asyncio.Transport):
        def __init__(self) -> None:
            super().__init__()
            self.closed = False

        def write(self, data: object) -> None: ...

        def close(self) -> None:
            self.closed = True

        abort = close

        def is_closing(self) -> bool:
            return self.closed

    async def talk() -> None:
        proxy = EgressProxy(UrlPolicy(resolve=answers(())))
        inside, wire = SocksConnection(proxy), Wire()
        inside.connection_made(wire)
        for part in parts:
            if not wire.closed:
                inside.data_received(part)
        await asyncio.gather(*proxy.tasks, return_exceptions=True)
        assert not inside.is_relaying
        inside.connection_lost(None)

    asyncio.run(talk())
