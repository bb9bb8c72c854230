"""Placements of suites: what they may be, and that one with workers serves."""

from __future__ import annotations

import psutil
import pytest

from perception.bench.placements import check_placement, started_service, workers_of
from perception.client import aconnect
from perception.errors import BadInputError


@pytest.mark.parametrize(
    "placement", ["", "elsewhere", "local=1", "static=0", "static=x", "static=65", "static=-1", "ray"]
)
def test_a_placement_that_there_is_not_is_refused(placement: str) -> None:
    with pytest.raises(BadInputError, match="--placement"):
        check_placement(placement)


def test_a_placement_that_says_nothing_of_workers_has_two() -> None:
    assert (workers_of(""), workers_of("5")) == (2, 5)


async def test_an_edge_and_its_workers_are_started_and_end() -> None:
    async with started_service("static=1", allow_hosts=("127.0.0.1",), sessions=1) as service:
        async with await aconnect(service.address, timeout_s=30) as client:
            page = await client.open()  # left open: the end of a worker does not wait for it
            assert (await page.state()).worker
        assert len(service.pids) == 2
    assert not any(map(psutil.pid_exists, service.pids))
