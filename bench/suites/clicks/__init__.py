"""The `clicks` suite: whether a click on what is listed as reachable lands on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.clicks.run import ClicksRun


@dataclass(frozen=True, slots=True)
class ClicksOptions:
    """Click what a snapshot lists as reachable, by ref, coordinate and selector. Default: pages of all projects."""

    page: Pages = None
    limit: Limit = 0


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
        from perception.bench.suites.clicks.run import run_clicks

        data = visit_pages(self.name, options.page, options.limit, run_clicks, context)
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
