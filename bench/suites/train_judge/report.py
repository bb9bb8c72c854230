"""The report of `train_judge`."""

from __future__ import annotations

from perception.bench.comparables import compare_counts
from perception.bench.report.report_model import Report
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.train_judge.run import TrainedJudge


def train_judge_report(run: TrainedJudge) -> Report:
    """What the trees were trained on."""
    return Report(
        title="The judge of proposed controls",
        summary=(
            f"{run.screenshots} screenshots of {run.packages} packages, {run.controls} controls; "
            f"{run.right} of {run.proposals} proposed boxes are right: {run.file}.",
        ),
        facts={"data sets": ", ".join(run.datasets), "file": run.file, "SHA-256": run.sha256},
        tables=(),
    )


def train_judge_comparable(run: TrainedJudge) -> Comparable:
    """The counts; neither direction is better. `perception bench run controls` measures the quality of a judge."""
    tallies = {"controls": Tally(run.controls, 1), "proposals": Tally(run.proposals, 1)}
    return compare_counts([Score("trees", "train_judge", "trees", "", "", tallies)])
