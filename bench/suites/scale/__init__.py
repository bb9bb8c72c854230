"""The `scale` suite: what edges and workers cost beside one service, and what more workers give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[ScaleRun]:
        from perception.bench.suites.scale.report import scale_comparable, scale_report
        from perception.bench.suites.scale.run import ScaleRun

        return SuiteParts(ScaleRun, scale_report, scale_comparable)

    def run(self, options: ScaleOptions, context: SuiteContext) -> Result[ScaleRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suite_options import parse_counts
        from perception.bench.suites.scale.run import run_scale

        counts = parse_counts(options.workers, "workers")
        machine = machine_facts(chromium_version())
        data = run_scale(counts, options.rounds, options.seconds, options.sessions, context.say)
        return self.result(data, options, machine=machine)


SUITE = ScaleSuite()
