"""The `placement_simulation` suite: the real placement over modeled workers, 10 to 10,000 of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.placement_simulation.run import SimulationRun


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """Drive sessions through modeled clusters under a virtual clock. Exits with 1 if a slot is lost."""

    workers: Annotated[str, typer.Option(help="Numbers of workers, by commas.")] = "10,100,1000,10000"
    sessions: Annotated[int, typer.Option(min=1, help="Sessions in all, in equal shares.")] = 1_000_000
    edges: Annotated[int, typer.Option(min=1, max=16, help="Edges, all alike.")] = 3
    slots: Annotated[int, typer.Option(min=1, max=1000, help="Slots of each worker.")] = 16
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 1
    picture: Annotated[Path | None, typer.Option(help="SVG file that gets the figures as a picture.")] = None


class SimulationSuite(MeasuredSuite["SimulationOptions", "SimulationRun"]):
    name = "placement_simulation"
    summary = "How far the placement of sessions grows, by workers: claims, waiting, imbalance, what is lost."
    options = SimulationOptions

    def parts(self) -> SuiteParts[SimulationRun]:
        from perception.bench.suites.placement_simulation.report import simulation_comparable, simulation_report
        from perception.bench.suites.placement_simulation.run import SimulationRun

        return SuiteParts(SimulationRun, simulation_report, simulation_comparable)

    def run(self, options: SimulationOptions, context: SuiteContext) -> Result[SimulationRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.suite_options import parse_counts
        from perception.bench.suites.placement_simulation.run import MAX_WORKERS, run_simulation

        sizes = parse_counts(options.workers, "workers", MAX_WORKERS)
        machine = machine_facts("none")
        data = run_simulation(sizes, options.sessions, options.edges, options.slots, options.seed, context.say)
        if options.picture is not None:
            from perception.bench.suites.placement_simulation.picture import draw

            options.picture.write_text(draw(data), "utf-8")
        wrong = sum(each.wrong for each in data.sizes)
        return self.result(data, options, machine=machine, failed=wrong)


SUITE = SimulationSuite()
