"""What stages cost. Memory is real: blocks that are taken and given back."""

from __future__ import annotations

import mmap

import pytest

from perception.bench.memory_meter import StageMeter, peak_memory, resident_bytes

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


def test_resident_memory_grows_by_what_is_held() -> None:
    before = resident_bytes()
    block = hold(64 * MIB)
    assert resident_bytes() - before == pytest.approx(64 * MIB, abs=8 * MIB)
    block.close()
    assert resident_bytes() - before == pytest.approx(0, abs=8 * MIB)


def test_a_peak_is_seen_although_the_memory_is_gone_at_the_end() -> None:
    before = resident_bytes()
    with peak_memory() as peak:
        hold(64 * MIB).close()
    seen = peak()
    assert seen is not None
    assert seen - before == pytest.approx(64 * MIB, abs=8 * MIB)


def test_an_earlier_peak_is_not_a_later_stages() -> None:
    hold(128 * MIB).close()
    before = resident_bytes()
    with peak_memory() as peak:
        hold(16 * MIB).close()
        seen = peak()
    assert seen is not None
    assert seen - before == pytest.approx(16 * MIB, abs=8 * MIB)


def test_a_stage_within_a_stage_does_not_hide_the_outer_ones_peak() -> None:
    meter = StageMeter()
    before = resident_bytes()
    with meter.stage("outer"):
        hold(96 * MIB).close()
        with meter.stage("inner"):
            hold(32 * MIB).close()
    outer, inner = (meter.costs[name].peak_bytes for name in ("outer", "inner"))
    assert outer is not None
    assert inner is not None
    assert outer - before == pytest.approx(96 * MIB, abs=8 * MIB)
    assert inner - before == pytest.approx(32 * MIB, abs=8 * MIB)


def test_a_stages_time_adds_up_and_its_greatest_peak_stays() -> None:
    clock = FakeClock()
    meter = StageMeter(clock)
    before = resident_bytes()
    for seconds, size in ((1.5, 64), (0.5, 16)):
        with meter.stage("read"):
            hold(size * MIB).close()
            clock.now_s += seconds
    cost = meter.costs["read"]
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
