"""Trains the forest by which the `opencv` detector tells controls from other drawings, from rendered pages.

    pip install -e '.[train]'
    perception dataset build packages
    python -m perception.bench.train_boxes packages#train

A thing that is drawn counts as a control if its middle lies in something that a real click reaches. Data: the pages
of `packages#train` (14 packages, 198 screenshots), whose licences the manifest of data sets names; what is kept of
them is thresholds of trees, no pixels. How good it is says `perception bench run detectors`, on the other splits.

Rule 1: each true element weighs one, spread over what is drawn in it, so that a canvas of many parts counts no more
than a button; each package weighs the root of its screenshots.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.detecting import true_boxes
from perception.bench.metrics.boxes import centers_within
from perception.bench.work import read_pixels
from perception.datasets.open import open_dataset
from perception.datasets.packages import home_folder
from perception.datasets.sample import Broken
from perception.detectors.marks import find_drawn
from perception.detectors.opencv import MODEL
from perception.detectors.traits import measure
from perception.errors import BadInputError

SETTINGS = {
    "max_iter": 120,
    "learning_rate": 0.08,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 30,
    "l2_regularization": 5.0,
    "max_features": 0.4,
    "random_state": 0,
}
"""Of scikit-learn's HistGradientBoostingClassifier. 150 trees of 16 leaves were no better."""

LEAST_WEIGHT = 0.1
"""Of one thing among the many that are drawn in one true element."""


@dataclass(frozen=True, slots=True)
class Page:
    """One screenshot: traits by name (N,), whether each thing drawn is a control (N,), and what it weighs (N,)."""

    group: str
    traits: dict[str, NDArray[np.float32]]
    control: NDArray[np.bool_]
    weight: NDArray[np.float32]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m perception.bench.train_boxes", description=__doc__)
    parser.add_argument("dataset", help="as elsewhere: packages#train")
    parser.add_argument("--to", type=Path, default=MODEL, help="the file that is written")
    given = parser.parse_args(arguments)
    try:
        pages = read_pages(given.dataset, home_folder())
        if not pages:
            raise BadInputError(f"no sample of {given.dataset} has a complete truth: name a data set of pages")
    except BadInputError as exc:
        sys.exit(f"{exc}")
    write_forest(train(pages), list(pages[0].traits), given.to)
    print(f"{len(pages)} screenshots, {sum(len(page.control) for page in pages)} things drawn: {given.to}")


def read_pages(dataset: str, home: Path) -> list[Page]:
    """The samples with a complete truth; others are passed over."""
    pages = []
    for record in open_dataset(dataset, home):
        item = None if isinstance(record, Broken) else record.load()
        if item is None or not item.sample.complete:
            continue
        pixels, scale = read_pixels(item), np.float32(item.sample.viewport.scale)
        drawn = find_drawn(pixels)
        within = centers_within(true_boxes(item.sample), drawn.boxes / scale)
        pages.append(Page(item.sample.group, measure(drawn, pixels), np.asarray(within.any(axis=0)), weigh(within)))
    return pages


def weigh(within: NDArray[np.bool_]) -> NDArray[np.float32]:
    """(N,) for (M, N) which of N things lie in which of M true elements."""
    share = within / np.maximum(within.sum(axis=1, keepdims=True), 1)
    control = np.maximum(share.max(axis=0, initial=0), LEAST_WEIGHT)
    return np.where(within.any(axis=0), control, 1).astype(np.float32)


def train(pages: Sequence[Page]) -> Any:
    """A fitted HistGradientBoostingClassifier."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    size = Counter(page.group for page in pages)
    rows = np.concatenate([np.stack(list(page.traits.values()), axis=1) for page in pages]).astype(np.float32)
    control = np.concatenate([page.control for page in pages])
    weight = np.concatenate([page.weight / size[page.group] ** 0.5 for page in pages])
    return HistGradientBoostingClassifier(**SETTINGS).fit(rows, control, weight)


def write_forest(model: Any, names: Sequence[str], path: Path) -> None:
    """Writes what `Forest.load` reads."""
    trees = [tree.nodes for (tree,) in model._predictors]
    roots = np.cumsum([0, *(len(tree) for tree in trees[:-1])])
    nodes, start = np.concatenate(trees), np.repeat(roots, [len(tree) for tree in trees])
    leaf, own = nodes["is_leaf"].astype(bool), np.arange(len(nodes))
    np.savez_compressed(
        path,
        names=np.asarray(names),
        roots=roots.astype(np.int16),
        trait=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int8),
        limit=np.where(leaf, 0, nodes["num_threshold"]).astype(np.float32),
        left=np.where(leaf, own, start + nodes["left"]).astype(np.int16),
        right=np.where(leaf, own, start + nodes["right"]).astype(np.int16),
        value=np.where(leaf, nodes["value"], 0).astype(np.float32),
        bias=np.float32(model._baseline_prediction.item()),
        depth=np.int16(nodes["depth"].max()),
    )


if __name__ == "__main__":
    main()
