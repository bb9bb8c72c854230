from __future__ import annotations

import pytest

from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.testing import FakeClock


def test_a_deadline_passes_only_when_the_clock_is_advanced() -> None:
    clock = FakeClock()
    deadline = Deadline.of(2, clock)
    clock.advance(1.5)
    assert deadline.remaining() == 0.5
    deadline.check("detect")
    clock.advance(0.5)
    with pytest.raises(DeadlineError):
        deadline.check("detect")


def test_the_clock_starts_where_a_test_sets_it_and_never_goes_back() -> None:
    clock = FakeClock(100)
    clock.advance(0)
    assert clock() == clock.now == 100
    with pytest.raises(ValueError, match="cannot go back by 1 s"):
        clock.advance(-1)
