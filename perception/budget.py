"""One deadline for one request, in absolute monotonic time.

It enters once, where the request does, and travels as an argument. Nothing further in invents a timeout. A caller that
goes away cancels the request's task, and with it everything that the task awaits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from perception.errors import DeadlineError


@dataclass(slots=True)
class Trail:
    """How far a request has come: the last phase that it entered, in any task that works on it."""

    phase: str = ""


_trail: ContextVar[Trail | None] = ContextVar("perception_trail", default=None)


def begin_trail() -> Trail:
    """Follows what this task does from now on, and the tasks that it starts."""
    trail = Trail()
    _trail.set(trail)
    return trail


@dataclass(slots=True)
class Budget:
    """What is left of the caller's time.

    `dispatched` turns true once input has gone to the page: from then on a repeat could act twice, and a
    deadline error says so.
    """

    deadline_s: float
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    dispatched: bool = False

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Budget:
        return cls(clock() + seconds, clock)

    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.deadline_s - self.clock())

    def spent(self) -> bool:
        return self.remaining() <= 0

    def share(self, seconds: float) -> Budget:
        """A part of it for one step: so many seconds, but at most half of what is left. It knows
        whether input had gone out before it."""
        return Budget(self.clock() + min(seconds, self.remaining() / 2), self.clock, self.dispatched)

    def check(self, phase: str) -> None:
        """Raises DeadlineError when nothing is left."""
        if self.spent():
            raise self.error(phase)

    def error(self, phase: str) -> DeadlineError:
        done = "input had already been sent" if self.dispatched else "no input was sent"
        return DeadlineError(
            f"the deadline passed during {phase}; {done}: allow more time or ask for less",
            phase=phase,
            dispatched=self.dispatched,
        )

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncIterator[None]:
        """Bounds the awaits inside by what is left; raises DeadlineError that names the phase."""
        if (trail := _trail.get()) is not None:
            trail.phase = name
        try:
            async with asyncio.timeout(self.remaining()):
                yield
        except TimeoutError as exc:
            raise self.error(name) from exc
