"""Tries to reach a forbidden server from a session.

A page of an allowed server (`--allow-host 127.0.0.1:PORT`) tries to reach another one on the same machine, which counts
connections and datagrams at all its addresses.

Rule 1: a hit is an accepted connection, regardless of its further course and of whether the page saw an answer.
Rule 2: every attempt is also made on a service that allows every host: an attempt without a hit there is inconclusive.
Rule 3: attempts run concurrently in lanes, each with servers of its own, so that a hit belongs to one attempt.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from ipaddress import ip_address

from perception.bench.suites.egress.attempts import EgressAttempt, egress_attempts
from perception.bench.suites.egress.proxy_requests import proxy_requests, send_parts
from perception.bench.suites.egress.sites import AllowedSite, ForbiddenServer
from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.network import reserved_ports as own_ports
from perception.browser.network.addresses import Address
from perception.browser.network.policy import HostRule, UrlPolicy
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.client.child import ServiceChild
from perception.deadline import Deadline
from perception.errors import BadInputError

ATTEMPT_SECONDS = 0.4
"""Wait after a page has loaded: its requests arrive within milliseconds on loopback; WebRTC's later."""

SLOW_ATTEMPT_SECONDS = 1.5
"""Wait for attempts that start late: WebRTC, workers, deferred work of the browser."""

SLOW_ATTEMPTS = (
    "WebRTC",
    "Alt-Svc",
    "service worker",
    "prefetch",
    "speculation",
    "CSP",
    "manifest",
    "favicon",
    "rebinding",
)

AFTER_SECONDS = 0.05
"""Wait after a page was left: connections in progress still count."""

LANES = 4

SESSION_WAYS = 8
"""Attempts per session."""

OPEN_TRIES = 5

TIMEOUT_SECONDS = 60.0

UNROUTED = "3ffe::1"
"""A public but unused address: the 6bone's, returned (https://www.rfc-editor.org/rfc/rfc3701)."""


@dataclass(slots=True)
class AttemptOutcome:
    """The outcome of one attempt.

    Attributes:
        name: of the attempt.
        error: the reason of the service's error; empty for none.
        hits: connections that the forbidden server accepted.
        control: the same with every host allowed; -1: not tried.
    """

    name: str
    error: str = ""
    hits: int = 0
    control: int = -1


@dataclass(frozen=True, slots=True)
class OwnPort:
    """Whether a page reached one of the service's own ports, with every host allowed."""

    name: str
    reached: bool


@dataclass(frozen=True, slots=True)
class EgressRun:
    """A run: every attempt, and every attempt on the service's own ports."""

    attempts: tuple[AttemptOutcome, ...]
    own_ports: tuple[OwnPort, ...]

    def failed(self) -> int:
        """Connections that got through, and own ports that were reached."""
        return sum(each.hits for each in self.attempts) + sum(each.reached for each in self.own_ports)

    def silent(self) -> list[str]:
        """Attempts without a hit although every host was allowed: they are inconclusive."""
        return [each.name for each in self.attempts if each.control <= 0]


@dataclass(slots=True)
class EgressLane:
    """One lane: its servers, an address of this machine besides loopback, and the results of all lanes by name."""

    forbidden: ForbiddenServer
    allowed: AllowedSite
    local: str
    rows: dict[str, AttemptOutcome]

    @asynccontextmanager
    async def counting(self, name: str, *, control: bool) -> AsyncIterator[AttemptOutcome]:
        """Counts the hits within the context and shortly after."""
        row = self.rows.setdefault(name, AttemptOutcome(name))
        before = self.forbidden.hits
        yield row
        await asyncio.sleep(AFTER_SECONDS)
        hits = self.forbidden.hits - before
        if control:
            row.control = hits
        else:
            row.hits = hits


async def try_service(lanes: Sequence[EgressLane], only: str, *, control: bool) -> None:
    """All attempts through one service, which allows only the good servers, or every host."""
    allowed = ["*"] if control else [lane.allowed.places["GOOD"] for lane in lanes]
    child = await asyncio.to_thread(ServiceChild.start, allowed)
    try:
        async with await aconnect(child.address, timeout_s=TIMEOUT_SECONDS) as client:
            chosen = [number for number, way in enumerate(egress_attempts(0, lanes[0].local)) if only in way.name]
            await asyncio.gather(
                *(_try_ways(lane, client, chosen[first :: len(lanes)], control) for first, lane in enumerate(lanes))
            )
    finally:
        await asyncio.to_thread(child.stop)


async def _try_ways(lane: EgressLane, client: AsyncClient, chosen: Sequence[int], control: bool) -> None:
    all_ways = egress_attempts(lane.forbidden.port, lane.local)
    for first in range(0, len(chosen), SESSION_WAYS):
        page = await _open(client)
        for number in chosen[first : first + SESSION_WAYS]:
            way = all_ways[number]
            async with lane.counting(way.name, control=control) as row:
                error = await _try_way(lane, page, way)
                row.error = row.error if control else error
        with contextlib.suppress(RemoteError):
            await page.close()


async def _open(client: AsyncClient) -> AsyncPage:
    """A session; a busy machine may need several attempts."""
    for _ in range(OPEN_TRIES - 1):
        with contextlib.suppress(RemoteError):
            return await client.open(allow_evaluate=True)
    return await client.open(allow_evaluate=True)


async def _try_way(lane: EgressLane, page: AsyncPage, way: EgressAttempt) -> str:
    """The reason of the caller's error; empty for none."""
    lane.allowed.way = way
    error = ""
    try:
        await page.navigate(lane.allowed.fill(way.url or "http://GOOD/"))
        if way.click:
            await page.click(way.click)
        if way.script:
            await page.evaluate(lane.allowed.fill(way.script))
        await asyncio.sleep(
            SLOW_ATTEMPT_SECONDS if any(word in way.name for word in SLOW_ATTEMPTS) else ATTEMPT_SECONDS
        )
        await page.snapshot(mode="text")
    except RemoteError as exc:
        error = exc.reason
    with contextlib.suppress(RemoteError):  # nothing of this attempt may start later, during another one
        await page.navigate("about:blank")
    return error


async def try_names(lane: EgressLane, *, control: bool) -> None:
    """Names that resolve differently the second time, with a name server of ours; the service's own ports; and direct
    requests to a proxy's port. In this process: real Chromium, real proxy."""
    host = await BrowserHost.start(LaunchOptions(walled=True), Deadline.of(60))
    allowed = "*" if control else lane.allowed.places["GOOD"]
    try:
        for name, answers in _ANSWERS.items():
            resolver = _Turning(tuple(tuple(map(ip_address, turn)) for turn in answers))
            policy = UrlPolicy((HostRule.parse(allowed),), resolve=resolver)
            async with lane.counting(f"rebinding: {name}", control=control), _session(host, policy) as session:
                await _poll(session, f"http://rebind.test:{lane.forbidden.port}/")
        everything = UrlPolicy.of(["*"])
        async with (
            lane.counting("own port, every host allowed", control=control),
            _session(host, everything) as session,
        ):
            with contextlib.nullcontext() if control else _guarded(lane.forbidden.port):
                await _poll(session, f"http://127.0.0.1:{lane.forbidden.port}/")
                await _poll(session, f"http://x.localhost:{lane.forbidden.port}/")
        async with _session(host, UrlPolicy((HostRule.parse(allowed),))) as session:
            assert session.egress is not None
            for name, said in proxy_requests(lane.forbidden.port).items():
                async with lane.counting(f"proxy port: {name}", control=control) as row:
                    answer = await asyncio.to_thread(send_parts, session.egress.port, said)
                    row.error = row.error if control else answer
    finally:
        await host.close()


async def reach_own(lane: EgressLane) -> list[OwnPort]:
    """Whether a page reaches DevTools, another session's proxy or its own, with every host allowed."""
    host = await BrowserHost.start(LaunchOptions(walled=True), Deadline.of(60))
    devtools = int(host.endpoint.rpartition(":")[2])
    try:
        async with _session(host, UrlPolicy.of(["*"])) as one, _session(host, UrlPolicy.of(["*"])) as other:
            assert one.egress is not None
            assert other.egress is not None
            places = {"DevTools": devtools, "its own proxy": one.egress.port, "another's proxy": other.egress.port}
            page = one.tab().page
            lane.allowed.way = EgressAttempt("own", "<body>")
            await page.goto(lane.allowed.fill("http://GOOD/"))
            reached = []
            for name, port in places.items():
                for address in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0"):
                    asked = f"fetch('http://{address}:{port}/json/version', {{mode: 'no-cors'}})"
                    code = f"{asked}.then(() => true, () => false)"
                    reached.append(OwnPort(f"{name} at {address}", bool(await page.evaluate(code))))
            return reached
    finally:
        await host.close()


@dataclass(slots=True)
class _Turning:
    """A name server with changing answers: each of `turns` once, the last one permanently."""

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
    session = await host.new_session(SessionOptions(policy=policy), lambda _: None, Deadline.of(30))
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
    """Sends five requests from a page, like a page that waits for its name to change."""
    code = """async url => {for (let i = 0; i < 5; i++) {
        await Promise.race([fetch(url, {mode: 'no-cors'}).catch(() => 0), new Promise(r => setTimeout(r, 200))]);
    }}"""
    await session.tab().page.evaluate(code, url)


def _local_address() -> str:
    """An IPv4 address of this machine besides loopback, found without sending a packet."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("198.51.100.1", 9))
        address = str(probe.getsockname()[0])
        return "" if ip_address(address).is_loopback else address
    return ""


async def run_egress(only: str = "") -> EgressRun:
    """Makes every attempt whose name contains `only`, first with the forbidden server disallowed, then with every host
    allowed.

    Raises:
        BadInputError: no attempt's name contains it.
    """
    local = _local_address()
    if not any(only in attempt.name for attempt in egress_attempts(0, local)):
        raise BadInputError(f"no attempt's name has {only!r} in it: leave --only out for all of them")
    rows: dict[str, AttemptOutcome] = {}
    lanes = [_lane(local, rows) for _ in range(LANES)]
    try:
        for control in (False, True):
            await try_service(lanes, only, control=control)
            if not only:
                await try_names(lanes[0], control=control)
        own = [] if only else await reach_own(lanes[0])
    finally:
        for lane in lanes:
            lane.forbidden.close()
            lane.allowed.shutdown()
            lane.allowed.server_close()
    return EgressRun(tuple(rows.values()), tuple(own))


def _lane(local: str, rows: dict[str, AttemptOutcome]) -> EgressLane:
    forbidden = ForbiddenServer([each for each in ("127.0.0.1", "127.0.0.2", "::1", local) if each])
    allowed = AllowedSite(forbidden.port)
    threading.Thread(target=allowed.serve_forever, args=(0.05,), daemon=True).start()
    return EgressLane(forbidden, allowed, local, rows)
