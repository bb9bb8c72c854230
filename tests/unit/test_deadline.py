"""What is left of a caller's time, and what its end says."""

from __future__ import annotations

import pytest

from perception.deadline import Deadline
from perception.errors import DeadlineError


@pytest.mark.parametrize("dispatched", [True, False])
def test_a_share_records_whether_input_had_been_sent_before_it(dispatched: bool) -> None:
    now = 0.0
    whole = Deadline.of(10, lambda: now)
    whole.dispatched = dispatched
    part = whole.share(1)
    now = 1.0
    with pytest.raises(DeadlineError) as caught:
        part.check("looking")
    assert caught.value.dispatched is dispatched
    assert ("no input was sent" in str(caught.value)) is not dispatched


def test_input_that_a_part_sends_is_sent_by_the_whole_and_every_other_part() -> None:
    whole = Deadline.of(10)
    before, half = whole.share(1), whole.part(0.5)
    half.share(1).dispatched = True
    assert (before.dispatched, half.dispatched, whole.dispatched) == (True, True, True)
    assert whole.error("clicking").dispatched


def test_input_of_another_request_does_not_count_for_this_one() -> None:
    one, other = Deadline.of(10), Deadline.of(10)
    one.dispatched = True
    assert not other.dispatched


@pytest.mark.parametrize(
    ("seconds", "left"), [pytest.param(1, 1, id="the-seconds"), pytest.param(9, 5, id="at-most-half")]
)
def test_a_share_is_the_seconds_or_half_of_what_is_left(seconds: float, left: float) -> None:
    whole = Deadline.of(10, lambda: 0.0)
    assert whole.share(seconds).remaining() == left


def test_at_most_is_the_seconds_or_all_that_is_left() -> None:
    whole = Deadline.of(10, lambda: 0.0)
    assert (whole.at_most(9).remaining(), whole.at_most(11).remaining()) == (9, 10)


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.5, 1.0])
def test_a_part_is_that_fraction_of_what_is_left(fraction: float) -> None:
    now = 0.0
    whole = Deadline.of(10, lambda: now)
    now = 2.0
    assert whole.part(fraction).remaining() == 8 * fraction
