"""What a worker tells edges of itself, and the names of the rpcs between them. Internal: no part of the contract.

Messages are JSON. A field that one side does not know is ignored, one that is absent has its default: edges and
workers of neighbouring versions work together.
"""

from __future__ import annotations

import msgspec

SERVICE = "perception.cluster.v1.WorkerService"

WATCH, FIND, DRAIN = (f"/{SERVICE}/{name}" for name in ("WatchStatus", "FindRequest", "Drain"))
"""A stream of WorkerStatus: at once, after each change, and every HEARTBEAT_SECONDS; whether a request id's session is
here; no more sessions from now on."""

HEARTBEAT_SECONDS = 1.0

SILENT_SECONDS = 5.0
"""After which a worker that says nothing counts as unreachable: it hangs, or the network does. Chosen by hand."""


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

    @property
    def is_draining(self) -> bool:
        return self.closes_by_s is not None or self.ended


class Wanted(msgspec.Struct, frozen=True):
    """Whose session is looked for, by the request that opened it."""

    principal: str
    request_id: str


class Found(msgspec.Struct, frozen=True):
    """Whether it is here."""

    here: bool


class DrainAsked(msgspec.Struct, frozen=True):
    """How long sessions may go on; None for as long as the worker's own setting says."""

    grace_s: float | None = None
