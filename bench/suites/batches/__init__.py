"""The `batches` suite: a form filled by one call, and by a call for each field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[BatchesRun]:
        from perception.bench.suites.batches.report import batches_comparable, batches_report
        from perception.bench.suites.batches.run import BatchesRun

        return SuiteParts(BatchesRun, batches_report, batches_comparable)

    def run(self, options: BatchesOptions, context: SuiteContext) -> Result[BatchesRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.batches.run import run_batches

        machine = machine_facts(chromium_version())
        return self.result(run_batches(options.fields, options.rounds), options, machine=machine)


SUITE = BatchesSuite()
