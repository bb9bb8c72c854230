"""Claims that wait at an edge for a slot: first come, first served.

Rule 1: a claim waits for as long as its caller does, and no longer than the edge's setting; who goes away leaves.
Rule 2: no more claims try at once than there are free slots, so that those behind do not overtake.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from perception.deadline import Deadline
from perception.errors import SessionLimitError, ShuttingDownError, WorkerUnreachableError

WAITED_FOR = (SessionLimitError, ShuttingDownError, WorkerUnreachableError)
"""What workers that come, or sessions that end, put right."""


class ClaimQueue:
    """The waiting claims of one edge.

    Args:
        wait_s: how long a claim waits at most; 0 for not at all.
        most: how many wait at once.
        free: returns how many slots are free, as far as is known.
        closing: set when the edge is about to end.
        on_change: called when there are more or fewer.
    """

    def __init__(
        self,
        wait_s: float,
        most: int,
        free: Callable[[], int],
        closing: asyncio.Event,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._wait_s = wait_s
        self._most = most
        self._free = free
        self._closing = closing
        self._line: dict[Claim, None] = {}
        self._on_change = on_change

    @property
    def waiting(self) -> int:
        """How many there are."""
        return len(self._line)

    @contextmanager
    def claim(self, deadline: Deadline, key: str = "") -> Iterator[Claim]:
        """A claim, until it has its slot or has given up.

        Args:
            key: of a request that may be repeated: what one of its claims has opened is the others', too; empty for
                none.
        """
        claim = Claim(self, min(self._wait_s, max(0.0, deadline.remaining())), key)
        try:
            yield claim
        finally:
            self._leave(claim)

    def wake(self) -> None:
        """Has as many try as there are free slots. For each time that something has changed."""
        if not self._line:
            return
        left = self._free()
        for each in self._line:
            if left <= 0:
                return
            left -= 1
            each.may_try.set()

    @property
    def is_closed(self) -> bool:
        return self._closing.is_set()

    async def until_turn(self, claim: Claim, seconds: float) -> None:
        """Returns when it may try, the edge ends, or the time is over."""
        trying = asyncio.ensure_future(claim.may_try.wait())
        closing = asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait((trying, closing), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            trying.cancel()
            closing.cancel()

    def join(self, claim: Claim) -> bool:
        """Returns whether it is in the line, or was before; not where the line is full."""
        if claim in self._line:
            return True
        if self.waiting >= self._most:
            return False
        self._line[claim] = None
        self._on_change()
        self.wake()
        return True

    def _leave(self, claim: Claim) -> None:
        if self._line.pop(claim, self) is None:
            for each in self._line:
                if claim.key and each.key == claim.key:
                    each.may_try.set()
            self._on_change()
            self.wake()


class Claim:
    """One claim.

    Attributes:
        may_try: set when there may be a slot for it.
    """

    def __init__(self, queue: ClaimQueue, wait_s: float, key: str) -> None:
        self._queue = queue
        self.key = key
        self._until = asyncio.get_running_loop().time() + wait_s
        self.may_try = asyncio.Event()

    async def wait_behind_others(self) -> bool:
        """Those that came before go first. Returns whether there were any. Raises as `wait_for_slot`."""
        return bool(self._queue.waiting) and await self.wait_for_slot()

    async def wait_for_slot(self) -> bool:
        """Waits until it may try. Returns False where it has waited long enough, or the line is full.

        Raises:
            ShuttingDownError: the edge ends.
        """
        left_s = self._until - asyncio.get_running_loop().time()
        if left_s <= 0 or self._queue.is_closed or not self._queue.join(self):
            return False
        await self._queue.until_turn(self, left_s)
        if self._queue.is_closed:
            raise ShuttingDownError("this edge is shutting down: use another one, or wait for its restart")
        may_try = self.may_try.is_set()
        self.may_try.clear()  # before it tries: what changes meanwhile has it try again
        return may_try
