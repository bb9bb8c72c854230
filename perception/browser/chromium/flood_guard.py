"""Slows the processes of pages that flood a browser with events, so that its other sessions do not wait.

Two means: `FloodControl` gives a process that floods for long a share of the time only. Until then a process that sends
much while a shared thread does not rest pauses until that thread has a rest: no more lies before the thread than what a
page sends in some 40 ms. The thread does as much as without the pause. What a process sends is told by the processor
time of its IO thread.

A thread of its own reads the load and lets slowed processes run for a share of each cycle only, stopped in between: the
event loop may be as flooded as the browser. Works for browsers started by us, on Linux.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Container, Mapping

import psutil
import structlog

from perception.browser.chromium.flood_control import LEAST_SENT, SATURATED, FloodControl, LoadReading
from perception.browser.chromium.process_memory import process_tree
from perception.browser.page.thread_load import (
    LoopMeter,
    RestMeter,
    RunMeter,
    SaturationMeter,
    first_thread_s,
    has_schedstat,
    process_cpu_ns,
    thread_of,
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
"""How old the list of processes may be, and how old while a shared thread is saturated or a process is slowed: a page
whose process is not listed yet is taken for another one. Listing takes 5 ms. Chosen by hand."""

SHARED_THREADS = ("Chrome_IOThread", "Chrome_DevTools", "Chrome_ChildIOT")
"""Beside the first thread of each process, those that pass on what pages send (Chromium 156)."""

SENDING_THREAD = "Chrome_ChildIOT"
"""The IO thread of a renderer, through which all passes that it sends (Chromium 156)."""

TICK_SECONDS = 0.01
"""How often it is asked whether a shared thread rests, which takes 0.05 ms."""

WATCHED_SECONDS, BEHIND_SECONDS = 0.01, 0.03
"""Processor time of a shared thread without a rest, after which renderers are watched, and after which it counts as
behind. A page can change its title 3,000 times in 0.03 s; each takes Chromium's main thread 0.24 ms (Chromium 156).
Chosen by hand: four sessions that look and click keep a thread busy for less at a time."""

STANDS_OUT, OF_PAUSED = 2.0, 0.5
"""A renderer is taken for the reason that sends so many times as much as the next one, LEAST_SENT, and this share of
what those that pause already sent: others wait for the shared thread, too, and do little. Chosen by hand."""

LONGEST_PAUSE_SECONDS = 1.0
"""How long a process pauses at most. If the thread had no rest meanwhile, another one may be the reason: the process
does not pause again before there was a rest, unless it is slowed. Chosen by hand."""

SHORT_PAUSE_SECONDS = 0.2
"""What is longer counts as time in which the process would have run on: it has left much to do. Chosen by hand: a page
that loads pauses for a moment."""

RECENT_SECONDS = 2.0
"""For so long after a pause a page may still be late. Chosen by hand."""

STOP_SECONDS = 2.0

SAME_SECONDS, ATTACHED_SECONDS = 0.15, 0.05
"""DevTools counts a process's time from when it attached, some 0.05 s after its start: the page's process is the one
whose time is the nearest, if it is near enough."""


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
        self._senders: dict[int, str] = {}  # by pid, the path of its IO thread
        self._runs = RunMeter()
        self._sent_ns: dict[int, int] = {}
        self._read_s = time.monotonic()
        self._stopped: set[int] = set()
        self._shared_rest = RestMeter()
        self._paused: dict[int, float] = {}  # since when, by pid
        self._paused_s: dict[int, float] = {}  # how long since the last reading
        self._rates: dict[int, float] = {}  # in which share of the time those sent that paused, before they did
        self._cleared: set[int] = set()  # those whose pause did not help
        self._watch: tuple[float, dict[int, int]] | None = None  # since when, and processor time by pid as it began, ns
        self._last_pause_s = -RECENT_SECONDS
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

    @property
    def unheld(self) -> frozenset[int]:
        """The processes that slowing does not hold, by pid."""
        return self._control.unheld

    @property
    def is_flooded(self) -> bool:
        """Whether a process is slowed or paused, or was paused until a moment ago."""
        return self.pauses or bool(self._control.shares)

    @property
    def pauses(self) -> bool:
        """Whether a process is paused, or was until a moment ago."""
        return bool(self._paused) or time.monotonic() - self._last_pause_s < RECENT_SECONDS

    def process_of(self, main_thread_s: float, *, surely: bool = False) -> int:
        """The process of a page, by pid; 0 where it is not known.

        Args:
            main_thread_s: processor time of its main thread, s, which tells its process: DevTools names no process
                (Chromium 156).
            surely: it is not known where another one's time is as near.
        """
        off_s = {pid: abs(first_thread_s(pid) - ATTACHED_SECONDS - main_thread_s) for pid in list(self._renderers)}
        near = sorted((off, pid) for pid, off in off_s.items() if off < SAME_SECONDS)
        return near[0][1] if near and not (surely and len(near) > 1) else 0

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                try:
                    self._guard()
                except psutil.Error:  # the browser ends
                    self._ended.wait(CYCLE_SECONDS * READ_CYCLES)
        finally:
            self._resume_all_but(())
            for meter in (self._meter, self._shared_rest, self._runs):
                meter.close()
            for file in self._renderers.values():
                os.close(file)

    def _guard(self) -> None:
        """One reading, and the cycles until the next one."""
        if not self._is_shared():
            self._control = FloodControl()
            self._paused.clear()
            self._resume_all_but(())
            self._meter.close()
            self._shared_rest.close()
            self._ended.wait(READ_CYCLES * CYCLE_SECONDS)
            return
        self._read()
        shares = self._control.shares
        self._resume_all_but({*shares, *self._paused})
        until_s = time.monotonic() + READ_CYCLES * CYCLE_SECONDS
        while time.monotonic() < until_s and not self._ended.is_set():
            if shares:
                self._run_cycle(shares)
            else:
                self._ended.wait(TICK_SECONDS)
            self._relieve()

    def _relieve(self) -> None:
        """Pauses a renderer that sends much while a shared thread does not rest, until that one does."""
        now_s = time.monotonic()
        worked_s = max(self._shared_rest.worked_s(self._threads).values(), default=0.0)
        for pid, since_s in list(self._paused.items()):
            if worked_s < WATCHED_SECONDS or now_s - since_s >= LONGEST_PAUSE_SECONDS:
                self._end_pause(pid, now_s)
                self._cleared.add(pid)
        if worked_s < WATCHED_SECONDS:
            self._watch = None
            self._cleared.clear()
            return
        if now_s - self._listed_s >= LIST_SOON_SECONDS:
            self._list_processes()
        if self._watch is None:
            self._watch = now_s, {}
        since_s, before = self._watch
        innocent = self._cleared - self._control.shares.keys()
        rates = {
            pid: (ns - before.setdefault(pid, ns)) / 1e9 / max(TICK_SECONDS, now_s - since_s)
            for pid, ns in self._sent().items()
            if pid not in innocent
        }
        if worked_s >= BEHIND_SECONDS and (pid := _culprit(rates, {each: self._rates[each] for each in self._paused})):
            self._pause(pid, rates[pid], now_s)

    def _pause(self, pid: int, rate: float, now_s: float) -> None:
        """`rate`: the share of the time in which it has sent lately."""
        self._paused[pid], self._rates[pid] = now_s, rate
        self._stopped.add(pid)
        _signal(self._renderers[pid], signal.SIGSTOP)

    def _end_pause(self, pid: int, now_s: float) -> None:
        self._count_pause(pid, self._paused.pop(pid), now_s)
        self._last_pause_s = now_s
        if pid not in self._control.shares:
            self._resume_all_but(self._stopped - {pid})

    def _count_pause(self, pid: int, since_s: float, now_s: float) -> None:
        counted_s = now_s - max(since_s + SHORT_PAUSE_SECONDS, self._read_s)
        self._paused_s[pid] = self._paused_s.get(pid, 0.0) + max(0.0, counted_s)

    def _read(self) -> None:
        saturation, now = max(self._meter.read(self._threads), self._loop.read()), time.monotonic()
        is_at_work = saturation >= SATURATED or self._control.shares
        if now - self._listed_s >= (LIST_SOON_SECONDS if is_at_work else LIST_SECONDS):
            self._list_processes()
        before, passed_s = self._sent_ns, now - self._read_s
        for pid, since_s in self._paused.items():
            self._count_pause(pid, since_s, now)
        self._read_s, paused_s, self._paused_s = now, self._paused_s, {}
        self._sent_ns = self._sent()
        ran_s = {pid: max(0, sent - before.get(pid, sent)) / 1e9 for pid, sent in self._sent_ns.items()}
        sent_s = {pid: ran + self._rates.get(pid, 0.0) * paused_s.get(pid, 0.0) for pid, ran in ran_s.items()}
        known = self._control.slowed
        self._control.take(LoadReading(saturation, sent_s, ran_s, passed_s))
        for pid in self._control.slowed - known:
            PAGES_SLOWED.inc()
            log.warning("page floods its browser and is slowed", pid=pid)

    def _sent(self) -> dict[int, int]:
        """Processor time of the renderers' IO threads so far, by pid, ns."""
        ran_ns = self._runs.ran_ns(self._senders.values())
        return {pid: ran_ns[thread] for pid, thread in self._senders.items() if thread in ran_ns}

    def _list_processes(self) -> None:
        """Sorts the browser's processes into renderers and those that all sessions share."""
        self._listed_s = time.monotonic()
        present, threads = set(process_tree(self._pid)), threads_of(self._driver_pid) if self._driver_pid else []
        for gone in [pid for pid, file in self._renderers.items() if pid not in present or not _signal(file, 0)]:
            os.close(self._renderers.pop(gone))
            self._cleared.discard(gone)
            for known in (self._senders, self._paused, self._rates):
                known.pop(gone, None)
        for pid in present - self._renderers.keys():
            with contextlib.suppress(psutil.Error, OSError):
                # A child of the zygote has one long argument.
                if any("--type=renderer" in each for each in psutil.Process(pid).cmdline()):
                    self._renderers[pid] = os.pidfd_open(pid)
                else:
                    threads += threads_of(pid, SHARED_THREADS)
        for pid in self._renderers.keys() - self._senders.keys():
            if thread := thread_of(pid, SENDING_THREAD):
                self._senders[pid] = thread
        self._threads = threads

    def _run_cycle(self, shares: dict[int, float]) -> None:
        """Lets slowed processes run for their share of one cycle; they stay stopped after it. On a crowded machine a
        process that was not given a processor in that time runs on until it was."""
        start = time.monotonic()
        running = {pid: process_cpu_ns(pid) for pid in shares if pid in self._renderers and pid not in self._paused}
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


def _culprit(rates: Mapping[int, float], paused: Mapping[int, float]) -> int:
    """The renderer that is to pause; 0 for none.

    Args:
        rates: shares of the time in which each renderer sent while a shared thread did not rest, by pid.
        paused: those in which the ones sent that pause already, before they did.
    """
    running = sorted(((rate, pid) for pid, rate in rates.items() if pid not in paused), reverse=True)
    if not running:
        return 0
    most, pid = running[0]
    next_most = running[1][0] if len(running) > 1 else 0.0
    least = max(LEAST_SENT, STANDS_OUT * next_most, OF_PAUSED * max(paused.values(), default=0.0))
    return pid if most >= least else 0


def _signal(process: int, number: int) -> bool:
    """Sends a signal to a process by its file descriptor; returns whether it was there."""
    try:
        signal.pidfd_send_signal(process, number)
    except OSError:
        return False
    return True
