"""The `hidden` suite: whether text that no person can see is distinguished from visible text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Datasets, Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
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

    def data_type(self) -> type[HiddenRun]:
        from perception.bench.suites.hidden.run import HiddenRun

        return HiddenRun

    def run(self, options: HiddenOptions, context: SuiteContext) -> Result[HiddenRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.suites.hidden.run import run_hidden

        datasets = options.dataset or ("packages",)
        data, browser = asyncio.run(run_hidden(options.page, datasets, options.limit, context))
        machine = machine_facts(browser)
        return self.result(data, options, machine=machine, inputs=datasets, failed=len(data.failed))

    def report(self, result: Result[HiddenRun], context: ReportContext) -> Report:
        from perception.bench.suites.hidden.report import hidden_report

        return hidden_report(
            result.data.answers, result.data.alarms, result.data.failed, result.facts.machine, context.command
        )

    def comparable(self, result: Result[HiddenRun], home: Path) -> Comparable:
        from perception.bench.suites.hidden.report import hidden_comparable

        return hidden_comparable(result.data)


SUITE = HiddenSuite()
