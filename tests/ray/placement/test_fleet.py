"""Workers that are made while claims wait, and drained when they are idle."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from perception.errors import BadInputError
from perception.server.placement.ray.facts import WorkerFacts
from perception.server.placement.ray.growth import Bounds, Plan, bounds_in, plan_of
from tests.long.server.placement.test_processes import client_of
from tests.ray.placement.conftest import RayCluster

BOUNDS = Bounds(1, 4, 300)


def worker(number: int, taken: int = 0, state: str = "serving") -> WorkerFacts:
    address = "" if state == "starting" else f"a:{number}"
    return WorkerFacts(f"worker-{number}", address, state=state, slots=2 if address else 0, taken=taken)


@pytest.mark.parametrize(
    ("workers", "waiting", "idle", "plan"),
    [
        pytest.param([], 0, {}, Plan(1), id="fewer than the least"),
        pytest.param([worker(1)], 0, {}, Plan(), id="enough"),
        pytest.param([worker(1, 2)], 3, {}, Plan(2), id="claims wait"),
        pytest.param([worker(1, 2), worker(2, state="starting")], 3, {}, Plan(1), id="one is coming"),
        pytest.param([worker(1, 2)], 99, {}, Plan(3), id="not more than the most"),
        pytest.param([worker(1, 2), worker(2, 1, "draining")], 1, {}, Plan(1), id="one that drains is none"),
        pytest.param([worker(1), worker(2)], 0, {"worker-2": 100.0}, Plan(drain="worker-2"), id="idle"),
        pytest.param([worker(1), worker(2)], 0, {"worker-2": 900.0}, Plan(), id="not idle for long"),
        pytest.param([worker(1), worker(2)], 1, {"worker-2": 100.0}, Plan(1), id="claims wait though slots look free"),
        pytest.param([worker(1)], 0, {"worker-1": 100.0}, Plan(), id="idle, and the least"),
    ],
)
def test_a_fleet_is_as_large_as_its_claims_ask_for(
    workers: list[WorkerFacts], waiting: int, idle: Mapping[str, float], plan: Plan
) -> None:
    made = plan_of(workers, waiting, idle, 1000.0, BOUNDS)
    assert (made.drain, max(made.make, 0)) == (plan.drain, plan.make)


def test_a_number_or_a_range_of_workers() -> None:
    assert bounds_in("3", None) == Bounds(3, 3, 300, is_fleet=False)
    assert bounds_in("0-8", 5.0) == Bounds(0, 8, 5.0)
    for text in ("x", "3-1", "0-0", "-4", "1-"):
        with pytest.raises(BadInputError, match="is not a number: write 4, or 1-8"):
            bounds_in(text, None)
    with pytest.raises(BadInputError, match="is for a range"):
        bounds_in("3", 5.0)


async def test_a_fleet_grows_while_claims_wait_and_shrinks_when_it_is_idle(ray_cluster: RayCluster) -> None:
    lines = await asyncio.to_thread(
        ray_cluster.start_workers, "--workers", "1-2", "--idle-worker", "3", "--max-sessions", "1"
    )
    assert lines[-1] == "1 to 2 workers, as sessions ask for them"
    client = await client_of(ray_cluster.start_edge("--claim-wait", "60"))
    one = await client.open(timeout_s=60)
    two = await client.open(timeout_s=60)
    assert one.session_id[:7] != two.session_id[:7]
    await one.close()
    left = await asyncio.to_thread(ray_cluster.until_workers, lambda found: len(found) == 1)
    assert left[0]["taken"] == 1
    await two.snapshot(mode="MODE_TEXT")
    await two.close()
    await client.close()
    code, said, _ = await asyncio.to_thread(
        ray_cluster.run, "cluster", "stop", "--placement", f"ray={ray_cluster.address}", "--grace", "0"
    )
    assert (code, said.count("takes no more")) == (0, 1)
    assert await asyncio.to_thread(ray_cluster.until_workers, lambda found: not found) == []
