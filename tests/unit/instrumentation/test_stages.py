"""Times of stages: for the caller and for Prometheus."""

from __future__ import annotations

import pytest

from perception.instrumentation.metrics import STAGE_SECONDS
from perception.instrumentation.stages import Stages


def test_of_parallel_runs_the_caller_has_the_slowest_and_prometheus_each() -> None:
    stages, known = Stages(), STAGE_SECONDS.labels(stage="a test's")
    for spent_ms in (20.0, 50.0, 30.0):
        stages.add_slowest("a test's", spent_ms)
    assert stages.timings_ms == {"a test's": 50.0}
    assert known._sum.get() == pytest.approx(0.1)
