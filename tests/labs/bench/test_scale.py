"""The suites `scale` and `placement_simulation` over real processes, in their smallest form."""

from __future__ import annotations

import pytest

from perception.bench.suite_options import parse_counts
from perception.bench.suites.placement_simulation.run import MAX_WORKERS, run_simulation
from perception.bench.suites.scale.run import (
    CHANGED,
    CLICK,
    EMPTY,
    FIRST,
    OPEN,
    PNG,
    UNCHANGED,
    run_scale,
)
from perception.errors import BadInputError


def test_both_sides_are_measured_alike() -> None:
    run = run_scale((1,), rounds=10, seconds=0.0, sessions=1, say=lambda _: None)
    whats = {FIRST, CHANGED, UNCHANGED, CLICK, EMPTY, PNG, OPEN}
    for samples in (run.samples, run.direct):
        assert {each.what for each in samples} == whats
        assert all(each.ms > 0 for each in samples)
    assert len(run.samples) == len(run.direct)
    assert run.png_bytes > 1_000_000
    assert [each.process for each in run.costs] == ["service", "edge", "worker"]


@pytest.mark.parametrize("text", ["", "0", "x", "1,65"])
def test_numbers_of_workers_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="write numbers from 1 to 64"):
        parse_counts(text, "workers")


def test_clusters_are_simulated_by_the_services_own_code() -> None:
    run = run_simulation((5, 20), sessions=800, edges=2, slots=8, seed=1, say=lambda _: None)
    assert [each.workers for each in run.sizes] == [5, 20]
    assert all(each.counts["sessions"] > 100 for each in run.sizes)
    assert all(each.wrong == 0 for each in run.sizes)


@pytest.mark.parametrize("text", ["", "0", "ten", "10,-1", "30000"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"write numbers from 1 to 20000"):
        parse_counts(text, "workers", MAX_WORKERS)
