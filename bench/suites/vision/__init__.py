"""The `vision` suite: what a fused look costs, beside a full-page OCR pass and a bare screenshot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Pages, Rounds
from perception.errors import BadInputError

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.vision.report import VisionRun


@dataclass(frozen=True, slots=True)
class VisionOptions:
    """Time fused snapshots of real pages beside RapidOCR and bare screenshots, and compare two readers of text."""

    page: Pages = None
    rounds: Rounds = 3


class VisionSuite(MeasuredSuite["VisionOptions", "VisionRun"]):
    name = "vision"
    summary = "Fused snapshots beside RapidOCR and a bare screenshot; our reader of text beside RapidOCR."
    options = VisionOptions

    def data_type(self) -> type[VisionRun]:
        from perception.bench.suites.vision.report import VisionRun

        return VisionRun

    def run(self, options: VisionOptions, context: SuiteContext) -> Result[VisionRun]:
        import asyncio
        from dataclasses import replace

        from perception.bench.detector_outputs import installed_detectors
        from perception.bench.extras import METRIC_LIBRARIES, require
        from perception.bench.pages.visited_pages import serve_pages
        from perception.bench.suites.vision.readers import OURS, THEIRS, compare_readers, dense_pictures
        from perception.bench.suites.vision.run import VISION_PAGES, run_vision

        require("judging readers", METRIC_LIBRARIES)
        for name, why in installed_detectors([OURS, THEIRS])[1].items():
            raise BadInputError(f"{name}, which is measured here, cannot be used: {why}")
        with serve_pages(options.page or VISION_PAGES, context.say) as urls, context.progress(self.name) as progress:
            progress.start(len(urls) * options.rounds)
            data = asyncio.run(run_vision(urls, rounds=options.rounds, on_visited=progress.done))
        with context.progress(f"{OURS} and {THEIRS}") as progress:
            data = replace(data, readers=compare_readers(dense_pictures(context.home), progress))
        return self.result(data, options, machine=data.machine, inputs=tuple(urls), started=data.made)

    def report(self, result: Result[VisionRun], context: ReportContext) -> Report:
        from perception.bench.suites.vision.report import vision_report

        return vision_report(result.data, context.command)

    def comparable(self, result: Result[VisionRun], home: Path) -> Comparable:
        from perception.bench.suites.vision.report import vision_comparable

        return vision_comparable(result.data)


SUITE = VisionSuite()
