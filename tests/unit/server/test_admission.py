"""What is over the limits is refused at once and says which; what waits is dropped with its caller; nothing leaks."""

from __future__ import annotations

import asyncio
import random

import pytest

from perception.deadline import Deadline
from perception.errors import DeadlineError, QueueFullError
from perception.server.admission.limits import Places
from perception.server.sessions.lifetime import Lifetime
from tests.support.waiting import until


async def held(places: Places, deadline: Deadline, until_set: asyncio.Event) -> None:
    places.check()
    async with places.hold(deadline):
        await until_set.wait()


async def test_places_come_free_however_their_holders_end() -> None:
    dice = random.Random(7)
    places, end = Places(3, 1000), asyncio.Event()
    tasks = [asyncio.create_task(held(places, Deadline.of(dice.choice((0.001, 60))), end)) for _ in range(300)]
    for task in dice.sample(tasks, 200):
        await asyncio.sleep(0)
        task.cancel()
    end.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in outcomes} <= {type(None), asyncio.CancelledError, DeadlineError}
    assert places.waiting == 0
    held_now = asyncio.Event()
    last = [asyncio.create_task(held(places, Deadline.of(60), held_now)) for _ in range(3)]
    await asyncio.sleep(0)
    assert places.waiting == 0, "all three places were free"
    held_now.set()
    await asyncio.gather(*last)


async def test_what_waits_goes_first_come_first_served() -> None:
    places, order = Places(1, 10), []

    async def work(number: int) -> None:
        async with places.hold(Deadline.of(60)):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(10)))
    assert order == list(range(10))


async def test_a_full_queue_refuses_and_names_the_limits() -> None:
    places, end = Places(1, 1), asyncio.Event()
    tasks = [asyncio.create_task(held(places, Deadline.of(60), end)) for _ in range(2)]
    await until(lambda: places.waiting == 1)
    with pytest.raises(QueueFullError, match="all 1 places are taken and 1 calls wait"):
        places.check()
    tasks[1].cancel()
    await asyncio.gather(tasks[1], return_exceptions=True)
    places.check()
    end.set()
    await asyncio.gather(*tasks, return_exceptions=True)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_session_in_use_is_not_idle_but_ages() -> None:
    clock = Clock()
    lifetime = Lifetime(idle_s=10, age_s=100, clock=clock)
    clock.now += 9
    assert lifetime.remaining_s == 1
    with lifetime.using():
        clock.now += 50
        assert lifetime.remaining_s == 10
    assert lifetime.remaining_s == 10
    clock.now += 39
    with lifetime.using():
        assert lifetime.remaining_s == 2
        clock.now += 3
        assert lifetime.is_old
        assert lifetime.remaining_s < 0
