"""The `transfers` suite: files by their bytes, and what slow clients cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.transfers.run import TransfersRun


@dataclass(frozen=True, slots=True)
class TransfersOptions:
    """Read and send a large file, and measure the service's memory while clients do not read or send on."""

    mib: Annotated[int, typer.Option(min=1, max=1000, help="Size of the file.")] = 200
    rounds: Annotated[int, typer.Option(min=1, help="Transfers each way.")] = 3


class TransfersSuite(MeasuredSuite["TransfersOptions", "TransfersRun"]):
    name = "transfers"
    summary = "Downloads and uploads by their bytes: time, and the memory that slow clients cost."
    options = TransfersOptions

    def parts(self) -> SuiteParts[TransfersRun]:
        from perception.bench.suites.transfers.report import transfers_comparable, transfers_report
        from perception.bench.suites.transfers.run import TransfersRun

        return SuiteParts(TransfersRun, transfers_report, transfers_comparable)

    def run(self, options: TransfersOptions, context: SuiteContext) -> Result[TransfersRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.transfers.run import run_transfers

        return self.result(
            run_transfers(options.mib, options.rounds), options, machine=machine_facts(chromium_version())
        )


SUITE = TransfersSuite()
