"""The `hidden` suite: whether text that no person can see is distinguished from visible text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Datasets, Limit, Pages

if TYPE_CHECKING:
    from perception.bench.suites.hidden.run import HiddenRun


@dataclass(frozen=True, slots=True)
class HiddenOptions:
    """Look at pages that hide text in many ways, and count false alarms on live pages and kept captures."""

    page: Pages = None
    dataset: Datasets = None
    limit: Limit = 0


class HiddenSuite(MeasuredSuite["HiddenOptions", "HiddenRun"]):
    name = "hidden"
    summary = "Ways to hide text from people: which are caught, and false alarms."
    options = HiddenOptions

    def parts(self) -> SuiteParts[HiddenRun]:
        from perception.bench.suites.hidden.report import hidden_comparable, hidden_report
        from perception.bench.suites.hidden.run import HiddenRun

        return SuiteParts(HiddenRun, lambda run: hidden_report(run.answers, run.alarms, run.failed), hidden_comparable)

    def run(self, options: HiddenOptions, context: SuiteContext) -> Result[HiddenRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.suites.hidden.run import run_hidden

        datasets = options.dataset or ("packages",)
        data, browser = asyncio.run(run_hidden(options.page, datasets, options.limit, context))
        machine = machine_facts(browser)
        return self.result(data, options, machine=machine, inputs=datasets, failed=len(data.failed))


SUITE = HiddenSuite()
