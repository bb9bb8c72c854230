"""Many sessions that look and click without a pause: the service beside Playwright's `aria_snapshot`.

python -m perception.bench.load --sessions 32 --minutes 10

Rule 1: both drive the same page in the same Chromium, a context for each session; the next step follows when the one
before has been answered.
Rule 2: a step is a snapshot, and a click on something that it lists; the choice is by the same dice.
Rule 3: memory, processes and open files are those of the service with all that it started.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer
from playwright.async_api import Browser, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from perception.bench.load_report import PLAYWRIGHT, Census, Growth, LoadRun, load_report
from perception.bench.machine import chromium_version, machine_facts
from perception.bench.report.files import put_out
from perception.browser.chromium import LaunchOptions, find_executable, launch
from perception.browser.footprint import process_bytes, process_tree
from perception.budget import Budget
from perception.child import is_listened_to
from perception.client import AsyncPage, RemoteError, aconnect
from perception.v1 import types_pb2 as pb

DEADLINE_SECONDS = 60.0
"""Of each call."""

RELOAD_EVERY = 50
"""Steps after which a session opens its page anew."""

CENSUS_SECONDS = 5.0

CLICKED = frozenset({"button", "checkbox"})

_THEIR_REF = re.compile(r"^\s*- (button|checkbox) .*?\[ref=(\w+)\]", re.MULTILINE)

_ticks = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Tally:
    """What came of the calls so far: seconds by kind and moment, and errors by reason."""

    spent: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)

    async def timed(self, kind: str, call: Awaitable[Any]) -> Any:
        start = time.monotonic()
        answer = await call
        self.spent.setdefault(kind, []).append((start, time.monotonic() - start))
        return answer


@dataclass(frozen=True, slots=True)
class Seat:
    """One session of either side. `look` gives what can be clicked, `press` clicks one."""

    look: Callable[[], Awaitable[list[str]]]
    press: Callable[[str], Awaitable[object]]
    open: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Crew:
    """A side at work. `pid` is the process whose tree is counted; `new_seat` opens a session."""

    side: str
    pid: int
    new_seat: Callable[[], Awaitable[Seat]]


class _Handler(BaseHTTPRequestHandler):
    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


PAGE_SERVER = """
import sys
from http.server import ThreadingHTTPServer
from perception.bench.load import _Handler
_Handler.body = sys.stdin.buffer.read()
server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def serve_load_page() -> Iterator[str]:
    """The page, from a process of its own: that of the measurement has enough to do."""
    body = files("perception.bench").joinpath("load_page.html").read_bytes()
    with subprocess.Popen([sys.executable, "-c", PAGE_SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(body)
        server.stdin.close()
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()


@asynccontextmanager
async def our_crew(url: str, sessions: int, mode: str) -> AsyncIterator[Crew]:
    """A service of our own, in its process."""
    with tempfile.TemporaryDirectory(prefix="perception-load-") as folder:
        address = f"unix:{folder}/socket"
        command = [sys.executable, "-m", "perception", "serve", "--address", address, "--allow-host", "127.0.0.1"]
        command += ["--max-sessions", str(sessions)]
        environment = {"PERCEPTION_LOG_LEVEL": "warning", **os.environ}
        service = await asyncio.create_subprocess_exec(*command, env=environment)
        client = None
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                while not is_listened_to(Path(folder, "socket")):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            client = await aconnect(address, timeout_s=DEADLINE_SECONDS)
            held = client

            async def new_seat() -> Seat:
                page = await held.open(url)
                return Seat(
                    lambda: _look(page, mode), lambda ref: page.click(ref, skip_diff=True), lambda: page.navigate(url)
                )

            yield Crew(f"perception, {mode}", service.pid, new_seat)
        finally:
            if client is not None:
                await client.close()
            service.terminate()
            await service.wait()


async def _look(page: AsyncPage, mode: str) -> list[str]:
    snapshot = await page.snapshot(mode=mode)
    return [each.ref for each in snapshot.elements if each.role in CLICKED and each.reach == pb.REACH_NOW]


@asynccontextmanager
async def their_crew(url: str) -> AsyncIterator[Crew]:
    """Playwright, in this process, on a Chromium that is started as the service starts its own."""
    options = LaunchOptions()
    async with async_playwright() as playwright:
        chromium = await launch(options, find_executable(options, playwright.chromium.executable_path), Budget.of(60))
        browser = await playwright.chromium.connect_over_cdp(chromium.ws_url)
        try:
            yield Crew(PLAYWRIGHT, os.getpid(), lambda: _their_seat(browser, url))
        finally:
            with contextlib.suppress(PlaywrightError):
                await browser.close()
            await chromium.close()


async def _their_seat(browser: Browser, url: str) -> Seat:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page: Page = await context.new_page()
    await page.goto(url)
    limit_ms = DEADLINE_SECONDS * 1000

    async def look() -> list[str]:
        text = await page.aria_snapshot(mode="ai", timeout=limit_ms)
        return [ref for _, ref in _THEIR_REF.findall(text)]

    return Seat(look, lambda ref: page.locator(f"aria-ref={ref}").click(timeout=limit_ms), lambda: page.goto(url))


async def drive(seat: Seat, dice: random.Random, tally: Tally, until_s: float) -> None:
    """One session's steps, until it is time."""
    steps = 0
    while time.monotonic() < until_s:
        steps += 1
        try:
            if steps % RELOAD_EVERY == 0:
                await tally.timed("open", seat.open())
            found = await tally.timed("snapshot", seat.look())
            if found:
                await tally.timed("click", seat.press(dice.choice(found)))
            else:
                tally.errors["nothing to click"] += 1
        except RemoteError as exc:
            tally.errors[exc.reason or exc.code.name] += 1
        except PlaywrightError as exc:
            tally.errors[type(exc).__name__] += 1


async def work(crew: Crew, sessions: int, seconds: float, watch: bool) -> tuple[Tally, list[Census], float, float]:
    """So many sessions for so long: what came of it, the censuses, seconds, and CPU seconds of the whole side."""
    seats = [await crew.new_seat() for _ in range(sessions)]
    tally, censuses = Tally(), []
    own = os.times()
    cpu, start = cpu_seconds(crew.pid), time.monotonic()
    end = start + seconds
    tasks = [asyncio.create_task(drive(seat, random.Random(index), tally, end)) for index, seat in enumerate(seats)]
    while watch and time.monotonic() < end:
        censuses.append(await asyncio.to_thread(take_census, crew.pid, time.monotonic() - start))
        await asyncio.sleep(CENSUS_SECONDS)
    await asyncio.gather(*tasks)
    spent, used = time.monotonic() - start, cpu_seconds(crew.pid) - cpu
    if crew.pid != os.getpid():  # a client is a part of a loop, too: with Playwright it is in the same process
        now = os.times()
        used += now.user + now.system - own.user - own.system
    return tally, censuses, spent, used


def cpu_seconds(root: int) -> float:
    """Of a process and all that it started and that still run."""
    total = 0
    for pid in process_tree(root):
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / _ticks


def take_census(root: int, second: float) -> Census:
    """What there is of a process and all that it started."""
    pids = process_tree(root)
    opened = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            opened += len(os.listdir(f"/proc/{pid}/fd"))
    sizes = {pid: process_bytes(pid) / 2**20 for pid in pids}
    return Census(second, sum(sizes.values()), sizes[root], len(pids), opened)


async def grow(steps: Sequence[int], seconds: float, mode: str, url: str) -> list[Growth]:
    """Both sides at so many sessions each, one after the other."""
    found = []
    for sessions in steps:
        for opened in (our_crew(url, sessions, mode), their_crew(url)):
            async with opened as crew:
                tally, _, spent, used = await work(crew, sessions, seconds, watch=False)
            looks, clicks = (tuple(each for _, each in tally.spent.get(kind, ())) for kind in ("snapshot", "click"))
            found.append(
                Growth(crew.side, sessions, len(looks) / spent, used, spent, looks, clicks, dict(tally.errors))
            )
            typer.echo(f"{crew.side}, {sessions} sessions: {len(looks) / spent:.1f} snapshots/s", err=True)
    return found


def main(
    sessions: Annotated[int, typer.Option(min=1, help="Sessions at once.")] = 32,
    minutes: Annotated[float, typer.Option(min=0.05, help="How long.")] = 10.0,
    mode: Annotated[str, typer.Option(help="text, fused or vision.")] = "fused",
    steps: Annotated[str, typer.Option(help="Sessions at once, for the growth; empty for none.")] = "1,2,4,8,16,32",
    step_seconds: Annotated[float, typer.Option(min=1, help="How long for each of them.")] = 20.0,
    html: Annotated[Path | None, typer.Option(help="Write the report with its plots here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write it as markdown here.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write it as JSON here.")] = None,
) -> None:
    """Run it, and print a report."""

    async def run() -> LoadRun:
        with serve_load_page() as url:
            async with our_crew(url, sessions, mode) as crew:
                tally, censuses, spent, used = await work(crew, sessions, minutes * 60, watch=True)
            counts = [int(each) for each in steps.split(",") if each]
            growth = await grow(counts, step_seconds, "text", url)
        return LoadRun(
            crew.side, sessions, spent, used, tally.spent, dict(tally.errors), tuple(censuses), tuple(growth)
        )

    machine = machine_facts(chromium_version())
    found = asyncio.run(run())
    command = " ".join(["python -m perception.bench.load", *sys.argv[1:]])
    put_out(load_report(found, machine, command), html, markdown, json_file)


if __name__ == "__main__":
    typer.run(main)
