"""How busy threads and processes are, as the kernel counts it in nanoseconds (Linux, `/proc/…/schedstat`).

The time in which a thread waited for a processor counts neither as busy nor as idle: on a crowded machine a thread that
has little to do is not mistaken for a saturated one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from time import monotonic_ns

PROC = Path("/proc")

KEPT = 0.7
"""Weight of what was read before, at each reading: a moment's work is no saturation. Chosen by hand."""


def has_schedstat() -> bool:
    """Whether this system counts it."""
    return (PROC / "self" / "schedstat").exists()


def threads_of(pid: int, names: Iterable[str] = ()) -> list[str]:
    """Paths in /proc of a process's first thread, and of those with a name that begins so; empty when it is gone."""
    wanted, found = tuple(names), []
    with contextlib.suppress(OSError):
        for each in os.scandir(PROC / str(pid) / "task"):
            with contextlib.suppress(OSError):
                name = Path(each.path, "comm").read_text()
                if each.name == str(pid) or (wanted and name.startswith(wanted)):
                    found.append(each.path)
    return found


def process_cpu_ns(pid: int) -> int:
    """Processor time of a process's present threads, ns; 0 when it is gone."""
    total = 0
    with contextlib.suppress(OSError):
        for each in os.scandir(PROC / str(pid) / "task"):
            total += _times(each.path)[0]
    return total


def first_thread_s(pid: int) -> float:
    """Processor time of a process's first thread, s; 0 when it is gone."""
    return _times(str(PROC / str(pid) / "task" / str(pid)))[0] / 1e9


class SaturationMeter:
    """The busiest of some threads, smoothed over the last readings."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}
        self._smooth: dict[str, tuple[float, float]] = {}
        self._when_ns = monotonic_ns()

    def read(self, threads: Iterable[str]) -> float:
        """Of the time in which the busiest thread could run, the share in which it did. Threads that are read for the
        first time do not count.

        Args:
            threads: their paths in /proc.
        """
        before, start_ns, smooth = self._last, self._when_ns, self._smooth
        self._last, self._when_ns = {each: _times(each) for each in threads}, monotonic_ns()
        passed_ns = self._when_ns - start_ns
        self._smooth = {}
        for thread, now in self._last.items():
            if thread in before:
                ran, slept = _ran_and_slept(before[thread], now, passed_ns)
                old_ran, old_slept = smooth.get(thread, (0.0, float(passed_ns)))
                self._smooth[thread] = old_ran * KEPT + ran, old_slept * KEPT + slept
        return max((ran / max(1.0, ran + slept) for ran, slept in self._smooth.values()), default=0.0)


def _ran_and_slept(before: tuple[int, int], now: tuple[int, int], passed_ns: int) -> tuple[int, int]:
    """How long a thread ran, and how long it had nothing to do, ns."""
    ran, waited = max(0, now[0] - before[0]), max(0, now[1] - before[1])
    return ran, max(0, passed_ns - ran - waited)


def _times(thread: str) -> tuple[int, int]:
    """Ran, and waited for a processor, ns; zeros when the thread is gone."""
    with contextlib.suppress(OSError, ValueError):
        ran, waited, _ = Path(thread, "schedstat").read_text().split()
        return int(ran), int(waited)
    return 0, 0
