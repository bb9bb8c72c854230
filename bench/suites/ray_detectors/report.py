"""The report of `ray_detectors`."""

from __future__ import annotations

from statistics import median

from perception.bench.comparables import compare_times
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.stats import quartiles_text
from perception.bench.suite import Comparable
from perception.bench.suites.ray_detectors.run import HERE, ON_RAY, RayDetectorsRun

MS = ColumnUnit.MILLISECONDS


def ray_detectors_report(run: RayDetectorsRun) -> Report:
    """By number of callers: a look here and on Ray, answers a second, and what was skipped."""
    rows = [_row(run, callers) for callers in dict.fromkeys(each.callers for each in run.samples)]
    columns = (
        *(Column("callers", ColumnUnit.COUNT), Column("looks at each side", ColumnUnit.COUNT)),
        *(Column("here, p50", MS), Column("on Ray, p50", MS), Column("ratio", ColumnUnit.RATIO)),
        *(Column("here, quartiles"), Column("on Ray, quartiles")),
        *(Column("here, answers a second"), Column("on Ray, answers a second")),
        *(Column("here, skipped", ColumnUnit.COUNT), Column("on Ray, skipped", ColumnUnit.COUNT)),
    )
    answers = "the same answers on both sides" if run.same else "ANSWERS DIFFER"
    return Report(
        title=f"{run.detector} here and on Ray",
        summary=(f"{answers}: {run.found} detections in {run.images} images",),
        facts={"detector": run.detector, "images": str(run.images)},
        tables=(Table("looks", "Looks, in turns", columns, tuple(rows)),),
    )


def ray_detectors_comparable(run: RayDetectorsRun) -> Comparable:
    """Milliseconds of each look."""
    values = [
        (f"{each.callers} callers", f"{each.callers} callers, look {number}", f"a look {each.where}", each.ms)
        for number, each in enumerate(run.samples)
    ]
    return compare_times("ray_detectors", values)


def _row(run: RayDetectorsRun, callers: int) -> tuple[Cell, ...]:
    here, there = (
        [each for each in run.samples if (each.callers, each.where) == (callers, where)] for where in (HERE, ON_RAY)
    )
    medians = [median(each.ms for each in side) for side in (here, there)]
    rates = {(each.callers, each.where): f"{each.per_second:.1f}" for each in run.throughput}
    return (
        *(callers, len(here), *medians, medians[1] / medians[0]),
        *(quartiles_text((each.ms for each in side), 0) for side in (here, there)),
        *(rates[callers, where] for where in (HERE, ON_RAY)),
        *(sum(bool(each.skipped) for each in side) for side in (here, there)),
    )
