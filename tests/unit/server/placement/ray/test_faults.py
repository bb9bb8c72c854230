"""One round of the quick faults of a Ray cluster: three nodes, real workers, browsers and callers."""

from __future__ import annotations

import importlib.util

import pytest

from perception.bench.suites.cluster_faults.run import chosen_faults, placement_named, run_faults
from perception.errors import BadInputError

HAS_RAY = importlib.util.find_spec("ray") is not None

QUICK = ("killed with live calls", "node killed", "head killed")


@pytest.mark.skipif(not HAS_RAY, reason="needs Ray: .ci/ray runs it")
async def test_callers_of_workers_on_ray_are_told_of_faults_and_nothing_is_lost_or_done_twice() -> None:
    run = await run_faults(chosen_faults(QUICK), 1, placement_named("ray"), lambda name, wrong: None, quiet_s=0)
    assert {each.fault: each.wrong for each in run.results if each.wrong} == {}
    told = {each.fault: each.told or {} for each in run.results}
    assert told["worker killed with live calls"]["SESSION_LOST"]
    assert set(told["head killed and back after 10 s"]) == {"OK"}


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_the_error_says_how_to_get_it() -> None:
    with pytest.raises(BadInputError, match=r"pip install 'perception-service\[ray\]'"):
        placement_named("ray")
