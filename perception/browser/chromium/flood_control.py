"""Which renderer processes of a shared browser have to run less, so that its other sessions do not wait.

Every event of a page, such as a console message, passes threads that all sessions of a browser share. A page that
sends more than they can handle makes all sessions wait. Its process is then given a share of the time only: halved
while a shared thread is saturated, raised step by step afterwards. Pure: no clock, process or thread.

Rule: only a process that stands out is slowed. Where many sessions are equally busy, nobody is.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

SATURATED, CALM = 0.6, 0.4
"""Above the first a shared thread counts as saturated, below the second as calm: the share of the time in which it ran,
of that in which it could have. Four sessions that look and click keep them below 0.3. Chosen by hand."""

NOTICEABLE = 0.25
"""A share that its session is told of. Loading a page may cost it half of its time for a moment. Chosen by hand."""

LEAST_SHARE = 0.02
"""A process that gets less would take seconds to answer its own session. Chosen by hand."""

STANDS_OUT = 2.0
"""A process stands out that wants so many times the processor time of the median one. Chosen by hand."""

MOST_OF_ALL = 0.3
"""… and at least this share of what all want."""

RAISE = 1.5
FIRST_HOLD, LONGEST_HOLD = 5, 200
"""Calm readings until a share is raised: at first, and at most. They double each time that the alarm comes back."""


@dataclass(frozen=True, slots=True)
class LoadReading:
    """The load of a browser, smoothed over the last intervals.

    Attributes:
        saturation: of the busiest shared thread, 0 to 1.
        cpu_s: processor time of each renderer process, by pid, s.
    """

    saturation: float
    cpu_s: Mapping[int, float]


@dataclass(slots=True)
class _Offender:
    share: float = 1.0
    calm: int = 0
    hold: int = FIRST_HOLD


class FloodControl:
    """The shares of one browser's renderer processes."""

    def __init__(self) -> None:
        self._offenders: dict[int, _Offender] = {}

    @property
    def shares(self) -> dict[int, float]:
        """The share of the time in which each slowed process may run, by pid."""
        return {pid: each.share for pid, each in self._offenders.items() if each.share < 1}

    @property
    def slowed(self) -> frozenset[int]:
        """Those that are slowed noticeably."""
        return frozenset(pid for pid, each in self._offenders.items() if each.share <= NOTICEABLE)

    def take(self, reading: LoadReading) -> None:
        """Adapts the shares to the load of one more interval."""
        self._offenders = {pid: each for pid, each in self._offenders.items() if pid in reading.cpu_s}
        if reading.saturation >= SATURATED:
            culprit = self._find_culprit(reading.cpu_s)
            if culprit is not None:
                self._slow(culprit)
        elif reading.saturation < CALM:
            for each in self._offenders.values():
                _relax(each)

    def _find_culprit(self, cpu_s: Mapping[int, float]) -> int | None:
        """The process that wants the most, of those that stand out and can still be slowed."""
        shares = self.shares
        wanted = {pid: spent / shares.get(pid, 1.0) for pid, spent in cpu_s.items()}
        ordinary = statistics.median(wanted.values()) if wanted else 0.0
        limit = max(STANDS_OUT * ordinary, MOST_OF_ALL * sum(wanted.values()))
        able = [pid for pid, want in wanted.items() if want > limit and shares.get(pid, 1.0) > LEAST_SHARE]
        return max(able, key=lambda pid: wanted[pid], default=None)

    def _slow(self, pid: int) -> None:
        offender = self._offenders.setdefault(pid, _Offender())
        if offender.share == 1 or offender.calm:
            offender.hold = min(LONGEST_HOLD, offender.hold * 2)
        offender.share, offender.calm = max(LEAST_SHARE, offender.share / 2), 0


def _relax(offender: _Offender) -> None:
    offender.calm += 1
    if offender.share < 1 and offender.calm >= offender.hold:
        offender.share, offender.calm = min(1.0, offender.share * RAISE), 0
