"""Slows the processes of pages that flood a browser with events, so that its other sessions do not wait.

A thread of its own reads the load and lets slowed processes run for a share of each cycle only, stopped in between: the
event loop may be as flooded as the browser. Works for browsers started by us, on Linux.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Container

import psutil
import structlog

from perception.browser.chromium.flood_control import SATURATED, FloodControl, LoadReading
from perception.browser.chromium.process_memory import process_tree
from perception.browser.chromium.thread_load import (
    LoopMeter,
    SaturationMeter,
    first_thread_s,
    has_schedstat,
    process_cpu_ns,
    threads_of,
)
from perception.instrumentation.metrics import PAGES_SLOWED

log = structlog.get_logger(__name__)

CYCLE_SECONDS = 0.025
"""A slowed process runs for its share of each cycle. Longer ones let through larger bursts."""

ENOUGH, LATE_SECONDS = 0.5, 0.001
"""A slowed process has had its share of a cycle when it has run for so much of it; how often that is asked while it has
not. Chosen by hand."""

READ_CYCLES = 4
"""Cycles between two readings of the load."""

LIST_SECONDS, LIST_SOON_SECONDS = 2.0, 0.2
"""How old the list of processes may be, and how old while a shared thread is saturated. Listing takes 5 ms. Chosen by
hand."""

SHARED_THREADS = ("Chrome_IOThread", "Chrome_DevTools", "Chrome_ChildIOT")
"""Beside the first thread of each process, those that pass on what pages send (Chromium 156)."""

STOP_SECONDS = 2.0

SAME_SECONDS = 0.15
"""DevTools counts a process's time from when it attached, some 0.05 s after its start."""


class FloodGuard:
    """Of one browser. Call `start`, and `stop` before the browser is ended.

    Args:
        pid: of the browser's main process.
        driver_pid: of Playwright's driver, which handles the events of all sessions; 0 where it is unknown.
        events_s: returns the processor time that the service's event loop has spent on the browser's events so far, s.
        is_shared: whether several sessions use the browser now. A page that floods a browser of its own is left alone.
    """

    def __init__(self, pid: int, driver_pid: int, events_s: Callable[[], float], is_shared: Callable[[], bool]) -> None:
        self._pid = pid
        self._loop = LoopMeter(events_s)
        self._driver_pid = driver_pid
        self._is_shared = is_shared
        self._control = FloodControl()
        self._meter = SaturationMeter()
        self._threads: list[str] = []
        self._renderers: dict[int, int] = {}  # by pid, a file descriptor of the process
        self._cpu_ns: dict[int, int] = {}
        self._read_s = time.monotonic()
        self._stopped: set[int] = set()
        self._listed_s = -LIST_SECONDS
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flood-guard", daemon=True)

    def start(self) -> None:
        """Does nothing where the system does not count the load of threads."""
        if has_schedstat():
            self._thread.start()

    def stop(self) -> None:
        """Returns when every process runs freely again."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    @property
    def slowed(self) -> frozenset[int]:
        """The processes that are slowed noticeably, by pid."""
        return self._control.slowed

    def slows(self, main_thread_s: float) -> bool:
        """Whether a page's process is slowed noticeably.

        Args:
            main_thread_s: processor time of its main thread, s, which tells its process: DevTools names no process
                (Chromium 156).
        """
        spent = (first_thread_s(pid) for pid in self._control.slowed)
        return any(abs(each - main_thread_s) < SAME_SECONDS for each in spent)

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                try:
                    self._guard()
                except psutil.Error:  # the browser ends
                    self._ended.wait(CYCLE_SECONDS * READ_CYCLES)
        finally:
            self._resume_all_but(())
            self._meter.close()
            for file in self._renderers.values():
                os.close(file)

    def _guard(self) -> None:
        """One reading, and the cycles until the next one."""
        if self._is_shared():
            self._read()
        else:
            self._control = FloodControl()
        shares = self._control.shares
        self._resume_all_but(shares)
        if not shares:
            self._ended.wait(READ_CYCLES * CYCLE_SECONDS)
            return
        for _ in range(READ_CYCLES):
            self._run_cycle(shares)

    def _read(self) -> None:
        saturation, now = max(self._meter.read(self._threads), self._loop.read()), time.monotonic()
        if now - self._listed_s >= (LIST_SECONDS if saturation < SATURATED else LIST_SOON_SECONDS):
            self._listed_s = now
            self._list_processes()
        before, passed_s, self._read_s = self._cpu_ns, now - self._read_s, now
        self._cpu_ns = {pid: process_cpu_ns(pid) for pid in self._renderers}
        cpu_s = {pid: max(0, spent - before.get(pid, spent)) / 1e9 for pid, spent in self._cpu_ns.items()}
        known = self._control.slowed
        self._control.take(LoadReading(saturation, cpu_s, passed_s))
        for pid in self._control.slowed - known:
            PAGES_SLOWED.inc()
            log.warning("page floods its browser and is slowed", pid=pid)

    def _list_processes(self) -> None:
        """Sorts the browser's processes into renderers and those that all sessions share."""
        present, threads = set(process_tree(self._pid)), threads_of(self._driver_pid) if self._driver_pid else []
        for gone in [pid for pid, file in self._renderers.items() if pid not in present or not _signal(file, 0)]:
            os.close(self._renderers.pop(gone))
        for pid in present - self._renderers.keys():
            with contextlib.suppress(psutil.Error, OSError):
                # A child of the zygote has one long argument.
                if any("--type=renderer" in each for each in psutil.Process(pid).cmdline()):
                    self._renderers[pid] = os.pidfd_open(pid)
                else:
                    threads += threads_of(pid, SHARED_THREADS)
        self._threads = threads

    def _run_cycle(self, shares: dict[int, float]) -> None:
        """Lets slowed processes run for their share of one cycle; they stay stopped after it. On a crowded machine a
        process that was not given a processor in that time runs on until it was."""
        start = time.monotonic()
        running = {pid: process_cpu_ns(pid) for pid in shares if pid in self._renderers}
        for pid in running:
            _signal(self._renderers[pid], signal.SIGCONT)
        while running and not self._ended.is_set():
            passed = time.monotonic() - start
            for pid, before_ns in list(running.items()):
                granted = shares[pid] * CYCLE_SECONDS
                had = (process_cpu_ns(pid) - before_ns) / 1e9 >= granted * ENOUGH
                if passed >= CYCLE_SECONDS or (passed >= granted and had):
                    self._stopped.add(pid)
                    _signal(self._renderers[pid], signal.SIGSTOP)
                    del running[pid]
            if running:
                nearest = min(shares[pid] * CYCLE_SECONDS - passed for pid in running)
                self._ended.wait(nearest if nearest > 0 else LATE_SECONDS)
        self._ended.wait(max(0.0, start + CYCLE_SECONDS - time.monotonic()))

    def _resume_all_but(self, slowed: Container[int]) -> None:
        for pid in [pid for pid in self._stopped if pid not in slowed]:
            self._stopped.discard(pid)
            if pid in self._renderers:
                _signal(self._renderers[pid], signal.SIGCONT)


def _signal(process: int, number: int) -> bool:
    """Sends a signal to a process by its file descriptor; returns whether it was there."""
    try:
        signal.pidfd_send_signal(process, number)
    except OSError:
        return False
    return True
