"""The `live` suite: what it costs that people watch a session, and what that does to the agent's own calls."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.live.run import LiveRun


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Watch a still page, a scrolling page and an animation with 0, 1 and 4 watchers, and act beside them."""

    seconds: Annotated[float, typer.Option(min=1, help="How long each page is watched by each number.")] = 5.0
    looks: Annotated[int, typer.Option(min=2, help="Steps of the agent beside each number of watchers.")] = 30
    clicks: Annotated[int, typer.Option(min=2, help="Clicks of a person through the viewer on each page.")] = 200


class LiveSuite(MeasuredSuite["LiveOptions", "LiveRun"]):
    name = "live"
    summary = "What watching costs: processor, bytes and pictures by page and watchers, and the agent's own calls."
    options = LiveOptions

    def data_type(self) -> type[LiveRun]:
        from perception.bench.suites.live.run import LiveRun

        return LiveRun

    def run(self, options: LiveOptions, context: SuiteContext) -> Result[LiveRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.live.run import run_live

        machine = machine_facts(chromium_version())
        return self.result(run_live(options.seconds, options.looks, options.clicks), options, machine=machine)

    def report(self, result: Result[LiveRun], context: ReportContext) -> Report:
        from perception.bench.suites.live.report import live_report

        return live_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[LiveRun], home: Path) -> Comparable:
        from perception.bench.suites.live.report import live_comparable

        return live_comparable(result.data)


SUITE = LiveSuite()
