"""The `selectors` suite: whether selectors find their element again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages, Rounds

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[SelectorsRun]:
        from perception.bench.suites.selectors.report import selectors_comparable, selectors_report
        from perception.bench.suites.selectors.selector_trials import SelectorsRun

        return SuiteParts(SelectorsRun, selectors_report, selectors_comparable)

    def run(self, options: SelectorsOptions, context: SuiteContext) -> Result[SelectorsRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.selectors.run import run_selectors

        visit = partial(run_selectors, rounds=options.rounds)
        data = visit_pages(self.name, options.page, options.limit, visit, context)
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.pages, failed=len(data.failed)
        )


SUITE = SelectorsSuite()
