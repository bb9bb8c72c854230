"""How `pytest -n N` hands out test files: several at once, the longest first, and those whose claim is a time last.

Needs pytest-xdist, so only the hooks for it import this module.
"""

from __future__ import annotations

import random

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.seconds import read_seconds

QUIET = "/clock/"
"""In the path of files whose claims are times, such as when a hung page is given up. They mostly wait."""

QUIET_WORKERS = 2
"""Workers for them: one for each core of a small machine, where three keep both cores busy in the other files."""


def order_files(items: list[pytest.Item], seed: str) -> None:
    """Puts long files first, or all files in a random order where there is a seed; quiet ones last in any case."""
    seconds = read_seconds()
    dice = random.Random(seed)
    drawn: dict[str, float] = {}

    def place(item: pytest.Item) -> tuple[bool, float, str]:
        file = file_of(item.nodeid)
        number = drawn.setdefault(file, dice.random()) if seed else -seconds.get(file, 1.0)
        return QUIET in file, number, file

    items.sort(key=place)


def file_of(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]


class ParallelThenQuiet(LoadFileScheduling):
    """Assigns whole files in the order of the collection; the tests of quiet ones, one by one, to the last workers that
    are left.

    A worker that finds only quiet files in the queue ends, with its browser and service, unless it is one of those.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = file_of(nodeid)
        return nodeid if QUIET in file else file

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self._may_take():
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down or self._may_take():
            super()._reschedule(node)
        elif sum(not each.shutting_down for each in self.nodes) > QUIET_WORKERS:
            node.shutdown()

    def remove_node(self, node: WorkerController) -> str | None:
        units = self.assigned_work.get(node, {}).values()
        crashed = next(((unit, test) for unit in units for test, is_done in unit.items() if not is_done), None)
        if crashed is not None:
            unit, test = crashed
            unit[test] = True  # what ended its worker, as a test that hangs, gets no other one
        super().remove_node(node)
        for left in self.nodes:
            self._reschedule(left)
        return crashed and crashed[1]

    def _may_take(self) -> bool:
        """Whether a worker may take the next file."""
        only_quiet = bool(self.workqueue) and QUIET in file_of(next(iter(self.workqueue)))
        return not only_quiet or len(self.nodes) <= QUIET_WORKERS


def make_scheduler(config: pytest.Config, log: object) -> ParallelThenQuiet:
    config.option.loadscopereorder = False  # workers have ordered their collections: see order_files
    return ParallelThenQuiet(config, log)
