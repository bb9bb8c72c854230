"""How long a look waits for one that was begun ahead, at a tab that does not answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perception.browser.browser_session import Tab
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.engine.cache import SnapshotCache
from perception.engine.look_ahead import LookAhead
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot
from perception.errors import DeadlineError
from perception.geometry import Box
from perception.refs import RefTable
from perception.types import Capture, Element, Mode, Scope, Scroll, Viewport

TEXT = SnapshotOptions(mode=Mode.TEXT)
PAGE = Capture(
    "https://a.example/", "A", "L", Viewport(100, 100), Scroll(), (Element("text", "Hello", Box(0, 0, 9, 9)),)
)


class HangingPage:
    """A tab that answers from its second capture on, or never.

    Attributes:
        asked_at: when each capture began, in seconds.
    """

    def __init__(self, *, recovers: bool) -> None:
        self.asked_at: list[float] = []
        self._recovers = recovers
        self._begun = asyncio.get_running_loop().time()
        tab = SimpleNamespace(
            tab_id="t1", capturer=SimpleNamespace(capture=self._capture), link=SimpleNamespace(loaders=["L"])
        )
        pool = cast(DetectorPool, SimpleNamespace())
        self.context = EngineContext(cast(Tab, tab), RefTable(), DetectionCache(), SnapshotCache(), pool)

    @property
    def passed_s(self) -> float:
        return asyncio.get_running_loop().time() - self._begun

    async def _capture(self, *, deadline: Deadline, **_: Any) -> Capture:
        self.asked_at.append(self.passed_s)
        if self._recovers and len(self.asked_at) > 1:
            return PAGE
        async with deadline.phase("looking"):
            await asyncio.Event().wait()
        raise AssertionError


async def look_while_it_hangs(page: HangingPage, ahead: SnapshotOptions = TEXT) -> LookAhead:
    """A look of 0.4 s, while one is under way that has a minute."""
    begun = LookAhead(page.context, ahead, Deadline.of(60))
    await asyncio.sleep(0)  # it begins
    await take_snapshot(replace(page.context, ahead=begun), SnapshotRequest(TEXT, "s1"), Deadline.of(0.4))
    return begun


async def test_a_capture_under_way_gets_half_of_the_time_and_a_look_of_its_own_the_rest() -> None:
    page = HangingPage(recovers=True)
    ahead = await look_while_it_hangs(page)
    assert page.asked_at == pytest.approx([0, 0.2])
    assert (ahead.is_done, ahead.was_claimed) == (True, False)


async def test_a_call_ends_at_its_own_deadline_where_neither_is_answered() -> None:
    page = HangingPage(recovers=False)
    with pytest.raises(DeadlineError):
        await look_while_it_hangs(page)
    assert page.asked_at == pytest.approx([0, 0.2])
    assert page.passed_s == pytest.approx(0.4)


async def test_a_capture_of_another_kind_is_not_waited_for() -> None:
    page = HangingPage(recovers=True)
    await look_while_it_hangs(page, replace(TEXT, scope=Scope.PAGE))
    assert page.asked_at == pytest.approx([0, 0])
