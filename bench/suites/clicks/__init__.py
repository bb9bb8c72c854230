"""The `clicks` suite: whether a click on what is listed as reachable lands on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import LOCAL, Limit, Pages, Placement

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.clicks.run import ClicksRun


@dataclass(frozen=True, slots=True)
class ClicksOptions:
    """Click what a snapshot lists as reachable, by ref, coordinate and selector. Default: pages of all projects."""

    page: Pages = None
    limit: Limit = 0
    placement: Placement = LOCAL


class ClicksSuite(MeasuredSuite["ClicksOptions", "ClicksRun"]):
    name = "clicks"
    summary = "Whether clicks land, by ref, coordinate and selector; their time beside Playwright's."
    options = ClicksOptions

    def data_type(self) -> type[ClicksRun]:
        from perception.bench.suites.clicks.run import ClicksRun

        return ClicksRun

    def run(self, options: ClicksOptions, context: SuiteContext) -> Result[ClicksRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.placements import check_placement
        from perception.bench.suites.clicks.run import run_clicks

        check_placement(options.placement)
        run = partial(run_clicks, placement=options.placement)
        data = visit_pages(self.name, options.page, options.limit, run, context)
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.pages, failed=len(data.failed)
        )

    def report(self, result: Result[ClicksRun], context: ReportContext) -> Report:
        from perception.bench.suites.clicks.report import clicks_report

        return clicks_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[ClicksRun], home: Path) -> Comparable:
        from perception.bench.suites.clicks.report import clicks_comparable

        return clicks_comparable(result.data)


SUITE = ClicksSuite()
