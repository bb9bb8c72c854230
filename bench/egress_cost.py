"""What a session's proxy costs: `python -m perception.bench.egress_cost [ROUNDS]`.

A page of 100 small images, first and again, and a body of 50 MiB, from a local server: with the proxy and without,
in turns, medians over rounds. CPU is that of this process, in which the proxy runs; the lag is how late its loop was.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import time
from collections import defaultdict
from statistics import median

from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.browser.policy import UrlPolicy
from perception.browser.session import SessionOptions
from perception.budget import Budget

ROUNDS = 6

BODY_MIB = 50

BEAT_SECONDS = 0.005

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

Figures = dict[tuple[str, str], list[float]]


def main(rounds: int) -> None:
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        asyncio.run(run(f"http://127.0.0.1:{int(server.stdout.readline())}", rounds))
    finally:
        server.kill()
        server.wait()


async def run(origin: str, rounds: int) -> None:
    """Prints the figures for a server's pages."""
    host = await BrowserHost.start(LaunchOptions(), Budget.of(TIMEOUT_SECONDS))
    figures: Figures = defaultdict(list)
    ways = (("direct", None), ("proxy", UrlPolicy.of(["127.0.0.1"])))
    try:
        for number in range(rounds):
            for name, policy in ways if number % 2 else reversed(ways):
                await _visit(host, origin, name, policy, figures)
    finally:
        await host.close()
    print(f"{'median of ' + str(rounds):28}{'direct':>10}{'proxy':>10}")
    for what in dict.fromkeys(what for _, what in figures):
        print(f"{what:28}" + "".join(f"{median(figures[name, what]) * 1000:10.1f}" for name, _ in ways))


async def _visit(host: BrowserHost, origin: str, name: str, policy: UrlPolicy | None, figures: Figures) -> None:
    lags = [0.0]

    async def beat() -> None:
        while True:
            at = time.perf_counter()
            await asyncio.sleep(BEAT_SECONDS)
            lags.append(time.perf_counter() - at - BEAT_SECONDS)

    start = time.perf_counter()
    session = await host.new_session(SessionOptions(policy=policy), lambda _: None, Budget.of(TIMEOUT_SECONDS))
    figures[name, "opening a session, ms"].append(time.perf_counter() - start)
    page = session.tab().page
    for what in ("100 images, first", "100 images, again"):
        start, used = time.perf_counter(), _cpu_seconds()
        await page.goto(f"{origin}/")
        figures[name, f"{what}, ms"].append(time.perf_counter() - start)
        figures[name, f"{what}, CPU ms"].append(_cpu_seconds() - used)
    beating = asyncio.create_task(beat())
    start, used = time.perf_counter(), _cpu_seconds()
    assert await page.evaluate(_READ) == BODY_MIB * 2**20
    figures[name, f"{BODY_MIB} MiB, ms"].append(time.perf_counter() - start)
    figures[name, f"{BODY_MIB} MiB, CPU ms"].append(_cpu_seconds() - used)
    beating.cancel()
    figures[name, f"{BODY_MIB} MiB, longest lag, ms"].append(max(lags))
    await session.close()


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
