"""The `ray_detectors` suite: a detector on a Ray cluster beside the same one of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
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

    def data_type(self) -> type[RayDetectorsRun]:
        from perception.bench.suites.ray_detectors.run import RayDetectorsRun

        return RayDetectorsRun

    def run(self, options: RayDetectorsOptions, context: SuiteContext) -> Result[RayDetectorsRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suite_options import parse_counts
        from perception.bench.suites.ray_detectors.run import run_ray_detectors

        counts = parse_counts(options.callers, "callers")
        machine = machine_facts(chromium_version())
        data = run_ray_detectors(options.detector, options.image or [], counts, options.rounds, context.say)
        return self.result(data, options, machine=machine)

    def report(self, result: Result[RayDetectorsRun], context: ReportContext) -> Report:
        from perception.bench.suites.ray_detectors.report import ray_detectors_report

        return ray_detectors_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[RayDetectorsRun], home: Path) -> Comparable:
        from perception.bench.suites.ray_detectors.report import ray_detectors_comparable

        return ray_detectors_comparable(result.data)


SUITE = RayDetectorsSuite()
