"""Processor time of processes."""

from __future__ import annotations

import contextlib

import psutil

from perception.browser.chromium.process_memory import process_tree


def cpu_seconds(root: int) -> float:
    """Of a process and all that it started and that still run."""
    total = 0.0
    for pid in process_tree(root):
        with contextlib.suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            total += times.user + times.system
    return total
