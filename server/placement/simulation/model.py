"""Modeled workers and their edges under a virtual clock. The placement itself is the real one.

Rule 1: what an edge knows it has heard: `WorkerStatus` and `WorkerLink` are the real ones, only without a connection.
Rule 2: times are drawn from what was measured (`Measured`), by a seeded generator: equal options give equal runs.
"""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perception.server.auth.session_ids import ClusterKey, SessionId, worker_number, write_session_id
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import Wanted, WorkerStatus
from perception.server.placement.workers import Workers

KEYS = (ClusterKey(b"s" * 32),)

GRACE_SECONDS = 300.0


class VirtualClock:
    """Time that passes from event to event."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._serial = itertools.count()

    def after(self, seconds: float, call: Callable[..., None], *arguments: Any) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._serial), call, arguments))

    def run(self, until: Callable[[], bool]) -> None:
        """Runs the events until something holds, or none are left."""
        while self._events and not until():
            self.now, _, call, arguments = heapq.heappop(self._events)
            call(*arguments)


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured seconds, as samples to draw from. `made`: how and where.

    Attributes:
        opening_s: from a request for a session until its answer, at a worker with a warm browser.
        hop_s: between an edge and a worker, one way.
        heartbeat_cpu_s: processor time of an edge for one heartbeat.
        link_mib: memory of an edge for one connection.
    """

    made: str
    opening_s: tuple[float, ...]
    hop_s: tuple[float, ...]
    heartbeat_cpu_s: float
    link_mib: float


class ModeledLink(WorkerLink):
    """An edge's link to a modeled worker."""

    def _connect(self) -> None:
        pass

    def start(self) -> None:
        pass

    async def close(self) -> None:
        pass


@dataclass(slots=True, eq=False)
class ModeledWorker:
    """A worker whose sessions are only ids.

    Attributes:
        sessions: the request's key by session; empty where it has none.
        requests: the session by the request's key.
        turns: who waits for a turn of a request, by its key; whoever is first has it.
        asked: the worker that was asked for a request's session last, by its key.
        heard_at: when each edge gets what was said last: messages of a stream keep their order.
    """

    name: str
    slots: int
    epoch: int
    browser_since_s: float
    number: int = 0
    is_up: bool = True
    is_draining: bool = False
    serial: int = 0
    sessions: dict[str, str] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    turns: dict[str, list[Any]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    heard_at: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.number = worker_number(self.name)

    @property
    def is_full(self) -> bool:
        return len(self.sessions) >= self.slots

    @property
    def free(self) -> int:
        """Slots that a session would get now."""
        return self.slots - len(self.sessions) if self.is_up and not self.is_draining else 0

    def status(self, now: float, *, ended: bool = False) -> WorkerStatus:
        taken = len(self.sessions)
        return WorkerStatus(
            name=self.name,
            number=self.number,
            epoch=self.epoch,
            slots=self.slots,
            taken=taken,
            memory_share=round(0.7 * taken / self.slots, 2),
            browser_age_s=now - self.browser_since_s,
            closes_by_s=now + GRACE_SECONDS if self.is_draining else None,
            ended=ended,
            requests=tuple(self.digests.values()),
        )

    def open(self, wanted: Wanted) -> str:
        """The id of a new session."""
        self.serial += 1
        session_id = write_session_id(
            SessionId(self.number, self.epoch, self.serial % self.slots, self.serial), KEYS[0]
        )
        key = wanted.key
        self.sessions[session_id] = key
        if key:
            self.requests[key] = session_id
            self.digests[key] = wanted.digest
        return session_id

    def end(self, session_id: str) -> None:
        key = self.sessions.pop(session_id)
        if key:
            del self.requests[key], self.digests[key]

    def lose_all(self) -> int:
        """Returns how many sessions there were."""
        lost = len(self.sessions)
        self.sessions, self.requests, self.digests, self.asked = {}, {}, {}, {}
        return lost


class ModeledEdge:
    """The real placement of one edge.

    Attributes:
        claim_s: processor seconds of each claim.
        news: how often workers said something.
        status_s, statuses: processor seconds of what was not a heartbeat, and how often.
    """

    def __init__(self, clock: VirtualClock, workers: list[ModeledWorker]) -> None:
        self.claim_s: list[float] = []
        self.news = 0
        self.status_s = 0.0
        self.statuses = 0
        self.workers = Workers(
            lambda: KEYS,
            lambda name, on_change, beat_s: ModeledLink(
                name, lambda: KEYS, on_change, clock=lambda: clock.now, heartbeat_s=beat_s
            ),
        )
        self.workers.expect([each.name for each in workers])
        by_name = {each.name: each for each in workers}
        self.links = {by_name[each.address]: each for each in self.workers.links}
        self.owners = {link: worker for worker, link in self.links.items()}

    def claim(self, tried: list[WorkerLink], key: str) -> WorkerLink:
        """Raises as `Workers.claim`."""
        start = time.thread_time()
        try:
            return self.workers.claim(tried, key)
        finally:
            self.claim_s.append(time.thread_time() - start)

    def hear(self, link: WorkerLink, status: WorkerStatus | None) -> None:
        """What a worker says; None for a heartbeat without news."""
        self.news += 1
        if status is None:
            link.hear_again()
            return
        start = time.thread_time()
        link.hear(status)
        self.status_s += time.thread_time() - start
        self.statuses += 1


def drawn(dice: random.Random, samples: tuple[float, ...]) -> float:
    """A value between the measured ones: the inverse of their distribution."""
    place = dice.random() * (len(samples) - 1)
    low = int(place)
    high = min(low + 1, len(samples) - 1)
    return samples[low] + (samples[high] - samples[low]) * (place - low)
