"""Counts processes, files and memory of a service and its browser."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import psutil

from perception import host_os
from perception.browser.chromium.process_memory import process_tree


@dataclass(frozen=True, slots=True)
class ProcessCounts:
    """Counts at one moment.

    Attributes:
        processes: child processes of the service: its browser's.
        files: open file descriptors of the service.
        service_bytes, browser_bytes: memory (RSS); shared pages of the browser's processes count in each.
        targets: of the browser, as DevTools lists them.
    """

    processes: int
    files: int
    service_bytes: int
    browser_bytes: int
    targets: int


def count_processes(service_pid: int, targets: int) -> ProcessCounts:
    """The current counts. `targets` is DevTools' count."""
    below = descendants(service_pid)
    return ProcessCounts(
        processes=len(below),
        files=host_os.open_file_count(service_pid),
        service_bytes=_resident(service_pid),
        browser_bytes=sum(_resident(pid) for pid in below),
        targets=targets,
    )


def descendants(pid: int) -> list[int]:
    """Processes below one."""
    return process_tree(pid)[1:]


def arguments(pid: int) -> list[str]:
    """A process's command line; empty if it has ended."""
    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def renderers(service_pid: int) -> dict[int, float]:
    """Renderer processes below the service, with the seconds of processor time that each has had."""
    found = {}
    for pid in descendants(service_pid):
        if any("--type=renderer" in each for each in arguments(pid)):  # forked by the zygote: one long argument
            with contextlib.suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                found[pid] = times.user + times.system
    return found


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
