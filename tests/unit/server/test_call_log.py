"""What the log of a session's calls keeps."""

from __future__ import annotations

import pytest

from perception.errors import UnknownCallError
from perception.server.live.call_log import MAX_BYTES, MAX_CALLS, CallLog, LoggedCall


def ended(log: CallLog, size_bytes: int) -> LoggedCall:
    """A call that began and ended with an answer of that size."""
    call = LoggedCall(log.next_number(), "Click", "click", 0.0)
    log.add(call)
    call.text, call.size_bytes = "x", size_bytes
    log.note_change(call)
    return call


def test_the_oldest_answers_go_first_and_only_as_many_as_the_limit_asks_for() -> None:
    log = CallLog()
    calls = [ended(log, MAX_BYTES // 3) for _ in range(5)]
    assert [bool(call.text) for call in calls] == [False, False, True, True, True]
    assert [call.what for call in log.since(0)] == ["click"] * 5
    small = ended(log, 10)
    assert [bool(call.text) for call in calls] == [False, False, False, True, True]
    assert small.text


def test_calls_beyond_the_count_are_gone_and_no_longer_count() -> None:
    log = CallLog()
    first = ended(log, MAX_BYTES - 1000)
    later = [ended(log, 1) for _ in range(MAX_CALLS)]
    with pytest.raises(UnknownCallError, match="is not kept"):
        log.get(first.number)
    log.note_change(first)  # its picture comes when it is gone
    large = ended(log, MAX_BYTES // 2)
    assert large.text
    assert all(call.text for call in later[1:])


def test_the_list_is_bounded_by_count_and_by_bytes() -> None:
    log = CallLog()
    calls = [ended(log, MAX_BYTES // 50) for _ in range(MAX_CALLS + 20)]
    kept = log.since(0)
    assert [each.number for each in kept] == list(range(21, MAX_CALLS + 21))
    assert [bool(each.text) for each in kept] == [False] * (MAX_CALLS - 50) + [True] * 50
    assert sum(each.kept_bytes for each in kept) <= MAX_BYTES
    assert calls[-1].text
