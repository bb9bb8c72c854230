"""The `tasks` suite: small tasks of agents on widgets and applications, from the first look to the effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.errors import BadInputError

if TYPE_CHECKING:
    from perception.bench.suites.tasks.outcomes import TasksRun


@dataclass(frozen=True, slots=True)
class TasksOptions:
    """Do tasks as a model would: find each element in the text that it is given, act, read the answer, go on."""

    task: Annotated[
        list[str] | None, typer.Option(help="Only tasks with this in their name; repeatable. Default: all.")
    ] = None
    mode: Annotated[list[str] | None, typer.Option(help="text or fused; repeatable. Default: those of the task.")] = (
        None
    )
    address: Annotated[str, typer.Option(help="A running service, such as an older one. Default: a new one.")] = ""


class TasksSuite(MeasuredSuite["TasksOptions", "TasksRun"]):
    name = "tasks"
    summary = "Agents' tasks on widgets and applications: done or not, calls, tokens, time."
    options = TasksOptions

    def parts(self) -> SuiteParts[TasksRun]:
        from perception.bench.suites.tasks.outcomes import TasksRun
        from perception.bench.suites.tasks.report import tasks_comparable, tasks_report

        return SuiteParts(TasksRun, tasks_report, tasks_comparable)

    def run(self, options: TasksOptions, context: SuiteContext) -> Result[TasksRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.tasks.run import chosen_runs, run_tasks

        chosen = chosen_runs(options.task or [""], options.mode or [])
        if not chosen:
            raise BadInputError(f"no task's name has {' or '.join(options.task or [''])} in it, in such a mode")
        machine = machine_facts(chromium_version())
        with context.progress(self.name) as progress:
            progress.start(len(chosen))
            run = asyncio.run(
                run_tasks(
                    chosen,
                    context.home,
                    options.address,
                    lambda each: progress.done(f"{each.task} ({each.mode})", "" if each.done else each.problem),
                    context.say,
                )
            )
        return self.result(run, options, machine=machine, failed=sum(not each.done for each in run.outcomes))


SUITE = TasksSuite()
