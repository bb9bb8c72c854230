"""The `egress` suite: forbidden ways out of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.egress.run import EgressRun


@dataclass(frozen=True, slots=True)
class EgressOptions:
    """Try to reach a forbidden server from a session, in many ways. Exits with 1 when any attempt got through."""

    only: Annotated[str, typer.Option(help="Only attempts whose name holds this.")] = ""


class EgressSuite(MeasuredSuite["EgressOptions", "EgressRun"]):
    name = "egress"
    summary = "Ways out of a session that must not be, each beside a control where every host is allowed."
    options = EgressOptions

    def parts(self) -> SuiteParts[EgressRun]:
        from perception.bench.suites.egress.report import egress_comparable, egress_report
        from perception.bench.suites.egress.run import EgressRun

        return SuiteParts(EgressRun, egress_report, egress_comparable)

    def run(self, options: EgressOptions, context: SuiteContext) -> Result[EgressRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.quiet_logs import quiet_logs
        from perception.bench.suites.egress.run import run_egress

        machine = machine_facts(chromium_version())
        with quiet_logs():
            data = asyncio.run(run_egress(options.only))
        return self.result(data, options, machine=machine, failed=data.failed())


SUITE = EgressSuite()
