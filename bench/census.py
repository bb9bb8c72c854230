"""What a service and its browser hold of the machine, as the kernel counts it. Linux."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Census:
    """Counts at one moment.

    Attributes:
        processes: below the service: its browser's.
        files: open file descriptors of the service.
        service_bytes, browser_bytes: memory (RSS); shared pages of the browser's processes count in each.
        targets: of the browser, as DevTools lists them.
    """

    processes: int
    files: int
    service_bytes: int
    browser_bytes: int
    targets: int


def count(service_pid: int, targets: int) -> Census:
    """Counts now. `targets` is what DevTools says."""
    below = descendants(service_pid)
    return Census(
        processes=len(below),
        files=len(os.listdir(f"/proc/{service_pid}/fd")),
        service_bytes=_resident(service_pid),
        browser_bytes=sum(_resident(pid) for pid in below),
        targets=targets,
    )


def descendants(pid: int) -> list[int]:
    """Processes below one."""
    children: dict[int, list[int]] = defaultdict(list)
    for each in _pids():
        with contextlib.suppress(OSError):  # it ended meanwhile
            children[int(_stat(each)[1])].append(each)
    found, todo = [], [pid]
    while todo:
        below = children[todo.pop()]
        found += below
        todo += below
    return found


def arguments(pid: int) -> list[str]:
    """A process's command line; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def renderers(service_pid: int) -> dict[int, int]:
    """Renderer processes below the service, with the clock ticks of processor time that each has had."""
    found = {}
    for pid in descendants(service_pid):
        if any("--type=renderer" in each for each in arguments(pid)):  # forked by the zygote: one long argument
            with contextlib.suppress(OSError):
                stat = _stat(pid)
                found[pid] = int(stat[11]) + int(stat[12])
    return found


def _pids() -> Iterator[int]:
    return (int(each) for each in os.listdir("/proc") if each.isdecimal())


def _stat(pid: int) -> list[str]:
    """Fields of proc_pid_stat(5) after the name: state, parent, …"""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0
