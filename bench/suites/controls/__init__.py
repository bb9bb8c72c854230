"""The `controls` suite: what ParseImage serves for a screenshot, judged control by control."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.lists.list_suite import say_outcome
from perception.bench.run_store import Run
from perception.bench.suite import Comparable, ReportContext, Result, Suite, SuiteContext
from perception.bench.suite_options import CORES, Datasets, Limit, Workers

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report


@dataclass(frozen=True, slots=True)
class ControlsOptions:
    """Judge the list that ParseImage serves for each screenshot: are its controls there, and are all there in it?"""

    dataset: Datasets = None
    detector: Annotated[
        list[str] | None,
        typer.Option(help="A detector of the service, repeatable; they run together. Default: the service's default."),
    ] = None
    model: Annotated[
        list[Path] | None,
        typer.Option(help="An ONNX model of yours to compare, beside the default reader of text; repeatable."),
    ] = None
    alone: Annotated[bool, typer.Option("--alone", help="Without the readers to compare with.")] = False
    fuse_again: Annotated[
        str, typer.Option(help="A stored run: fuse what its detectors found with today's code; no detector runs.")
    ] = ""
    annotate: Annotated[
        Path | None, typer.Option(help="Write each screenshot to this folder: right, wrong and missed in three colors.")
    ] = None
    every: Annotated[int, typer.Option(min=1, help="Only the first of N samples: all pages, fewer screens.")] = 1
    workers: Workers = CORES
    limit: Limit = 0


class ControlsSuite(Suite[ControlsOptions, None]):
    """One stored run has the lists of all readers."""

    name = "controls"
    summary = "What ParseImage serves for a screenshot: controls found, right, with which role, how sure; text; time."
    options = ControlsOptions
    resumes = True

    def run(self, options: ControlsOptions, context: SuiteContext) -> Result[None]:
        from perception.bench.extras import METRIC_LIBRARIES, require
        from perception.bench.suites.controls.run import fuse_stored, parse_samples

        require("judging controls", METRIC_LIBRARIES)
        with context.progress(self.name) as progress:
            if options.fuse_again:
                done, outcome = fuse_stored(options, context, progress)
            else:
                done, outcome = parse_samples(options, context, progress)
        lost = say_outcome(done, outcome, context)
        if options.annotate is not None:
            _annotate(done, options.annotate, context)
        return Result(done.facts, None, lost, (done,))

    def load(self, run: Run, home: Path) -> Result[None]:
        return Result(run.facts, None, 0, (run,))

    def report(self, result: Result[None], context: ReportContext) -> Report:
        from perception.bench.suites.controls.control_scores import judge_run
        from perception.bench.suites.controls.report import controls_report

        (run,) = result.streamed
        return controls_report(run, judge_run(run, context.home), context.command)

    def comparable(self, result: Result[None], home: Path) -> Comparable:
        from perception.bench.suites.controls.control_scores import RULES, judge_run, scores_of

        judged = judge_run(result.streamed[0], home)
        return Comparable([score for images in judged.values() for score in scores_of(images)], RULES)


def _annotate(run: Run, folder: Path, context: SuiteContext) -> None:
    from perception.bench.suites.controls.pictures import write_pictures

    files = write_pictures(folder, run, context.home)
    context.say(f"{files} pictures in {folder}")


SUITE = ControlsSuite()
