"""How long a session lives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from perception.deadline import loop_time


@dataclass(slots=True)
class Lifetime:
    """How long a session may live.

    Attributes:
        idle_s: seconds after its last call.
        age_s: seconds in all.
        clock: monotonic, s.
        created_s, used_s: when it was made and last used, seconds since 1970, for people.
        calls: how many are under way. A session that is in use is not idle.
    """

    idle_s: float
    age_s: float
    clock: Callable[[], float] = loop_time
    created_s: float = field(default_factory=time.time)
    used_s: float = field(default_factory=time.time)
    calls: int = 0
    _born: float = field(init=False)
    _rested: float = field(init=False)

    def __post_init__(self) -> None:
        self._born = self._rested = self.clock()

    @contextmanager
    def using(self) -> Iterator[None]:
        """Counts a call for as long as the block runs."""
        self.calls += 1
        self.used_s = time.time()
        try:
            yield
        finally:
            self.calls -= 1
            self.used_s = time.time()
            self._rested = self.clock()

    @property
    def remaining_s(self) -> float:
        """Seconds until the session ends if nobody calls it."""
        now = self.clock()
        idle_since = now if self.calls else self._rested
        return min(idle_since + self.idle_s, self._born + self.age_s) - now

    @property
    def is_old(self) -> bool:
        return self.clock() >= self._born + self.age_s
