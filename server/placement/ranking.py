"""Workers in the order in which they are asked for sessions, kept as their statuses change. Pure.

Rule 1: the change of one worker costs as much however many there are: O(log n), amortized.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable
from typing import Generic, NamedTuple, TypeVar

Worker = TypeVar("Worker", bound=Hashable)

SLACK = 64
"""Outdated entries that may lie in a heap, beside as many as there are workers, before it is made again."""


class Rank(NamedTuple):
    """Where a worker stands. The lowest one is asked first.

    Attributes:
        is_draining: it ends, and takes no sessions.
        is_full: by what it has said, it has no slot or no memory for another session.
        load: the larger one of the shares of slots and of memory that are taken, in hundredths.
        is_cold: no browser runs there.
        browser_s: when its browser started, negative: of equals, the older one is nearer to its end.
        order: another number for each worker.
    """

    is_draining: bool
    is_full: bool
    load: float
    is_cold: bool
    browser_s: float
    order: int


class Ranking(Generic[Worker]):
    """Workers by rank: a heap in which outdated entries stay until they come to the top."""

    def __init__(self) -> None:
        self._ranks: dict[Worker, Rank] = {}
        self._heap: list[tuple[Rank, Worker]] = []

    def __len__(self) -> int:
        return len(self._ranks)

    def put(self, worker: Worker, rank: Rank) -> None:
        """Gives a worker its rank, instead of an earlier one."""
        if self._ranks.get(worker) == rank:
            return
        self._ranks[worker] = rank
        heapq.heappush(self._heap, (rank, worker))
        if len(self._heap) > 2 * len(self._ranks) + SLACK:
            self._heap = [(rank, worker) for worker, rank in self._ranks.items()]
            heapq.heapify(self._heap)

    def drop(self, worker: Worker) -> None:
        """Safe to call twice."""
        self._ranks.pop(worker, None)

    def rank_of(self, worker: Worker) -> Rank | None:
        """None for one that has none."""
        return self._ranks.get(worker)

    def first(self, without: Collection[Worker] = ()) -> tuple[Worker, Rank] | None:
        """The worker of the lowest rank beside some; None where there is no other."""
        passed: list[tuple[Rank, Worker]] = []
        found = None
        while self._heap and found is None:
            rank, worker = self._heap[0]
            if self._ranks.get(worker) != rank:
                heapq.heappop(self._heap)
            elif worker in without:
                passed.append(heapq.heappop(self._heap))
            else:
                found = worker, rank
        for each in passed:
            heapq.heappush(self._heap, each)
        return found
