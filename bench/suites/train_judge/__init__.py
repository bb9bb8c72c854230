"""The `train_judge` suite: trains the trees that judge what the network of `controls` proposes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.train_judge.run import TrainedJudge


@dataclass(frozen=True, slots=True)
class TrainJudgeOptions:
    """Train the judge of `controls`, and write its ONNX file."""

    dataset: Annotated[list[str], typer.Argument(help="Pages that the network was not trained on.")]
    to: Annotated[Path, typer.Option(help="The file that is written.")]


class TrainJudgeSuite(MeasuredSuite["TrainJudgeOptions", "TrainedJudge"]):
    name = "train_judge"
    summary = "Trains the trees that judge which proposed boxes are controls."
    options = TrainJudgeOptions

    def parts(self) -> SuiteParts[TrainedJudge]:
        from perception.bench.suites.train_judge.report import train_judge_comparable, train_judge_report
        from perception.bench.suites.train_judge.run import TrainedJudge

        return SuiteParts(TrainedJudge, train_judge_report, train_judge_comparable)

    def run(self, options: TrainJudgeOptions, context: SuiteContext) -> Result[TrainedJudge]:
        from perception.bench.extras import TREE_LIBRARIES, require
        from perception.bench.machine import machine_facts

        require("training", TREE_LIBRARIES, extra="train")
        from perception.bench.suites.train_judge.run import train_judge

        data = train_judge(options, context.home)
        return self.result(data, options, machine=machine_facts("none: images"), inputs=tuple(options.dataset))


SUITE = TrainJudgeSuite()
