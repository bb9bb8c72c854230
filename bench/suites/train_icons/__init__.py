"""The `train_icons` suite: trains the network that names icons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.train_icons.run import TrainedIcons


@dataclass(frozen=True, slots=True)
class TrainIconsOptions:
    """Train the network that names icons, from the last checkpoint on, and write its ONNX file."""

    sets: Annotated[Path, typer.Argument(help="Folder of icon sets: node_modules/@iconify-json.")]
    to: Annotated[Path | None, typer.Option(help="The file that is written. Default: the detector's own.")] = None
    minutes: Annotated[float, typer.Option(min=0.01, help="How long; the same command later goes on.")] = 30.0
    steps: Annotated[int, typer.Option(min=1, help="Steps of the whole training.")] = 1250
    sheets: Annotated[int, typer.Option(min=1, help="Rendered sheets of 384 icons each.")] = 130


class TrainIconsSuite(MeasuredSuite["TrainIconsOptions", "TrainedIcons"]):
    name = "train_icons"
    summary = "Trains the network that names icons, from the drawings of icon sets."
    options = TrainIconsOptions

    def parts(self) -> SuiteParts[TrainedIcons]:
        from perception.bench.suites.train_icons.report import train_icons_comparable, train_icons_report
        from perception.bench.suites.train_icons.run import TrainedIcons

        return SuiteParts(TrainedIcons, train_icons_report, train_icons_comparable)

    def run(self, options: TrainIconsOptions, context: SuiteContext) -> Result[TrainedIcons]:
        from perception.bench.extras import NETWORK_LIBRARIES, require
        from perception.bench.machine import machine_facts

        require("training", NETWORK_LIBRARIES, extra="train")
        from perception.bench.suites.train_icons.run import train_icons

        data = train_icons(options, context.home)
        return self.result(data, options, machine=machine_facts("none: images"), inputs=(str(options.sets),))


SUITE = TrainIconsSuite()
