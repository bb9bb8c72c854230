"""The `faults` suite: what happens to a service when its parts are killed, stopped, filled up or flooded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.faults.run import FaultsRun


@dataclass(frozen=True, slots=True)
class FaultsOptions:
    """Inject faults into a service of its own. Exits with 1 when something was lost, done twice or leaked."""

    way: Annotated[list[str] | None, typer.Option(help="Only faults with this word in their name; repeatable.")] = None


class FaultsSuite(MeasuredSuite["FaultsOptions", "FaultsRun"]):
    name = "faults"
    summary = "Faults injected into a service: what was lost, done twice or leaked, and when it works again."
    options = FaultsOptions

    def parts(self) -> SuiteParts[FaultsRun]:
        from perception.bench.suites.faults.report import faults_comparable, faults_report
        from perception.bench.suites.faults.run import FaultsRun

        return SuiteParts(FaultsRun, faults_report, faults_comparable)

    def run(self, options: FaultsOptions, context: SuiteContext) -> Result[FaultsRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.faults.run import FaultOutcome, chosen_ways, run_faults

        ways = chosen_ways(options.way or [])
        machine = machine_facts(chromium_version())
        with context.progress(self.name) as progress:
            progress.start(len(ways))

            def on_fault(found: FaultOutcome) -> None:
                progress.done(found.way, found.wrong)

            data = asyncio.run(run_faults(ways, on_fault))
        return self.result(data, options, machine=machine, failed=data.failed())


SUITE = FaultsSuite()
