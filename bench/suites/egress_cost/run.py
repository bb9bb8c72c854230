"""Measures the cost of a session's proxy.

A page of 100 small images, loaded twice, and a body of 50 MiB, from a local server: with the proxy and without, in
turns. CPU time is that of this process, in which the proxy runs; the lag is the delay of its event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from perception.bench.pages.local_site import serve_apart
from perception.bench.turns import TimedRun, TimedSample, turns
from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.network.policy import UrlPolicy
from perception.deadline import Deadline

BODY_MIB = 50

BEAT_SECONDS = 0.005
"""Interval between measurements of the loop's delay; chosen by hand."""

TIMEOUT_SECONDS = 60.0

_IMAGES = "<title>Page</title>" + "".join(f"<img src=/{number}.svg>" for number in range(100))

_FILES = {
    "/": ("text/html", _IMAGES.encode()),
    "/body": ("text/plain", b"x" * (BODY_MIB * 2**20)),
    ".svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    "": ("text/plain", b""),
}

_READ = """async () => {const reader = (await fetch('/body')).body.getReader(); let size = 0;
    for (;;) {const {done, value} = await reader.read(); if (done) return size; size += value.length}}"""

DIRECT, PROXY = "direct", "proxy"


def run_egress_cost(rounds: int) -> TimedRun:
    """Measures with the proxy (way `proxy`) and without (`direct`), in turns."""
    with serve_apart(_FILES) as origin:
        return asyncio.run(_measure(origin, rounds))


async def _measure(origin: str, rounds: int) -> TimedRun:
    host = await BrowserHost.start(LaunchOptions(), Deadline.of(TIMEOUT_SECONDS))
    samples: list[TimedSample] = []
    policies = {DIRECT: None, PROXY: UrlPolicy.of(["127.0.0.1"])}
    try:
        for number, way in turns([*policies], rounds):
            visit = _CostVisit(host, origin, policies[way])
            samples += [TimedSample(number, way, *each) async for each in visit.measure()]
    finally:
        await host.close()
    return TimedRun(rounds, tuple(samples))


@dataclass(frozen=True, slots=True)
class _CostVisit:
    """One session with the proxy or without it."""

    host: BrowserHost
    origin: str
    policy: UrlPolicy | None

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
