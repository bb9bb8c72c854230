"""The `neighbours` suite: what a page that floods the shared browser costs the sessions beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.neighbours.run import NeighborsRun


@dataclass(frozen=True, slots=True)
class NeighborsOptions:
    """One session opens pages that flood the browser, one after the other; others look and click beside it."""

    sessions: Annotated[int, typer.Option(min=1, help="Sessions beside it.")] = 4
    seconds: Annotated[float, typer.Option(min=0.5, help="How long each flood is measured, and the quiet before.")] = 10
    only: Annotated[str, typer.Option(help="Names of floods, separated by commas; empty for all.")] = ""


class NeighborsSuite(MeasuredSuite["NeighborsOptions", "NeighborsRun"]):
    name = "neighbours"
    summary = "What a page that floods the shared browser costs the sessions beside it."
    options = NeighborsOptions

    def parts(self) -> SuiteParts[NeighborsRun]:
        from perception.bench.suites.neighbours.report import neighbors_comparable, neighbors_report
        from perception.bench.suites.neighbours.run import NeighborsRun

        return SuiteParts(NeighborsRun, neighbors_report, neighbors_comparable)

    def run(self, options: NeighborsOptions, context: SuiteContext) -> Result[NeighborsRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.neighbours.floods import select_floods
        from perception.bench.suites.neighbours.run import run_neighbors

        floods = select_floods(options.only)
        machine = machine_facts(chromium_version())
        data = asyncio.run(run_neighbors(floods, options.sessions, options.seconds, context.say))
        return self.result(data, options, machine=machine)


SUITE = NeighborsSuite()
