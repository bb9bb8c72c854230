"""The `speed` suite: time and tokens of a look at a page, beside the peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Pages, Rounds

if TYPE_CHECKING:
    from perception.bench.suites.speed.report import SpeedRun


@dataclass(frozen=True, slots=True)
class SpeedOptions:
    """Look at pages on one tab of one browser, ours and the peers' in turn: time and tokens. Default: 9 pages."""

    page: Pages = None
    rounds: Rounds = 3
    loop_steps: Annotated[int, typer.Option(min=0, help="Looks of an agent's loop, on six pages; 0 for none.")] = 20
    think: Annotated[float, typer.Option(min=0, help="Seconds that an agent's model thinks before each call.")] = 1.0


class SpeedSuite(MeasuredSuite["SpeedOptions", "SpeedRun"]):
    name = "speed"
    summary = "Time and tokens of a snapshot, beside the peers on the same tab."
    options = SpeedOptions

    def parts(self) -> SuiteParts[SpeedRun]:
        from perception.bench.suites.speed.report import SpeedRun, speed_comparable, speed_report

        return SuiteParts(SpeedRun, speed_report, speed_comparable)

    def run(self, options: SpeedOptions, context: SuiteContext) -> Result[SpeedRun]:
        import asyncio

        from perception.bench.pages.visited_pages import CONTROLS_PAGE, DEMO, serve_pages
        from perception.bench.suites.speed.run import run_speed
        from perception.datasets.sources.manifest import SMOKE

        wanted = options.page or [DEMO, SMOKE, CONTROLS_PAGE]
        with serve_pages(wanted, context.say) as urls, context.progress(self.name) as progress:
            progress.start(len(urls) * options.rounds)
            data = asyncio.run(
                run_speed(
                    urls,
                    rounds=options.rounds,
                    apart=[CONTROLS_PAGE],
                    on_visited=progress.done,
                    loop_steps=options.loop_steps,
                    think_s=options.think,
                )
            )
        return self.result(data, options, machine=data.machine, inputs=tuple(urls), started=data.made)


SUITE = SpeedSuite()
