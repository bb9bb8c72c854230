"""What a run of `cluster_faults` found."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FILES_SLACK = 12
"""How many more open files a process may have in the end: thread pools, connections that are about to close."""

PROCESSES_SLACK = 4
"""How many more processes there may be in the end: Chromium keeps a spare renderer for each context or none."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the edges and workers hold while nothing is under way.

    Attributes:
        processes: of all of them, browsers included, and those that nobody ended.
        edge_files, worker_files: open files of the edge, and of the worker, that has most.
        links: TCP connections of the edge that has most.
        folders: temporary folders of all workers.
        actors: of Ray; 0 without it.
    """

    processes: int
    edge_files: int
    worker_files: int
    links: int
    folders: int
    actors: int = 0


@dataclass(frozen=True, slots=True)
class FaultResult:
    """All rounds of one fault.

    Attributes:
        fault: its name.
        rounds: how often it was injected.
        told: answers of all calls, by reason.
        again_s: of each round, seconds until every caller had its work done again.
        other_p99_ms: of text snapshots of sessions that the fault did not hit; None without any.
        others: how many there were.
        quiet_p99_ms: of the same load without a fault.
        wrong: what was wrong, one line each.
        skipped: why it could not be injected; empty if it was.
        first, last: counts after the first and the last round.
    """

    fault: str
    rounds: int = 0
    told: Mapping[str, int] | None = None
    again_s: tuple[float, ...] = ()
    other_p99_ms: float | None = None
    others: int = 0
    quiet_p99_ms: float | None = None
    wrong: tuple[str, ...] = ()
    skipped: str = ""
    first: Counts | None = None
    last: Counts | None = None

    @property
    def ratio(self) -> float | None:
        """p99 of the others' snapshots, with the fault to without."""
        return self.other_p99_ms / self.quiet_p99_ms if self.other_p99_ms and self.quiet_p99_ms else None

    @property
    def leaks(self) -> list[str]:
        """What there is more of after the last round than after the first."""
        if self.first is None or self.last is None:
            return []
        slack = {"processes": PROCESSES_SLACK, "edge_files": FILES_SLACK, "worker_files": FILES_SLACK}
        return [
            f"{name.replace('_', ' ')} {before} → {after}"
            for name in Counts.__slots__
            if (after := getattr(self.last, name)) > (before := getattr(self.first, name)) + slack.get(name, 2)
        ]


@dataclass(frozen=True, slots=True)
class ClusterFaultsRun:
    """A run. `placement`: where the workers were; `workers`, `slots`: how many, and of each."""

    placement: str
    workers: int
    slots: int
    callers: int
    results: tuple[FaultResult, ...]

    def failed(self) -> int:
        """Faults with a wrong outcome or a leak."""
        return sum(bool(each.wrong or each.leaks) for each in self.results)


def p99_ms(seconds: Sequence[float]) -> float | None:
    """None for fewer than two."""
    if len(seconds) < 2:
        return None
    return statistics.quantiles(seconds, n=100, method="inclusive")[98] * 1000
