"""The `diffs` suite: what the diff of an action costs, beside a new look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.diffs.run import DiffsRun


@dataclass(frozen=True, slots=True)
class DiffsOptions:
    """Act on composed pages in every way that changes much or little, and compare the diff with a new look."""

    size: Annotated[
        list[int] | None, typer.Option(min=1, help="Rows of the page; repeatable. Default: 10, 40 and 120.")
    ] = None
    mode: Annotated[str, typer.Option(help="text or fused.")] = "text"


class DiffsSuite(MeasuredSuite["DiffsOptions", "DiffsRun"]):
    name = "diffs"
    summary = "Tokens of an action's diff, beside those of a new look."
    options = DiffsOptions

    def parts(self) -> SuiteParts[DiffsRun]:
        from perception.bench.suites.diffs.report import diffs_comparable, diffs_report
        from perception.bench.suites.diffs.run import DiffsRun

        return SuiteParts(DiffsRun, diffs_report, diffs_comparable)

    def run(self, options: DiffsOptions, context: SuiteContext) -> Result[DiffsRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.diffs.run import DEFAULT_SIZES, run_diffs

        machine = machine_facts(chromium_version())
        return self.result(run_diffs(options.size or DEFAULT_SIZES, options.mode), options, machine=machine)


SUITE = DiffsSuite()
