"""The `egress` suite: forbidden ways out of a session."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.egress.run import EgressRun


@dataclass(frozen=True, slots=True)
class EgressOptions:
    """Try to reach a forbidden server from a session, in many ways. Exits with 1 when any attempt got through."""

    only: Annotated[str, typer.Option(help="Only attempts whose name holds this.")] = ""


class EgressSuite(MeasuredSuite["EgressOptions", "EgressRun"]):
    name = "egress"
    summary = "Ways out of a session that must not be, each beside a control where every host is allowed."
    options = EgressOptions

    def data_type(self) -> type[EgressRun]:
        from perception.bench.suites.egress.run import EgressRun

        return EgressRun

    def run(self, options: EgressOptions, context: SuiteContext) -> Result[EgressRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.quiet_logs import quiet_logs
        from perception.bench.suites.egress.run import run_egress

        machine = machine_facts(chromium_version())
        with quiet_logs():
            data = asyncio.run(run_egress(options.only))
        return self.result(data, options, machine=machine, failed=data.failed())

    def report(self, result: Result[EgressRun], context: ReportContext) -> Report:
        from perception.bench.suites.egress.report import egress_report

        return egress_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[EgressRun], home: Path) -> Comparable:
        from perception.bench.suites.egress.report import egress_comparable

        return egress_comparable(result.data)


SUITE = EgressSuite()
