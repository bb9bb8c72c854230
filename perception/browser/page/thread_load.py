"""How busy threads and processes are, as the kernel counts it in nanoseconds (Linux, `/proc/…/schedstat`).

The time in which a thread waited for a processor counts neither as busy nor as idle: on a crowded machine a thread that
has little to do is not mistaken for a saturated one.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from time import clock_gettime_ns, monotonic_ns

PROC = Path("/proc")

KEPT = 0.7
"""Weight of what was read before, at each reading: a moment's work is not saturation. Chosen by hand."""


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


def thread_of(pid: int, name: str) -> str:
    """Path in /proc of a process's thread whose name begins so, beside its first thread; "" where there is none."""
    return next((each for each in threads_of(pid, (name,)) if Path(each).name != str(pid)), "")


def process_cpu_ns(pid: int) -> int:
    """Processor time of a process, ns; 0 when it is gone."""
    with contextlib.suppress(OSError):
        return clock_gettime_ns(~pid << 3 | 2)  # CPUCLOCK_SCHED of the process: clock_getcpuclockid(3)
    return 0


def first_thread_s(pid: int) -> float:
    """Processor time of a process's first thread, s; 0 when it is gone."""
    return _times(str(PROC / str(pid) / "task" / str(pid)))[0] / 1e9


class _ThreadFiles:
    """What the kernel counts of some threads.

    Their files stay open until `keep(())`: to open them for each reading takes six system calls for each, and each may
    wait for Python's lock while the service is busy.
    """

    def __init__(self) -> None:
        self._files: dict[str, int] = {}

    def keep(self, threads: Iterable[str]) -> None:
        """Has these threads' files open, and no others."""
        wanted = set(threads)
        for gone in self._files.keys() - wanted:
            os.close(self._files.pop(gone))
        for each in wanted - self._files.keys():
            with contextlib.suppress(OSError):  # it ended
                self._files[each] = os.open(f"{each}/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> dict[str, tuple[int, int]]:
        """Ran, and waited for a processor, ns, by thread."""
        return {each: _parse(file) for each, file in self._files.items()}


class RunMeter:
    """How long some threads have run so far."""

    def __init__(self) -> None:
        self._files = _ThreadFiles()

    def close(self) -> None:
        """Forgets all threads."""
        self._files.keep(())

    def ran_ns(self, threads: Iterable[str]) -> dict[str, int]:
        """Processor time of each thread, ns. Those that are gone are left out.

        Args:
            threads: their paths in /proc.
        """
        self._files.keep(threads)
        return {each: ran for each, (ran, _) in self._files.read().items()}


class SaturationMeter:
    """The busiest of some threads, smoothed over the last readings."""

    def __init__(self) -> None:
        self._files = _ThreadFiles()
        self._last: dict[str, tuple[int, int]] = {}
        self._smooth: dict[str, tuple[float, float]] = {}
        self._when_ns = monotonic_ns()

    def close(self) -> None:
        """Forgets all threads."""
        self._files.keep(())

    def read(self, threads: Iterable[str]) -> float:
        """How busy the busiest thread is, 0 to 1: the time that it ran, of the time that it ran or slept. Threads that
        are read for the first time do not count.

        Args:
            threads: their paths in /proc.
        """
        self._files.keep(threads)
        before, start_ns, smooth = self._last, self._when_ns, self._smooth
        self._last, self._when_ns = self._files.read(), monotonic_ns()
        passed_ns = self._when_ns - start_ns
        self._smooth = {}
        for thread, now in self._last.items():
            if thread in before:
                ran, slept = _ran_and_slept(before[thread], now, passed_ns)
                old_ran, old_slept = smooth.get(thread, (0.0, float(passed_ns)))
                self._smooth[thread] = old_ran * KEPT + ran, old_slept * KEPT + slept
        return max((ran / max(1.0, ran + slept) for ran, slept in self._smooth.values()), default=0.0)


class RestMeter:
    """How much some threads have worked since they were seen at rest. One that is crowded out by others is not at rest:
    it is what it has done meanwhile that counts.
    """

    def __init__(self) -> None:
        self._runs = RunMeter()
        self._ran_ns: dict[str, int] = {}
        self._worked_ns: dict[str, int] = {}

    def close(self) -> None:
        """Forgets all threads."""
        self._runs.close()
        self._ran_ns, self._worked_ns = {}, {}

    def worked_s(self, threads: Iterable[str]) -> dict[str, float]:
        """Processor time of each thread that is not at rest, since it was, or since it was read first, s.

        Args:
            threads: their paths in /proc.
        """
        before, self._ran_ns = self._ran_ns, self._runs.ran_ns(threads)
        worked = {
            each: ran - before.get(each, ran) + self._worked_ns.get(each, 0) for each, ran in self._ran_ns.items()
        }
        self._worked_ns = {each: ns for each, ns in worked.items() if ns > 0 and not _is_at_rest(each)}
        return {each: ns / 1e9 for each, ns in self._worked_ns.items()}


class CrowdMeter:
    """How crowded the machine is for the thread that makes it, from then on."""

    def __init__(self) -> None:
        self._thread = str(PROC / "self" / "task" / str(threading.get_native_id()))
        self._before = _times(self._thread)

    @property
    def slowdown(self) -> float:
        """How many times as long as alone its work takes, as it waits for a processor; 1 where that is not counted."""
        ran, waited = (now - before for now, before in zip(_times(self._thread), self._before, strict=True))
        return (ran + waited) / ran if ran > 0 else 1.0


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


def _is_at_rest(thread: str) -> bool:
    """Whether a thread waits for something else than a processor; so does one that is gone."""
    with contextlib.suppress(OSError):
        return Path(thread, "stat").read_bytes().rpartition(b") ")[2][:1] != b"R"
    return True


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
