"""The `ray_detectors` suite: a detector on a Ray cluster beside the same one of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.ray_detectors.run import RayDetectorsRun


@dataclass(frozen=True, slots=True)
class RayDetectorsOptions:
    """Ask a detector of this machine and the same one on Ray, in turns, by several callers at once. It has to be served
    before, with `perception detectors serve`."""

    detector: Annotated[str, typer.Option(help="The detector, without `ray:`.")] = "ppocr"
    image: Annotated[
        list[Path] | None,
        typer.Option(help="An image to look at; may be repeated. Default: a screenshot of the demo page."),
    ] = None
    callers: Annotated[str, typer.Option(help="Numbers of callers at once, by commas.")] = "1,2,4"
    rounds: Annotated[int, typer.Option(min=1, help="Looks of each caller at each side.")] = 10


class RayDetectorsSuite(MeasuredSuite["RayDetectorsOptions", "RayDetectorsRun"]):
    name = "ray_detectors"
    summary = "Times and answers of a detector on a Ray cluster, beside the same one of this machine."
    options = RayDetectorsOptions

    def parts(self) -> SuiteParts[RayDetectorsRun]:
        from perception.bench.suites.ray_detectors.report import ray_detectors_comparable, ray_detectors_report
        from perception.bench.suites.ray_detectors.run import RayDetectorsRun

        return SuiteParts(RayDetectorsRun, ray_detectors_report, ray_detectors_comparable)

    def run(self, options: RayDetectorsOptions, context: SuiteContext) -> Result[RayDetectorsRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suite_options import parse_counts
        from perception.bench.suites.ray_detectors.run import run_ray_detectors

        counts = parse_counts(options.callers, "callers")
        machine = machine_facts(chromium_version())
        data = run_ray_detectors(options.detector, options.image or [], counts, options.rounds, context.say)
        return self.result(data, options, machine=machine)


SUITE = RayDetectorsSuite()
