"""The `reach` suite: whether all that can be acted upon has a ref, and whether acting through it does the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.reach.judgement import ReachRun


@dataclass(frozen=True, slots=True)
class ReachOptions:
    """Look for a ref for everything that can be acted upon, and act on a sample. Default: pages of all projects."""

    page: Pages = None
    url: Annotated[list[str] | None, typer.Option("--url", help="A further page, by its address; repeatable.")] = None
    limit: Limit = 0
    tries: Annotated[int, typer.Option(min=0, help="How many things of each page are acted upon, both ways.")] = 4
    seed: Annotated[int, typer.Option(help="Draws the things that are acted upon.")] = 1


class ReachSuite(MeasuredSuite["ReachOptions", "ReachRun"]):
    name = "reach"
    summary = "Whether all that listens, reveals or takes focus has a ref that does the same, by doing it."
    options = ReachOptions

    def data_type(self) -> type[ReachRun]:
        from perception.bench.suites.reach.judgement import ReachRun

        return ReachRun

    def run(self, options: ReachOptions, context: SuiteContext) -> Result[ReachRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.reach.run import run_reach

        visit = partial(run_reach, tries=options.tries, seed=options.seed)
        data = visit_pages(self.name, options.page, options.limit, visit, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )

    def report(self, result: Result[ReachRun], context: ReportContext) -> Report:
        from perception.bench.suites.reach.report import reach_report

        return reach_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[ReachRun], home: Path) -> Comparable:
        from perception.bench.comparison.paired import ComparisonRule
        from perception.bench.suites.reach.judgement import page_scores

        scores = page_scores(result.data)
        return Comparable(scores, {name: ComparisonRule(True) for score in scores for name in score.tallies})


SUITE = ReachSuite()
