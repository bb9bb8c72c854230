"""The `growth` suite: how the cost of a look grows with the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Rounds

if TYPE_CHECKING:
    from perception.bench.suites.growth.report import GrowthRun


@dataclass(frozen=True, slots=True)
class GrowthOptions:
    """Look at made-up pages of growing size, ours and Playwright's snapshot in turn."""

    size: Annotated[
        list[int] | None, typer.Option(min=1, help="How many controls a page has; repeatable. Default: 100 to 100,000.")
    ] = None
    rounds: Rounds = 3


class GrowthSuite(MeasuredSuite["GrowthOptions", "GrowthRun"]):
    name = "growth"
    summary = "How the cost of a snapshot grows with a page, and with what changed of it."
    options = GrowthOptions

    def parts(self) -> SuiteParts[GrowthRun]:
        from perception.bench.suites.growth.report import GrowthRun, growth_comparable, growth_report

        return SuiteParts(GrowthRun, growth_report, growth_comparable)

    def run(self, options: GrowthOptions, context: SuiteContext) -> Result[GrowthRun]:
        import asyncio

        from perception.bench.suites.growth.run import CONTROL_COUNTS, run_growth

        sizes = sorted(set(options.size or CONTROL_COUNTS))
        with context.progress(self.name) as progress:
            data = asyncio.run(run_growth(sizes, rounds=options.rounds, progress=progress))
        inputs = [f"{size} controls" for size in sizes]
        return self.result(data, options, machine=data.machine, inputs=inputs, started=data.made)


SUITE = GrowthSuite()
