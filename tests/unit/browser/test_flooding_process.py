"""Which renderer process a page has is told by its processor time: a page is halted only where that is sure."""

from __future__ import annotations

import pytest

from perception.browser.chromium import flood_guard
from perception.browser.chromium.flood_guard import ATTACHED_SECONDS, FloodGuard


def guard_of(seconds: dict[int, float], monkeypatch: pytest.MonkeyPatch) -> FloodGuard:
    """Of a browser whose renderers' main threads have run for so long, by pid."""
    guard = FloodGuard(1, 0, lambda: 0.0, lambda: True)
    guard._renderers = dict.fromkeys(seconds, -1)
    monkeypatch.setattr(flood_guard, "first_thread_s", lambda pid: seconds[pid] + ATTACHED_SECONDS)
    return guard


def test_a_page_beside_which_another_has_run_as_long_has_no_sure_process(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = guard_of({7: 2.0, 8: 2.1, 9: 5.0}, monkeypatch)
    assert [guard.process_of(each, surely=True) for each in (2.0, 5.0, 9.0)] == [0, 9, 0]
    assert [guard.process_of(each) for each in (2.0, 2.1, 5.0, 9.0)] == [7, 8, 9, 0]
