"""The report of `train_boxes`."""

from __future__ import annotations

from collections.abc import Mapping

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.report.report_model import Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.train_boxes.run import TrainedForest


def train_boxes_report(run: TrainedForest, machine: Mapping[str, str], command: str) -> Report:
    """The training data of the forest, and its file."""
    columns = (Column(""), Column("count", ColumnUnit.COUNT))
    return Report(
        title="The forest of the opencv detector",
        summary=(f"{run.screenshots} screenshots, {run.things} things drawn: {run.file}.",),
        facts={"data set": run.dataset, "file": run.file, "SHA-256": run.sha256, **machine},
        tables=(Table("counts", "Counts", columns, tuple(_counts(run).items())),),
        command=command,
    )


def train_boxes_comparable(run: TrainedForest) -> Comparable:
    """The counts; neither direction is better. `perception bench run detectors` measures the quality of a forest."""
    tallies = {name: Tally(count, 1) for name, count in _counts(run).items()}
    return Comparable(
        [Score("forest", "train_boxes", "forest", "", "", tallies)], dict.fromkeys(tallies, ComparisonRule(None))
    )


def _counts(run: TrainedForest) -> dict[str, int]:
    return {
        "screenshots": run.screenshots,
        "things drawn": run.things,
        "controls among them": run.controls,
        "nodes of the trees": run.nodes,
    }
