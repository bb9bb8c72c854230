"""The `train_boxes` suite: trains the forest of the opencv detector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.train_boxes.run import TrainedForest


@dataclass(frozen=True, slots=True)
class TrainBoxesOptions:
    """Train the forest by which the opencv detector tells controls from other drawings, and write its file."""

    dataset: Annotated[str, typer.Argument(help="As elsewhere: packages#train.")]
    to: Annotated[Path | None, typer.Option(help="The file that is written. Default: the detector's own.")] = None


class TrainBoxesSuite(MeasuredSuite["TrainBoxesOptions", "TrainedForest"]):
    name = "train_boxes"
    summary = "Trains the forest of the opencv detector from rendered pages."
    options = TrainBoxesOptions

    def data_type(self) -> type[TrainedForest]:
        from perception.bench.suites.train_boxes.run import TrainedForest

        return TrainedForest

    def run(self, options: TrainBoxesOptions, context: SuiteContext) -> Result[TrainedForest]:
        from perception.bench.extras import TRAINING_LIBRARIES, require
        from perception.bench.machine import machine_facts
        from perception.bench.suites.train_boxes.run import train_boxes
        from perception.detectors.opencv import MODEL

        require("training", TRAINING_LIBRARIES, extra="train")
        data = train_boxes(options.dataset, options.to or MODEL, context.home)
        return self.result(data, options, machine=machine_facts("none: images"), inputs=(options.dataset,))

    def report(self, result: Result[TrainedForest], context: ReportContext) -> Report:
        from perception.bench.suites.train_boxes.report import train_boxes_report

        return train_boxes_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[TrainedForest], home: Path) -> Comparable:
        from perception.bench.suites.train_boxes.report import train_boxes_comparable

        return train_boxes_comparable(result.data)


SUITE = TrainBoxesSuite()
