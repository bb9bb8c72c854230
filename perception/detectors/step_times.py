"""Processor time by step of a detector's work."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class StepTimes:
    """Sums the processor time of each step over all threads. Waiting does not count. Steps must not be nested."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def seconds(self) -> Mapping[str, float]:
        """By step, since creation."""
        with self._lock:
            return dict(self._seconds)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measures the block in this thread, also if it fails."""
        started = time.thread_time()
        try:
            yield
        finally:
            spent = time.thread_time() - started
            with self._lock:
                self._seconds[name] = self._seconds.get(name, 0.0) + spent
