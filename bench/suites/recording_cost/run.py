"""Measures what recording costs: pages from a local server, loaded with it on and off, in turns.

One session for each way stays open, in a browser of its own; each round loads each page once in each of them, in an
order that changes. Time is from the navigation to the `load` event. CPU time of this process is that of the service;
that of Chromium is of all its processes.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

import psutil

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.chromium.process_memory import process_tree
from perception.browser.traffic.rules import Block, HeaderChange, NetworkRule
from perception.deadline import Deadline

TIMEOUT_SECONDS = 60.0

_SERVER = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
IMAGES = b"<title>Images</title>" + b"".join(b"<img src=/%d.svg>" % number for number in range(100))
CALLS = b'''<title>Calls</title><div id=a></div><script>
const row = n => fetch('/' + n + '.json').then(r => r.json()).then(j => { a.append(j.items.length + ' ') });
addEventListener('DOMContentLoaded', () => { for (let n = 0; n < 80; n++) row(n) });
</script>''' + b"".join(b"<script src=/%d.js></script>" % number for number in range(20))
WRITES = b"<title>Console</title><script>for (let n = 0; n < 100; n++) console.log('line', n, {n})</script>"
JSON = b'{"items": [' + b", ".join(b'{"id": %d, "name": "Item %d"}' % (n, n) for n in range(100)) + b"]}"
PAGES = {"/images": IMAGES, "/calls": CALLS, "/console": WRITES}
KINDS = {"svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
         "json": ("application/json", JSON), "js": ("text/javascript", b"window.n = (window.n || 0) + 1;" * 300)}
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        kind, body = KINDS.get(self.path.rpartition(".")[2], ("text/html", PAGES.get(self.path, b"")))
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
"""

PAGES = ("images", "calls", "console")

OFF, NETWORK, CONSOLE, BLOCKING, CHANGING = "nothing", "network", "console", "a rule for no request", "a rule for all"

WAYS = (OFF, NETWORK, CONSOLE, BLOCKING, CHANGING)

_OPTIONS = {
    OFF: SessionOptions(),
    NETWORK: SessionOptions(record_network=True),
    CONSOLE: SessionOptions(record_console=True),
    BLOCKING: SessionOptions(network_rules=(NetworkRule("", "*://ads.example/*", frozenset(), frozenset(), Block()),)),
    CHANGING: SessionOptions(
        network_rules=(NetworkRule("", "", frozenset(), frozenset(), HeaderChange((("X-Test", "1"),))),)
    ),
}


@dataclass(frozen=True, slots=True)
class RecordingSample:
    """One measurement: `seconds` of `what` in a round, with what is recorded (`way`)."""

    round: int
    way: str
    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RecordingCostRun:
    """A run: every measurement."""

    rounds: int
    samples: tuple[RecordingSample, ...]


def run_recording_cost(rounds: int) -> RecordingCostRun:
    """Measures all ways in turns, against a server in a separate process."""
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        return asyncio.run(_measure(f"http://127.0.0.1:{int(server.stdout.readline())}", rounds))
    finally:
        server.kill()
        server.wait()


async def _measure(origin: str, rounds: int) -> RecordingCostRun:
    samples: list[RecordingSample] = []
    async with AsyncExitStack() as stack:
        sessions = {way: await _open(options, stack) for way, options in _OPTIONS.items()}
        for number in range(-1, rounds):  # the first one warms up
            for at in range(len(WAYS)):
                way = WAYS[(at + number) % len(WAYS)]
                async for what, seconds in _load(*sessions[way], origin):
                    if number >= 0:
                        samples.append(RecordingSample(number, way, what, seconds))
    return RecordingCostRun(rounds, tuple(samples))


async def _open(options: SessionOptions, stack: AsyncExitStack) -> tuple[BrowserSession, BrowserHost]:
    """A session in a browser of its own: in a shared one, pages that load so often would be slowed."""
    host = await BrowserHost.start(LaunchOptions(), Deadline.of(TIMEOUT_SECONDS))
    stack.push_async_callback(host.close)
    return await host.new_session(options, lambda _: None, Deadline.of(TIMEOUT_SECONDS)), host


async def _load(session: BrowserSession, host: BrowserHost, origin: str) -> AsyncIterator[tuple[str, float]]:
    """Each page's measured quantity, and its seconds."""
    page = session.tab().page
    for name in PAGES:
        await page.goto("about:blank")
        start, used, browser = time.perf_counter(), time.process_time(), _cpu_s(host.pid or 0)
        await page.goto(f"{origin}/{name}")
        if name == "calls":
            await page.wait_for_function("document.getElementById('a').childNodes.length >= 80")
        yield f"{name}: time", time.perf_counter() - start
        yield f"{name}: CPU of the service", time.process_time() - used
        ended = _cpu_s(host.pid or 0)
        yield f"{name}: CPU of Chromium", sum(spent - browser.get(pid, 0.0) for pid, spent in ended.items())


def _cpu_s(pid: int) -> dict[int, float]:
    """Processor time of each process of a tree so far, s."""
    found = {}
    for each in process_tree(pid):
        with suppress(psutil.Error):
            spent = psutil.Process(each).cpu_times()
            found[each] = spent.user + spent.system
    return found
