"""The `clicks` suite: whether a click on what is listed as reachable lands on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import LOCAL, Limit, Pages, Placement

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[ClicksRun]:
        from perception.bench.suites.clicks.report import clicks_comparable, clicks_report
        from perception.bench.suites.clicks.run import ClicksRun

        return SuiteParts(ClicksRun, clicks_report, clicks_comparable)

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


SUITE = ClicksSuite()
