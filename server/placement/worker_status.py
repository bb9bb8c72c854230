"""What a worker tells edges of itself, and the names of the rpcs between them. Internal: no part of the contract.

Messages are JSON. A field that one side does not know is ignored, one that is absent has its default: edges and
workers of neighboring versions work together.
"""

from __future__ import annotations

import hashlib

import msgspec

SERVICE = "perception.cluster.v1.WorkerService"

WATCH, FIND, DRAIN = (f"/{SERVICE}/{name}" for name in ("WatchStatus", "FindRequest", "Drain"))
"""A stream of WorkerStatus: at once, after each change, and every HEARTBEAT_SECONDS; whether a request id's session is
here; no more sessions from now on.

The first one takes a WatchAsked, or no bytes from an edge of an older version. Where there was one, a heartbeat that
says nothing new has no bytes."""

HOLD = f"/{SERVICE}/HoldRequest"
"""A turn to open the session of a request. Takes a Wanted, then an Asked for each worker that is asked for the session.
Answers with no bytes at once, and with a Held when it is the caller's turn, which lasts as long as the call."""

FIGURES = f"/{SERVICE}/Figures"
"""Figures of its metrics, as of now."""

HEARTBEAT_SECONDS = 1.0

RARE_HEARTBEAT_SECONDS = 2.0
"""The longest time between two heartbeats: two may be late or lost before a worker counts as silent."""

HEARTBEATS_PER_SECOND = 500
"""How many an edge hears of all its workers before it asks for fewer. Each one costs it 0.1 to 0.2 ms of a core:
`python -m perception.bench.suites.placement_simulation.measure`."""

SILENT_SECONDS = 5.0
"""After which a worker that says nothing counts as unreachable: it hangs, or the network does. Chosen by hand."""


def heartbeat_of(workers: int) -> float:
    """Seconds between two heartbeats of each of that many workers."""
    return min(RARE_HEARTBEAT_SECONDS, max(HEARTBEAT_SECONDS, workers / HEARTBEATS_PER_SECOND))


DIGEST_CHARACTERS = 16
"""Of a request's digest. A worker is asked before it counts as the one that has the session."""


class WorkerStatus(msgspec.Struct, frozen=True):
    """A worker's own account of itself.

    Attributes:
        name: names it in logs; its number is made of it.
        number, epoch: as in the ids of its sessions.
        slots, taken: sessions that it takes in all, and that are open or opening.
        memory_share: of the memory that its browsers may use; over 1 it takes no sessions.
        browser_age_s: how long its shared browser has run; None for none, which the next session has to wait for.
        closes_by_s: when it ends at the latest, in seconds since 1970; None while it is not to end.
        ended: it ends now, and its sessions with it.
        requests: digests of the requests that have opened its sessions, or are opening them; None of a worker that does
            not say them, and has to be asked.
        folder: id of its data folder; empty where it says none.
    """

    name: str
    number: int
    epoch: int
    slots: int = 0
    taken: int = 0
    memory_share: float = 0.0
    browser_age_s: float | None = None
    closes_by_s: float | None = None
    ended: bool = False
    requests: tuple[str, ...] | None = None
    folder: str = ""

    @property
    def is_draining(self) -> bool:
        return self.closes_by_s is not None or self.ended


class Wanted(msgspec.Struct, frozen=True):
    """Whose session is looked for, by the request that opened it."""

    principal: str
    request_id: str

    @property
    def key(self) -> str:
        """Which workers it leads to, by `affinity`; empty for a request without an id."""
        return f"{self.principal}\0{self.request_id}" if self.request_id else ""

    @property
    def digest(self) -> str:
        """Names it in a WorkerStatus."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:DIGEST_CHARACTERS]


class WatchAsked(msgspec.Struct, frozen=True):
    """How often a worker is to say that it is there."""

    heartbeat_s: float = HEARTBEAT_SECONDS


class Found(msgspec.Struct, frozen=True):
    """Whether it is here."""

    here: bool


class Held(msgspec.Struct, frozen=True):
    """It is the caller's turn. `asked`: number of the worker that was asked for the session last; None for none."""

    asked: int | None = None


class Asked(msgspec.Struct, frozen=True):
    """The worker of that number is about to be asked for the session."""

    worker: int


class DrainAsked(msgspec.Struct, frozen=True):
    """How long sessions may go on; None for as long as the worker's own setting says."""

    grace_s: float | None = None


class FiguresAsked(msgspec.Struct, frozen=True):
    """Asks for all figures."""


class Figure(msgspec.Struct, frozen=True, array_like=True):
    """One number of a worker's metrics.

    Attributes:
        name: one of `figures.SOURCES`.
        labels: the values of its labels there.
    """

    name: str
    labels: tuple[str, ...]
    value: float


class Figures(msgspec.Struct, frozen=True):
    """What a worker's metrics say now."""

    figures: tuple[Figure, ...] = ()
