"""How fast something may go on: so many a second, and a burst at once after a rest.

The generic cell rate algorithm (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from perception.deadline import loop_time


class Pace:
    """Turns of one caller.

    Args:
        per_second: so many in the long run.
        burst: so many at once after a rest.
        clock: monotonic seconds.
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = loop_time) -> None:
        self._interval_s = 1 / per_second
        self._ahead_s = burst / per_second
        self._clock = clock
        self._due_s = float("-inf")

    def take(self) -> float:
        """Takes a turn; returns how long to wait for it, s."""
        now_s = self._clock()
        self._due_s = max(self._due_s, now_s - self._ahead_s) + self._interval_s
        return max(0.0, self._due_s - now_s)

    async def turn(self) -> None:
        """Takes a turn, and waits for it."""
        if wait_s := self.take():
            await asyncio.sleep(wait_s)
