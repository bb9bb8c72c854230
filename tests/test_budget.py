"""What is left of a caller's time, and what its end says."""

from __future__ import annotations

import pytest

from perception.budget import Budget
from perception.errors import DeadlineError


@pytest.mark.parametrize("dispatched", [True, False])
def test_a_share_says_whether_input_had_been_sent_before_it(dispatched: bool) -> None:
    now = 0.0
    whole = Budget.of(10, lambda: now)
    whole.dispatched = dispatched
    part = whole.share(1)
    now = 1.0
    with pytest.raises(DeadlineError) as caught:
        part.check("looking")
    assert caught.value.dispatched is dispatched
    assert ("no input was sent" in str(caught.value)) is not dispatched
