"""The `cluster_faults` suite: edges and workers that are killed, cut off, slow, full or restarted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.cluster_faults.outcomes import ClusterFaultsRun


@dataclass(frozen=True, slots=True)
class ClusterFaultsOptions:
    """Inject faults into edges and workers of its own, under a load of real clients and browsers. Exits with 1 when
    something was done twice, leaked or not said."""

    rounds: Annotated[int, typer.Option(min=1, help="How often each fault is injected.")] = 1
    minutes: Annotated[float, typer.Option(min=0, help="No more rounds of a fault after so long; 0: all of them.")] = 0
    way: Annotated[list[str] | None, typer.Option(help="Only faults with this word in their name; repeatable.")] = None
    placement: Annotated[str, typer.Option(help="Where the workers are: static, or ray (three nodes here).")] = "static"


class ClusterFaultsSuite(MeasuredSuite["ClusterFaultsOptions", "ClusterFaultsRun"]):
    name = "cluster_faults"
    summary = "Faults injected into edges and workers under load: what callers are told, what was done twice or leaked."
    options = ClusterFaultsOptions

    def parts(self) -> SuiteParts[ClusterFaultsRun]:
        from perception.bench.suites.cluster_faults.outcomes import ClusterFaultsRun
        from perception.bench.suites.cluster_faults.report import cluster_faults_comparable, cluster_faults_report

        return SuiteParts(ClusterFaultsRun, cluster_faults_report, cluster_faults_comparable)

    def run(self, options: ClusterFaultsOptions, context: SuiteContext) -> Result[ClusterFaultsRun]:
        import asyncio

        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.cluster_faults.run import chosen_faults, placement_named, run_faults

        placement = placement_named(options.placement)
        faults = chosen_faults(options.way or [])
        machine = machine_facts(chromium_version())
        with context.progress(self.name) as progress:
            progress.start(len(faults) * options.rounds)
            data = asyncio.run(
                run_faults(faults, options.rounds, placement, progress.done, most_s=60 * options.minutes)
            )
        return self.result(data, options, machine=machine, failed=data.failed())


SUITE = ClusterFaultsSuite()
