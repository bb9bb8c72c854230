"""The `recording_cost` suite: the cost of recording a session's network and console, and of rules for its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.turns import TimedRun


@dataclass(frozen=True, slots=True)
class RecordingCostOptions:
    """Load pages with recording on and off, in turns."""

    rounds: Annotated[int, typer.Option(min=2, help="Loads of each page in each way.")] = 12


class RecordingCostSuite(MeasuredSuite["RecordingCostOptions", "TimedRun"]):
    name = "recording_cost"
    summary = "What recording the network and the console costs, and rules: page loads on and off, side by side."
    options = RecordingCostOptions

    def parts(self) -> SuiteParts[TimedRun]:
        from perception.bench.suites.recording_cost.report import recording_cost_comparable, recording_cost_report
        from perception.bench.turns import TimedRun

        return SuiteParts(TimedRun, recording_cost_report, recording_cost_comparable)

    def run(self, options: RecordingCostOptions, context: SuiteContext) -> Result[TimedRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.recording_cost.run import run_recording_cost

        machine = machine_facts(chromium_version())
        return self.result(run_recording_cost(options.rounds), options, machine=machine)


SUITE = RecordingCostSuite()
