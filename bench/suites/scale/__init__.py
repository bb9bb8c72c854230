"""The `scale` suite: what edges and workers cost beside one service, and what more workers give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.scale.run import ScaleRun


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """Time the same calls at a service, and at an edge in front of 1, 2 and 3 workers, in turns."""

    workers: Annotated[str, typer.Option(help="Numbers of workers, by commas.")] = "1,2,3"
    rounds: Annotated[int, typer.Option(min=1, help="How often each call is timed at each side.")] = 200
    seconds: Annotated[float, typer.Option(min=0, help="How long each side is driven for its throughput.")] = 10.0
    sessions: Annotated[int, typer.Option(min=1, help="Sessions that are driven at once.")] = 6


class ScaleSuite(MeasuredSuite["ScaleOptions", "ScaleRun"]):
    name = "scale"
    summary = "What an edge and its workers add to a call, and throughput by workers, beside one service."
    options = ScaleOptions

    def data_type(self) -> type[ScaleRun]:
        from perception.bench.suites.scale.run import ScaleRun

        return ScaleRun

    def run(self, options: ScaleOptions, context: SuiteContext) -> Result[ScaleRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suite_options import parse_counts
        from perception.bench.suites.scale.run import run_scale

        counts = parse_counts(options.workers, "workers")
        machine = machine_facts(chromium_version())
        data = run_scale(counts, options.rounds, options.seconds, options.sessions, context.say)
        return self.result(data, options, machine=machine)

    def report(self, result: Result[ScaleRun], context: ReportContext) -> Report:
        from perception.bench.suites.scale.report import scale_report

        return scale_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[ScaleRun], home: Path) -> Comparable:
        from perception.bench.suites.scale.report import scale_comparable

        return scale_comparable(result.data)


SUITE = ScaleSuite()
