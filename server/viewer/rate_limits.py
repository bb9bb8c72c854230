"""How often somebody may do something."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MAX_KEYS = 4096
"""Who was seen longest ago is forgotten first."""


class RateLimit:
    """A token bucket for each key.

    Args:
        per_second: how fast a bucket fills.
        burst: how much it holds.
        clock: monotonic seconds.
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Takes one. Returns 0, or the seconds after which there is one again."""
        left = self._left(key)
        if left < 1:
            return (1 - left) / self._per_second
        self._keep(key, left - 1)
        return 0.0

    def give_back(self, key: str) -> None:
        """Undoes one `take`."""
        self._keep(key, min(self._burst, self._left(key) + 1))

    def _left(self, key: str) -> float:
        amount, since = self._buckets.get(key, (float(self._burst), self._clock()))
        return min(self._burst, amount + (self._clock() - since) * self._per_second)

    def _keep(self, key: str, amount: float) -> None:
        self._buckets[key] = (amount, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
