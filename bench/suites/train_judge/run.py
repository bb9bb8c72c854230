"""Trains the judge of `controls` on pages that the network was not trained on.

    pip install -e '.[train]'
    perception bench run train_judge DATASET --to control_judge.onnx

`bench run controls` measures it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.metrics.control_matching import control_truth
from perception.bench.sample_worker import read_pixels
from perception.bench.train.judge_trees import JudgedPage, export_trees, judged_page, train_trees
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, Reference
from perception.detectors.controls import ControlBoxes
from perception.imaging.shrink import shrink_all

if TYPE_CHECKING:
    from perception.bench.suites.train_judge import TrainJudgeOptions


@dataclass(frozen=True, slots=True)
class TrainedJudge:
    """A run: what was trained on, and the file that was written.

    Attributes:
        datasets: as on the command line.
        screenshots: with `controls` that are there and `proposals` of the network, `right` ones among them.
        packages: number of different ones.
        file: the written file; `sha256` is its digest.
    """

    datasets: tuple[str, ...]
    screenshots: int
    packages: int
    controls: int
    proposals: int
    right: int
    file: str
    sha256: str


def train_judge(options: TrainJudgeOptions, home: Path) -> TrainedJudge:
    """Trains on all screenshots with a complete truth and controls, and writes the file.

    Raises:
        DatasetError: a data set cannot be opened, or its pages are of fewer than three packages.
    """
    references = [each for spec in options.dataset for each in open_dataset(spec, home)]
    whole = [each for each in references if not isinstance(each, Broken)]
    pages = list(_pages(sorted(whole, key=lambda each: each.name)))  # the same pages give the same trees
    packages = {page.group for page in pages}
    if len(packages) < 3:
        raise DatasetError(f"pages of {len(packages)} packages: name data sets with more, to be calibrated on others")
    export_trees(train_trees(pages), options.to)
    return TrainedJudge(
        datasets=tuple(options.dataset),
        screenshots=len(pages),
        packages=len(packages),
        controls=sum(len(page.truth.controls) for page in pages),
        proposals=sum(len(page.boxes) for page in pages),
        right=sum(int(page.right.sum()) for page in pages),
        file=options.to.name,
        sha256=hashlib.sha256(options.to.read_bytes()).hexdigest(),
    )


def _pages(references: Sequence[Reference]) -> Iterator[JudgedPage]:
    detector = ControlBoxes(judge=None)
    for reference in references:
        item = reference.load()
        truth = control_truth(item.sample)
        if truth.complete and truth.controls:
            shown = read_pixels(item)
            (pixels,) = shrink_all([shown], shown.shape[1] / item.sample.viewport.width)
            proposals = detector.propose(pixels)
            if len(proposals.agreement):
                yield judged_page(item.sample.group, truth, proposals, pixels.shape[1] / item.sample.viewport.width)
