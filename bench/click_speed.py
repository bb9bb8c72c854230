"""How long a click takes, ours by ref beside Playwright's `locator.click()`: on the same elements of the same tab, in
turn.

The page hears of the clicks and does nothing (`click_probe`), so that no side waits for what a page makes of them. Both
find the element, make sure that a click lands on it, and click.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from playwright.async_api import Error as PlaywrightError

from perception.bench.click_probe import ClickProbe, Held
from perception.bench.shared import SharedTab
from perception.client import AsyncPage, RemoteError
from perception.errors import first_line
from perception.v1 import types_pb2 as pb

ELEMENTS = 3
"""Of a page: the first, one in the middle, the last."""

ROUNDS = 15
"""Clicks of each side on each, after one that is not timed."""


PATIENCE_SECONDS = 5.0
"""What Playwright cannot click within it is left out; ours gives up after 2."""


class Side(StrEnum):
    OURS = "ours"
    PLAYWRIGHT = "Playwright"


@dataclass(frozen=True, slots=True)
class Contestant:
    """An element that both sides can click: by its ref, and by a selector."""

    ref: str
    name: str
    held: Held


@dataclass(frozen=True, slots=True)
class ClickTime:
    """One click. Milliseconds from the call until the page heard of the click, and until the call was answered.

    `size`: how many elements the page has.
    """

    page: str
    element: str
    side: Side
    heard: float
    answered: float
    size: int


async def click(page: AsyncPage, target: pb.Target) -> None:
    """The click that all this is about: answered at once, without what came of it. Raises RemoteError."""
    await page.click(target, settle_timeout=0, skip_diff=True)


async def time_clicks(
    page_id: str, tab: SharedTab, probe: ClickProbe, contestants: Sequence[Contestant]
) -> tuple[list[ClickTime], list[str]]:
    """Times clicks on a few of the contestants.

    Returns:
        Every time that was taken; a line for each that a side could not click, with what that side said.

    Raises:
        playwright.async_api.Error: the page does not answer the probe.
    """
    size = await probe.size()
    found, failed = [], []
    for each in _pick(contestants):
        try:
            timed = await _time_one(tab, probe, each)
        except (RemoteError, PlaywrightError) as exc:
            failed.append(f"{page_id}: {each.name} was not timed: {first_line(exc)}")
        else:
            found += [ClickTime(page_id, each.name, *one, size) for one in timed]
    return found, failed


async def _time_one(tab: SharedTab, probe: ClickProbe, contestant: Contestant) -> list[tuple[Side, float, float]]:
    locator = tab.theirs.locator(contestant.held.selector)
    sides: dict[Side, Callable[[], Awaitable[None]]] = {
        Side.OURS: lambda: click(tab.ours, pb.Target(ref=contestant.ref)),
        Side.PLAYWRIGHT: lambda: locator.click(timeout=PATIENCE_SECONDS * 1000),
    }
    found = []
    for index in range(ROUNDS + 1):
        for side in sorted(sides, reverse=bool(index % 2)):
            times = await _time(probe, sides[side])
            if index:
                found.append((side, *times))
    return found


def _pick(contestants: Sequence[Contestant]) -> list[Contestant]:
    if len(contestants) <= ELEMENTS:
        return list(contestants)
    last = len(contestants) - 1
    return [contestants[last * index // (ELEMENTS - 1)] for index in range(ELEMENTS)]


async def _time(probe: ClickProbe, act: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    await probe.take()
    # The page's clock is the wall clock, and the wait is told by the steady one.
    called, start = time.time() * 1000, time.perf_counter()
    await act()
    answered = (time.perf_counter() - start) * 1000
    return max(each.at for each in await probe.take()) - called, answered
