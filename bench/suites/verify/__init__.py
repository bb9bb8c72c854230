"""The `verify` suite: whether looks that check themselves catch numbers that pixels show otherwise, and only these."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.verify.run import VerifyRun


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Look with `verify` at pages that paint other numbers than they say, and at honest ones: alarms are false."""

    page: Pages = None
    limit: Limit = 0


class VerifySuite(MeasuredSuite["VerifyOptions", "VerifyRun"]):
    name = "verify"
    summary = "Looks that check themselves: numbers that pixels show otherwise, false alarms, and what it costs."
    options = VerifyOptions

    def data_type(self) -> type[VerifyRun]:
        from perception.bench.suites.verify.run import VerifyRun

        return VerifyRun

    def run(self, options: VerifyOptions, context: SuiteContext) -> Result[VerifyRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.suites.verify.run import run_verify

        data = asyncio.run(run_verify(options.page, options.limit, context))
        return self.result(data, options, machine=machine_facts(""), failed=len(data.failed))

    def report(self, result: Result[VerifyRun], context: ReportContext) -> Report:
        from perception.bench.suites.verify.report import verify_report

        return verify_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[VerifyRun], home: Path) -> Comparable:
        from perception.bench.suites.verify.report import verify_comparable

        return verify_comparable(result.data)


SUITE = VerifySuite()
