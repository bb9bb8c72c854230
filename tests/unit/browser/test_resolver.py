"""Names to addresses: asked once, kept for a while, forgotten in time."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from perception.browser.network import resolver
from perception.browser.network.resolver import KEPT_NAMES, KEPT_SECONDS, SystemResolver


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that the system was asked for; it knows all but `nobody.example`."""
    names: list[str] = []

    def look_up(name: str, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        names.append(name)
        if name == "nobody.example":
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.7", 0))]

    monkeypatch.setattr(resolver.socket, "getaddrinfo", look_up)
    return names


async def test_an_answer_is_kept_until_its_time_is_up(asked: list[str]) -> None:
    now = 0.0
    resolve = SystemResolver(lambda: now)
    first = await resolve("one.example")
    now = KEPT_SECONDS - 0.001
    assert await resolve("one.example") == first
    assert asked == ["one.example"]
    now = KEPT_SECONDS
    assert await resolve("one.example") == first
    assert asked == ["one.example"] * 2


async def test_concurrent_requests_share_one_answer(asked: list[str]) -> None:
    resolve = SystemResolver()
    await asyncio.gather(*(resolve("one.example") for _ in range(5)))
    assert asked == ["one.example"]


async def test_that_a_name_is_unknown_is_not_kept(asked: list[str]) -> None:
    resolve = SystemResolver()
    assert [await resolve("nobody.example") for _ in range(2)] == [(), ()]
    assert asked == ["nobody.example"] * 2


async def test_the_number_of_kept_names_is_limited(asked: list[str]) -> None:
    resolve = SystemResolver()
    for number in range(KEPT_NAMES + 1):
        await resolve(f"{number}.example")
    asked.clear()
    await resolve(f"{KEPT_NAMES}.example")
    await resolve("0.example")
    assert asked == ["0.example"]
