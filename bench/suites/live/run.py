"""Measures what watching a session costs: a service in a process of its own, pages of a local server, and watchers that
acknowledge each picture at once.

Processor time is that of the service's process, and of what it started (Chromium and the driver), apart. The agent's
step is a click that changes the page, and a look at it, by text and fused with vision.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from perception.bench.process_times import count_cpu, own_seconds
from perception.bench.suites.live.viewer_clicks import click_delays
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.datasets.sources.site_server import free_port
from perception.testing.page_server import PageServer

CALL_SECONDS = 60.0
"""Deadline of each call."""

REST_SECONDS = 1.0
"""Before each measurement, for what opening and navigating leave to do. Chosen by hand."""

WATCHERS = (0, 1, 4)

_ROWS = "".join(f"<p>Order {number} of a customer <button>Open {number}</button></p>" for number in range(300))

_SCROLL = "let at = 0; const step = () => { at += 3; scrollTo(0, at % 6000); requestAnimationFrame(step) }; step()"

_DRAW = """const x = c.getContext('2d'); let at = 0; const draw = () => { at += 1;
for (let n = 0; n < 60; n++) { x.fillStyle = `hsl(${at * 3 + n * 6}, 60%, 50%)`;
x.fillRect(n * 21, 300 + 250 * Math.sin((at + n * 4) / 20), 20, 80) } requestAnimationFrame(draw) }; draw()"""

_COUNT = "n.textContent = 'Count ' + (Number(n.textContent.slice(6)) + 1)"

PAGES = {
    "still": f"<title>Still</title>{_ROWS}",
    "scrolling": f"<title>Scrolling</title>{_ROWS}<script>{_SCROLL}</script>",
    "animation": f"<title>Animation</title><canvas id=c width=1280 height=780></canvas><script>{_DRAW}</script>",
    "counter": f'<title>Counter</title><button id=add onclick="{_COUNT}">Add</button><p id=n>Count 0</p>{_ROWS}',
}

WATCHED = ("still", "scrolling", "animation")


@dataclass(frozen=True, slots=True)
class WatchCost:
    """What a page costs with so many watchers, for each second.

    Attributes:
        service_ms, chromium_ms: processor time.
        kib: of pictures, to all watchers.
        pictures: to each watcher.
    """

    page: str
    watchers: int
    service_ms: float
    chromium_ms: float
    kib: float
    pictures: float


@dataclass(frozen=True, slots=True)
class FilmCost:
    """What a page costs while a video of it is made and nobody watches, for each second.

    Attributes:
        service_ms, chromium_ms: processor time.
        kib: of the file.
        pictures: written.
    """

    page: str
    service_ms: float
    chromium_ms: float
    kib: float
    pictures: float


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One call of the agent beside so many watchers: `click`, `look by text` or `fused look`, in milliseconds."""

    watchers: int
    number: int
    call: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class PersonClick:
    """A person's click through the viewer on a page, in milliseconds until the page has it."""

    page: str
    number: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run."""

    seconds: float
    costs: tuple[WatchCost, ...]
    steps: tuple[AgentStep, ...]
    clicks: tuple[PersonClick, ...] = ()
    films: tuple[FilmCost, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What watchers have received."""

    pictures: int = 0
    size: int = 0


def run_live(seconds: float, looks: int, clicks: int) -> LiveRun:
    """Measures all pages and numbers of watchers, one after the other."""
    pages = {f"/{name}": html for name, html in PAGES.items()}
    with PageServer(pages=pages) as server:
        return asyncio.run(_measure(server, seconds, looks, clicks))


async def _measure(server: PageServer, seconds: float, looks: int, clicks: int) -> LiveRun:
    costs: list[WatchCost] = []
    steps: list[AgentStep] = []
    films: list[FilmCost] = []
    delays: list[PersonClick] = []
    async with _service() as (client, pid, viewer), await client.open() as page:
        for name in WATCHED:
            await page.navigate(server.url(f"/{name}"))
            costs += [await _cost(page, pid, name, count, seconds) for count in WATCHERS]
            films.append(await _film(client, page, pid, name, seconds))
        await page.navigate(server.url("/counter"))
        await _act(page, 3)  # the first ones load what later ones have
        for count in WATCHERS:
            async with _watchers(page, count):
                await asyncio.sleep(REST_SECONDS)
                steps += [AgentStep(count, *each) for each in await _act(page, looks)]
        for name in WATCHED:
            await page.navigate(server.url(f"/{name}"))
            taken = await click_delays(page, viewer, clicks)
            delays += [PersonClick(name, *each) for each in enumerate(taken)]
    return LiveRun(seconds, tuple(costs), tuple(steps), tuple(delays), tuple(films))


async def _cost(page: AsyncPage, pid: int, name: str, count: int, seconds: float) -> WatchCost:
    async with _watchers(page, count) as seen:
        await asyncio.sleep(REST_SECONDS)
        pictures, size, cpu, start = seen.pictures, seen.size, count_cpu(pid), time.monotonic()
        service = own_seconds(pid)
        await asyncio.sleep(seconds)
        spent, own, took = cpu(), own_seconds(pid) - service, time.monotonic() - start
        return WatchCost(
            name,
            count,
            own * 1000 / took,
            (spent - own) * 1000 / took,
            (seen.size - size) / 1024 / took,
            (seen.pictures - pictures) / max(count, 1) / took,
        )


async def _film(client: AsyncClient, page: AsyncPage, pid: int, name: str, seconds: float) -> FilmCost:
    await page.start_video()
    await asyncio.sleep(REST_SECONDS)
    (filmed,) = await client.videos(page.session_id)
    cpu, start, service = count_cpu(pid), time.monotonic(), own_seconds(pid)
    await asyncio.sleep(seconds)
    spent, own, took = cpu(), own_seconds(pid) - service, time.monotonic() - start
    stopped = await page.stop_video()
    await client.delete_video(stopped.video)
    lasted = stopped.duration.ToTimedelta().total_seconds()
    return FilmCost(
        name,
        own * 1000 / took,
        (spent - own) * 1000 / took,
        stopped.video.size_bytes / 1024 / lasted,
        (stopped.frames - filmed.frames) / took,
    )


async def _act(page: AsyncPage, count: int) -> list[tuple[int, str, float]]:
    """Steps of an agent: number, call, milliseconds."""
    taken: list[tuple[int, str, float]] = []
    for number in range(count):
        for call, awaited in (
            ("click", lambda: page.click("#add", skip_diff=True)),
            ("look by text", lambda: page.snapshot(mode="text")),
            ("fused look", lambda: page.snapshot(mode="fused")),
        ):
            start = time.perf_counter()
            await awaited()
            taken.append((number, call, (time.perf_counter() - start) * 1000))
    return taken


@asynccontextmanager
async def _watchers(page: AsyncPage, count: int) -> AsyncIterator[_Seen]:
    """So many watchers of the page inside."""
    seen = _Seen()
    tasks = [asyncio.create_task(_watch(page, seen)) for _ in range(count)]
    try:
        yield seen
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _watch(page: AsyncPage, seen: _Seen) -> None:
    async for frame in page.watch_frames():
        seen.pictures += 1
        seen.size += len(frame.jpeg)


@asynccontextmanager
async def _service() -> AsyncIterator[tuple[AsyncClient, int, str]]:
    """A client of a service in a separate process, the process, and the address of its viewer."""
    with tempfile.TemporaryDirectory(prefix="perception-live-") as folder:
        port, viewer = (free_port(), free_port())
        address, ready = f"127.0.0.1:{port}", Path(folder, "ready")
        command = [sys.executable, "-m", "perception", "serve", "--address", address, "--allow-host", "127.0.0.1"]
        command += ["--viewer", f"127.0.0.1:{viewer}", "--ready-file", str(ready)]
        environment = {"PERCEPTION_LOG_LEVEL": "warning", **os.environ}
        service = await asyncio.create_subprocess_exec(*command, env=environment)
        try:
            async with asyncio.timeout(CALL_SECONDS):
                while not ready.exists():  # noqa: ASYNC110, ASYNC240
                    await asyncio.sleep(0.05)
            async with await aconnect(address, timeout_s=CALL_SECONDS) as client:
                yield client, service.pid, f"http://127.0.0.1:{viewer}"
        finally:
            service.terminate()
            await service.wait()
