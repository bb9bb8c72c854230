"""Trains the forest by which the `opencv` detector distinguishes controls from other drawings, from rendered pages.

    pip install -e '.[train]'
    perception dataset build packages
    perception bench run train_boxes packages#train

A drawn shape counts as a control if its center is in an element that a real click reaches. Data: the pages of
`packages#train` (14 packages, 198 screenshots), whose licences the manifest of data sets names; the result contains
thresholds of trees, no pixels. `perception bench run detectors` measures it on the other splits.

Rule 1: each true element has a weight of one, distributed over the shapes in it, so that a canvas of many parts counts
no more than a button; each package is weighted by the square root of its screenshots.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.detector_outputs import true_boxes
from perception.bench.metrics.box_matching import centers_within
from perception.bench.sample_worker import read_pixels
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken
from perception.detectors.drawn_marks import find_drawn
from perception.detectors.mark_features import measure
from perception.detectors.trees import TRAITS
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
"""Minimum weight of one shape among the many in one true element."""


@dataclass(frozen=True, slots=True)
class ScreenshotTraits:
    """One screenshot: traits by name (N,), whether each shape is a control (N,), and its weight (N,)."""

    group: str
    traits: dict[str, NDArray[np.float32]]
    control: NDArray[np.bool_]
    weight: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TrainedForest:
    """A run: the data it was trained on, and the file that was written.

    Attributes:
        dataset: as on the command line.
        screenshots: samples with a complete truth.
        things: shapes drawn on them; `controls` of these are controls.
        nodes: of all trees.
        file: the written file; `sha256` is its digest.
    """

    dataset: str
    screenshots: int
    things: int
    controls: int
    nodes: int
    file: str
    sha256: str


def train_boxes(dataset: str, to: Path, home: Path) -> TrainedForest:
    """Trains the forest on a data set, and writes it.

    Raises:
        BadInputError: the data set cannot be opened, or no sample of it has a complete truth.
    """
    pages = read_pages(dataset, home)
    if not pages:
        raise BadInputError(f"no sample of {dataset} has a complete truth: name a data set of pages")
    model = train(pages)
    write_forest(model, list(pages[0].traits), to)
    return TrainedForest(
        dataset=dataset,
        screenshots=len(pages),
        things=sum(len(page.control) for page in pages),
        controls=int(sum(page.control.sum() for page in pages)),
        nodes=sum(len(tree.nodes) for (tree,) in model._predictors),
        file=to.name,
        sha256=hashlib.sha256(to.read_bytes()).hexdigest(),
    )


def read_pages(dataset: str, home: Path) -> list[ScreenshotTraits]:
    """The samples with a complete truth; others are skipped."""
    pages = []
    for record in open_dataset(dataset, home):
        item = None if isinstance(record, Broken) else record.load()
        if item is None or not item.sample.complete:
            continue
        pixels, scale = read_pixels(item), np.float32(item.sample.viewport.scale)
        drawn = find_drawn(pixels)
        within = centers_within(true_boxes(item.sample), drawn.boxes / scale)
        pages.append(
            ScreenshotTraits(item.sample.group, measure(drawn, pixels), np.asarray(within.any(axis=0)), weigh(within))
        )
    return pages


def weigh(within: NDArray[np.bool_]) -> NDArray[np.float32]:
    """(N,) for (M, N) which of N shapes are in which of M true elements."""
    share = within / np.maximum(within.sum(axis=1, keepdims=True), 1)
    control = np.maximum(share.max(axis=0, initial=0), LEAST_WEIGHT)
    return np.where(within.any(axis=0), control, 1).astype(np.float32)


def train(pages: Sequence[ScreenshotTraits]) -> Any:
    """A fitted HistGradientBoostingClassifier."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    size = Counter(page.group for page in pages)
    rows = np.concatenate([np.stack(list(page.traits.values()), axis=1) for page in pages]).astype(np.float32)
    control = np.concatenate([page.control for page in pages])
    weight = np.concatenate([page.weight / size[page.group] ** 0.5 for page in pages])
    return HistGradientBoostingClassifier(**SETTINGS).fit(rows, control, weight)


def write_forest(model: Any, names: Sequence[str], path: Path) -> None:
    """Writes the file that `Trees` reads."""
    trees = [tree.nodes for (tree,) in model._predictors]
    nodes = np.concatenate(trees)
    save_trees(
        path,
        names,
        tree=np.repeat(np.arange(len(trees)), [len(tree) for tree in trees]),
        trait=np.where(nodes["is_leaf"].astype(bool), -1, nodes["feature_idx"]),
        limit=nodes["num_threshold"],
        left=nodes["left"],
        right=nodes["right"],
        value=nodes["value"],
        bias=model._baseline_prediction.item(),
    )


def save_trees(
    path: Path,
    names: Sequence[str],
    *,
    tree: NDArray[Any],
    trait: NDArray[Any],
    limit: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    value: NDArray[Any],
    bias: float,
) -> None:
    """Writes trees as an ONNX file.

    Args:
        names: of the traits, in the order of the columns.
        tree: (K,) which tree each node belongs to, ascending; a tree's first node is its root.
        trait: (K,) the column that a node compares; -1 in a leaf.
        limit: (K,) rows with a value up to this go left.
        left, right: (K,) child nodes, counted from the tree's root.
        value: (K,) what a leaf adds to the log-odds.
        bias: the log-odds without any tree.
    """
    from onnx import TensorProto, helper, save_model

    leaf = trait < 0
    number = np.arange(len(tree)) - np.searchsorted(tree, tree)  # within its tree
    ensemble = helper.make_node(
        "TreeEnsembleRegressor",
        ["traits"],
        ["odds"],
        domain="ai.onnx.ml",
        n_targets=1,
        base_values=[float(bias)],
        nodes_treeids=tree.tolist(),
        nodes_nodeids=number.tolist(),
        nodes_featureids=np.maximum(trait, 0).tolist(),
        nodes_modes=np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_values=np.where(leaf, 0, limit).astype(np.float32).tolist(),
        nodes_truenodeids=np.where(leaf, 0, left).tolist(),
        nodes_falsenodeids=np.where(leaf, 0, right).tolist(),
        target_treeids=tree[leaf].tolist(),
        target_nodeids=number[leaf].tolist(),
        target_ids=[0] * int(leaf.sum()),
        target_weights=value[leaf].astype(np.float32).tolist(),
    )
    graph = helper.make_graph(
        [ensemble, helper.make_node("Sigmoid", ["odds"], ["likelihood"])],
        "trees",
        [helper.make_tensor_value_info("traits", TensorProto.FLOAT, ["n", len(names)])],
        [helper.make_tensor_value_info("likelihood", TensorProto.FLOAT, ["n", 1])],
    )
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    helper.set_model_props(model, {TRAITS: ",".join(names)})
    save_model(model, str(path))
