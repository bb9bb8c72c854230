"""The `egress_cost` suite: the cost of a session's proxy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.turns import TimedRun


@dataclass(frozen=True, slots=True)
class EgressCostOptions:
    """Time a page of images and a large body with the session's proxy and without, in turns."""

    rounds: Annotated[int, typer.Option(min=1, help="Visits with the proxy, and as many without.")] = 6


class EgressCostSuite(MeasuredSuite["EgressCostOptions", "TimedRun"]):
    name = "egress_cost"
    summary = "What a session's proxy costs: time, CPU and lag, beside a direct connection."
    options = EgressCostOptions

    def parts(self) -> SuiteParts[TimedRun]:
        from perception.bench.suites.egress_cost.report import egress_cost_comparable, egress_cost_report
        from perception.bench.turns import TimedRun

        return SuiteParts(TimedRun, egress_cost_report, egress_cost_comparable)

    def run(self, options: EgressCostOptions, context: SuiteContext) -> Result[TimedRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.egress_cost.run import run_egress_cost

        machine = machine_facts(chromium_version())
        return self.result(run_egress_cost(options.rounds), options, machine=machine)


SUITE = EgressCostSuite()
