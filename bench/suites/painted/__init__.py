"""The `painted` suite: controls that are only painted, on a canvas, in an image, a drawing or a video."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, ReportContext, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Datasets, Limit

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.painted.run import PaintedRun


@dataclass(frozen=True, slots=True)
class PaintedOptions:
    """Paint screenshots of pages as one picture, look at it through the service, and click what vision lists."""

    dataset: Datasets = None
    medium: Annotated[list[str] | None, typer.Option(help="canvas, image, svg or video; repeatable. Default: all.")] = (
        None
    )
    clicks: Annotated[int, typer.Option(min=0, help="How many refs of a page are clicked; 0: all.")] = 12
    every: Annotated[int, typer.Option(min=1, help="Only the first of N samples: all pages, fewer screens.")] = 1
    limit: Limit = 0


class PaintedSuite(MeasuredSuite["PaintedOptions", "PaintedRun"]):
    name = "painted"
    summary = "Controls that are only painted: found, at how many tokens each, and hit by a click on their ref."
    options = PaintedOptions

    def parts(self) -> SuiteParts[PaintedRun]:
        from perception.bench.suites.painted.report import painted_comparable, painted_report
        from perception.bench.suites.painted.run import PaintedRun

        return SuiteParts(PaintedRun, painted_report, painted_comparable)

    def run(self, options: PaintedOptions, context: SuiteContext) -> Result[PaintedRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.sample_runs import browser_of
        from perception.bench.suites.painted.run import media_of, painted_items, run_painted

        datasets, media = options.dataset or ["packages#test"], media_of(options.medium)
        items = painted_items(datasets, context.home, limit=options.limit, every=options.every)
        with context.progress(self.name) as progress:
            progress.start(len(items) * len(media))
            data = asyncio.run(run_painted(items, media, options.clicks, progress.done))
        machine = machine_facts(browser_of(datasets, context.home))
        return self.result(data, options, machine=machine, inputs=datasets, failed=len(data.failed))

    def report(self, result: Result[PaintedRun], context: ReportContext) -> Report:
        report = super().report(result, context)
        return replace(report, facts={"data sets": ", ".join(result.facts.datasets), **report.facts})


SUITE = PaintedSuite()
