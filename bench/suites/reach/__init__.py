"""The `reach` suite: whether all that can be acted upon has a ref, and whether acting through it does the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.suites.reach.judgment import ReachRun


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

    def parts(self) -> SuiteParts[ReachRun]:
        from perception.bench.comparables import compare_shares
        from perception.bench.suites.reach.judgment import ReachRun, page_scores
        from perception.bench.suites.reach.report import reach_report

        return SuiteParts(ReachRun, reach_report, lambda run: compare_shares(page_scores(run)))

    def run(self, options: ReachOptions, context: SuiteContext) -> Result[ReachRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.reach.run import run_reach

        visit = partial(run_reach, tries=options.tries, seed=options.seed)
        data = visit_pages(self.name, options.page, options.limit, visit, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )


SUITE = ReachSuite()
