"""The `train_detector` suite: trains the network that finds controls in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.train_detector.run import TrainedDetector


@dataclass(frozen=True, slots=True)
class TrainDetectorOptions:
    """Train the network that finds controls in pixels, and write its ONNX file. A checkpoint is kept beside it."""

    dataset: Annotated[list[str], typer.Argument(help="As elsewhere: composed packages#train.")]
    to: Annotated[Path, typer.Option(help="The file that is written.")]
    calibrate: Annotated[
        list[str] | None, typer.Option(help="Data sets that scores are calibrated on; repeatable. Not trained on.")
    ] = None
    minutes: Annotated[float, typer.Option(min=0.01, help="How long; the same command later goes on.")] = 60.0
    steps: Annotated[int, typer.Option(min=1, help="Steps of the whole training.")] = 12_000
    width: Annotated[int, typer.Option(min=8, help="Channels at stride 4.")] = 24


class TrainDetectorSuite(MeasuredSuite["TrainDetectorOptions", "TrainedDetector"]):
    name = "train_detector"
    summary = "Trains the network that finds controls in pixels, from rendered pages."
    options = TrainDetectorOptions

    def parts(self) -> SuiteParts[TrainedDetector]:
        from perception.bench.suites.train_detector.report import train_detector_comparable, train_detector_report
        from perception.bench.suites.train_detector.run import TrainedDetector

        return SuiteParts(TrainedDetector, train_detector_report, train_detector_comparable)

    def run(self, options: TrainDetectorOptions, context: SuiteContext) -> Result[TrainedDetector]:
        from perception.bench.extras import NETWORK_LIBRARIES, require
        from perception.bench.machine import machine_facts

        require("training", NETWORK_LIBRARIES, extra="train")
        from perception.bench.suites.train_detector.run import train_detector

        data = train_detector(options, context.home)
        return self.result(data, options, machine=machine_facts("none: images"), inputs=tuple(options.dataset))


SUITE = TrainDetectorSuite()
