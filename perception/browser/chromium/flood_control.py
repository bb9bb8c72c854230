"""Which renderer processes of a shared browser have to run less, so that its other sessions do not wait.

Every event of a page, such as a console message, passes threads that all sessions of a browser share. A page that
sends more than they can handle makes all sessions wait. Its process is then given a share of the time only: cut
while a shared thread is saturated, raised step by step afterwards. Pure: no clock, process or thread.

Rule 1: what a process sends is told by the processor time of its IO thread, which all of it passes. What its scripts
and its layout take floods nobody.
Rule 2: only a process that stands out is slowed. Where many sessions are equally busy, nobody is.
Rule 3: … and only one that stands out for long: while sessions keep a browser busy with their calls, each page that is
loaded stands out for a moment.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from perception.browser.page.thread_load import KEPT

SATURATED, CALM = 0.6, 0.4
"""Above the first a shared thread counts as saturated, below the second as calm: the share of the time in which it ran,
of that in which it could have. Four sessions that look and click keep them below 0.3. Chosen by hand."""

NOTICEABLE = 0.25
"""A share that its session is told of. Loading a page may cost it half of its time for a moment. Chosen by hand."""

LEAST_SHARE = 0.02
"""A process that gets less would take seconds to answer its own session. Chosen by hand."""

STANDS_OUT = 2.0
"""A process stands out that sends so many times as much as the median one. Chosen by hand."""

MOST_OF_ALL = 0.3
"""… and at least this share of what all send."""

LEAST_SENT = 0.03
"""… and whose IO thread would run for so much of the time. Of eight pages that load one after the other without a rest,
each with 1,500 links and 60 requests, it ran for at most 0.026, of most floods for 0.04 to 0.37 (Chromium 156)."""

PATIENCE = 4
"""So many readings that find a thread saturated, in a row. Most pages that load stand out in fewer. Chosen by hand."""

PATIENT_SECONDS = 0.05
"""… in which its IO thread ran for so long in all: on a crowded machine a page that loads stands out for as many
readings as a flood. 1,500 lines and 60 requests take it 0.02 to 0.03 s, most floods as much in 0.1 to 1 s
(Chromium 156)."""

CUT, RAISE = 4.0, 1.5
"""A share falls to a fourth of itself at a time, and is raised by half. Chosen by `perception bench run neighbors`."""

UNHELD_SECONDS = 10.0
"""A process that has the least share, and wants more, for so long while a shared thread is not calm, is not held by
slowing. Chosen by hand."""

FIRST_HOLD, LONGEST_HOLD = 5, 200
"""Calm readings until a share is raised: at first, and at most. They double each time that the alarm comes back."""


@dataclass(frozen=True, slots=True)
class LoadReading:
    """The load of a browser since the last reading.

    Attributes:
        saturation: of the busiest shared thread, smoothed over the last readings, 0 to 1.
        sent_s: processor time of the IO thread of each renderer process, by pid, s; with what it would have taken while
            the process paused.
        ran_s: without that.
        passed_s: how long the reading took.
    """

    saturation: float
    sent_s: Mapping[int, float]
    ran_s: Mapping[int, float]
    passed_s: float


@dataclass(slots=True)
class _Process:
    """What is known of one renderer process.

    Attributes:
        wanted_s: what it would have sent if it was not slowed, smoothed over the last readings.
        is_on: it goes on sending as much: what it sent before is not all that makes it stand out.
        suspected: readings in a row in which it stood out and went on.
        suspected_s: for how long its IO thread ran in these, s.
        share: of the time in which it may run.
        calm: readings since then in which it did no harm.
        hold: how many of these raise its share.
        unheld_s: how long it has had the least share while a thread was not calm, less the calm since then, s.
    """

    wanted_s: float = 0.0
    is_on: bool = False
    suspected: int = 0
    suspected_s: float = 0.0
    share: float = 1.0
    calm: int = 0
    hold: int = FIRST_HOLD
    unheld_s: float = 0.0

    def send(self, sent_s: float, passed_s: float) -> None:
        now_s = min(sent_s / self.share, max(sent_s, passed_s))
        self.wanted_s = self.wanted_s * KEPT + now_s
        self.is_on = now_s > self.wanted_s * (1 - KEPT) / 2

    def suspect(self, ran_s: float) -> bool:
        """It stands out in one more reading. Returns whether it has for long."""
        self.suspected += self.is_on
        self.suspected_s += ran_s
        return self.suspected >= PATIENCE and self.suspected_s >= PATIENT_SECONDS

    def slow(self) -> None:
        if self.share == 1 or self.calm:
            self.hold = min(LONGEST_HOLD, self.hold * 2)
        self.share, self.calm = max(LEAST_SHARE, self.share / CUT), 0

    def note_hold(self, passed_s: float, limit_s: float, *, is_calm: bool) -> None:
        """`limit_s`: what is above it stands out."""
        if is_calm:
            self.unheld_s = max(0.0, self.unheld_s - passed_s)
        elif self.is_on and self.wanted_s > limit_s and self.share <= LEAST_SHARE:
            self.unheld_s += passed_s

    def relax(self) -> None:
        self.suspected, self.suspected_s, self.calm = 0, 0.0, self.calm + 1
        if self.share < 1 and self.calm >= self.hold:
            self.share, self.calm = min(1.0, self.share * RAISE), 0


class FloodControl:
    """The shares of one browser's renderer processes."""

    def __init__(self) -> None:
        self._processes: dict[int, _Process] = {}

    @property
    def shares(self) -> dict[int, float]:
        """The share of the time in which each slowed process may run, by pid."""
        return {pid: each.share for pid, each in self._processes.items() if each.share < 1}

    @property
    def slowed(self) -> frozenset[int]:
        """Those that are slowed noticeably."""
        return frozenset(pid for pid, each in self._processes.items() if each.share <= NOTICEABLE)

    @property
    def unheld(self) -> frozenset[int]:
        """Those that slowing does not hold: other sessions wait although these run as little as they may."""
        return frozenset(pid for pid, each in self._processes.items() if each.unheld_s >= UNHELD_SECONDS)

    def take(self, reading: LoadReading) -> None:
        """Adapts the shares to the load since the last reading."""
        self._processes = {pid: self._processes.get(pid) or _Process() for pid in reading.sent_s}
        for pid, sent_s in reading.sent_s.items():
            self._processes[pid].send(sent_s, reading.passed_s)
        limit_s = self._limit_s(reading.passed_s)
        for each in self._processes.values():
            each.note_hold(reading.passed_s, limit_s, is_calm=reading.saturation < CALM)
        if reading.saturation >= SATURATED:
            self._slow_culprit(limit_s, reading.ran_s)
        elif reading.saturation < CALM:
            for each in self._processes.values():
                each.relax()

    def _limit_s(self, passed_s: float) -> float:
        """What is above it stands out, as `wanted_s`."""
        wanted_s = [each.wanted_s for each in self._processes.values()]
        ordinary_s = statistics.median_low(wanted_s) if wanted_s else 0.0
        return max(STANDS_OUT * ordinary_s, MOST_OF_ALL * sum(wanted_s), LEAST_SENT * passed_s / (1 - KEPT))

    def _slow_culprit(self, limit_s: float, ran_s: Mapping[int, float]) -> None:
        """Slows the process that wants the most, of those that have stood out for long and can still be slowed."""
        able = []
        for pid, each in self._processes.items():
            if each.wanted_s <= limit_s:
                each.relax()
                continue
            is_proven = each.suspect(ran_s.get(pid, 0.0))
            if each.is_on and each.share > LEAST_SHARE and (each.share < 1 or is_proven):
                able.append(each)
        if able:
            max(able, key=lambda each: each.wanted_s).slow()
