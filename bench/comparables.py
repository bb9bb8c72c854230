"""What of a result is compared, for suites that measure shares or times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.scores import Score, scores_of_values
from perception.bench.suite import Comparable


def compare_shares(scores: Sequence[Score]) -> Comparable:
    """All measures of the scores; more is better."""
    return Comparable(scores, {name: ComparisonRule(True) for score in scores for name in score.tallies})


def compare_times(who: str, values: Iterable[tuple[str, str, str, float]]) -> Comparable:
    """Durations in milliseconds; less is better. See `scores_of_values`."""
    scores = scores_of_values(who, values)
    return Comparable(scores, {name: LATENCY for score in scores for name in score.tallies})
