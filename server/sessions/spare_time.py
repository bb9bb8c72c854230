"""Whether the service has time for work that nobody waits for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import psutil

from perception.browser.chromium.browser_host import BrowserHost

IDLE_PROCESSORS = 0.5
"""How many processors must be idle: a look takes one for 0.1 s. Chosen by hand."""

CONTROL_GROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """What the processors of this process have done so far.

    Attributes:
        at_s: when this was read.
        counted_s: time of all of them that the system has accounted for.
        idle_s: the idle part of it.
        used_s: what this process's control group has used; 0 where it has no limit.
    """

    at_s: float
    counted_s: float
    idle_s: float
    used_s: float = 0.0


def read_processors() -> ProcessorTimes:
    """The times of the processors that this process may run on."""
    each = psutil.cpu_times(percpu=True)
    usable = [each[number] for number in os.sched_getaffinity(0) if number < len(each)]
    idle_s = sum(times.idle + getattr(times, "iowait", 0.0) for times in usable)
    return ProcessorTimes(time.monotonic(), sum(map(sum, usable)), idle_s, _group_used_s() if group_limit() else 0.0)


def idle_processors(before: ProcessorTimes, now: ProcessorTimes, limit: float | None = None) -> float:
    """How many processors were idle between two readings; infinite where the system does not count it.

    Args:
        limit: how many the control group may use at once; None for all.
    """
    passed_s = max(1e-9, now.at_s - before.at_s)
    idle = (now.idle_s - before.idle_s) / passed_s if now.counted_s > before.counted_s else float("inf")
    return idle if limit is None else min(idle, limit - (now.used_s - before.used_s) / passed_s)


def group_limit() -> float | None:
    """How many processors this process's control group may use at once; None for no limit."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = (CONTROL_GROUP / "cpu.max").read_text().split()
        return int(quota) / int(period)
    return None


def _group_used_s() -> float:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((CONTROL_GROUP / "cpu.stat").read_text().split()[1]) / 1e6
    return 0.0


class SpareTime:
    """The spare time of one service.

    Args:
        calls: how many calls wait for a place, and how many run or may come any time.
        is_short: whether memory is short, in a browser or at all.
    """

    def __init__(self, calls: Callable[[], tuple[int, int]], is_short: Callable[[BrowserHost], bool]) -> None:
        self._calls = calls
        self._is_short = is_short
        self._turns: WeakKeyDictionary[BrowserHost, asyncio.Lock] = WeakKeyDictionary()

    def begin(self) -> ProcessorTimes:
        """A first reading: `is_there` judges the time since."""
        return read_processors()

    def is_there(self, host: BrowserHost, since: ProcessorTimes) -> bool:
        """Whether no call waits, memory is not short, and nobody needs the processors: no call runs, or there were idle
        ones since a reading."""
        waiting, running = self._calls()
        if waiting or self._is_short(host) or self.turn(host).locked():
            return False
        return not running or idle_processors(since, read_processors(), group_limit()) >= IDLE_PROCESSORS

    def turn(self, host: BrowserHost) -> asyncio.Lock:
        """Held by what uses a browser: one at a time."""
        return self._turns.setdefault(host, asyncio.Lock())
