"""Waiting for a frame of a tab, and leaving it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from perception.browser.live.picture import Wish
from perception.browser.live.screencast import CastFrame, CastSize, Screencast
from perception.browser.live.tab_watch import TabWatch
from tests.support.fakes import turns


@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_wait_that_is_cancelled_as_a_frame_comes_is_cancelled(turns: int) -> None:
    page: Any = None
    cast = Screencast(page)
    cast.size = CastSize(100, 100, 70)
    waiting = asyncio.create_task(cast._wait(5))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    cast._newest = CastFrame(b"", 0, 0)
    cast.interrupt()
    for _ in range(turns):
        await asyncio.sleep(0)
    if waiting.cancel():
        await asyncio.wait([waiting])
        assert waiting.cancelled()


async def test_a_watch_whose_last_watcher_leaves_in_an_unlucky_moment_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look(watch: TabWatch) -> float:
        """A cancellation is lost where another error comes with it."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return 0.0
        raise AssertionError("nobody left")

    monkeypatch.setattr(TabWatch, "_look", look)
    tab: Any = SimpleNamespace(tab_id="t1", link=None)

    async def permit(*_: object) -> None: ...

    watch = TabWatch(tab, permit, lambda _: None)
    watcher = watch.subscribe(Wish())
    coming = asyncio.create_task(watcher.next())
    await turns()
    coming.cancel()
    watcher.close()
    assert watch._task is not None
    await asyncio.wait([watch._task], timeout=5)
    assert watch._task.done()
    assert watch._task.cancelled() or watch._task.exception() is None
