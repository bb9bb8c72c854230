"""The `miniwob` suite: episodes of MiniWoB++ played through the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Variants

if TYPE_CHECKING:
    from perception.bench.suites.miniwob.run import MiniwobRun


@dataclass(frozen=True, slots=True)
class MiniwobOptions:
    """Play MiniWoB++ tasks through the gRPC API, with general rules or with players. Default: every task."""

    page: Annotated[list[str] | None, typer.Option(help="A task; repeatable. Default: all.")] = None
    variant: Variants = None
    rounds: Annotated[int, typer.Option(min=1, help="Seeds of each task.")] = 5
    players: Annotated[
        str, typer.Option(help="A Python module with PLAYERS, for variants whose policy is `players`.")
    ] = ""


class MiniwobSuite(MeasuredSuite["MiniwobOptions", "MiniwobRun"]):
    name = "miniwob"
    summary = "MiniWoB++ tasks played through the gRPC API by general rules: success, steps, tokens, time."
    options = MiniwobOptions

    def parts(self) -> SuiteParts[MiniwobRun]:
        from perception.bench.suites.miniwob.report import miniwob_comparable, miniwob_report
        from perception.bench.suites.miniwob.run import MiniwobRun

        return SuiteParts(
            MiniwobRun,
            lambda run: miniwob_report(run.played, run.variants),
            miniwob_comparable,
        )

    def run(self, options: MiniwobOptions, context: SuiteContext) -> Result[MiniwobRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.pages.visited_pages import serve_pages
        from perception.bench.suites.miniwob.players import load_players
        from perception.bench.suites.miniwob.run import MiniwobRun, run_miniwob
        from perception.bench.variant import load_variant
        from perception.datasets.sources.builders import MINIWOB

        variants = [load_variant(each) for each in options.variant or ("text", "fused")]
        players = load_players(options.players) if options.players else None
        browsers: list[str] = []
        with serve_pages(options.page or [MINIWOB], context.say) as urls, context.progress(MINIWOB) as progress:
            progress.start(len(urls) * options.rounds * len(variants))
            played = asyncio.run(
                run_miniwob(
                    urls,
                    range(1, options.rounds + 1),
                    variants,
                    players=players,
                    on_played=lambda each: progress.done(f"{each.episode.name} {each.who}", each.error),
                    on_browser=browsers.append,
                )
            )
        data = MiniwobRun(played, tuple(variants))
        return self.result(data, options, machine=machine_facts(browsers[0]), inputs=tuple(urls))


SUITE = MiniwobSuite()
