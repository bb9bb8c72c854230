"""The `transfers` suite: files by their bytes, and what slow clients cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
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

    def data_type(self) -> type[TransfersRun]:
        from perception.bench.suites.transfers.run import TransfersRun

        return TransfersRun

    def run(self, options: TransfersOptions, context: SuiteContext) -> Result[TransfersRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.transfers.run import run_transfers

        return self.result(
            run_transfers(options.mib, options.rounds), options, machine=machine_facts(chromium_version())
        )

    def report(self, result: Result[TransfersRun], context: ReportContext) -> Report:
        from perception.bench.suites.transfers.report import transfers_report

        return transfers_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[TransfersRun], home: Path) -> Comparable:
        from perception.bench.suites.transfers.report import transfers_comparable

        return transfers_comparable(result.data)


SUITE = TransfersSuite()
