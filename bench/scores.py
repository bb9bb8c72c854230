"""Scores of samples: what reports and comparisons add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tally:
    """A share as two counts, so that samples add up: `hit` of `of`. A mean is the sum of values and their number."""

    hit: float
    of: float


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one look.

    Attributes:
        page: statistics resample by it.
        source: the sample's data set.
        tallies: by measure; a measure that does not apply is absent.
        outcomes: by measure, whether each task of the sample succeeded, in the sample's order.
        id: the sample's; empty without a stored sample.
    """

    sample: str
    who: str
    page: str
    category: str
    stratum: str
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[bool, ...]] = field(default_factory=dict)
    id: str = ""
    source: str = ""


def scores_of_values(who: str, values: Iterable[tuple[str, str, str, float]]) -> list[Score]:
    """One score for each sample, of single numbers.

    Args:
        who: what was measured.
        values: page, sample, measure and number of each; a sample's numbers of one measure are averaged.

    Returns:
        In the order of the samples' first occurrence; empty for no values.
    """
    pages: dict[str, str] = {}
    sums: dict[str, dict[str, Tally]] = {}
    for page, sample, measure, value in values:
        pages[sample] = page
        measures = sums.setdefault(sample, {})
        before = measures.get(measure, Tally(0, 0))
        measures[measure] = Tally(before.hit + value, before.of + 1)
    return [Score(sample, who, pages[sample], "", "", tallies) for sample, tallies in sums.items()]
