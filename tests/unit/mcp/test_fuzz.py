"""Made-up calls of tools, and what is wrong with an answer."""

from __future__ import annotations

from random import Random

from perception.bench.suites.fuzz.tool_calls import complaint, draw_call
from perception.tools.profiles import find_profile


def test_the_same_case_is_the_same_call_and_failures_are_told_from_refusals() -> None:
    tools = find_profile("default").tools
    drawn = [draw_call(tools, Random(f"1 tools {number}"), "http://x/") for number in range(400)]
    assert drawn == [draw_call(tools, Random(f"1 tools {number}"), "http://x/") for number in range(400)]
    assert len({name for name, _ in drawn}) > len(tools)  # some that there are not
    for text in ("INTERNAL: look failed here", "1. click: done\n2. UNKNOWN: x", "", "BAD_INPUT: one\ntwo"):
        assert complaint(text, is_error=True)
    assert not complaint("BAD_INPUT: view is 5", is_error=True)
    assert not complaint("INTERNAL is what the page says", is_error=False)
