"""The `detectors` suite: installed detectors over whole screenshots, judged by boxes and lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.lists.list_suite import say_outcome
from perception.bench.run_store import Run
from perception.bench.suite import Comparable, ReportContext, Result, Suite, SuiteContext
from perception.bench.suite_options import CORES, Datasets, Limit, Workers
from perception.errors import BadInputError

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report


@dataclass(frozen=True, slots=True)
class DetectorsOptions:
    """Let detectors look at whole screenshots, each in processes of its own, and judge their boxes and text lines."""

    dataset: Datasets = None
    detector: Annotated[list[str] | None, typer.Option(help="A detector; repeatable. Default: all installed.")] = None
    workers: Workers = CORES
    limit: Limit = 0


class DetectorsSuite(Suite[DetectorsOptions, None]):
    """Each detector has a stored run of its own."""

    name = "detectors"
    summary = "Boxes, text, time and memory of each installed detector over whole screenshots."
    options = DetectorsOptions
    resumes = True
    run_kinds = ("detect",)

    def run(self, options: DetectorsOptions, context: SuiteContext) -> Result[None]:
        from perception.bench.detector_outputs import installed_detectors
        from perception.bench.extras import METRIC_LIBRARIES, require
        from perception.bench.sample_runs import run_detector

        require("judging detectors", METRIC_LIBRARIES)
        wanted, missing = installed_detectors(options.detector or [])
        for name, why in missing.items():
            context.say(f"without {name}: {why}")
        if not wanted:
            named = ", ".join(options.detector or [])
            raise BadInputError(f"none of {named} can be used here: name others, or none for all that can")
        runs, lost = [], 0
        for name in wanted:
            with context.progress(name) as progress:
                done, outcome = run_detector(
                    name,
                    options.dataset or ("packages",),
                    context.home,
                    workers=options.workers,
                    limit=options.limit,
                    progress=progress,
                )
            lost += say_outcome(done, outcome, context)
            runs.append(done)
        return Result(runs[0].facts, None, lost, tuple(runs))

    def load(self, run: Run, home: Path) -> Result[None]:
        return Result(run.facts, None, 0, (run,))

    def report(self, result: Result[None], context: ReportContext) -> Report:
        from perception.bench.detector_outputs import default_detectors
        from perception.bench.suites.detectors.detector_scores import score_detectors
        from perception.bench.suites.detectors.report import detectors_report

        scores, skipped = score_detectors(result.streamed, default_detectors(), context.home)
        return detectors_report(scores, skipped, result.streamed, context.command)

    def comparable(self, result: Result[None], home: Path) -> Comparable:
        from perception.bench.suites.detectors.detector_scores import detector_rules, detector_scores

        scores = detector_scores(result.streamed[0], home)
        return Comparable(scores, detector_rules(scores))


SUITE = DetectorsSuite()
