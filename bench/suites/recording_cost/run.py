"""Measures what recording costs: pages from a local server, loaded with it on and off, in turns.

One session for each way stays open, in a browser of its own; each round loads each page once in each of them, in an
order that changes. Time is from the navigation to the `load` event. CPU time of this process is that of the service;
that of Chromium is of all its processes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from perception.bench.pages.local_site import serve_apart
from perception.bench.process_times import count_cpu
from perception.bench.turns import WARM_UP, TimedRun, TimedSample, turns
from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.traffic.rules import Block, HeaderChange, NetworkRule
from perception.deadline import Deadline

TIMEOUT_SECONDS = 60.0

_IMAGES = "<title>Images</title>" + "".join(f"<img src=/{number}.svg>" for number in range(100))

_CALLS = """<title>Calls</title><div id=a></div><script>
const row = n => fetch('/' + n + '.json').then(r => r.json()).then(j => { a.append(j.items.length + ' ') });
addEventListener('DOMContentLoaded', () => { for (let n = 0; n < 80; n++) row(n) });
</script>""" + "".join(f"<script src=/{number}.js></script>" for number in range(20))

_WRITES = "<title>Console</title><script>for (let n = 0; n < 100; n++) console.log('line', n, {n})</script>"

_FILES = {
    "/images": ("text/html", _IMAGES.encode()),
    "/calls": ("text/html", _CALLS.encode()),
    "/console": ("text/html", _WRITES.encode()),
    ".svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    ".json": ("application/json", json.dumps({"items": [{"id": n, "name": f"Item {n}"} for n in range(100)]}).encode()),
    ".js": ("text/javascript", b"window.n = (window.n || 0) + 1;" * 300),
    "": ("text/html", b""),
}

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


def run_recording_cost(rounds: int) -> TimedRun:
    """Measures all ways in turns; `way` of a measurement is what is recorded."""
    with serve_apart(_FILES) as origin:
        return asyncio.run(_measure(origin, rounds))


async def _measure(origin: str, rounds: int) -> TimedRun:
    samples: list[TimedSample] = []
    async with AsyncExitStack() as stack:
        sessions = {way: await _open(options, stack) for way, options in _OPTIONS.items()}
        for number, way in turns(WAYS, rounds, warm_up=True):
            async for what, seconds in _load(*sessions[way], origin):
                if number != WARM_UP:
                    samples.append(TimedSample(number, way, what, seconds))
    return TimedRun(rounds, tuple(samples))


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
        start, used, browser = time.perf_counter(), time.process_time(), count_cpu(host.pid or 0)
        await page.goto(f"{origin}/{name}")
        if name == "calls":
            await page.wait_for_function("document.getElementById('a').childNodes.length >= 80")
        yield f"{name}: time", time.perf_counter() - start
        yield f"{name}: CPU of the service", time.process_time() - used
        yield f"{name}: CPU of Chromium", browser()
