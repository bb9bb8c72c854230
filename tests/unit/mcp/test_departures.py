"""A client over HTTP that goes in the middle of a request: its connection is closed unless it comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from perception.mcp.departures import SESSION_HEADER, Departures, RequestWatch


class Closed:
    """Remembers which connections were closed."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.one = asyncio.Event()

    async def close(self, key: str) -> None:
        self.keys.append(key)
        self.one.set()


@pytest.mark.parametrize("was_cut", [True, False])
async def test_a_request_that_was_cut_and_the_last_one_closes_its_connection(was_cut: bool) -> None:
    closed = Closed()
    departures = Departures(closed.close, gone_s=0.0)
    departures.began("a")
    departures.began("a")
    departures.ended("a", was_cut=was_cut)
    assert not await departures.close_one(lambda _: True)  # another request of it is open
    departures.ended("a", was_cut=was_cut)
    if was_cut:
        await closed.one.wait()
    assert closed.keys == (["a"] if was_cut else [])


async def test_a_client_that_comes_back_keeps_its_connection_and_the_longest_gone_makes_room_first() -> None:
    closed = Closed()
    departures = Departures(closed.close)
    for key in ("a", "b", "c"):
        departures.began(key)
        departures.ended(key, was_cut=True)
    departures.began("a")
    departures.ended("a", was_cut=False)
    assert await departures.close_one(lambda key: key != "b")
    assert await departures.close_one(lambda _: True)
    assert not await departures.close_one(lambda _: True)
    assert closed.keys == ["c", "b"]


@pytest.mark.parametrize("answered_first", [True, False])
async def test_a_client_that_leaves_before_its_answer_is_seen(answered_first: bool) -> None:
    closed = Closed()
    departures = Departures(closed.close, gone_s=0.0)

    async def app(scope: object, receive: Callable, send: Callable) -> None:  # type: ignore[type-arg]
        if answered_first:
            await send({"type": "http.response.body", "body": b"done"})
        assert (await receive())["type"] == "http.disconnect"

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        pass

    scope = {"type": "http", "headers": [(SESSION_HEADER.encode(), b"a")]}
    await RequestWatch(app, departures)(scope, receive, send)  # type: ignore[arg-type]
    assert await departures.close_one(lambda _: True) is not answered_first
