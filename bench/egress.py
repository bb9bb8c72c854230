"""Tries to get out of a session: `python -m perception.bench.egress`. Exits with 1 when any way got through.

A page of a server that is allowed (`--allow-host 127.0.0.1:PORT`) tries to reach another one on the same machine. That
one counts connections, and datagrams, at all addresses it has.

Rule 1: a hit is a connection that was taken: what came of it, or whether the page saw an answer, is no matter.
Rule 2: every way is tried on a service that allows every host, too: one that hits nothing there proves nothing.
Rule 3: ways go side by side in lanes, each with servers of its own, so that a hit is known to be of one way.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import unquote

import structlog

from perception.bench.egress_ways import Way, ways
from perception.browser import own_ports
from perception.browser.addresses import Address
from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.browser.policy import HostRule, UrlPolicy
from perception.browser.session import BrowserSession, SessionOptions
from perception.budget import Budget
from perception.child import ServiceChild
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect

QUIET_SECONDS = 0.4
"""After a page has loaded: what it asks for then comes within some milliseconds on loopback; WebRTC's tries later."""

SLOW_SECONDS = 1.5
"""For ways that begin late: WebRTC, workers, what a browser does at its leisure."""

SLOW = ("WebRTC", "Alt-Svc", "service worker", "prefetch", "speculation", "CSP", "manifest", "favicon", "rebinding")

AFTER_SECONDS = 0.05
"""After a page was left: connections that were on their way still count."""

LANES = 4

SESSION_WAYS = 8
"""Ways that one session is used for."""

OPEN_TRIES = 5

TIMEOUT_SECONDS = 60.0

UNROUTED = "3ffe::1"
"""Public by its number, and nobody's: the 6bone's, given back (https://www.rfc-editor.org/rfc/rfc3701)."""


class Forbidden:
    """Listens at one port of several addresses, TCP and UDP, and counts who comes."""

    def __init__(self, addresses: list[str]) -> None:
        self.hits = 0
        self._servers: list[socketserver.BaseServer] = []
        self.port = 0
        for address in addresses:
            self._listen(address)

    def _listen(self, address: str) -> None:
        forbidden = self

        class Counting(BaseHTTPRequestHandler):
            def setup(self) -> None:
                forbidden.hits += 1
                super().setup()

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            do_POST = do_HEAD = do_OPTIONS = do_GET  # noqa: N815  (http.server's names)

            def log_message(self, *_: object) -> None:
                pass

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                forbidden.hits += 1

        family = socket.AF_INET6 if ":" in address else socket.AF_INET

        class Server(ThreadingHTTPServer):
            address_family = family
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """Browsers hang up in the middle of answers."""

        class Datagrams(socketserver.UDPServer):
            address_family = family

        tcp = Server((address, self.port), Counting)
        self.port = tcp.server_address[1]
        for server in (tcp, Datagrams((address, self.port), Datagram)):
            self._servers.append(server)
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


class Good(ThreadingHTTPServer):
    """Serves the way that is tried: its page, its files, and redirects at `/to/CODE?URL`."""

    daemon_threads = True

    def __init__(self, bad_port: int) -> None:
        super().__init__(("127.0.0.1", 0), _GoodHandler)
        self.way = Way("")
        self.places = {
            "GOODPORT": str(self.server_address[1]),
            "GOOD": f"127.0.0.1:{self.server_address[1]}",
            "BAD": f"127.0.0.1:{bad_port}",
        }

    def fill(self, text: str) -> str:
        for name, value in self.places.items():
            text = text.replace(name, value)
        return text

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers hang up in the middle of answers."""


class _GoodHandler(BaseHTTPRequestHandler):
    server: Good

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path.startswith("/to/"):
            self.send_response(int(path.rpartition("/")[2]))
            self.send_header("Location", unquote(query))
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        way = self.server.way
        kind, body = next(((kind, text) for name, kind, text in way.files if name == path), ("text/html", way.body))
        data = self.server.fill(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        for name, value in way.headers:
            self.send_header(name, self.server.fill(value))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@dataclass(slots=True)
class Row:
    """What came of one way: the service's word for it, hits, and hits where everything is allowed."""

    name: str
    told: str = ""
    hits: int = 0
    control: int = -1


@dataclass(slots=True)
class Bench:
    """What a run works with, and its table."""

    forbidden: Forbidden
    good: Good
    local: str
    rows: dict[str, Row]

    @asynccontextmanager
    async def counting(self, name: str, *, control: bool) -> AsyncIterator[Row]:
        """Counts the hits of what is done inside, and just after."""
        row = self.rows.setdefault(name, Row(name))
        before = self.forbidden.hits
        yield row
        await asyncio.sleep(AFTER_SECONDS)
        hits = self.forbidden.hits - before
        if control:
            row.control = hits
        else:
            row.hits = hits


async def try_service(lanes: Sequence[Bench], only: str, *, control: bool) -> None:
    """All ways through a service of its own: one that allows the good servers alone, or every host."""
    allowed = ["*"] if control else [lane.good.places["GOOD"] for lane in lanes]
    child = await asyncio.to_thread(ServiceChild.start, allowed)
    try:
        async with await aconnect(child.address, timeout_s=TIMEOUT_SECONDS) as client:
            chosen = [number for number, way in enumerate(ways(0, lanes[0].local)) if only in way.name]
            await asyncio.gather(
                *(_try_ways(lane, client, chosen[first :: len(lanes)], control) for first, lane in enumerate(lanes))
            )
    finally:
        await asyncio.to_thread(child.stop)


async def _try_ways(lane: Bench, client: AsyncClient, chosen: Sequence[int], control: bool) -> None:
    all_ways = ways(lane.forbidden.port, lane.local)
    for first in range(0, len(chosen), SESSION_WAYS):
        page = await _open(client)
        for number in chosen[first : first + SESSION_WAYS]:
            way = all_ways[number]
            async with lane.counting(way.name, control=control) as row:
                told = await _try_way(lane, page, way)
                row.told = row.told if control else told
        with contextlib.suppress(RemoteError):
            await page.close()


async def _open(client: AsyncClient) -> AsyncPage:
    """A session; a busy machine may need more than one try."""
    for _ in range(OPEN_TRIES - 1):
        with contextlib.suppress(RemoteError):
            return await client.open(allow_evaluate=True)
    return await client.open(allow_evaluate=True)


async def _try_way(bench: Bench, page: AsyncPage, way: Way) -> str:
    """The reason of the error that the caller is told; empty for none."""
    bench.good.way = way
    told = ""
    try:
        await page.navigate(bench.good.fill(way.url or "http://GOOD/"))
        if way.click:
            await page.click(way.click)
        if way.script:
            await page.evaluate(bench.good.fill(way.script))
        await asyncio.sleep(SLOW_SECONDS if any(word in way.name for word in SLOW) else QUIET_SECONDS)
        await page.snapshot(mode="MODE_TEXT")
    except RemoteError as exc:
        told = exc.reason
    with contextlib.suppress(RemoteError):  # nothing of this way is to begin later, as another's
        await page.navigate("about:blank")
    return told


async def try_names(bench: Bench, *, control: bool) -> None:
    """Names that lead elsewhere the second time, with a name server of our own making; the service's own ports; and
    whoever speaks to a proxy's port itself. In this process: real Chromium, real proxy."""
    host = await BrowserHost.start(LaunchOptions(walled=True), Budget.of(60))
    allowed = "*" if control else bench.good.places["GOOD"]
    try:
        for name, answers in _ANSWERS.items():
            resolver = _Turning(tuple(tuple(map(ip_address, turn)) for turn in answers))
            policy = UrlPolicy((HostRule.parse(allowed),), resolve=resolver)
            async with bench.counting(f"rebinding: {name}", control=control), _session(host, policy) as session:
                await _poll(session, f"http://rebind.test:{bench.forbidden.port}/")
        everything = UrlPolicy.of(["*"])
        async with (
            bench.counting("own port, every host allowed", control=control),
            _session(host, everything) as session,
        ):
            with contextlib.nullcontext() if control else _guarded(bench.forbidden.port):
                await _poll(session, f"http://127.0.0.1:{bench.forbidden.port}/")
                await _poll(session, f"http://x.localhost:{bench.forbidden.port}/")
        async with _session(host, UrlPolicy((HostRule.parse(allowed),))) as session:
            assert session.egress is not None
            for name, said in _raw(bench.forbidden.port).items():
                async with bench.counting(f"proxy port: {name}", control=control) as row:
                    answer = await asyncio.to_thread(_speak, session.egress.port, said)
                    row.told = row.told if control else answer
    finally:
        await host.close()


async def reach_own(bench: Bench) -> list[tuple[str, bool]]:
    """Whether a page reaches DevTools, another session's proxy or its own, where every host is allowed."""
    host = await BrowserHost.start(LaunchOptions(walled=True), Budget.of(60))
    devtools = int(host.endpoint.rpartition(":")[2])
    try:
        async with _session(host, UrlPolicy.of(["*"])) as one, _session(host, UrlPolicy.of(["*"])) as other:
            assert one.egress is not None
            assert other.egress is not None
            places = {"DevTools": devtools, "its own proxy": one.egress.port, "another's proxy": other.egress.port}
            page = one.tab().page
            bench.good.way = Way("own", "<body>")
            await page.goto(bench.good.fill("http://GOOD/"))
            reached = []
            for name, port in places.items():
                for address in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0"):
                    asked = f"fetch('http://{address}:{port}/json/version', {{mode: 'no-cors'}})"
                    code = f"{asked}.then(() => true, () => false)"
                    reached.append((f"{name} at {address}", bool(await page.evaluate(code))))
            return reached
    finally:
        await host.close()


@dataclass(slots=True)
class _Turning:
    """A name server whose answer changes: each of `turns` once, the last one for good."""

    turns: tuple[tuple[Address, ...], ...]
    asked: int = 0

    async def __call__(self, name: str) -> tuple[Address, ...]:
        turn = self.turns[min(self.asked, len(self.turns) - 1)]
        self.asked += 1
        return turn


_ANSWERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "public, then loopback": ((UNROUTED,), ("127.0.0.1",)),
    "a public and a loopback address at once": ((UNROUTED, "127.0.0.1"),),
    "loopback first, then public": (("127.0.0.1",), (UNROUTED,)),
    "to ::1": (("::1",),),
    "to a mapped address": (("::ffff:127.0.0.1",),),
    "to 0.0.0.0": (("0.0.0.0",),),
}


@asynccontextmanager
async def _session(host: BrowserHost, policy: UrlPolicy) -> AsyncIterator[BrowserSession]:
    session = await host.new_session(SessionOptions(policy=policy), lambda _: None, Budget.of(30))
    try:
        yield session
    finally:
        await session.close()


@contextmanager
def _guarded(port: int) -> Iterator[None]:
    own_ports.guard(port)
    try:
        yield
    finally:
        own_ports.release(port)


async def _poll(session: BrowserSession, url: str) -> None:
    """Asks from a page, five times, as a page does that waits for its name to turn."""
    code = """async url => {for (let i = 0; i < 5; i++) {
        await Promise.race([fetch(url, {mode: 'no-cors'}).catch(() => 0), new Promise(r => setTimeout(r, 200))]);
    }}"""
    await session.tab().page.evaluate(code, url)


def _raw(port: int) -> dict[str, tuple[bytes, ...]]:
    """What somebody may say to the proxy's port: each part is sent once the one before was answered."""
    hello, there = b"\x05\x01\x00", struct.pack("!H", port)
    place = f"127.0.0.1:{port}".encode()

    def named(name: bytes) -> bytes:
        return b"\x05\x01\x00\x03" + bytes((len(name),)) + name + there

    return {
        "HTTP CONNECT": (b"CONNECT " + place + b" HTTP/1.1\r\nHost: " + place + b"\r\n\r\n",),
        "HTTP GET": (b"GET http://" + place + b"/ HTTP/1.1\r\nHost: " + place + b"\r\n\r\n",),
        "SOCKS4": (b"\x04\x01" + there + b"\x7f\x00\x00\x01\x00",),
        "SOCKS4a": (b"\x04\x01" + there + b"\x00\x00\x00\x01\x00localhost\x00",),
        "by IPv4": (hello, b"\x05\x01\x00\x01\x7f\x00\x00\x01" + there),
        "by IPv6": (hello, b"\x05\x01\x00\x04" + bytes(15) + b"\x01" + there),
        "by mapped IPv6": (hello, b"\x05\x01\x00\x04" + bytes(10) + b"\xff\xff\x7f\x00\x00\x01" + there),
        "by name": (hello, named(b"localhost")),
        "by name with NUL": (hello, named(b"example.com\x00.localhost")),
        "by name with a line's end": (hello, named(b"127.0.0.1\r\n")),
        "by name with a user": (hello, named(b"example.com@127.0.0.1")),
        "by name with a port": (hello, named(b"127.0.0.1:80")),
        "by a number": (hello, named(b"2130706433")),
        "by a zone": (hello, named(b"::1%lo")),
        "BIND": (hello, b"\x05\x02\x00\x01\x7f\x00\x00\x01" + there),
        "UDP ASSOCIATE": (hello, b"\x05\x03\x00\x01\x7f\x00\x00\x01" + there),
        "all at once": (hello + named(b"127.0.0.1") + b"GET / HTTP/1.1\r\n\r\n",),
        "two requests": (hello, named(b"127.0.0.1") + named(b"127.0.0.1")),
        "no request": (hello, b""),
    }


def _speak(port: int, said: tuple[bytes, ...]) -> str:
    """The last answer, in hex."""
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
        line.settimeout(1.0)
        for part in said:
            line.sendall(part)
            answer = line.recv(100)
    return answer[:2].hex() or "hung up"


def _local_address() -> str:
    """An IPv4 address of this machine beside loopback: no packet is sent to find it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("198.51.100.1", 9))
        address = str(probe.getsockname()[0])
        return "" if ip_address(address).is_loopback else address
    return ""


async def run(only: str = "") -> int:
    """Prints the table. Returns the number of hits and of own ports reached."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))  # the table says it
    local = _local_address()
    rows: dict[str, Row] = {}
    lanes = [_lane(local, rows) for _ in range(LANES)]
    for control in (False, True):
        await try_service(lanes, only, control=control)
        if not only:
            await try_names(lanes[0], control=control)
    own = [] if only else await reach_own(lanes[0])
    for lane in lanes:
        lane.forbidden.close()
        lane.good.shutdown()
        lane.good.server_close()
    return _print(rows, own)


def _lane(local: str, rows: dict[str, Row]) -> Bench:
    forbidden = Forbidden([each for each in ("127.0.0.1", "127.0.0.2", "::1", local) if each])
    good = Good(forbidden.port)
    threading.Thread(target=good.serve_forever, args=(0.05,), daemon=True).start()
    return Bench(forbidden, good, local, rows)


def _print(rows: dict[str, Row], own: list[tuple[str, bool]]) -> int:
    width = max(len(name) for name in rows)
    print(f"{'way':{width}}  {'told':<18} hits  where every host is allowed")
    for row in rows.values():
        print(f"{row.name:{width}}  {row.told or '-':<18} {row.hits:>4}  {row.control:>4}")
    for name, was_reached in own:
        print(f"page to {name}, every host allowed: {'REACHED' if was_reached else 'refused'}")
    hits = sum(row.hits for row in rows.values())
    silent = [row.name for row in rows.values() if row.control <= 0]
    reached = sum(was for _, was in own)
    print(f"\n{len(rows)} ways, {hits} hits; {len(own)} tries at the service's own ports, {reached} reached")
    print(
        f"control: {len(rows) - len(silent)} ways hit where every host is allowed; not: {', '.join(silent) or 'none'}"
    )
    return hits + reached


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Try to get out of a session.")
    parser.add_argument("--only", default="", help="ways whose name holds this")
    sys.exit(1 if asyncio.run(run(parser.parse_args().only)) else 0)
