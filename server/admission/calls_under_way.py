"""Calls that are under way: how many, and for how long there have been none."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from perception.deadline import loop_time


class CallsUnderWay:
    """A count of calls.

    Attributes:
        count: those that are under way.
        idle: set while there are none.
        begun: set with the first one.
    """

    def __init__(self) -> None:
        self.count = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.begun = asyncio.Event()
        self._idle_since = loop_time()

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Counts one call inside the `with` block."""
        self.count += 1
        self.idle.clear()
        self.begun.set()
        try:
            yield
        finally:
            self.count -= 1
            if not self.count:
                self._idle_since = loop_time()
                self.idle.set()

    async def unused_for(self, seconds: float) -> None:
        """Returns when no call has been under way for that long."""
        while True:
            await self.idle.wait()
            left_s = self._idle_since + seconds - loop_time()
            if left_s <= 0:
                return
            await asyncio.sleep(left_s)
