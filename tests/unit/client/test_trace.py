"""Traces in a real Chromium, opened from a file, with words of pages that mean harm."""

from __future__ import annotations

from perception.client.trace import Trace, trace_html
from perception.client.trace.document import MAX_LANES
from perception.client.trace.line_diff import MAX_LINES, changed_lines
from perception.client.trace.values import lanes
from tests.support.trace_calls import call


def test_calls_that_overlap_are_in_different_rows() -> None:
    calls = [
        call(1, start_s=0.0, duration_s=10.0),
        call(2, start_s=1.0, duration_s=1.0),
        call(3, start_s=2.0, duration_s=None),
        call(4, start_s=11.0),
    ]
    assert lanes(Trace("s", "", calls, 20.0)) == [0, 1, 1, 0]
    crowd = [call(number, start_s=0.0, duration_s=9.0) for number in range(40)]
    assert f'y="{MAX_LANES * 14}"' not in trace_html(Trace("s", "", crowd, 9.0))


def test_a_difference_leaves_out_what_stayed() -> None:
    old = [f"line {number}" for number in range(20)]
    new = [*old[:10], "new", *old[11:]]
    rows = changed_lines(old, new)
    assert rows[0] == ("…", "8 lines as before")
    assert ("-", "line 10") in rows
    assert ("+", "new") in rows
    assert rows[-1] == ("…", "7 lines as before")
    assert changed_lines(old, old) == []
    assert changed_lines(["x"] * (MAX_LINES + 1), ["y"]) == []
    assert changed_lines([], ["y"]) == [("+", "y")]


def test_the_page_before_is_that_of_the_same_tab() -> None:
    calls = (call(1, page=("a",)), call(2, tab_id="t2", page=("b",)), call(3), call(4, page=("c",)))
    assert Trace("s", "", calls, 1.0).pages_before() == [(), (), ("a",), ("a",)]
