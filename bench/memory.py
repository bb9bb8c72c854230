"""What a stage of work costs this process: wall time, and memory as the kernel counts it. Linux.

Peaks are the kernel's own high-water mark, set back when a stage begins, so that no sampling misses a short one.
Child processes are not in it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True, eq=False)
class _Peak:
    """The largest RSS that one stage knows of besides the mark."""

    seen: int = 0


_lock = threading.Lock()
_open: list[_Peak] = []
"""Stages at work. The mark is one for the whole process, so whoever sets it back first tells all of them."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage, over all its calls.

    Attributes:
        milliseconds: wall time, summed.
        resident_bytes: of the process (RSS), when the last call ended.
        peak_bytes: the most it was during any call, other threads' work included; None where the kernel does not let
            a process set its mark back.
    """

    calls: int
    milliseconds: float
    resident_bytes: int
    peak_bytes: int | None


class StageMeter:
    """Costs by stage. Stages may be nested, repeated and in several threads.

    with meter.stage("decode"):
        …

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._costs: dict[str, StageCost] = {}

    @property
    def costs(self) -> Mapping[str, StageCost]:
        """What ended so far, in the order of first ends."""
        return dict(self._costs)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Counts what happens inside, also when it fails."""
        with peak_memory() as peak:
            started = self._clock()
            try:
                yield
            finally:
                seconds = self._clock() - started
                self._add(name, seconds * 1000, resident_bytes(), peak())

    def _add(self, name: str, milliseconds: float, resident: int, peak: int | None) -> None:
        with _lock:
            before = self._costs.get(name, StageCost(0, 0, 0, peak))
            self._costs[name] = StageCost(
                before.calls + 1,
                before.milliseconds + milliseconds,
                resident,
                None if peak is None or before.peak_bytes is None else max(peak, before.peak_bytes),
            )


def resident_bytes() -> int:
    """What this process holds in memory now (RSS)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """Gives a function that tells the largest RSS since the block was entered.

    It tells None where the kernel has no mark or does not let it be set back (some sandboxes).
    """
    own = _Peak()
    with _lock:
        works = _restart()
        _open.append(own)

    def peak() -> int | None:
        if not works:
            return None
        with _lock:
            return max(own.seen, _mark())

    try:
        yield peak
    finally:
        with _lock:
            _open.remove(own)


def _restart() -> bool:
    """Sets the mark back to what is held now, after telling the open stages what it was."""
    try:
        mark = _mark()
        # "5" resets the peak resident set size and touches nothing else (proc_pid_clear_refs(5), Linux 4.0).
        _CLEAR.write_text("5")
    except (OSError, LookupError):
        return False
    for peak in _open:
        peak.seen = max(peak.seen, mark)
    return True


def _mark() -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise LookupError("the kernel tells no VmHWM")
