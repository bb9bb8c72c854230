"""The report of `train_detector`."""

from __future__ import annotations

from perception.bench.comparables import compare_counts
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.train_detector.run import TrainedDetector

MAX_ROWS = 20


def train_detector_report(run: TrainedDetector) -> Report:
    """How far the training is, and its losses."""
    names = list(run.log[-1].losses) if run.log else []
    columns = (Column("step", ColumnUnit.COUNT), *(Column(name) for name in names), Column("crops a second"))
    shown = run.log[:: max(len(run.log) // MAX_ROWS, 1)]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.step, *(f"{each.losses[name]:.3f}" for name in names), f"{each.crops_a_second:.0f}") for each in shown
    )
    return Report(
        title="The network that finds controls",
        summary=(
            f"{run.steps} of {run.planned} steps on {run.controls} controls of {run.screenshots} screenshots; "
            f"{run.parameters} parameters: {run.file}.",
        ),
        facts={"data sets": ", ".join(run.datasets), "file": run.file, "SHA-256": run.sha256},
        tables=(Table("losses", "Losses", columns, rows),),
    )


def train_detector_comparable(run: TrainedDetector) -> Comparable:
    """The counts; neither direction is better. `perception bench run detectors` measures the quality of a network."""
    tallies = {"steps": Tally(run.steps, 1), "controls": Tally(run.controls, 1)}
    return compare_counts([Score("network", "train_detector", "network", "", "", tallies)])
