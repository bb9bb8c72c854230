"""The `stability` suite: whether selectors last as long as their stability promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Pages, Rounds

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[StabilityRun]:
        from perception.bench.suites.stability.report import stability_comparable, stability_report
        from perception.bench.suites.stability.stability_trials import StabilityRun

        return SuiteParts(StabilityRun, stability_report, stability_comparable)

    def run(self, options: StabilityOptions, context: SuiteContext) -> Result[StabilityRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.suites.stability.run import visit_changing_pages

        data = visit_changing_pages(options.page or (), options.rounds, context)
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.pages, failed=len(data.failed)
        )


SUITE = StabilitySuite()
