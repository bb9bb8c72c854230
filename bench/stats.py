"""Statistics of repeated measurements. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """How numbers lie: least, quartiles, greatest; `count` of them."""

    count: int
    minimum: float
    lower: float
    median: float
    upper: float
    maximum: float


def spread_of(values: Iterable[float]) -> Spread:
    """The spread of at least one number.

    Quartiles are linear between the sorted numbers (R-7, `statistics.quantiles(method="inclusive")`).

    Raises:
        ValueError: there is no number.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("the spread of no numbers is undefined")
    if len(ordered) == 1:
        return Spread(1, *ordered * 5)
    lower, median, upper = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(len(ordered), ordered[0], lower, median, upper, ordered[-1])


def median_by(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The median of each key's numbers, in the order in which keys first come; empty for none."""
    grouped: dict[str, list[float]] = {}
    for key, value in rows:
        grouped.setdefault(key, []).append(value)
    return {key: statistics.median(values) for key, values in grouped.items()}


def paired_ratios(above: Mapping[str, float], below: Mapping[str, float]) -> dict[str, float]:
    """`above / below` for every key that both have, but those where `below` is 0; in the order of `above`."""
    return {key: value / below[key] for key, value in above.items() if below.get(key)}
