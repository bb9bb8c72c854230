"""What a browser's processes take of the machine's memory."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import psutil


def machine_bytes() -> int:
    """Memory of the machine, or what this process's control group may use of it."""
    total = int(psutil.virtual_memory().total)
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            total = min(total, int((Path("/sys/fs/cgroup") / name).read_text()))
    return total


def tree_bytes(roots: Iterable[int]) -> dict[int, int]:
    """PSS of each process with all its descendants: pages that processes share are divided among them.

    Of a process that does not let itself be measured so, the pages that it has alone are counted.
    """
    children = _children()
    return {root: sum(process_bytes(pid) for pid in _tree(root, children)) for root in roots}


def process_tree(root: int) -> list[int]:
    """Ids of a process and all its descendants."""
    return _tree(root, _children())


def process_bytes(pid: int) -> int:
    """PSS of one process, its own pages where the system has no PSS (macOS, Windows); 0 when it is gone."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        try:
            full = process.memory_full_info()
            return int(getattr(full, "pss", full.uss))
        except psutil.AccessDenied:
            with contextlib.suppress(psutil.AccessDenied):
                resident = process.memory_info()
                return int(resident.rss - getattr(resident, "shared", 0))
    return 0


def _children() -> dict[int, list[int]]:
    children: dict[int, list[int]] = defaultdict(list)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            children[process.ppid()].append(process.pid)
    return children


def _tree(root: int, children: dict[int, list[int]]) -> list[int]:
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found
