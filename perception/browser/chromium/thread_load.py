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


class SaturationMeter:
    """The busiest of some threads."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}
        self._when_ns = monotonic_ns()

    def read(self, threads: Iterable[str]) -> float:
        """Since the last reading: of the time in which the busiest thread could run, the share in which it did. Threads
        that are read for the first time do not count.

        Args:
            threads: their paths in /proc.
        """
        before, start_ns = self._last, self._when_ns
        self._last, self._when_ns = {each: _times(each) for each in threads}, monotonic_ns()
        passed_ns = self._when_ns - start_ns
        return max(
            (_saturation(before[each], now, passed_ns) for each, now in self._last.items() if each in before),
            default=0.0,
        )


def _saturation(before: tuple[int, int], now: tuple[int, int], passed_ns: int) -> float:
    ran, waited = now[0] - before[0], now[1] - before[1]
    could = max(passed_ns - max(0, waited), ran, 1)
    return max(0.0, ran / could)


def _times(thread: str) -> tuple[int, int]:
    """Ran, and waited for a processor, ns; zeros when the thread is gone."""
    with contextlib.suppress(OSError, ValueError):
        ran, waited, _ = Path(thread, "schedstat").read_text().split()
        return int(ran), int(waited)
    return 0, 0
