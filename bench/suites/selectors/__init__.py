"""The `selectors` suite: whether selectors find their element again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages, Rounds

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.selectors.selector_trials import SelectorsRun


@dataclass(frozen=True, slots=True)
class SelectorsOptions:
    """Ask for the selectors of elements again after reloads and rebuilds. Default: pages of all projects."""

    page: Pages = None
    limit: Limit = 0
    rounds: Rounds = 2


class SelectorsSuite(MeasuredSuite["SelectorsOptions", "SelectorsRun"]):
    name = "selectors"
    summary = "Whether selectors still find their element later, beside Playwright's; what a list costs."
    options = SelectorsOptions

    def data_type(self) -> type[SelectorsRun]:
        from perception.bench.suites.selectors.selector_trials import SelectorsRun

        return SelectorsRun

    def run(self, options: SelectorsOptions, context: SuiteContext) -> Result[SelectorsRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.selectors.run import run_selectors

        visit = partial(run_selectors, rounds=options.rounds)
        data = visit_pages(self.name, options.page, options.limit, visit, context)
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.pages, failed=len(data.failed)
        )

    def report(self, result: Result[SelectorsRun], context: ReportContext) -> Report:
        from perception.bench.suites.selectors.report import selectors_report

        return selectors_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[SelectorsRun], home: Path) -> Comparable:
        from perception.bench.suites.selectors.report import selectors_comparable

        return selectors_comparable(result.data)


SUITE = SelectorsSuite()
