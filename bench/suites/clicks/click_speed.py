"""Measures the duration of a click: ours by ref and Playwright's `locator.click()`, on the same elements of the same
tab, in turn.

The page receives the clicks and does nothing (`click_probe`), so that neither side waits for the page's reaction. Both
find the element, check that a click hits it, and click.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from playwright.async_api import Error as PlaywrightError

from perception.bench.pages.click_probe import ClickProbe, Held
from perception.bench.pages.shared_browser import SharedTab
from perception.client import AsyncPage, RemoteError
from perception.errors import first_line
from perception.v1 import types_pb2 as pb

TIMED_ELEMENTS = 3
"""Elements of a page: the first, one in the middle, the last."""

TIMED_CLICKS = 15
"""Clicks of each side on each element, after one that is not timed."""


CLICK_PATIENCE_SECONDS = 5.0
"""Elements that Playwright cannot click within this time are omitted; ours gives up after 2."""


class ClickSide(StrEnum):
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
    """One click. Milliseconds from the call until the page received the click, and until the call was answered.

    `size`: number of elements on the page.
    """

    page: str
    element: str
    side: ClickSide
    heard: float
    answered: float
    size: int


async def click(page: AsyncPage, target: pb.Target) -> None:
    """The measured click: answered at once, without its effects. Raises RemoteError."""
    await page.click(target, settle_timeout=0, skip_diff=True)


async def time_clicks(
    page_id: str, tab: SharedTab, probe: ClickProbe, contestants: Sequence[Contestant]
) -> tuple[list[ClickTime], list[str]]:
    """Times clicks on a few of the candidates.

    Returns:
        All measured times; a line for each element that a side could not click, with its message.

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


async def _time_one(tab: SharedTab, probe: ClickProbe, contestant: Contestant) -> list[tuple[ClickSide, float, float]]:
    locator = tab.theirs.locator(contestant.held.selector)
    sides: dict[ClickSide, Callable[[], Awaitable[None]]] = {
        ClickSide.OURS: lambda: click(tab.ours, pb.Target(ref=contestant.ref)),
        ClickSide.PLAYWRIGHT: lambda: locator.click(timeout=CLICK_PATIENCE_SECONDS * 1000),
    }
    found = []
    for index in range(TIMED_CLICKS + 1):
        for side in sorted(sides, reverse=bool(index % 2)):
            times = await _time(probe, sides[side])
            if index:
                found.append((side, *times))
    return found


def _pick(contestants: Sequence[Contestant]) -> list[Contestant]:
    if len(contestants) <= TIMED_ELEMENTS:
        return list(contestants)
    last = len(contestants) - 1
    return [contestants[last * index // (TIMED_ELEMENTS - 1)] for index in range(TIMED_ELEMENTS)]


async def _time(probe: ClickProbe, act: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    await probe.take()
    # The page's clock is the wall clock, and the wait is measured by the monotonic one.
    called, start = time.time() * 1000, time.perf_counter()
    await act()
    answered = (time.perf_counter() - start) * 1000
    return max(each.at for each in await probe.take()) - called, answered
