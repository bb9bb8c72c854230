"""What readers served, judged: the values that reports and comparisons add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.bench.comparison.paired import LATENCY, TOTAL_COST, ComparisonRule
from perception.bench.looks.look_output import ListedElement
from perception.bench.looks.look_score import is_read
from perception.bench.looks.stored_looks import items_of
from perception.bench.metrics.control_classes import role_class
from perception.bench.metrics.control_matching import ControlTruth, Judgment, control_truth, judge
from perception.bench.run_store import Run
from perception.bench.scores import Score, Tally
from perception.bench.suites.controls.parsing import ReadImage, decode_output
from perception.datasets.sample import Sample
from perception.geometry import Box, stack

RECALL, PRECISION = "control recall", "control precision"
RECALL_IOU, PRECISION_IOU = "recall at IoU .5", "precision at IoU .5"
ROLES, LINES, TOKENS = "right roles", "lines read", "tokens"
WALL, CPU = "ms", "CPU ms"

RULES: Mapping[str, ComparisonRule] = {
    RECALL: ComparisonRule(True),
    PRECISION: ComparisonRule(True),
    RECALL_IOU: ComparisonRule(True),
    PRECISION_IOU: ComparisonRule(True),
    ROLES: ComparisonRule(True),
    LINES: ComparisonRule(True),
    TOKENS: TOTAL_COST,
    WALL: LATENCY,
    CPU: LATENCY,
}


@dataclass(frozen=True, slots=True)
class JudgedImage:
    """One reader's list for one screenshot, judged.

    Attributes:
        served: what is served to act on.
        reads: whether the reader reads text.
        lines_read: of the true lines, how many are in the list, at their place.
    """

    sample: Sample
    truth: ControlTruth
    served: tuple[ListedElement, ...]
    judgment: Judgment
    output: ReadImage
    reads: bool
    lines_read: int

    @property
    def confidence(self) -> NDArray[np.float32]:
        """(N,) of the served controls."""
        return np.asarray([each.confidence for each in self.served], np.float32)


def judge_run(run: Run, home: Path) -> dict[str, list[JudgedImage]]:
    """All images that a run has, by reader."""
    judged: dict[str, list[JudgedImage]] = {who: [] for who in run.facts.who}
    for item in items_of(run, home):
        truth = control_truth(item.sample)
        for output in map(decode_output, run.outputs(item.id)):
            judged[output.who].append(judge_output(item.sample, truth, output))
    return judged


def judge_output(sample: Sample, truth: ControlTruth, output: ReadImage) -> JudgedImage:
    """Judges one list."""
    served = tuple(each for each in output.elements if each.interactive and each.box is not None)
    judgment = judge(truth, stack(_box(each) for each in served))
    reads = any(kind == "text" for found in output.found for kind in found.kind)
    lines = sum(is_read(line, output.elements) for line in sample.lines) if reads else 0
    return JudgedImage(sample, truth, served, judgment, output, reads, lines)


def _box(element: ListedElement) -> Box:
    assert element.box is not None
    return element.box


def scores_of(images: list[JudgedImage]) -> list[Score]:
    """A score for each image."""
    return [
        Score(
            each.sample.name,
            each.output.who,
            each.sample.page,
            each.sample.category,
            each.sample.stratum.value,
            {name: tally for name, tally in tallies_of(each).items() if tally.of},
            id=each.output.id,
            source=each.sample.source,
        )
        for each in images
    ]


def tallies_of(image: JudgedImage) -> dict[str, Tally]:
    """The measures of one image."""
    found, truth, judgment = image.judgment.found, image.truth.controls, image.judgment
    counted = int(judgment.judged.sum()) if image.truth.complete else 0
    roles = role_pairs(image)
    return {
        RECALL: Tally(int(found.sum()), len(truth)),
        PRECISION: Tally(int(judgment.right.sum()) if counted else 0, counted),
        RECALL_IOU: Tally(judgment.pairs, len(truth)),
        PRECISION_IOU: Tally(judgment.pairs if counted else 0, counted),
        ROLES: Tally(sum(true == served for true, served in roles), len(roles)),
        LINES: Tally(image.lines_read, len(image.sample.lines) if image.reads else 0),
        TOKENS: Tally(image.output.tokens, 1),
        WALL: Tally(image.output.wall_ms, 1),
        CPU: Tally(image.output.cpu_ms, 1),
    }


def role_pairs(image: JudgedImage) -> list[tuple[str, str]]:
    """The true role of each found control, and the role of the served control that overlaps it most."""
    pairs = []
    for control, at in zip(image.truth.controls, image.judgment.served_of.tolist(), strict=True):
        if at >= 0 and control.role:
            served = image.served[at].role
            pairs.append((control.role, role_class(served) or served or "none"))
    return pairs
