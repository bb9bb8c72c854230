"""What other work takes of the processor while a suite runs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

POLL_SECONDS = 2.0


@dataclass(slots=True)
class OtherWork:
    """Processor time of the processes that ran before the suite did, and of those that they start; not of this process
    and what it starts.

    Attributes:
        seconds: so far.
        last: of each process that is watched, its time at the last look.
        began_s: on `time.monotonic`.
        watched_s: how long it has been watched.
    """

    seconds: float = 0.0
    last: dict[psutil.Process, float] = field(default_factory=dict)
    began_s: float = field(default_factory=time.monotonic)
    watched_s: float = 0.0

    @property
    def share(self) -> float:
        """Share of all processors, in [0, 1]."""
        return self.seconds / max(self.watched_s, 1e-3) / (psutil.cpu_count() or 1)

    def look(self) -> None:
        """Adds what was used since the last look. A process that came and went between two looks is not seen."""
        self.watched_s = time.monotonic() - self.began_s
        own = {os.getpid(), *(each.pid for each in psutil.Process().children(recursive=True))}
        is_first = not self.last
        known = {each.pid for each in self.last} - {1}  # what outlives its parent becomes a child of the first process
        for process in psutil.process_iter():
            try:
                is_theirs = is_first or process in self.last or process.ppid() in known
                if process.pid in own or not is_theirs:
                    continue
                times = process.cpu_times()
            except psutil.Error:
                continue
            used = times.user + times.system
            # One that was started since the last look has used all of its time since.
            self.seconds += used - self.last.get(process, used if is_first else 0.0)
            self.last[process] = used


@contextmanager
def watching_other_work() -> Iterator[OtherWork]:
    """Watches until the end of the `with` block."""
    found, over = OtherWork(), threading.Event()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            found.look()

    found.look()
    thread = threading.Thread(target=watch, name="other-work", daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()
        found.look()
