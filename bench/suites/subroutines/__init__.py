"""The `subroutines` suite: whether the right request is found in a recording, and whether plans replay."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.subroutines.run import SubroutinesRun


class SubroutinePart(StrEnum):
    """What is measured."""

    RANKING = "ranking"
    REPLAY = "replay"
    APPS = "apps"


@dataclass(frozen=True, slots=True)
class SubroutinesOptions:
    """Rank the requests of recorded tasks (`ranking`), replay rows of a recorded plan (`replay`), or run tasks of real
    applications against what may go wrong (`apps`)."""

    part: Annotated[SubroutinePart, typer.Argument(help="What is measured.")]
    rows: Annotated[int, typer.Option(min=2, help="For replay: rows of each plan.")] = 200
    app: Annotated[list[str] | None, typer.Option("--app", help="For apps: an application; repeatable.")] = None
    task: Annotated[str, typer.Option(help="For apps: only tasks with this in their title.")] = ""
    adversary: Annotated[
        list[str] | None, typer.Option("--adversary", help="For apps: only this adversary; repeatable.")
    ] = None
    runs: Annotated[int, typer.Option(min=1, help="For apps: runs of each task against each adversary.")] = 3
    quick: Annotated[bool, typer.Option("--quick", help="For apps: the first task of each, against three.")] = False


class SubroutinesSuite(MeasuredSuite["SubroutinesOptions", "SubroutinesRun"]):
    name = "subroutines"
    summary = "Whether the right request is found in a recording, and whether replayed rows do what they say."
    options = SubroutinesOptions

    def parts(self) -> SuiteParts[SubroutinesRun]:
        from perception.bench.suites.subroutines.report import subroutines_comparable, subroutines_report
        from perception.bench.suites.subroutines.run import SubroutinesRun

        return SuiteParts(SubroutinesRun, subroutines_report, subroutines_comparable)

    def run(self, options: SubroutinesOptions, context: SuiteContext) -> Result[SubroutinesRun]:
        from perception.bench.extras import HTTP_LIBRARIES, require
        from perception.bench.machine import chromium_version, machine_facts

        if options.part is SubroutinePart.APPS:
            return self._run_apps(options, context)
        require("replaying a HAR", HTTP_LIBRARIES)
        from perception.bench.suites.subroutines.run import rank_tasks, replay_rows

        machine = machine_facts(chromium_version())
        data = rank_tasks() if options.part is SubroutinePart.RANKING else replay_rows(options.rows)
        return self.result(data, options, machine=machine, inputs=(options.part.value,))

    def _run_apps(self, options: SubroutinesOptions, context: SuiteContext) -> Result[SubroutinesRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.subroutines.app_runs import app_plan, run_apps
        from perception.bench.suites.subroutines.run import SubroutinesRun

        names, plan = app_plan(
            options.app or (), options.task, options.adversary or (), runs=options.runs, quick=options.quick
        )
        machine = machine_facts(chromium_version())
        runs, costs, left_out = run_apps(names, context.home, plan, context.say)
        data = SubroutinesRun(apps=tuple(runs), costs=tuple(costs), left_out=tuple(left_out))
        forbidden = sum(run.is_forbidden for run in runs)
        return self.result(data, options, machine=machine, inputs=tuple(names), failed=forbidden)


SUITE = SubroutinesSuite()
