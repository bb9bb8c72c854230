"""Injects faults into a service, one after another.

After each fault: the callers' answers, whether anything acknowledged was lost or done twice, and how long it took until
a new session could be opened, captured and clicked in. At the end: leaks.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from perception import host_os
from perception.bench.suite_options import choose_by_words
from perception.bench.suites.faults.fault_lab import FaultLab, serve_site
from perception.bench.suites.faults.injection import SkippedError
from perception.bench.suites.faults.injections import WAYS
from perception.bench.suites.faults.processes import internal_errors
from perception.browser.chromium.process_memory import process_tree
from perception.client import RemoteError
from perception.errors import first_line

FILES_SLACK = 8
"""Allowed increase of open files at the end: our connections, thread pools."""


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """The outcome of one fault.

    Attributes:
        way: the fault's name.
        answered: the answers of its callers.
        again_s: seconds until the service worked again; None: it did not.
        wrong: what is wrong with the outcome; empty if nothing is.
        skipped: this machine does not allow the fault to be injected.
    """

    way: str
    answered: str
    again_s: float | None = None
    wrong: str = ""
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class HeldResources:
    """A service's resources without sessions."""

    processes: int
    files: int
    threads: int
    folders: int


@dataclass(frozen=True, slots=True)
class FaultsRun:
    """A run. `before`, `after`: the service's resources without a session, before and after all faults."""

    outcomes: tuple[FaultOutcome, ...]
    before: HeldResources
    after: HeldResources

    def leaks(self) -> list[str]:
        """The resources that increased over all faults."""
        found = []
        if self.after.files > self.before.files + FILES_SLACK:
            found.append("open files")
        if self.after.processes > self.before.processes:
            found.append("processes")
        if self.after.folders > self.before.folders:
            found.append("temporary folders")
        return found

    def failed(self) -> int:
        """Faults with a wrong outcome, and kinds of leaks."""
        return sum(bool(each.wrong) for each in self.outcomes) + len(self.leaks())


def chosen_ways(words: Sequence[str]) -> list[str]:
    """The faults whose names contain one of the words; all for no words.

    Raises:
        BadInputError: no name does.
    """
    return choose_by_words(tuple(WAYS), words, "fault", f"there are {'; '.join(WAYS)}")


async def run_faults(ways: Sequence[str], on_fault: Callable[[FaultOutcome], None]) -> FaultsRun:
    """Injects every fault in turn into one service (some of them stop it and restart it).

    Args:
        ways: names of faults.
        on_fault: called with each finished outcome.
    """
    # A short name: otherwise browsers would have their sockets in another folder, where leftovers are not counted.
    with serve_site() as site, tempfile.TemporaryDirectory(prefix="pf-") as name:
        folder = Path(name)
        os.chmod(name, 0o755)  # the browser's user must be able to traverse it
        lab = FaultLab(site, folder)
        await lab.start()
        try:
            for _ in range(2):
                counted = await lab.open()
                await counted.page.snapshot(mode="vision")
                await counted.page.close()
            before = held_resources(lab)
            found = []
            for each in ways:
                found.append(await _inject(lab, each))
                on_fault(found[-1])
            after = held_resources(lab)
        finally:
            await lab.stop()
        if wrong := internal_errors(folder, "log", "internal error"):
            found.append(FaultOutcome("the service's log", "", wrong=wrong))
    return FaultsRun(tuple(found), before, after)


async def _inject(lab: FaultLab, way: str) -> FaultOutcome:
    lab.pages.clear()
    try:
        answered, wrong = await asyncio.wait_for(WAYS[way](lab), 240), ""
    except SkippedError as exc:
        return FaultOutcome(way, str(exc), skipped=True)
    except (AssertionError, RemoteError, TimeoutError) as exc:
        answered, wrong = "", first_line(exc)
    try:
        await lab.close_sessions()
        again_s: float | None = await lab.works_again()
    except (RemoteError, TimeoutError) as exc:
        again_s, wrong = None, wrong or f"it does not work again: {first_line(exc)}"
    wrong = "; ".join(filter(None, (wrong, *lab.wrong_counts())))
    return FaultOutcome(way, answered, again_s, wrong)


def held_resources(lab: FaultLab) -> HeldResources:
    return HeldResources(
        processes=len(process_tree(lab.pid)),
        files=host_os.open_file_count(lab.pid),
        threads=psutil.Process(lab.pid).num_threads(),
        folders=len(list(lab.temporary.iterdir())),
    )
