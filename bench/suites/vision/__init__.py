"""The `vision` suite: what a fused look costs, beside a full-page OCR pass and a bare screenshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Pages, Rounds
from perception.errors import BadInputError

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[VisionRun]:
        from perception.bench.suites.vision.report import VisionRun, vision_comparable, vision_report

        return SuiteParts(VisionRun, vision_report, vision_comparable)

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


SUITE = VisionSuite()
