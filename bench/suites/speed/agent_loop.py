"""Looks as an agent meets them: after its model has thought, and step after step.

Rule 1: each side has a tab of its own in the one browser, and no other tab is open meanwhile.
Rule 2: both sides choose what they click by the same random numbers, each from what it has listed.
Rule 3: only looks are timed; processor time is that of all processes, over the whole loop.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from playwright.async_api import Error as PlaywrightError

from perception.bench.pages.shared_browser import SharedBrowser
from perception.bench.process_times import count_cpu
from perception.bench.suites.speed.report import LoopMeasure, SpeedMeasure
from perception.client import RemoteError
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

BLANK = "about:blank"

CLICKED = frozenset({"button", "checkbox", "radio", "switch", "tab", "menuitem"})

CLICK_SECONDS = 3.0
"""Limit of a click: what is listed may be covered."""

_THEIR_REF = re.compile(rf"^\s*- ({'|'.join(sorted(CLICKED))}) .*?\[ref=(\w+)\]", re.MULTILINE)

THOUGHT_MODES = {
    SpeedMeasure.TEXT_THOUGHT: perception_pb.MODE_TEXT,
    SpeedMeasure.FUSED_THOUGHT: perception_pb.MODE_FUSED,
}


@dataclass(frozen=True, slots=True)
class Agent:
    """One side. `look` returns what can be clicked, by ref; `press` clicks one; `go` opens the page."""

    go: Callable[[str], Awaitable[object]]
    look: Callable[[], Awaitable[list[str]]]
    press: Callable[[str], Awaitable[object]]


async def after_thinking(shared: SharedBrowser, url: str, locale: str, think_s: float) -> dict[SpeedMeasure, float]:
    """Milliseconds of the first look at a page that was opened some time before, by side."""
    found = {}
    for measure, mode in THOUGHT_MODES.items():
        async with _our_agent(shared, mode, locale, looks_ahead=True) as agent:
            await agent.go(url)
            await agent.look()  # the service learns how this agent looks
            found[measure] = await _look_after(agent, url, think_s)
    async with _their_agent(shared, locale) as agent:
        found[SpeedMeasure.PLAYWRIGHT_THOUGHT] = await _look_after(agent, url, think_s)
    return found


async def agent_loops(
    shared: SharedBrowser, url: str, locale: str, steps: int, think_s: float
) -> dict[LoopMeasure, float]:
    """Milliseconds of all looks of a loop together, and of all processes' processor time in it, by side."""
    sides = (
        (LoopMeasure.TEXT, LoopMeasure.TEXT_CPU, _our_agent(shared, perception_pb.MODE_TEXT, locale, looks_ahead=True)),
        (
            LoopMeasure.TEXT_PLAIN,
            LoopMeasure.TEXT_PLAIN_CPU,
            _our_agent(shared, perception_pb.MODE_TEXT, locale, looks_ahead=False),
        ),
        (LoopMeasure.PLAYWRIGHT, LoopMeasure.PLAYWRIGHT_CPU, _their_agent(shared, locale)),
    )
    found = {}
    for looks, cpu, opened in sides:
        async with opened as agent:
            spent_s = count_cpu(os.getpid())
            found[looks] = await _loop(agent, url, steps, think_s)
            found[cpu] = spent_s() * 1000
    return found


async def _look_after(agent: Agent, url: str, think_s: float) -> float:
    await agent.go(BLANK)
    await agent.go(url)
    await asyncio.sleep(think_s)
    start = time.perf_counter()
    await agent.look()
    return (time.perf_counter() - start) * 1000


async def _loop(agent: Agent, url: str, steps: int, think_s: float) -> float:
    """Opens the page, looks and clicks by turns. A click that fails is a step, too."""
    dice, spent = random.Random(1), 0.0
    await agent.go(url)
    for _ in range(steps):
        await asyncio.sleep(think_s)
        start = time.perf_counter()
        listed = await agent.look()
        spent += time.perf_counter() - start
        await asyncio.sleep(think_s)
        with suppress(RemoteError, PlaywrightError):
            await (agent.press(dice.choice(listed)) if listed else agent.go(url))
    return spent * 1000


@asynccontextmanager
async def _our_agent(
    shared: SharedBrowser, mode: perception_pb.Mode, locale: str, *, looks_ahead: bool
) -> AsyncIterator[Agent]:
    options = session_pb.SessionOptions(locale=locale, no_look_ahead=not looks_ahead)
    page = (await shared.open_tab(options)).ours

    async def look() -> list[str]:
        seen = await page.snapshot(mode=mode)
        return [each.ref for each in seen.elements if each.role in CLICKED and each.reach == pb.REACH_NOW]

    try:
        yield Agent(page.navigate, look, lambda ref: page.click(ref, skip_diff=True, timeout_s=CLICK_SECONDS))
    finally:
        await page.close()


@asynccontextmanager
async def _their_agent(shared: SharedBrowser, locale: str) -> AsyncIterator[Agent]:
    tab = await shared.open_tab(session_pb.SessionOptions(locale=locale, no_look_ahead=True))
    page, limit_ms = tab.theirs, CLICK_SECONDS * 1000

    async def look() -> list[str]:
        return [ref for _, ref in _THEIR_REF.findall(await page.aria_snapshot(mode="ai"))]

    try:
        yield Agent(tab.go, look, lambda ref: page.locator(f"aria-ref={ref}").click(timeout=limit_ms))
    finally:
        await tab.ours.close()
