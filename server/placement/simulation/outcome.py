"""What one simulated cluster shows, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from statistics import fmean

import msgspec

from perception.server.placement.simulation.model import Measured, ModeledEdge
from perception.server.placement.simulation.simulate import Simulation
from perception.server.placement.worker_status import heartbeat_of

WRONG = ("slots lost", "located at the wrong worker", "unanswered requests")


class ClusterAsked(msgspec.Struct, frozen=True):
    """Which cluster to simulate."""

    measured: Measured
    workers: int
    edges: int
    slots: int
    sessions: int
    seed: int


class ClusterOutcome(msgspec.Struct, frozen=True):
    """One simulated cluster.

    Attributes:
        counts: by what happened; see `simulate`.
        virtual_s: how long it went on, by the virtual clock.
        claim_us: median and 99th percentile of a claim, microseconds of processor time of an edge's code.
        claims_per_s: of one edge, if it did nothing but claims and the news that they cause.
        waited_ms: virtual, median and 99th percentile, until a worker had a slot for the session.
        imbalance: mean of the 99th percentile of workers' shares of taken slots, less the average share.
        sessions_per_s: that opened, by the virtual clock.
        news_share: of one core of an edge, for what workers say over gRPC: the measured cost of one message, times
            heartbeats, openings and ends of sessions a second.
        links_mib: memory of an edge for its connections: measured, times their number.
        wrong: how much of it must not be.
    """

    workers: int
    counts: dict[str, int]
    virtual_s: float
    claim_us: tuple[float, float]
    claims_per_s: float
    waited_ms: tuple[float, float]
    imbalance: float
    sessions_per_s: float
    news_share: float
    links_mib: float
    wrong: int


def simulate_cluster(asked: ClusterAsked) -> ClusterOutcome:
    """Drives the sessions through the cluster."""
    simulation = Simulation(asked.measured, asked.workers, asked.edges, asked.slots, asked.sessions, asked.seed)
    outcome = simulation.run()
    claims = sorted(chain.from_iterable(each.claim_s for each in simulation.edges))
    waited = sorted(outcome.waited_s)
    opened_per_s = outcome.counts["sessions"] / simulation.arrived_s
    heard_per_s = asked.workers / heartbeat_of(asked.workers) + 2 * opened_per_s
    return ClusterOutcome(
        workers=asked.workers,
        counts=dict(outcome.counts),
        virtual_s=simulation.clock.now,
        claim_us=(_at(claims, 0.5) * 1e6, _at(claims, 0.99) * 1e6),
        claims_per_s=1 / _session_s(simulation.edges, claims),
        waited_ms=(_at(waited, 0.5) * 1e3, _at(waited, 0.99) * 1e3),
        imbalance=fmean(outcome.imbalance),
        sessions_per_s=opened_per_s,
        news_share=heard_per_s * asked.measured.heartbeat_cpu_s,
        links_mib=asked.workers * asked.measured.link_mib,
        wrong=sum(outcome.counts[each] for each in WRONG),
    )


def _session_s(edges: Sequence[ModeledEdge], claims: Sequence[float]) -> float:
    """Seconds of an edge's code for one session: its claim, and that it opens and ends, which all edges hear."""
    return fmean(claims) + 2 * fmean(each.status_s / each.statuses for each in edges)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))]
