"""The `settling` suite: whether a settled look comes at the right time, on late and on restless pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Rounds, choose_by_words

if TYPE_CHECKING:
    from perception.bench.suites.settling.run import SettlingRun


@dataclass(frozen=True, slots=True)
class SettlingOptions:
    """Act on pages that update late, and look at pages that never quite rest, with a long `settle_timeout`."""

    page: Annotated[
        list[str] | None, typer.Option(help="Only cases with this in their name; repeatable. Default: all.")
    ] = None
    rounds: Rounds = 3


class SettlingSuite(MeasuredSuite["SettlingOptions", "SettlingRun"]):
    name = "settling"
    summary = "Late updates and restless pages: whether a settled look holds the result, and how long it waits."
    options = SettlingOptions

    def parts(self) -> SuiteParts[SettlingRun]:
        from perception.bench.suites.settling.report import settling_comparable, settling_report
        from perception.bench.suites.settling.run import SettlingRun

        return SuiteParts(
            SettlingRun,
            lambda run: settling_report(run.outcomes),
            settling_comparable,
        )

    def run(self, options: SettlingOptions, context: SuiteContext) -> Result[SettlingRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.settling.run import SettlingOutcome, SettlingRun, run_settling
        from perception.bench.suites.settling.settling_cases import settling_cases

        cases = {case.id: case for case in settling_cases()}
        named = choose_by_words(tuple(cases), options.page, "case", "leave --page out for all of them")
        chosen = [cases[each] for each in named]
        with context.progress(self.name) as progress:
            progress.start(options.rounds * len(chosen))

            def on_done(outcome: SettlingOutcome) -> None:
                progress.done(outcome.case, outcome.problem)

            outcomes = asyncio.run(run_settling(chosen, rounds=options.rounds, on_outcome=on_done))
        return self.result(SettlingRun(tuple(outcomes)), options, machine=machine_facts(chromium_version()))


SUITE = SettlingSuite()
