"""One deadline for one request, in absolute monotonic time.

It is created once, where the request enters, and passed as an argument. No other code invents a timeout. A caller that
disconnects cancels the request's task, and with it everything that the task awaits.

Waits and deadlines are on one clock, that of the event loop, so that a test that moves it moves both.
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
    """The last phase that a request entered, in any of its tasks."""

    phase: str = ""


def loop_time() -> float:
    """Monotonic seconds: of the running event loop, or of the process where none runs."""
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return time.monotonic()


def _loop_clock() -> Callable[[], float]:
    """The clock of the running event loop, which other threads may read too; of the process where none runs."""
    try:
        return asyncio.get_running_loop().time
    except RuntimeError:
        return time.monotonic


_trail: ContextVar[Trail | None] = ContextVar("perception_trail", default=None)


def begin_trail() -> Trail:
    """Starts to record the phases of this task and of the tasks that it starts."""
    trail = Trail()
    _trail.set(trail)
    return trail


@dataclass(slots=True)
class _SentInput:
    """Whether a request has sent input to the page: one object for a deadline and all its parts."""

    dispatched: bool = False


@dataclass(slots=True)
class Deadline:
    """What is left of the caller's time.

    Attributes:
        deadline_s: when it ends, in seconds of `clock`.
        clock: monotonic seconds, of the event loop in which it was made: what waits for it, waits by the same clock.
    """

    deadline_s: float
    clock: Callable[[], float] = field(default_factory=_loop_clock, repr=False)
    _sent: _SentInput = field(default_factory=_SentInput, repr=False)

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] | None = None) -> Deadline:
        clock = clock or _loop_clock()
        return cls(clock() + seconds, clock)

    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.deadline_s - self.clock())

    def spent(self) -> bool:
        return self.remaining() <= 0

    @property
    def dispatched(self) -> bool:
        """Whether input has gone to the page, by this deadline or any part of it: from then on a repeat could act
        twice, and a deadline error reports that."""
        return self._sent.dispatched

    @dispatched.setter
    def dispatched(self, dispatched: bool) -> None:
        self._sent.dispatched = dispatched

    def part(self, fraction: float) -> Deadline:
        """A deadline for one step: the fraction (0 to 1) of what is left."""
        return Deadline(self.clock() + self.remaining() * fraction, self.clock, self._sent)

    def at_most(self, seconds: float) -> Deadline:
        """A deadline for one step: that many seconds, or all that is left if that is less."""
        return Deadline(self.clock() + min(seconds, self.remaining()), self.clock, self._sent)

    def share(self, seconds: float) -> Deadline:
        """A deadline for one step: that many seconds, but at most half of what is left, so that the caller can still
        answer after a step that takes all of its time."""
        return Deadline(self.clock() + min(seconds, self.remaining() / 2), self.clock, self._sent)

    def check(self, phase: str) -> None:
        """Raises DeadlineError: the deadline has passed."""
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
        """Limits the awaits in the block to the remaining time. Raises DeadlineError: the deadline passed in it."""
        if (trail := _trail.get()) is not None:
            trail.phase = name
        try:
            async with asyncio.timeout(self.remaining()):
                yield
        except TimeoutError as exc:
            raise self.error(name) from exc
