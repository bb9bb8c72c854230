"""Several ways of doing the same, measured in turns.

Rule 1: each round has every way once, and the order changes from round to round, so that what else the machine does
meets all of them, and none always comes second.
Rule 2: every single measurement is stored; medians and ratios are computed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol, TypeVar

from perception.bench.comparables import compare_times
from perception.bench.suite import Comparable

WayT = TypeVar("WayT")

WARM_UP = -1
"""The number of the round before the first one, whose measurements are dropped."""


class Timed(Protocol):
    """One measurement: the seconds that a way took in a round."""

    @property
    def round(self) -> int: ...
    @property
    def way(self) -> str: ...
    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True, slots=True)
class TimedSample:
    """One measurement: `seconds` of `what` in a round, done in a way."""

    round: int
    way: str
    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TimedRun:
    """A run: every measurement."""

    rounds: int
    samples: tuple[TimedSample, ...]


def turn_of(ways: Sequence[WayT], number: int) -> list[WayT]:
    """The ways in the order of a round: each round begins with the next one."""
    start = number % len(ways)
    return [*ways[start:], *ways[:start]]


def turns(ways: Sequence[WayT], rounds: int, *, warm_up: bool = False) -> Iterator[tuple[int, WayT]]:
    """The number of each round with each way in turn; first those of the round WARM_UP, if that is wanted."""
    for number in range(WARM_UP if warm_up else 0, rounds):
        for way in turn_of(ways, number):
            yield number, way


def milliseconds(samples: Iterable[Timed], way: str) -> dict[int, float]:
    """What a way took, by round."""
    return {each.round: each.seconds * 1000 for each in samples if each.way == way}


def median_ms(samples: Iterable[Timed], way: str) -> float:
    """The median over rounds. Raises StatisticsError for a way without measurements."""
    return median(milliseconds(samples, way).values())


def by_what(samples: Iterable[TimedSample]) -> dict[str, list[TimedSample]]:
    """The measurements of each quantity, in the order of their first occurrence."""
    found: dict[str, list[TimedSample]] = {}
    for each in samples:
        found.setdefault(each.what, []).append(each)
    return found


def compare_rounds(who: str, values: Iterable[tuple[int, str, float]]) -> Comparable:
    """By round: the milliseconds of each measure. `values`: number of the round, measure and seconds."""
    return compare_times(who, ((f"round {at}", f"round {at}", name, seconds * 1000) for at, name, seconds in values))


def compare_samples(who: str, samples: Iterable[TimedSample]) -> Comparable:
    """By round: the milliseconds of everything measured, in each way."""
    return compare_rounds(who, ((each.round, f"{each.what}, {each.way}", each.seconds) for each in samples))
