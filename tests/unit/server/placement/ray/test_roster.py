"""Which workers actors say that there are. Actors are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from perception.server.placement.ray import roster as rosters
from perception.server.placement.ray.roster import Roster
from tests.support.waiting import until


class Method:
    def __init__(self, act: Callable[..., Any]) -> None:
        self.remote = act


class Actor:
    """One worker's actor: it answers when its address has changed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.change = 0
        self.changed = asyncio.Event()
        self.error: Exception | None = None
        self.news = Method(self._news)

    def say(self, address: str) -> None:
        self.address = address
        self.change += 1
        self.changed.set()

    async def _news(self, seen: int, _: float) -> dict[str, Any]:
        if seen == self.change:
            self.changed.clear()
            await self.changed.wait()
        if self.error is not None:
            raise self.error
        return {"name": "worker", "address": self.address, "change": self.change}


class House:
    def __init__(self) -> None:
        self.actors: dict[str, Any] = {}
        self.roster = Roster(self.actors.__getitem__, lambda: None)

    def expect(self) -> None:
        self.roster.expect(self.actors)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(rosters, "AGAIN_SECONDS", 0.01)
    return House()


async def test_workers_come_change_and_go(house: House) -> None:
    one = house.actors["worker-1"] = Actor("a:1")
    house.actors["worker-2"] = Actor("b:2")
    house.actors["fleet"] = Actor("c:3")
    house.expect()
    await until(lambda: house.roster.addresses == ("a:1", "b:2"))
    one.say("")
    await until(lambda: house.roster.addresses == ("b:2",))
    one.say("a:9")
    await until(lambda: house.roster.addresses == ("a:9", "b:2"))
    del house.actors["worker-2"]
    house.expect()
    assert house.roster.addresses == ("a:9",)
    await house.roster.close()


async def test_an_actor_that_hangs_keeps_its_address_and_hinders_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rosters, "PATIENCE_SECONDS", 0.02)
    house.actors["worker-1"] = Actor("a:1")
    house.actors["worker-2"] = hanging = Actor("")
    hanging.change = -1
    house.expect()
    await until(lambda: house.roster.addresses == ("a:1",))
    assert house.roster.addresses == ("a:1",)
    hanging.say("b:2")
    await until(lambda: house.roster.addresses == ("a:1", "b:2"))
    await house.roster.close()


async def test_an_actor_that_fails_has_no_address_until_it_answers_again(house: House) -> None:
    one = house.actors["worker-1"] = Actor("a:1")
    house.expect()
    await until(lambda: house.roster.addresses == ("a:1",))
    one.error = RuntimeError("the actor died")
    one.say("a:1")
    await until(lambda: house.roster.addresses == ())
    one.error = None
    await until(lambda: house.roster.addresses == ("a:1",))
    await house.roster.close()


@pytest.mark.parametrize("answer", [None, 7, {"address": "a:1"}, {"name": "w", "address": "nowhere"}, {"name": 1}])
async def test_what_no_worker_says_is_none(house: House, answer: object) -> None:
    strange = Actor("")

    async def news(*_: Any) -> object:
        return answer

    strange.news = Method(news)
    house.actors |= {"worker-1": strange, "worker-2": Actor("b:2"), "worker-3": object()}
    house.expect()
    await until(lambda: house.roster.addresses == ("b:2",))
    await house.roster.close()
