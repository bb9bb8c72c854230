"""Simulates clusters of several sizes, and says what of it is real: the time that the placement's own code takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from perception.bench.quiet_logs import quiet_logs
from perception.bench.suites.placement_simulation.measure import read_measured
from perception.bench.suites.placement_simulation.model import Measured, ModelledEdge
from perception.bench.suites.placement_simulation.simulate import Simulation
from perception.errors import BadInputError
from perception.server.placement.worker_status import heartbeat_of

WRONG = ("slots lost", "located at the wrong worker", "unanswered requests")

MAX_WORKERS = 20_000
"""More take more memory than it is worth."""


@dataclass(frozen=True, slots=True)
class SizeOutcome:
    """One size of cluster.

    Attributes:
        counts: by what happened; see `simulate`.
        virtual_s: how long it went on, by the virtual clock.
        claim_us: median and 99th percentile of a claim, microseconds of processor time of an edge's code.
        news_us: mean of what an edge does with a worker's news or heartbeat, without receiving it.
        claims_per_s: of one edge, if it did nothing but claims and the news that they cause.
        waited_ms: virtual, median and 99th percentile, until a worker had a slot for the session.
        imbalance: mean of the 99th percentile of workers' shares of taken slots, less the average share.
        sessions_per_s: that opened, by the virtual clock.
        news_share: of one core of an edge, for what workers say over gRPC: the measured cost of one message, times
            heartbeats, openings and ends of sessions a second.
        links_mib: memory of an edge for its connections: measured, times their number.
    """

    workers: int
    counts: Mapping[str, int]
    virtual_s: float
    claim_us: tuple[float, float]
    news_us: float
    claims_per_s: float
    waited_ms: tuple[float, float]
    imbalance: float
    sessions_per_s: float
    news_share: float
    links_mib: float

    @property
    def wrong(self) -> int:
        return sum(self.counts.get(each, 0) for each in WRONG)


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """A run. `made`: how the times were measured that it draws from."""

    edges: int
    slots: int
    made: str
    sizes: tuple[SizeOutcome, ...]


def parse_sizes(text: str) -> tuple[int, ...]:
    """`10,100`. Raises BadInputError."""
    words = [each.strip() for each in text.split(",") if each.strip()]
    if not words or not all(each.isdecimal() and 0 < int(each) <= MAX_WORKERS for each in words):
        raise BadInputError(
            f"{text!r} names no numbers of workers: write numbers from 1 to {MAX_WORKERS}, as in 10,100"
        )
    return tuple(int(each) for each in words)


def run_simulation(
    sizes: Sequence[int], sessions: int, edges: int, slots: int, seed: int, say: Callable[[str], None]
) -> SimulationRun:
    """One cluster after the other. See `SimulationOptions`."""
    measured = read_measured()
    found = []
    with quiet_logs():
        for workers in sizes:
            found.append(simulate_size(measured, workers, edges, slots, sessions // len(sizes), seed))
            say(f"{workers} workers: {found[-1].counts.get('sessions', 0)} sessions")
    return SimulationRun(edges, slots, measured.made, tuple(found))


def simulate_size(measured: Measured, workers: int, edges: int, slots: int, sessions: int, seed: int) -> SizeOutcome:
    """One cluster."""
    simulation = Simulation(measured, workers, edges, slots, sessions, seed)
    outcome = simulation.run()
    claims = sorted(chain.from_iterable(each.claim_s for each in simulation.edges))
    waited = sorted(outcome.waited_s)
    news_s = fmean(each.news_s / each.news for each in simulation.edges)
    opened_per_s = outcome.counts["sessions"] / simulation.arrived_s
    heard_per_s = workers / heartbeat_of(workers) + 2 * opened_per_s
    return SizeOutcome(
        workers=workers,
        counts=dict(outcome.counts),
        virtual_s=simulation.clock.now,
        claim_us=(_at(claims, 0.5) * 1e6, _at(claims, 0.99) * 1e6),
        news_us=news_s * 1e6,
        claims_per_s=1 / _session_s(simulation.edges, claims),
        waited_ms=(_at(waited, 0.5) * 1e3, _at(waited, 0.99) * 1e3),
        imbalance=fmean(outcome.imbalance),
        sessions_per_s=opened_per_s,
        news_share=heard_per_s * measured.heartbeat_cpu_s,
        links_mib=workers * measured.link_mib,
    )


def _session_s(edges: Sequence[ModelledEdge], claims: Sequence[float]) -> float:
    """Seconds of an edge's code for one session: its claim, and that it opens and ends, which all edges hear."""
    news_s = fmean(each.status_s / each.statuses for each in edges)
    return fmean(claims) + 2 * news_s


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))]
