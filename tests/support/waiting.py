"""Waiting for what must happen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from perception.client import AsyncPage


async def title_of(page: AsyncPage) -> str:
    """Where the test pages write their news."""
    return (await page.snapshot(mode="text", view="digest")).title


async def until(is_true: Callable[[], bool]) -> None:
    """Waits for something that must happen, at most 30 s."""
    async with asyncio.timeout(30):
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def again_and_again(call: Callable[[], Awaitable[Any]]) -> None:
    """Until it is refused, at most 30 s."""
    async with asyncio.timeout(30):
        while True:
            await call()
