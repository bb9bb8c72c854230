"""The `batches` suite: a form filled by one call, and by a call for each field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.batches.run import BatchesRun


@dataclass(frozen=True, slots=True)
class BatchesOptions:
    """Fill the same form by one Batch, by calls with a diff each, and by calls without, in turns."""

    fields: Annotated[int, typer.Option(min=2, max=50, help="Fields of the form.")] = 12
    rounds: Annotated[int, typer.Option(min=1, help="Times that it is filled in each way.")] = 7


class BatchesSuite(MeasuredSuite["BatchesOptions", "BatchesRun"]):
    name = "batches"
    summary = "A form filled by one Batch, beside a call for each field."
    options = BatchesOptions

    def data_type(self) -> type[BatchesRun]:
        from perception.bench.suites.batches.run import BatchesRun

        return BatchesRun

    def run(self, options: BatchesOptions, context: SuiteContext) -> Result[BatchesRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.batches.run import run_batches

        machine = machine_facts(chromium_version())
        return self.result(run_batches(options.fields, options.rounds), options, machine=machine)

    def report(self, result: Result[BatchesRun], context: ReportContext) -> Report:
        from perception.bench.suites.batches.report import batches_report

        return batches_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[BatchesRun], home: Path) -> Comparable:
        from perception.bench.suites.batches.report import batches_comparable

        return batches_comparable(result.data)


SUITE = BatchesSuite()
