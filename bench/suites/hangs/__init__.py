"""The `hangs` suite: pages that hang, crash or stall, and whether their tab still works afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Rounds, choose_by_words

if TYPE_CHECKING:
    from perception.bench.suites.hangs.run import HangsRun


@dataclass(frozen=True, slots=True)
class HangsOptions:
    """Hang, crash and stall a page in many ways under a deadline, and use its tab afterwards."""

    page: Annotated[
        list[str] | None, typer.Option(help="Only ways with this in their name; repeatable. Default: all.")
    ] = None
    rounds: Rounds = 3


class HangsSuite(MeasuredSuite["HangsOptions", "HangsRun"]):
    name = "hangs"
    summary = "Ways to hang, crash or stall a page: deadlines kept, and whether the tab still works."
    options = HangsOptions

    def parts(self) -> SuiteParts[HangsRun]:
        from perception.bench.suites.hangs.report import hangs_comparable, hangs_report
        from perception.bench.suites.hangs.run import HangsRun

        return SuiteParts(
            HangsRun,
            lambda run: hangs_report(run.outcomes, run.counts),
            hangs_comparable,
        )

    def run(self, options: HangsOptions, context: SuiteContext) -> Result[HangsRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.suites.hangs.hang_cases import hang_cases
        from perception.bench.suites.hangs.run import HangOutcome, HangsRun, run_hangs

        cases = {case.id: case for case in hang_cases()}
        named = choose_by_words(tuple(cases), options.page, "way", "leave --page out for all of them")
        chosen = [cases[each] for each in named]
        with context.progress(self.name) as progress:
            progress.start(options.rounds * len(chosen))

            def on_done(outcome: HangOutcome) -> None:
                progress.done(outcome.way, outcome.after)

            outcomes, counts, browser = asyncio.run(run_hangs(chosen, rounds=options.rounds, on_outcome=on_done))
        return self.result(HangsRun(tuple(outcomes), tuple(counts)), options, machine=machine_facts(browser))


SUITE = HangsSuite()
