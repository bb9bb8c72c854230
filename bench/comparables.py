"""What of a result is compared, for suites that measure shares or times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.scores import Score, scores_of_values
from perception.bench.suite import Comparable


def compare_shares(scores: Sequence[Score]) -> Comparable:
    """All measures of the scores; more is better."""
    return Comparable(scores, {name: ComparisonRule(True) for score in scores for name in score.tallies})


def compare_counts(scores: Sequence[Score]) -> Comparable:
    """All measures of the scores; neither direction is better."""
    return Comparable(scores, {name: ComparisonRule(None) for score in scores for name in score.tallies})


def compare_times(
    who: str, values: Iterable[tuple[str, str, str, float]], wrong: Mapping[str, int] | None = None
) -> Comparable:
    """Durations; less is better. See `scores_of_values`, and `wrong` of `Comparable`."""
    scores = scores_of_values(who, values)
    return Comparable(scores, {name: LATENCY for score in scores for name in score.tallies}, wrong or {})


AGAIN = "s to work again"
"""The measure that runs of faults are compared by."""


def compare_faults(who: str, again: Iterable[tuple[str, float]], *, faults: int, leaks: int) -> Comparable:
    """By fault, how long it took until everything worked again; wrong outcomes and leaks are counted."""
    values = ((fault, fault, AGAIN, seconds) for fault, seconds in again)
    return compare_times(who, values, {"faults": faults, "leaks": leaks})
