"""The `verify` suite: whether looks that check themselves catch numbers that pixels show otherwise, and only these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[VerifyRun]:
        from perception.bench.suites.verify.report import verify_comparable, verify_report
        from perception.bench.suites.verify.run import VerifyRun

        return SuiteParts(VerifyRun, verify_report, verify_comparable)

    def run(self, options: VerifyOptions, context: SuiteContext) -> Result[VerifyRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.suites.verify.run import run_verify

        data = asyncio.run(run_verify(options.page, options.limit, context))
        return self.result(data, options, machine=machine_facts(""), failed=len(data.failed))


SUITE = VerifySuite()
