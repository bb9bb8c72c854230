"""The `stability` suite: whether selectors last as long as their stability promises."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Pages, Rounds

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.stability.stability_trials import StabilityRun


@dataclass(frozen=True, slots=True)
class StabilityOptions:
    """Ask for elements again on pages whose generated ids and classes change. Default: all pages of the suite."""

    page: Pages = None
    rounds: Rounds = 2


class StabilitySuite(MeasuredSuite["StabilityOptions", "StabilityRun"]):
    name = "stability"
    summary = "Whether selectors last as long as their stability promises, where generated names change."
    options = StabilityOptions

    def data_type(self) -> type[StabilityRun]:
        from perception.bench.suites.stability.stability_trials import StabilityRun

        return StabilityRun

    def run(self, options: StabilityOptions, context: SuiteContext) -> Result[StabilityRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.suites.stability.run import visit_changing_pages

        data = visit_changing_pages(options.page or (), options.rounds, context)
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.pages, failed=len(data.failed)
        )

    def report(self, result: Result[StabilityRun], context: ReportContext) -> Report:
        from perception.bench.suites.stability.report import stability_report

        return stability_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[StabilityRun], home: Path) -> Comparable:
        from perception.bench.suites.stability.report import stability_comparable

        return stability_comparable(result.data)


SUITE = StabilitySuite()
