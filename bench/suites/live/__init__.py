"""The `live` suite: what it costs that people watch a session, and what that does to the agent's own calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[LiveRun]:
        from perception.bench.suites.live.report import live_comparable, live_report
        from perception.bench.suites.live.run import LiveRun

        return SuiteParts(LiveRun, live_report, live_comparable)

    def run(self, options: LiveOptions, context: SuiteContext) -> Result[LiveRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.live.run import run_live

        machine = machine_facts(chromium_version())
        return self.result(run_live(options.seconds, options.looks, options.clicks), options, machine=machine)


SUITE = LiveSuite()
