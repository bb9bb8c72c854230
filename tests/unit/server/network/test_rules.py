"""SetNetworkRules: block, answer and change headers, in order, and never past what a session may reach."""

from __future__ import annotations

from typing import Any

import pytest

from perception.browser.traffic.rules import Block, FixedAnswer, HeaderChange, NetworkRule, decide


def rule(action: Any, pattern: str = "") -> NetworkRule:
    return NetworkRule("", pattern, frozenset(), frozenset(), action)


def test_the_first_rule_that_blocks_or_answers_decides_and_changes_before_it_add_up() -> None:
    one, two = HeaderChange((("A", "1"),)), HeaderChange((("B", "2"),))
    rules = (rule(one), rule(Block(), "/x"), rule(two), rule(FixedAnswer(200), "/y"), rule(Block()))
    blocked, answered = decide(rules, "http://a/x", "Fetch", "GET"), decide(rules, "http://a/y", "Fetch", "GET")
    assert (blocked.number, blocked.changes) == (2, (one,))
    assert (answered.number, answered.changes) == (4, (one, two))
    assert decide((), "http://a/", "Fetch", "GET").rule is None


@pytest.mark.parametrize(
    ("pattern", "url", "takes"),
    [
        ("", "http://a/", True),
        ("/api/", "http://a/api/x", True),
        ("http://a/*.png", "http://a/b/c.png", True),
        ("*/a?c*", "http://x/a?c=1", True),
        ("/a?c", "http://x/abc", False),
        ("*[x]*", "http://a/[x]", True),
        ("/API/", "http://a/api/x", False),
    ],
)
def test_patterns(pattern: str, url: str, takes: bool) -> None:
    assert rule(Block(), pattern).takes(url, "Fetch", "GET") is takes
