"""What stages cost. Memory is real: blocks that are taken and given back."""

from __future__ import annotations

import mmap
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

import pytest

from perception.bench.memory_meter import StageCost, StageMeter, peak_memory, resident_bytes

T = TypeVar("T")

MIB = 1024 * 1024


def hold(size: int) -> mmap.mmap:
    """Memory that is truly there, and truly gone when closed."""
    block = mmap.mmap(-1, size)
    for at in range(0, size, mmap.PAGESIZE):
        block[at] = 1
    return block


class FakeClock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


Alone = Callable[[Callable[[], T]], T]


@pytest.fixture(scope="module")
def alone() -> Iterator[Alone[Any]]:
    """Calls a function in a process that does nothing else: in this one, services that other tests left running take
    and give back memory at any time."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda measure: pool.submit(measure).result()


def while_held_and_after() -> tuple[int, int]:
    before = resident_bytes()
    block = hold(64 * MIB)
    held = resident_bytes()
    block.close()
    return held - before, resident_bytes() - before


def test_resident_memory_grows_by_what_is_held(alone: Alone[tuple[int, int]]) -> None:
    assert alone(while_held_and_after) == pytest.approx((64 * MIB, 0), abs=8 * MIB)


def peak_of_what_is_gone() -> tuple[int, int | None]:
    before = resident_bytes()
    with peak_memory() as peak:
        hold(64 * MIB).close()
    return before, peak()


def test_a_peak_is_seen_although_the_memory_is_gone_at_the_end(alone: Alone[tuple[int, int | None]]) -> None:
    before, seen = alone(peak_of_what_is_gone)
    assert seen is not None
    assert seen - before == pytest.approx(64 * MIB, abs=8 * MIB)


def peak_after_a_larger_one() -> tuple[int, int | None]:
    hold(128 * MIB).close()
    before = resident_bytes()
    with peak_memory() as peak:
        hold(16 * MIB).close()
        return before, peak()


def test_an_earlier_peak_is_not_a_later_stages(alone: Alone[tuple[int, int | None]]) -> None:
    before, seen = alone(peak_after_a_larger_one)
    assert seen is not None
    assert seen - before == pytest.approx(16 * MIB, abs=8 * MIB)


def cost_of_stages_in_each_other() -> tuple[int, StageCost, StageCost]:
    meter = StageMeter()
    before = resident_bytes()
    with meter.stage("outer"):
        hold(96 * MIB).close()
        with meter.stage("inner"):
            hold(32 * MIB).close()
    return before, meter.costs["outer"], meter.costs["inner"]


def test_a_stage_within_a_stage_does_not_hide_the_outer_ones_peak(
    alone: Alone[tuple[int, StageCost, StageCost]],
) -> None:
    before, *costs = alone(cost_of_stages_in_each_other)
    outer, inner = (each.peak_bytes for each in costs)
    assert outer is not None
    assert inner is not None
    assert outer - before == pytest.approx(96 * MIB, abs=8 * MIB)
    assert inner - before == pytest.approx(32 * MIB, abs=8 * MIB)


def cost_of_a_stage_that_is_repeated() -> tuple[int, StageCost]:
    clock = FakeClock()
    meter = StageMeter(clock)
    before = resident_bytes()
    for seconds, size in ((1.5, 64), (0.5, 16)):
        with meter.stage("read"):
            hold(size * MIB).close()
            clock.now_s += seconds
    return before, meter.costs["read"]


def test_a_stages_time_adds_up_and_its_greatest_peak_stays(alone: Alone[tuple[int, StageCost]]) -> None:
    before, cost = alone(cost_of_a_stage_that_is_repeated)
    assert (cost.calls, cost.milliseconds) == (2, 2000)
    assert cost.peak_bytes is not None
    assert cost.peak_bytes - before == pytest.approx(64 * MIB, abs=8 * MIB)
    assert abs(cost.resident_bytes - before) < 8 * MIB


def test_a_stage_that_fails_is_counted_and_its_error_goes_on() -> None:
    clock = FakeClock()
    meter = StageMeter(clock)

    def fail() -> None:
        clock.now_s += 0.25
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"), meter.stage("read"):
        fail()
    assert (meter.costs["read"].calls, meter.costs["read"].milliseconds) == (1, 250)
    assert StageMeter().costs == {}
