"""A fault of a cluster: a function that takes the lab and injects it. A wrong outcome is an AssertionError."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from perception.bench.suites.cluster_faults.lab import ClusterLab

Inject = Callable[[ClusterLab], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ClusterFault:
    """One fault.

    Attributes:
        name: as the report has it.
        inject: does it, and returns when the callers that it hits have been told.
        turn: after how many steps callers end their sessions while it is injected; 0 for never.
        placements: where it can be injected; empty for everywhere.
    """

    name: str
    inject: Inject
    turn: int = 0
    placements: tuple[str, ...] = ()


FAULTS: dict[str, ClusterFault] = {}


def cluster_fault(name: str, *, turn: int = 0, placements: tuple[str, ...] = ()) -> Callable[[Inject], Inject]:
    """Registers a fault by its name."""

    def enter(function: Inject) -> Inject:
        FAULTS[name] = ClusterFault(name, function, turn, placements)
        return function

    return enter
