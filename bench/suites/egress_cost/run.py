"""Measures the cost of a session's proxy.

A page of 100 small images, loaded twice, and a body of 50 MiB, from a local server: with the proxy and without, in
turns. CPU time is that of this process, in which the proxy runs; the lag is the delay of its event loop.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.network.policy import UrlPolicy
from perception.deadline import Deadline

BODY_MIB = 50

BEAT_SECONDS = 0.005
"""Interval between measurements of the loop's delay; chosen by hand."""

TIMEOUT_SECONDS = 60.0

_SERVER = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
PAGE = b"<title>Page</title>" + b"".join(b"<img src=/%d>" % number for number in range(100))
BODY, IMAGE = b"x" * (BODY_MIB * 2**20), b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        body, kind = {"/": (PAGE, "text/html"), "/body": (BODY, "text/plain")}.get(self.path, (IMAGE, "image/svg+xml"))
        self.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", len(body)), ("Cache-Control", "no-store")):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
""".replace("BODY_MIB", str(BODY_MIB))

_READ = """async () => {const reader = (await fetch('/body')).body.getReader(); let size = 0;
    for (;;) {const {done, value} = await reader.read(); if (done) return size; size += value.length}}"""

DIRECT, PROXY = "direct", "proxy"


@dataclass(frozen=True, slots=True)
class CostSample:
    """One measurement: `seconds` of `what` in a round. `way`: `direct` or `proxy`."""

    round: int
    way: str
    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class EgressCostRun:
    """A run: every measurement."""

    rounds: int
    samples: tuple[CostSample, ...]


def run_egress_cost(rounds: int) -> EgressCostRun:
    """Measures with the proxy and without, in turns, against a server in a separate process."""
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        return asyncio.run(_measure(f"http://127.0.0.1:{int(server.stdout.readline())}", rounds))
    finally:
        server.kill()
        server.wait()


async def _measure(origin: str, rounds: int) -> EgressCostRun:
    host = await BrowserHost.start(LaunchOptions(), Deadline.of(TIMEOUT_SECONDS))
    samples: list[CostSample] = []
    ways = ((DIRECT, None), (PROXY, UrlPolicy.of(["127.0.0.1"])))
    try:
        for number in range(rounds):
            for way, policy in ways if number % 2 else reversed(ways):
                visit = _CostVisit(host, origin, way, policy, number)
                samples += [CostSample(number, way, *each) async for each in visit.measure()]
    finally:
        await host.close()
    return EgressCostRun(rounds, tuple(samples))


@dataclass(frozen=True, slots=True)
class _CostVisit:
    """One session with the proxy or without it."""

    host: BrowserHost
    origin: str
    way: str
    policy: UrlPolicy | None
    round: int

    async def measure(self) -> AsyncIterator[tuple[str, float]]:
        """The measured quantity, and its seconds."""
        start = time.perf_counter()
        options = SessionOptions(policy=self.policy)
        session = await self.host.new_session(options, lambda _: None, Deadline.of(TIMEOUT_SECONDS))
        yield "opening a session, ms", time.perf_counter() - start
        page = session.tab().page
        for what in ("100 images, first", "100 images, again"):
            start, used = time.perf_counter(), time.process_time()
            await page.goto(f"{self.origin}/")
            yield f"{what}, ms", time.perf_counter() - start
            yield f"{what}, CPU ms", time.process_time() - used
        lags = [0.0]
        beating = asyncio.create_task(_record_lags(lags))
        start, used = time.perf_counter(), time.process_time()
        assert await page.evaluate(_READ) == BODY_MIB * 2**20
        yield f"{BODY_MIB} MiB, ms", time.perf_counter() - start
        yield f"{BODY_MIB} MiB, CPU ms", time.process_time() - used
        beating.cancel()
        yield f"{BODY_MIB} MiB, longest lag, ms", max(lags)
        await session.close()


async def _record_lags(lags: list[float]) -> None:
    """Measures the loop's delay in seconds, repeatedly until cancelled."""
    while True:
        at = time.perf_counter()
        await asyncio.sleep(BEAT_SECONDS)
        lags.append(time.perf_counter() - at - BEAT_SECONDS)
