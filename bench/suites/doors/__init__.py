"""The `doors` suite: one task through MCP servers, ours and Playwright's, and what their tool lists cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.doors.outcomes import DoorsRun


@dataclass(frozen=True, slots=True)
class DoorsOptions:
    """Do a task of twelve steps on five pages through our MCP server and Playwright's, side by side, and count the
    tokens of the tool lists of all peers. Exits with 1 when a step of ours has no effect."""

    rounds: Annotated[int, typer.Option(min=1, help="How often each server does the task.")] = 3
    lists_only: Annotated[bool, typer.Option("--lists-only", help="Count the tool lists, and start no browser.")] = (
        False
    )


class DoorsSuite(MeasuredSuite["DoorsOptions", "DoorsRun"]):
    name = "doors"
    summary = "One task through MCP servers, ours and Playwright's: tokens, time, effects; all peers' tool lists."
    options = DoorsOptions

    def parts(self) -> SuiteParts[DoorsRun]:
        from perception.bench.suites.doors.outcomes import DoorsRun
        from perception.bench.suites.doors.report import doors_comparable, doors_report

        return SuiteParts(DoorsRun, doors_report, doors_comparable)

    def run(self, options: DoorsOptions, context: SuiteContext) -> Result[DoorsRun]:
        import asyncio

        from perception.bench.extras import require
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.doors.pages import PAGE_TASKS

        require("connecting to MCP servers", ("mcp",), extra="mcp")
        from perception.bench.suites.doors.run import run_doors
        from perception.bench.suites.doors.servers import SERVERS

        machine = machine_facts(chromium_version())
        rounds = 0 if options.lists_only else options.rounds
        with context.progress(self.name) as progress:
            progress.start(rounds * len(PAGE_TASKS) * len(SERVERS))
            data = asyncio.run(
                run_doors(
                    rounds,
                    context.home,
                    lambda each: progress.done(f"{each.page} ({each.server})", "" if each.done else each.problem),
                    context.say,
                )
            )
        failed = sum(not each.done for each in data.outcomes if each.server == SERVERS[0].name)
        return self.result(data, options, machine=machine, failed=failed)


SUITE = DoorsSuite()
