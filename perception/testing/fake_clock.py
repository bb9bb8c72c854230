"""A clock for tests: time passes only when the test advances it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FakeClock:
    """A monotonic clock that a test moves. Pass it as `clock` to `Deadline` and the like.

    Attributes:
        now: current time, seconds.
    """

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Moves the clock. Raises ValueError: `seconds` is negative, which a monotonic clock never is."""
        if seconds < 0:
            raise ValueError(f"a monotonic clock cannot go back by {-seconds:g} s")
        self.now += seconds
