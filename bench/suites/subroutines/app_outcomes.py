"""The runs of tasks in real applications, counted. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from perception.bench.suites.subroutines.effects import FORBIDDEN, UNDONE, Ending


@dataclass(frozen=True, slots=True)
class AppRun:
    """One run.

    Attributes:
        doable: the task can be done in spite of the adversary.
        ending, done, stray: see `Judgment`.
        reason, error: the service's own words; empty for a success.
        seconds: as the client measured it.
        plan: the kind of plan.
        answer_lost: the application took a request of which the answer did not arrive.
    """

    app: str
    task: str
    adversary: str
    doable: bool
    ending: Ending
    done: bool
    stray: tuple[str, ...]
    reason: str
    error: str
    seconds: float
    plan: str
    answer_lost: bool = False

    @property
    def is_forbidden(self) -> bool:
        return self.ending in FORBIDDEN

    @property
    def is_false_refusal(self) -> bool:
        return self.doable and self.ending in UNDONE

    @property
    def is_lost(self) -> bool:
        """Whether it was done and said to have failed because its answer was lost: nobody could know."""
        return self.ending is Ending.UNREPORTED and self.answer_lost

    @property
    def is_finding(self) -> bool:
        """Whether it should have ended otherwise."""
        is_unreported = self.ending is Ending.UNREPORTED and not self.answer_lost
        return self.is_forbidden or self.is_false_refusal or is_unreported


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What a row costs by snapshots, and what was recorded.

    Attributes:
        tokens: of the snapshots that an agent needs for one row.
        actions: how many actions it sends.
        seconds: how long its snapshots and actions take, without a model's time.
        plan: the kind of plan; empty where none was made.
        problem: why nothing could be run; empty where it could.
        parameters: the names of the schema.
    """

    app: str
    task: str
    tokens: int
    actions: int
    seconds: float
    plan: str
    problem: str = ""
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How many runs ended how.

    Attributes:
        unreported: done and said to have failed, without those in `lost`.
        lost: the same where the answer was lost.
        doable: runs whose task can be done in spite of the adversary.
        false_refusals: of these, runs that ended without the effect, and said so.
        seconds: the median of a run; 0 without runs.
    """

    runs: int
    right: int
    refused: int
    failed: int
    wrong: int
    double: int
    false_success: int
    unverified: int
    unreported: int
    lost: int
    doable: int
    false_refusals: int
    seconds: float

    @property
    def false_refusal_share(self) -> float:
        return self.false_refusals / self.doable if self.doable else 0.0


def count_runs(runs: Sequence[AppRun]) -> RunCounts:
    """Counts the endings of runs; all 0 for no runs."""

    def number(ending: Ending) -> int:
        return sum(run.ending is ending for run in runs)

    return RunCounts(
        runs=len(runs),
        right=number(Ending.RIGHT),
        refused=number(Ending.REFUSED),
        failed=number(Ending.FAILED),
        wrong=number(Ending.WRONG),
        double=number(Ending.DOUBLE),
        false_success=number(Ending.FALSE_SUCCESS),
        unverified=number(Ending.UNVERIFIED),
        unreported=sum(run.ending is Ending.UNREPORTED and not run.is_lost for run in runs),
        lost=sum(run.is_lost for run in runs),
        doable=sum(run.doable for run in runs),
        false_refusals=sum(run.is_false_refusal for run in runs),
        seconds=statistics.median(run.seconds for run in runs) if runs else 0.0,
    )
