"""What a stage of work costs this process: wall time, and memory as the kernel counts it.

Peaks are the kernel's own high-water mark, which is reset when a stage begins, so that sampling cannot miss a short
peak. Child processes are not included.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from perception import host_os


@dataclass(slots=True, eq=False)
class _Peak:
    """The largest RSS of one stage that was recorded before a reset of the mark."""

    seen: int = 0


_lock = threading.Lock()
_open: list[_Peak] = []
"""Running stages. The process has a single mark: before one stage resets it, all running stages record it."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage, over all its calls.

    Attributes:
        milliseconds: wall time, summed.
        resident_bytes: of the process (RSS), at the end of the last call.
        peak_bytes: the maximum during any call, including other threads; None if the kernel does not allow a process to
            reset its mark.
        processor_ms: processor time of the process, all threads, summed; 0 in runs of earlier versions.
    """

    calls: int
    milliseconds: float
    resident_bytes: int
    peak_bytes: int | None
    processor_ms: float = 0.0


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
        """The completed stages, in the order of their first completion."""
        return dict(self._costs)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures the block, also if it fails."""
        with peak_memory() as peak:
            started, busy = self._clock(), time.process_time()
            try:
                yield
            finally:
                seconds, busy = self._clock() - started, time.process_time() - busy
                self._add(name, seconds * 1000, busy * 1000, resident_bytes(), peak())

    def _add(self, name: str, milliseconds: float, processor_ms: float, resident: int, peak: int | None) -> None:
        with _lock:
            before = self._costs.get(name, StageCost(0, 0, 0, peak))
            self._costs[name] = StageCost(
                before.calls + 1,
                before.milliseconds + milliseconds,
                resident,
                None if peak is None or before.peak_bytes is None else max(peak, before.peak_bytes),
                before.processor_ms + processor_ms,
            )


def resident_bytes() -> int:
    """What this process holds in memory now (RSS)."""
    return int(psutil.Process().memory_info().rss)


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """Yields a function that returns the largest RSS since the start of the block.

    It returns None if the kernel has no mark or does not allow a reset (some sandboxes).
    """
    own = _Peak()
    with _lock:
        works = _restart()
        _open.append(own)

    def peak() -> int | None:
        if not works:
            return None
        with _lock:
            return max(own.seen, host_os.peak_memory_bytes())

    try:
        yield peak
    finally:
        with _lock:
            _open.remove(own)


def _restart() -> bool:
    """Sets the mark back to what is held now, after telling the open stages what it was."""
    mark = host_os.peak_memory_bytes()
    if not host_os.restart_peak_memory():
        return False
    for peak in _open:
        peak.seen = max(peak.seen, mark)
    return True
