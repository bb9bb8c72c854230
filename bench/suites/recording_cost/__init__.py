"""The `recording_cost` suite: the cost of recording a session's network and console, and of rules for its requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.recording_cost.run import RecordingCostRun


@dataclass(frozen=True, slots=True)
class RecordingCostOptions:
    """Load pages with recording on and off, in turns."""

    rounds: Annotated[int, typer.Option(min=2, help="Loads of each page in each way.")] = 12


class RecordingCostSuite(MeasuredSuite["RecordingCostOptions", "RecordingCostRun"]):
    name = "recording_cost"
    summary = "What recording the network and the console costs, and rules: page loads on and off, side by side."
    options = RecordingCostOptions

    def data_type(self) -> type[RecordingCostRun]:
        from perception.bench.suites.recording_cost.run import RecordingCostRun

        return RecordingCostRun

    def run(self, options: RecordingCostOptions, context: SuiteContext) -> Result[RecordingCostRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.recording_cost.run import run_recording_cost

        machine = machine_facts(chromium_version())
        return self.result(run_recording_cost(options.rounds), options, machine=machine)

    def report(self, result: Result[RecordingCostRun], context: ReportContext) -> Report:
        from perception.bench.suites.recording_cost.report import recording_cost_report

        return recording_cost_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[RecordingCostRun], home: Path) -> Comparable:
        from perception.bench.suites.recording_cost.report import recording_cost_comparable

        return recording_cost_comparable(result.data)


SUITE = RecordingCostSuite()
