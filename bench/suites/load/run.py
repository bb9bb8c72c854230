"""Drives many sessions that capture and click without a pause: the service compared with Playwright's `aria_snapshot`.

Rule 1: both drive the same page in the same Chromium, a context for each session; a step starts when the one before has
been answered.
Rule 2: a step is a snapshot, and a click on an element that it lists. Both sides choose by the same random numbers.
Rule 3: memory, processes and open files are those of the service and its descendants.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, cast

from playwright.async_api import Browser, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from perception import host_os
from perception.bench.pages.local_site import HTML, serve_apart
from perception.bench.placements import started_service
from perception.bench.process_times import count_cpu
from perception.bench.suite_options import LOCAL
from perception.bench.suites.load.report import PLAYWRIGHT_SIDE, LoadRun, ResourceSample, SessionScaling
from perception.browser.chromium.launch import LaunchOptions, find_executable, launch
from perception.browser.chromium.process_memory import process_bytes, process_tree
from perception.client import AsyncPage, RemoteError, aconnect
from perception.client.fields import Mode
from perception.deadline import Deadline
from perception.v1 import types_pb2 as pb

LOAD_CALL_SECONDS = 60.0
"""Deadline of each call."""

WITHOUT_LOOKING_AHEAD = ", without looking ahead"

RELOAD_EVERY = 50
"""Steps after which a session opens its page again."""

RESOURCE_SECONDS = 5.0
"""Interval between samples of memory, processes and files; chosen by hand."""

CLICKED = frozenset({"button", "checkbox"})

_THEIR_REF = re.compile(r"^\s*- (button|checkbox) .*?\[ref=(\w+)\]", re.MULTILINE)


@dataclass(slots=True)
class CallStatistics:
    """Results of the calls so far: seconds by kind and moment, and errors by reason."""

    spent: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)

    async def timed(self, kind: str, call: Awaitable[Any]) -> Any:
        start = time.monotonic()
        answer = await call
        self.spent.setdefault(kind, []).append((start, time.monotonic() - start))
        return answer


@dataclass(frozen=True, slots=True)
class LoadSession:
    """One session of either side. `look` returns clickable elements, `press` clicks one."""

    look: Callable[[], Awaitable[list[str]]]
    press: Callable[[str], Awaitable[object]]
    open: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class LoadSide:
    """A side under load. `pids` are the roots of the measured process trees; `open_session` opens a session."""

    side: str
    pids: tuple[int, ...]
    open_session: Callable[[], Awaitable[LoadSession]]


@asynccontextmanager
async def open_service_side(
    url: str, sessions: int, mode: str, *, looks_ahead: bool = True, placement: str = LOCAL
) -> AsyncIterator[LoadSide]:
    """A service in processes of its own."""
    options = () if looks_ahead else ("--no-look-ahead",)
    async with (
        started_service(placement, allow_hosts=("127.0.0.1",), sessions=sessions, options=options) as service,
        await aconnect(service.address, timeout_s=LOAD_CALL_SECONDS) as client,
    ):

        async def open_session() -> LoadSession:
            page = await client.open(url)
            return LoadSession(
                lambda: _look(page, mode), lambda ref: page.click(ref, skip_diff=True), lambda: page.navigate(url)
            )

        name = f"perception, {mode}" + ("" if looks_ahead else WITHOUT_LOOKING_AHEAD)
        yield LoadSide(name if placement == LOCAL else f"{name}, {placement}", service.pids, open_session)


async def _look(page: AsyncPage, mode: str) -> list[str]:
    snapshot = await page.snapshot(mode=cast("Mode", mode))
    return [each.ref for each in snapshot.elements if each.role in CLICKED and each.reach == pb.REACH_NOW]


@asynccontextmanager
async def open_playwright_side(url: str) -> AsyncIterator[LoadSide]:
    """Playwright, in this process, on a Chromium that is started like the service's own."""
    options = LaunchOptions()
    async with async_playwright() as playwright:
        chromium = await launch(options, find_executable(options, playwright.chromium.executable_path), Deadline.of(60))
        browser = await playwright.chromium.connect_over_cdp(chromium.ws_url)
        try:
            yield LoadSide(PLAYWRIGHT_SIDE, (os.getpid(),), lambda: _open_playwright_session(browser, url))
        finally:
            with contextlib.suppress(PlaywrightError):
                await browser.close()
            await chromium.close()


async def _open_playwright_session(browser: Browser, url: str) -> LoadSession:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page: Page = await context.new_page()
    await page.goto(url)
    limit_ms = LOAD_CALL_SECONDS * 1000

    async def look() -> list[str]:
        text = await page.aria_snapshot(mode="ai", timeout=limit_ms)
        return [ref for _, ref in _THEIR_REF.findall(text)]

    return LoadSession(
        look, lambda ref: page.locator(f"aria-ref={ref}").click(timeout=limit_ms), lambda: page.goto(url)
    )


async def drive(
    session: LoadSession, dice: random.Random, tally: CallStatistics, until_s: float, pause_s: float
) -> None:
    """One session's steps, until the time is up, with a pause before each call."""
    steps = 0
    while time.monotonic() < until_s:
        steps += 1
        try:
            if steps % RELOAD_EVERY == 0:
                await tally.timed("open", session.open())
            await _think(dice, pause_s)
            found = await tally.timed("snapshot", session.look())
            await _think(dice, pause_s)
            if found:
                await tally.timed("click", session.press(dice.choice(found)))
            else:
                tally.errors["nothing to click"] += 1
        except RemoteError as exc:
            tally.errors[exc.reason or exc.code.name] += 1
        except PlaywrightError as exc:
            tally.errors[type(exc).__name__] += 1


async def _think(dice: random.Random, pause_s: float) -> None:
    """The pause, up to a half more or less, so that sessions do not call in step."""
    if pause_s:
        await asyncio.sleep(pause_s * dice.uniform(0.5, 1.5))


@dataclass(frozen=True, slots=True)
class DrivenSessions:
    """The results of driving sessions. `cpu_s`: CPU seconds of the whole side."""

    calls: CallStatistics
    resources: list[ResourceSample]
    wall_s: float
    cpu_s: float


async def drive_sessions(
    side: LoadSide, sessions: int, seconds: float, *, watch: bool, pause_s: float = 0.0
) -> DrivenSessions:
    """Opens the sessions and drives them for the given time. `watch`: resources are sampled during the run; `pause_s`:
    before each call."""
    opened = [await side.open_session() for _ in range(sessions)]
    calls, resources = CallStatistics(), []
    own = os.times()
    cpu, start = count_cpu(*side.pids), time.monotonic()
    end = start + seconds
    tasks = [
        asyncio.create_task(drive(session, random.Random(index), calls, end, pause_s))
        for index, session in enumerate(opened)
    ]
    while watch and time.monotonic() < end:
        resources.append(await asyncio.to_thread(sample_resources, side.pids, time.monotonic() - start))
        await asyncio.sleep(RESOURCE_SECONDS)
    await asyncio.gather(*tasks)
    spent, used = time.monotonic() - start, cpu()
    if os.getpid() not in side.pids:  # the client belongs to a side, too: with Playwright it is in the same process
        now = os.times()
        used += now.user + now.system - own.user - own.system
    return DrivenSessions(calls, resources, spent, used)


def sample_resources(roots: Sequence[int], second: float) -> ResourceSample:
    """Resources of processes and their descendants."""
    pids = [pid for root in roots for pid in process_tree(root)]
    opened = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            opened += host_os.open_file_count(pid)
    sizes = {pid: process_bytes(pid) / 2**20 for pid in pids}
    return ResourceSample(second, sum(sizes.values()), sum(sizes[root] for root in roots), len(pids), opened)


async def measure_scaling(
    steps: Sequence[int],
    seconds: float,
    url: str,
    say: Callable[[str], None],
    pause_s: float = 0.0,
    placement: str = LOCAL,
) -> list[SessionScaling]:
    """All sides with the given numbers of sessions, one after another, with text snapshots."""
    found = []
    for sessions in steps:
        ours = (
            open_service_side(url, sessions, "text", looks_ahead=each, placement=placement) for each in (True, False)
        )
        for opened in (*ours, open_playwright_side(url)):
            async with opened as side:
                driven = await drive_sessions(side, sessions, seconds, watch=False, pause_s=pause_s)
            calls, spent = driven.calls, driven.wall_s
            looks, clicks = (tuple(each for _, each in calls.spent.get(kind, ())) for kind in ("snapshot", "click"))
            errors = dict(calls.errors)
            rate = len(looks) / spent
            found.append(SessionScaling(side.side, sessions, rate, driven.cpu_s, spent, looks, clicks, errors))
            say(f"{side.side}, {sessions} sessions: {rate:.1f} snapshots/s")
    return found


async def run_load(
    *,
    sessions: int,
    seconds: float,
    mode: str,
    steps: Sequence[int],
    step_seconds: float,
    say: Callable[[str], None],
    pause_s: float = 0.0,
    placement: str = LOCAL,
) -> LoadRun:
    """Drives the sessions for the given time, then all sides at each step's number of sessions.

    Args:
        sessions: number of concurrent sessions.
        seconds: how long they are driven.
        mode: of their snapshots: `text`, `fused` or `vision`.
        steps: numbers of sessions for the scaling; empty for none.
        step_seconds: how long each side is driven at each step.
        say: called with a line for each finished step.
        pause_s: before each call, as of an agent that thinks.
        placement: of the service, see `placements`.
    """
    page = files(__package__).joinpath("load_page.html").read_bytes()
    with serve_apart({"": (HTML, page)}) as url:
        async with open_service_side(url, sessions, mode, placement=placement) as side:
            driven = await drive_sessions(side, sessions, seconds, watch=True, pause_s=pause_s)
        scaling = await measure_scaling(steps, step_seconds, url, say, pause_s, placement)
    return LoadRun(
        side=side.side,
        sessions=sessions,
        wall_s=driven.wall_s,
        cpu_s=driven.cpu_s,
        spent=driven.calls.spent,
        errors=dict(driven.calls.errors),
        resources=tuple(driven.resources),
        scaling=tuple(scaling),
    )
