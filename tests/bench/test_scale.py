"""The `scale` suite over real processes, in its smallest form."""

from __future__ import annotations

import pytest

from perception.bench.suites.scale.run import (
    CHANGED,
    CLICK,
    EMPTY,
    FIRST,
    OPEN,
    PNG,
    UNCHANGED,
    parse_counts,
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
        parse_counts(text)
