"""What workers have said, as an edge looks it up for each call.

Rule 1: nothing here asks all workers: a call, and what a worker says, cost as much however many there are.
Rule 2: workers that are not reached are not in it, except on the ring: those that are stay where they were.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from perception.server.placement.affinity import Ring
from perception.server.placement.ranking import Rank, Ranking
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import Wanted, WorkerStatus

FIRST_ASKED = 4
"""How many workers are asked for a request's session beside those that say to have it: what they said may be a moment
old. They are the first ones to which the request leads. Chosen by hand."""


class WorkerIndex:
    """The workers of an edge.

    Attributes:
        up: those that are reached now.
        taking: how many of them take sessions.
        slots: of these, in all.
        taken: of these slots.
    """

    def __init__(self) -> None:
        self.up: dict[WorkerLink, None] = {}
        self.taking = 0
        self.slots = 0
        self.taken = 0
        self._ranking: Ranking[WorkerLink] = Ranking()
        self._ring: Ring[WorkerLink] = Ring()
        self._seen: dict[WorkerLink, WorkerStatus] = {}
        self._names: dict[WorkerLink, str] = {}
        self._by_request: dict[str, set[WorkerLink]] = {}
        self._silent: dict[WorkerLink, None] = {}
        self._orders: dict[WorkerLink, int] = {}
        self._known = 0

    def add(self, link: WorkerLink) -> None:
        """A worker that there is, before it has said anything."""
        self._orders[link] = self._known = self._known + 1

    def take(self, link: WorkerLink) -> None:
        """Learns what a worker has said, or that it is no longer reached."""
        before, now = self._seen.get(link), link.status if link.up else None
        if before is not now:
            if before is not None:
                self._leave(link, before)
            if now is not None:
                self._enter(link, now)
        self.rank(link)

    def forget(self, link: WorkerLink) -> None:
        """It is no longer a worker of this edge. Safe to call twice."""
        before = self._seen.get(link)
        if before is not None:
            self._leave(link, before)
        self._ranking.drop(link)
        if (name := self._names.pop(link, None)) is not None:
            self._ring.drop(name, link)
        self._orders.pop(link, None)

    def rank(self, link: WorkerLink) -> None:
        """Gives a worker its place after its claims have changed."""
        if link in self._seen and link.status is not None:
            self._ranking.put(link, _rank(link, link.status, self._orders[link]))

    def first(self, without: Collection[WorkerLink] = ()) -> tuple[WorkerLink, Rank] | None:
        """The one that a session is asked of first; those that are to end come last."""
        return self._ranking.first(without)

    def rank_of(self, link: WorkerLink) -> Rank | None:
        """None for one that is not reached."""
        return self._ranking.rank_of(link)

    def by_affinity(self, key: str) -> Iterator[WorkerLink]:
        """Those that are reached, in the order of a key, which is the same at each edge."""
        return (each for each in self._ring.after(key) if each in self._seen)

    def may_have(self, wanted: Wanted) -> list[WorkerLink]:
        """Those that may have the session of a request, or be opening it."""
        first = islice(self.by_affinity(wanted.key), FIRST_ASKED)
        return list(dict.fromkeys((*first, *self._by_request.get(wanted.digest, ()), *self._silent)))

    def _enter(self, link: WorkerLink, now: WorkerStatus) -> None:
        self._seen[link] = now
        self.up[link] = None
        self._name(link, now.name)
        if not now.is_draining:
            self.taking += 1
            self.slots += now.slots
            self.taken += now.taken
        if now.requests is None:
            self._silent[link] = None
        for each in now.requests or ():
            self._by_request.setdefault(each, set()).add(link)

    def _leave(self, link: WorkerLink, before: WorkerStatus) -> None:
        del self._seen[link]
        del self.up[link]
        self._ranking.drop(link)
        self._silent.pop(link, None)
        if not before.is_draining:
            self.taking -= 1
            self.slots -= before.slots
            self.taken -= before.taken
        for each in before.requests or ():
            holders = self._by_request[each]
            holders.discard(link)
            if not holders:
                del self._by_request[each]

    def _name(self, link: WorkerLink, name: str) -> None:
        known = self._names.get(link)
        if known != name:
            if known is not None:
                self._ring.drop(known, link)
            self._names[link] = name
        self._ring.put(name, link)


def _rank(link: WorkerLink, status: WorkerStatus, order: int) -> Rank:
    free = status.slots - status.taken - link.pending
    taken = 1 - free / status.slots if status.slots else 1.0
    return Rank(
        is_draining=status.is_draining,
        is_full=free <= 0 or status.memory_share >= 1,
        load=round(max(taken, status.memory_share), 2),
        is_cold=link.browser_since_s is None,
        browser_s=-(link.browser_since_s or 0.0),
        order=order,
    )
