"""What a browser's processes take of the machine's memory. Linux; elsewhere nothing is known."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def machine_bytes() -> int:
    """Memory of the machine, or what this process's control group may use of it."""
    total = os.sysconf("SC_PHYS_PAGES") * _PAGE
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
    """PSS of one process; 0 when it is gone."""
    with contextlib.suppress(OSError, ValueError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(OSError, ValueError, IndexError):
        _, resident, shared = map(int, (_PROC / str(pid) / "statm").read_text().split()[:3])
        return (resident - shared) * _PAGE
    return 0


def _children() -> dict[int, list[int]]:
    children: dict[int, list[int]] = defaultdict(list)
    for entry in _PROC.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(entry.parent.name))
    return children


def _tree(root: int, children: dict[int, list[int]]) -> list[int]:
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found
