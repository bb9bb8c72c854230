"""Processor time of processes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import psutil

from perception.browser.chromium.process_memory import process_tree


def count_cpu(*roots: int) -> Callable[[], float]:
    """Counts from now on: returns what says the seconds until it is called, of processes and all that they start.

    A process that has ended by then counts for nothing, neither what it took nor what it had taken before.
    """
    before = _seconds_by_process(roots)
    return lambda: sum(seconds - before.get(process, 0.0) for process, seconds in _seconds_by_process(roots).items())


def own_seconds(pid: int) -> float:
    """Processor time of one process so far, without those that it started."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _seconds_by_process(roots: tuple[int, ...]) -> dict[psutil.Process, float]:
    found = {}
    for pid in dict.fromkeys(each for root in roots for each in process_tree(root)):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            times = process.cpu_times()
            found[process] = times.user + times.system
    return found
