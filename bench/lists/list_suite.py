"""The suites that judge lists of elements: variants look at kept samples, and every list is scored.

They share stored runs: a variant that looked at a data set for one suite need not look again for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from perception.bench.run_store import Run
from perception.bench.suite import Comparable, ReportContext, Result, Suite, SuiteContext
from perception.bench.suite_options import CORES, Datasets, Limit, Variants, Workers

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.runner import RunReport


@dataclass(frozen=True, slots=True)
class LookStep:
    """A run of variants.

    Attributes:
        title: of the progress bar.
        variants: TOML files, or names of variants that come with the package.
        datasets: as on the command line.
        workers: worker processes.
        limit: samples of each data set, 0 for all.
    """

    title: str
    variants: Sequence[str]
    datasets: Sequence[str]
    workers: int
    limit: int


def run_variants(step: LookStep, context: SuiteContext) -> tuple[Run, int]:
    """Lets variants look at every sample; returns the stored run, and how many samples failed.

    Raises:
        BadInputError: a variant or data set cannot be used.
    """
    from perception.bench.sample_runs import run_looks
    from perception.bench.variant import load_variant

    variants = [load_variant(each) for each in step.variants]
    with context.progress(step.title) as progress:
        done, outcome = run_looks(
            variants, step.datasets, context.home, workers=step.workers, limit=step.limit, progress=progress
        )
    return done, say_outcome(done, outcome, context)


def say_outcome(stored: Run, outcome: RunReport, context: SuiteContext) -> int:
    """Reports the result of a run by samples; returns how many samples failed. Each problem was reported as it
    occurred."""
    lost = f", {len(outcome.failed)} failed" if outcome.failed else ""
    lost += f", {len(outcome.broken)} broken records" if outcome.broken else ""
    context.say(f"{stored.facts.id}: {outcome.done} samples done, {outcome.kept} there already{lost}")
    return len(outcome.failed) + len(outcome.broken)


class ListSuite(Suite["ListOptions", None]):
    """A suite over lists. `datasets` and `variants` are the command's defaults."""

    resumes = True
    datasets: ClassVar[tuple[str, ...]]
    variants: ClassVar[tuple[str, ...]]

    def run(self, options: ListOptions, context: SuiteContext) -> Result[None]:
        step = LookStep(
            self.name,
            options.variant or self.variants,
            options.dataset or self.datasets,
            options.workers,
            options.limit,
        )
        done, lost = run_variants(step, context)
        return Result(done.facts, None, lost, (done,))

    def load(self, run: Run, home: Path) -> Result[None]:
        return Result(run.facts, None, 0, (run,))

    def report(self, result: Result[None], context: ReportContext) -> Report:
        from perception.bench.lists.ab_report import ab_report
        from perception.bench.lists.list_report import list_report
        from perception.bench.lists.score_run import score_run

        (run,) = result.streamed
        scored = score_run(run, context.home)
        if context.again and len(run.facts.who) == 2:
            return ab_report(run, scored, context.home, cases=context.cases, command=context.command)
        return list_report(self.name, run, scored, context.command)

    def comparable(self, result: Result[None], home: Path) -> Comparable:
        from perception.bench.comparison.paired import RULES
        from perception.bench.lists.score_run import score_run

        (run,) = result.streamed
        scores = [score for scores in score_run(run, home, peers=False).scores.values() for score in scores]
        return Comparable(scores, RULES)


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Options of a suite over lists."""

    dataset: Datasets = None
    variant: Variants = None
    workers: Workers = CORES
    limit: Limit = 0
