"""The `train_scripts` suite: trains the model by which ppocr tells lines that it does not read, and icons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.train_scripts.run import TrainedScripts

LINE_COUNT = 110
"""The model that comes with the package was trained with this number."""


@dataclass(frozen=True, slots=True)
class TrainScriptsOptions:
    """Train the model by which ppocr tells scripts that it does not read, and icons, and write its file."""

    fonts: Annotated[Path, typer.Argument(help="Folder of fonts for Latin, Chinese and Japanese, and the six scripts.")]
    icons: Annotated[Path, typer.Argument(help="Folder of icon fonts.")]
    lines: Annotated[int, typer.Option(min=10, help="Lines of each script.")] = LINE_COUNT
    to: Annotated[Path | None, typer.Option(help="The file that is written. Default: the detector's own.")] = None


class TrainScriptsSuite(MeasuredSuite["TrainScriptsOptions", "TrainedScripts"]):
    name = "train_scripts"
    summary = "Trains the model of scripts that ppocr does not read, from rendered lines."
    options = TrainScriptsOptions

    def parts(self) -> SuiteParts[TrainedScripts]:
        from perception.bench.suites.train_scripts.report import train_scripts_comparable, train_scripts_report
        from perception.bench.suites.train_scripts.run import TrainedScripts

        return SuiteParts(TrainedScripts, train_scripts_report, train_scripts_comparable)

    def run(self, options: TrainScriptsOptions, context: SuiteContext) -> Result[TrainedScripts]:
        from perception.bench.extras import RENDERING_LIBRARIES, require
        from perception.bench.machine import machine_facts
        from perception.bench.suites.train_scripts.run import line_total, train_scripts
        from perception.detectors.scripts import MODEL

        require("rendering lines", RENDERING_LIBRARIES, extra="train")
        with context.progress(self.name) as progress:
            progress.start(line_total(options.lines))
            data = train_scripts(
                options.fonts, options.icons, options.lines, options.to or MODEL, partial(progress.done, self.name, "")
            )
        return self.result(data, options, machine=machine_facts("none: images"), inputs=(str(options.fonts),))


SUITE = TrainScriptsSuite()
