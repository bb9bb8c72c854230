"""What a worker's actor says of its worker, and what a lookout says to its edge. Both are JSON, or plain values."""

from __future__ import annotations

import msgspec


class WorkerFacts(msgspec.Struct, frozen=True):
    """One worker on Ray.

    Attributes:
        name: of the actor.
        address: where its worker serves; empty while it does not.
        node: address of the machine.
        state: `starting`, `serving`, `draining`, `failed` (it ended, and is started again), or what a list says of one
            that did not answer.
        slots, taken: sessions that it takes in all, and that are open.
        error: why it failed last; empty while it serves.
        version: of this package on its machine.
        change: counts changes of the address.
    """

    name: str
    address: str = ""
    node: str = ""
    state: str = "starting"
    slots: int = 0
    taken: int = 0
    error: str = ""
    version: str = ""
    change: int = 0


class Report(msgspec.Struct, frozen=True):
    """One line of an edge to its lookout: how many claims wait for a slot."""

    waiting: int = 0


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a lookout.

    Attributes:
        workers: addresses of all workers; None where nothing has changed.
        error: why it cannot look, which ends it.
    """

    workers: tuple[str, ...] | None = None
    error: str = ""
