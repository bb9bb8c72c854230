"""The `load` suite: many sessions at once, and how throughput grows with their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import LOCAL, Placement
from perception.errors import BadInputError

if TYPE_CHECKING:
    from perception.bench.suites.load.report import LoadRun


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Drive many sessions that capture and click without a pause, then 1 to 32 sessions beside Playwright."""

    sessions: Annotated[int, typer.Option(min=1, help="Sessions at once.")] = 32
    minutes: Annotated[float, typer.Option(min=0.05, help="How long they are driven.")] = 10.0
    mode: Annotated[str, typer.Option(help="text, fused or vision.")] = "fused"
    steps: Annotated[str, typer.Option(help="Sessions at once, for the scaling; empty for none.")] = "1,2,4,8,16,32"
    step_seconds: Annotated[float, typer.Option(min=1, help="How long each step takes.")] = 20.0
    pause: Annotated[float, typer.Option(min=0, help="Seconds that a session thinks before each call.")] = 0.0
    placement: Placement = LOCAL


class LoadSuite(MeasuredSuite["LoadOptions", "LoadRun"]):
    name = "load"
    summary = "Many sessions that capture and click without a pause, and from 1 to 32 beside Playwright."
    options = LoadOptions

    def parts(self) -> SuiteParts[LoadRun]:
        from perception.bench.suites.load.report import LoadRun, load_comparable, load_report

        return SuiteParts(LoadRun, load_report, load_comparable)

    def run(self, options: LoadOptions, context: SuiteContext) -> Result[LoadRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.placements import check_placement
        from perception.bench.suites.load.run import run_load

        try:
            steps = [int(each) for each in options.steps.split(",") if each]
        except ValueError as exc:
            raise BadInputError(f"--steps {options.steps}: give numbers of sessions such as 1,2,4") from exc
        if options.mode not in ("text", "fused", "vision"):
            raise BadInputError(f"--mode {options.mode}: there are text, fused, vision")
        check_placement(options.placement)
        machine = machine_facts(chromium_version())
        data = asyncio.run(
            run_load(
                sessions=options.sessions,
                seconds=options.minutes * 60,
                mode=options.mode,
                steps=steps,
                step_seconds=options.step_seconds,
                say=context.say,
                pause_s=options.pause,
                placement=options.placement,
            )
        )
        return self.result(data, options, machine=machine)


SUITE = LoadSuite()
