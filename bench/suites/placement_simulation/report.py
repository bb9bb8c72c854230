"""The report of `placement_simulation`."""

from __future__ import annotations

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table
from perception.bench.suite import Comparable
from perception.bench.suites.placement_simulation.run import WRONG, SimulationRun, SizeOutcome

COUNT, MS, NUMBER, SHARE = ColumnUnit.COUNT, ColumnUnit.MILLISECONDS, ColumnUnit.NUMBER, ColumnUnit.SHARE

SHOWN = (
    "sessions",
    "claims",
    "claims that a worker refused",
    "refused, all slots taken",
    "refused though a slot was free",
    "repeated requests",
    "repeats that found their session",
    "double sessions",
    "workers asked for a request",
    "callers that left",
    "failures",
    "sessions lost with their worker",
    "drains",
    "sessions longer than the grace",
    "located",
    *WRONG,
)
"""What is counted, as the report has it."""


def simulation_report(run: SimulationRun) -> Report:
    """By number of workers: real times of the placement's code, virtual waiting, and what was counted."""
    columns = (
        *(Column("workers", COUNT), Column("claim, p50 µs", NUMBER), Column("claim, p99 µs", NUMBER)),
        *(Column("claims a second of one edge", COUNT), Column("waited, p50", MS), Column("waited, p99", MS)),
        *(
            Column("imbalance", SHARE),
            Column("sessions a second", NUMBER),
            Column("news, of a core", SHARE),
            Column("connections", ColumnUnit.MEBIBYTES),
        ),
    )
    sizes = [str(each.workers) for each in run.sizes]
    counts: list[tuple[Cell, ...]] = [(what, *(each.counts.get(what, 0) for each in run.sizes)) for what in SHOWN]
    return Report(
        title="The placement of sessions, simulated",
        summary=tuple(_sentence(each) for each in run.sizes),
        facts={"edges": str(run.edges), "slots of a worker": str(run.slots), "times from": run.made},
        tables=(
            Table("sizes", "By number of workers", columns, tuple(_row(each) for each in run.sizes), _NOTE),
            Table("counts", "What happened", (Column(""), *(Column(each, COUNT) for each in sizes)), tuple(counts)),
        ),
        charts=(_chart(run),),
    )


_NOTE = (
    "Claims are processor time of the real code; waiting and sessions a second are of the virtual clock. News (what "
    "workers say) and connections are the measured cost of one, times their number at one edge."
)


def simulation_comparable(run: SimulationRun) -> Comparable:
    """Milliseconds of claims and of waiting, by number of workers."""
    values = [
        (f"{each.workers} workers", f"{each.workers} workers", measure, value)
        for each in run.sizes
        for measure, value in (("claim, p99", each.claim_us[1] / 1000), ("waited, p99", each.waited_ms[1]))
    ]
    wrong = {what: sum(each.counts.get(what, 0) for each in run.sizes) for what in WRONG}
    return compare_times("placement_simulation", values, wrong)


def _row(each: SizeOutcome) -> tuple[Cell, ...]:
    return (
        *(each.workers, *each.claim_us, round(each.claims_per_s), *each.waited_ms),
        *(each.imbalance, each.sessions_per_s, each.news_share, each.links_mib),
    )


def _sentence(each: SizeOutcome) -> str:
    wrong = ", ".join(f"{each.counts.get(what, 0)} {what}" for what in ("slots lost", "double sessions"))
    return (
        f"{each.workers} workers: a claim takes {each.claim_us[0]:.0f} µs (p99 {each.claim_us[1]:.0f}), "
        f"{each.claims_per_s:,.0f} claims a second of one edge, {wrong} of {each.counts.get('sessions', 0)} sessions."
    )


def _chart(run: SimulationRun) -> Chart:
    workers = tuple(float(each.workers) for each in run.sizes)
    series = tuple(
        Series(name, workers, tuple(each.claim_us[place] for each in run.sizes))
        for place, name in enumerate(("median", "99th percentile"))
    )
    return Chart("claims", "A claim", ChartKind.LINES, "workers", "µs", series, logarithmic=True)
