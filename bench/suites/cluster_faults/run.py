"""Injects each fault a number of times, under load, and judges what came of it."""

from __future__ import annotations

import asyncio
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perception.bench.suite_options import choose_by_words
from perception.bench.suites.cluster_faults import claim_faults, edge_faults, head_faults, worker_faults
from perception.bench.suites.cluster_faults.fault import FAULTS, ClusterFault
from perception.bench.suites.cluster_faults.lab import CALLERS, ClusterLab
from perception.bench.suites.cluster_faults.outcomes import ClusterFaultsRun, Counts, FaultResult, p99_ms
from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS, FaultPlacement
from perception.bench.suites.cluster_faults.ray_workers import RayWorkers
from perception.bench.suites.cluster_faults.static_workers import StaticWorkers
from perception.bench.suites.faults.fault_lab import serve_site
from perception.bench.suites.faults.injection import SkippedError
from perception.bench.suites.faults.processes import internal_errors
from perception.client import RemoteError
from perception.errors import BadInputError, first_line

PLACEMENTS: dict[str, Callable[[], FaultPlacement]] = {"static": StaticWorkers, "ray": RayWorkers}

_ORDER = [module.__name__ for module in (worker_faults, edge_faults, claim_faults, head_faults)]

QUIET_SECONDS = 4.0
"""For the quiet p99: some 100 looks."""

ROUND_SECONDS = 240.0


def placement_named(name: str) -> FaultPlacement:
    """Raises BadInputError for a name that there is not."""
    if name not in PLACEMENTS:
        raise BadInputError(f"no placement is called {name!r}: there are {', '.join(PLACEMENTS)}")
    return PLACEMENTS[name]()


def chosen_faults(words: Sequence[str]) -> list[ClusterFault]:
    """The faults whose names contain one of the words; all for no words. Raises BadInputError for none."""
    ordered = sorted(FAULTS.values(), key=lambda each: _ORDER.index(each.inject.__module__))
    names = [each.name for each in ordered]
    chosen = choose_by_words(names, words, "fault", f"there are {'; '.join(names)}")
    return [FAULTS[each] for each in chosen]


async def run_faults(
    faults: Sequence[ClusterFault],
    rounds: int,
    placement: FaultPlacement,
    on_round: Callable[[str, str], None],
    *,
    quiet_s: float = QUIET_SECONDS,
    most_s: float = 0,
) -> ClusterFaultsRun:
    """Injects every fault in turn.

    Args:
        rounds: how often each of them.
        on_round: called after each round with the fault's name and what was wrong, empty for nothing.
        quiet_s: how long the load runs without a fault, before each fault's rounds.
        most_s: seconds after which no more rounds of a fault begin; 0 for no limit.
    """
    # A short name: otherwise browsers would have their sockets in another folder, where leftovers are not counted.
    with serve_site() as site, tempfile.TemporaryDirectory(prefix="pc-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o755)  # the browser's user must be able to traverse it
        lab = ClusterLab(site, Path(name), placement)
        try:
            await lab.start()
            results = [await _FaultRounds(lab, each, rounds, on_round, quiet_s, most_s).run() for each in faults]
        finally:
            await lab.close()
        if wrong := internal_errors(Path(name), "*/log", "internal error", "Traceback"):
            results.append(FaultResult("the logs", wrong=(wrong,)))
    return ClusterFaultsRun(placement.name, WORKERS, SLOTS, CALLERS, tuple(results))


@dataclass(slots=True)
class _FaultRounds:
    """All rounds of one fault."""

    lab: ClusterLab
    fault: ClusterFault
    rounds: int
    on_round: Callable[[str, str], None]
    quiet_s: float
    most_s: float
    told: Counter[str] = field(default_factory=Counter)
    again_s: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)

    async def run(self) -> FaultResult:
        lab, fault = self.lab, self.fault
        if fault.placements and lab.placement.name not in fault.placements:
            return FaultResult(fault.name, skipped=f"not on {lab.placement.name}")
        done = 0
        try:
            quiet = await self._quiet()
            until = time.monotonic() + (self.most_s or math.inf)
            while done < self.rounds and time.monotonic() < until:
                done += 1
                wrong = await self._round()
                self.wrong += [f"round {done}: {each}" for each in wrong]
                self.on_round(fault.name, "; ".join(wrong))
        except SkippedError as exc:
            return FaultResult(fault.name, skipped=str(exc))
        finally:
            await lab.stop_load()
        return FaultResult(
            fault.name,
            done,
            dict(self.told),
            tuple(self.again_s),
            p99_ms(self.others),
            len(self.others),
            quiet,
            tuple(self.wrong),
            first=self.counts[0] if self.counts else None,
            last=self.counts[-1] if self.counts else None,
        )

    async def _quiet(self) -> float | None:
        """p99 of a look under the load alone, which goes on."""
        lab = self.lab
        lab.account.looks.clear()
        await lab.start_load(self.fault.turn)
        lab.account.looks.clear()
        await asyncio.sleep(self.quiet_s)
        return p99_ms([seconds for _, seconds, _ in lab.account.looks])

    async def _round(self) -> list[str]:
        """What was wrong."""
        lab = self.lab
        self._begin()
        start = time.monotonic()
        try:
            async with asyncio.timeout(ROUND_SECONDS):
                await self.fault.inject(lab)
                await lab.placement.restore()
                await lab.served(time.monotonic())
                self.again_s.append(time.monotonic() - start)
                looks = [each for each in lab.account.looks if each[0] >= start]
                await lab.check_slots()
            self.counts.append(await lab.count())
        except (AssertionError, RemoteError, RuntimeError, TimeoutError) as exc:
            wrong = [first_line(exc) or type(exc).__name__]
            await lab.placement.restore()
        else:
            wrong = []
            self.others += [seconds for _, seconds, caller in looks if caller not in lab.hit]
        async with lab.paused():
            wrong += [*lab.account.wrong, *lab.check_presses()]
        self.told.update(lab.account.told)
        return wrong

    def _begin(self) -> None:
        """A new account; pages that callers still have go on with theirs."""
        account = self.lab.account
        account.told, account.wrong = Counter(), []
        account.looks.clear()
        account.pages[:] = [each.held for each in self.lab.callers if each.held is not None]
        self.lab.hit = set()
