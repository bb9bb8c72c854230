"""How long a session lives."""

from __future__ import annotations

import pytest

from perception.server.sessions.lifetime import Lifetime
from perception.testing import FakeClock


def test_a_session_is_idle_from_the_end_of_its_last_call() -> None:
    clock = FakeClock()
    lifetime = Lifetime(10, 100, clock)
    with lifetime.using(), lifetime.using():
        clock.advance(20)
        assert lifetime.remaining_s == 10
    clock.advance(4)
    assert lifetime.remaining_s == 6
    assert lifetime.calls == 0


def test_a_call_that_fails_is_over_too() -> None:
    clock = FakeClock()
    lifetime = Lifetime(10, 100, clock)
    with pytest.raises(ValueError, match="no"), lifetime.using():
        raise ValueError("no")
    assert lifetime.calls == 0
    clock.advance(10)
    assert lifetime.remaining_s == 0
    assert not lifetime.is_old


def test_use_does_not_make_a_session_younger() -> None:
    clock = FakeClock()
    lifetime = Lifetime(10, 25, clock)
    for _ in range(3):
        clock.advance(8)
        with lifetime.using():
            pass
    assert lifetime.remaining_s == 1
    clock.advance(1)
    assert lifetime.is_old
