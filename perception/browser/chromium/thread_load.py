"""How busy threads and processes are, as the kernel counts it in nanoseconds (Linux, `/proc/…/schedstat`).

The time in which a thread waited for a processor counts neither as busy nor as idle: on a crowded machine a thread that
has little to do is not mistaken for a saturated one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from time import clock_gettime_ns, monotonic_ns

PROC = Path("/proc")

KEPT = 0.7
"""Weight of what was read before, at each reading: a moment's work is no saturation. Chosen by hand."""


FULL_LOOP = 0.5
"""The loop has to serve the sessions' calls as well: with half of its time it is saturated. Chosen by hand."""


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
    """Processor time of a process, ns; 0 when it is gone."""
    with contextlib.suppress(OSError):
        return clock_gettime_ns(~pid << 3 | 2)  # CPUCLOCK_SCHED of the process: clock_getcpuclockid(3)
    return 0


def first_thread_s(pid: int) -> float:
    """Processor time of a process's first thread, s; 0 when it is gone."""
    return _times(str(PROC / str(pid) / "task" / str(pid)))[0] / 1e9


class SaturationMeter:
    """The busiest of some threads, smoothed over the last readings.

    Their files stay open until `close`: to open them for each reading takes six system calls for each, and each may
    wait for Python's lock while the service is busy.
    """

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        self._last: dict[str, tuple[int, int]] = {}
        self._smooth: dict[str, tuple[float, float]] = {}
        self._when_ns = monotonic_ns()

    def close(self) -> None:
        """Forgets all threads."""
        self._keep_files(())

    def read(self, threads: Iterable[str]) -> float:
        """Of the time in which the busiest thread could run, the share in which it did. Threads that are read for the
        first time do not count.

        Args:
            threads: their paths in /proc.
        """
        self._keep_files(threads)
        before, start_ns, smooth = self._last, self._when_ns, self._smooth
        self._last, self._when_ns = {each: _parse(file) for each, file in self._files.items()}, monotonic_ns()
        passed_ns = self._when_ns - start_ns
        self._smooth = {}
        for thread, now in self._last.items():
            if thread in before:
                ran, slept = _ran_and_slept(before[thread], now, passed_ns)
                old_ran, old_slept = smooth.get(thread, (0.0, float(passed_ns)))
                self._smooth[thread] = old_ran * KEPT + ran, old_slept * KEPT + slept
        return max((ran / max(1.0, ran + slept) for ran, slept in self._smooth.values()), default=0.0)

    def _keep_files(self, threads: Iterable[str]) -> None:
        """Has these threads' files open, and no others."""
        wanted = set(threads)
        for gone in self._files.keys() - wanted:
            os.close(self._files.pop(gone))
        for each in wanted - self._files.keys():
            with contextlib.suppress(OSError):  # it ended
                self._files[each] = os.open(f"{each}/schedstat", os.O_RDONLY | os.O_CLOEXEC)


class LoopMeter:
    """How much of an event loop is spent on what comes unasked, smoothed over the last readings.

    Args:
        spent_s: returns the processor time that was spent on it so far, s.
    """

    def __init__(self, spent_s: Callable[[], float]) -> None:
        self._spent_s = spent_s
        self._last_s, self._when_ns = spent_s(), monotonic_ns()
        self._spent = self._passed = 0.0

    def read(self) -> float:
        """1 where the loop spends FULL_LOOP of its time on it, or more."""
        spent_s, now_ns = self._spent_s(), monotonic_ns()
        self._spent = self._spent * KEPT + spent_s - self._last_s
        self._passed = self._passed * KEPT + (now_ns - self._when_ns) / 1e9
        self._last_s, self._when_ns = spent_s, now_ns
        return min(1.0, self._spent / max(1e-9, self._passed) / FULL_LOOP)


def _ran_and_slept(before: tuple[int, int], now: tuple[int, int], passed_ns: int) -> tuple[int, int]:
    """How long a thread ran, and how long it had nothing to do, ns."""
    ran, waited = max(0, now[0] - before[0]), max(0, now[1] - before[1])
    return ran, max(0, passed_ns - ran - waited)


def _times(thread: str) -> tuple[int, int]:
    """Ran, and waited for a processor, ns; zeros when the thread is gone."""
    with contextlib.suppress(OSError):
        file = os.open(f"{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _parse(file)
        finally:
            os.close(file)
    return 0, 0


def _parse(file: int) -> tuple[int, int]:
    """The same, of an open file."""
    with contextlib.suppress(OSError, ValueError):
        ran, waited, _ = os.pread(file, 200, 0).split()
        return int(ran), int(waited)
    return 0, 0
