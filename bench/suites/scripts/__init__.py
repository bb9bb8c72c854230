"""The `scripts` suite: lines in scripts that the bundled models do not read, with a line reader and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Datasets, Limit

if TYPE_CHECKING:
    from perception.bench.suites.scripts.run import ScriptsRun


@dataclass(frozen=True, slots=True)
class ScriptsOptions:
    """Read whole screenshots, first without the detectors that read other scripts, then with them."""

    dataset: Datasets = None
    limit: Limit = 0
    all_pages: Annotated[bool, typer.Option(help="Pages in Latin letters and ideographs, too.")] = False


class ScriptsSuite(MeasuredSuite["ScriptsOptions", "ScriptsRun"]):
    name = "scripts"
    summary = "Lines in Arabic, Cyrillic, Hebrew and others: how many are read, and how well."
    options = ScriptsOptions

    def parts(self) -> SuiteParts[ScriptsRun]:
        from perception.bench.suites.scripts.report import scripts_comparable, scripts_report
        from perception.bench.suites.scripts.run import ScriptsRun

        return SuiteParts(ScriptsRun, scripts_report, scripts_comparable)

    def run(self, options: ScriptsOptions, context: SuiteContext) -> Result[ScriptsRun]:
        import asyncio

        from perception.bench.extras import METRIC_LIBRARIES, require
        from perception.bench.machine import machine_facts
        from perception.bench.suites.scripts.run import pages_of, run_scripts

        require("judging readings", METRIC_LIBRARIES)
        names = options.dataset or ["packages"]
        pages = pages_of(names, context.home, options.limit, all_pages=options.all_pages)
        with context.progress(self.name) as progress:
            progress.start(len(pages))
            data = asyncio.run(run_scripts(pages, progress.done))
        return self.result(data, options, machine=machine_facts("none: images"), inputs=tuple(names))


SUITE = ScriptsSuite()
