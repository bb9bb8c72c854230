"""How fast connections go on: on a virtual clock."""

from __future__ import annotations

import asyncio

import pytest

from perception.browser.network.pace import Pace


async def test_those_that_come_faster_than_their_pace_wait_for_their_turns() -> None:
    loop = asyncio.get_running_loop()
    pace, begun_s = Pace(100.0, 3), loop.time()
    for _ in range(3):
        await pace.turn()
    assert loop.time() == begun_s
    for _ in range(5):
        await pace.turn()
    assert loop.time() - begun_s == pytest.approx(0.05)


async def test_a_rest_gives_a_burst_again_and_no_more() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(10.0, 2)
    await asyncio.sleep(100)
    begun_s = loop.time()
    for _ in range(2):
        await pace.turn()
    assert loop.time() == begun_s
    await pace.turn()
    assert loop.time() - begun_s == pytest.approx(0.1)
