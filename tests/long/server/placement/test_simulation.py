"""The real placement over modeled workers: what must hold at each size, in a small run, and that the run can fail."""

from __future__ import annotations

import pytest

from perception.bench.quiet_logs import quiet_logs
from perception.server.placement.simulation.model import Measured
from perception.server.placement.simulation.outcome import ClusterAsked, ClusterOutcome, simulate_cluster
from perception.server.placement.simulation.simulate import Simulation
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import WorkerStatus

MEASURED = Measured("by hand", (0.15, 0.2, 0.5), (0.0003, 0.0003, 0.003), 0.0002, 0.2)


def simulate_size(workers: int, edges: int, slots: int, sessions: int, seed: int) -> ClusterOutcome:
    with quiet_logs():
        return simulate_cluster(ClusterAsked(MEASURED, workers, edges, slots, sessions, seed))


@pytest.mark.parametrize(("workers", "edges", "sessions"), [(3, 1, 500), (10, 3, 4000), (300, 2, 3000)])
def test_no_slot_is_lost_and_every_session_is_found(workers: int, edges: int, sessions: int) -> None:
    outcome = simulate_size(workers, edges, 16, sessions, seed=2)
    assert outcome.wrong == 0
    counts = outcome.counts
    answered = counts["sessions"] + counts["repeats that found their session"] + counts["callers that left"]
    assert answered + counts.get("refused, all slots taken", 0) == sessions + counts["repeated requests"]
    assert counts["located"] > 0.1 * sessions
    assert counts["failures"] + counts["drains"] > 0
    assert counts.get("double sessions", 0) <= sessions / 1000
    assert counts["workers asked for a request"] < 6 * sessions


def test_a_claim_costs_as_much_among_many_workers_as_among_few() -> None:
    asked = []
    for workers in (10, 1000):
        house = Simulation(MEASURED, workers, 1, 16, 1)
        with quiet_logs():
            for each in house.workers:
                house.edges[0].hear(house.edges[0].links[each], each.status(0.0))
        heap = house.edges[0].workers._index._ranking
        for _ in range(3 * 16 * 10):
            house.edges[0].claim([], "")
        asked.append(len(heap._heap) - len(heap))
    assert asked[1] <= asked[0] + 1000 + 64


def test_equal_seeds_give_equal_runs() -> None:
    one, two, other = (simulate_size(5, 2, 8, 600, seed) for seed in (4, 4, 5))
    assert (one.counts, one.waited_ms) == (two.counts, two.waited_ms)
    assert one.counts != other.counts


def test_a_slot_that_an_edge_does_not_give_back_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def hear(link: WorkerLink, status: WorkerStatus) -> None:
        link.status, link.up = status, not status.ended
        link.on_change(link)  # and its claims are kept

    monkeypatch.setattr(WorkerLink, "hear", hear)
    monkeypatch.setattr(WorkerLink, "hear_again", lambda _: None)
    assert simulate_size(20, 2, 16, 1500, seed=3).counts["slots lost"] > 0
