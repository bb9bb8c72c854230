"""How `pytest -n N` hands out test files: several at once, and those whose claims depend on time on a quiet machine
afterwards.

Needs pytest-xdist, so only the hook for it imports this module.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

QUIET = frozenset(
    (
        "tests/browser/test_recovery.py",
        "tests/browser/test_settle.py",
        "tests/server/test_hangs.py",
        "tests/server/test_sessions.py",
    )
)
"""Files whose claims are times, such as when a hung page is given up. They mostly wait."""

QUIET_WORKERS = 2
"""Workers for them: one for each core of a small machine, where three keep both cores busy in the other files."""

FIRST = "tests/bench/"
"""The folder of the files that take longest: they run first, so that no worker is left with one."""


def order_files(items: list[pytest.Item]) -> None:
    """Puts long files and those with many tests first, and quiet ones last."""
    counts: dict[str, int] = {}
    for item in items:
        counts[file_of(item.nodeid)] = counts.get(file_of(item.nodeid), 0) + 1

    def place(item: pytest.Item) -> tuple[bool, bool, int, str]:
        file = file_of(item.nodeid)
        return file in QUIET, not file.startswith(FIRST), -counts[file], file

    items.sort(key=place)


def file_of(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]


class ParallelThenQuiet(LoadFileScheduling):
    """Assigns whole files in the order of the collection; the quiet ones to the last workers that are left.

    A worker that finds only quiet files in the queue ends, with its browser and service, unless it is one of those.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self._may_take():
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down or self._may_take():
            super()._reschedule(node)
        elif sum(not each.shutting_down for each in self.nodes) > QUIET_WORKERS:
            node.shutdown()

    def remove_node(self, node: WorkerController) -> str | None:
        crashed = super().remove_node(node)
        for left in self.nodes:
            self._reschedule(left)
        return crashed

    def _may_take(self) -> bool:
        """Whether a worker may take the next file."""
        only_quiet = bool(self.workqueue) and next(iter(self.workqueue)) in QUIET
        return not only_quiet or len(self.nodes) <= QUIET_WORKERS


def make_scheduler(config: pytest.Config, log: object) -> ParallelThenQuiet:
    config.option.loadscopereorder = False  # workers have ordered their collections: see order_files
    return ParallelThenQuiet(config, log)
