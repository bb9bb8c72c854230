"""Trains the judge of `controls`: boosted trees, on the boxes that the network proposes for pages it has never seen.

Rule 1: of the boxes of a control one is right, the one that overlaps it most; boxes where nothing counts are left out.
Rule 2: likelihoods are calibrated on pages of other packages than the trees that give them were trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.box_matching import centers_within
from perception.bench.metrics.control_matching import LARGEST, ControlTruth, judge
from perception.detectors.control_judge import Proposals, describe
from perception.detectors.controls import SAME
from perception.detectors.onnx_layouts import suppress_overlaps
from perception.geometry import Boxes, areas, iou, stack

if TYPE_CHECKING:
    from lightgbm import Booster

ROUNDS, FOLDS = 250, 3
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.03,
    "num_leaves": 8,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 0,
    "verbose": -1,
}
"""Chosen out of five on pages of packages that were left out: an average precision of 61.9 %, where twice the leaves
and fewer, larger steps have 60.1 %."""
LEAST_OVERLAP = 0.2
"""Least intersection over union of a control's best box that is right, if its center is in the control."""
PAGE_BOXES = 10
"""Boxes that each page counts for beside its own, so that a full page outweighs an empty one, but not by far."""
LEAST_SHOWN = 0.03
"""Likelihood of boxes that are calibrated."""


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """The proposals for one page.

    Attributes:
        group: its package.
        truth: its controls.
        boxes: (N, 4) CSS px.
        table: (N, columns) what the judge looks at.
        right: (N,) whether each is the box of a control.
        counted: (N,) whether it is one or the other.
    """

    group: str
    truth: ControlTruth
    boxes: Boxes
    table: NDArray[np.float32]
    right: NDArray[np.bool_]
    counted: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrainedTrees:
    """Trees, and what makes a likelihood of their log-odds."""

    trees: Booster
    slope: float
    shift: float


def judged_page(group: str, truth: ControlTruth, proposals: Proposals, scale: float = 1.0) -> JudgedPage:
    """The proposals for a page, with what is right of them.

    Args:
        scale: px of the image that the network saw, for each CSS px.
    """
    boxes = np.asarray(proposals.cells.xyxy / scale, np.float32)
    controls = stack(each.box for each in truth.controls)
    overlaps = iou(controls, boxes)
    fits = centers_within(controls, boxes) & (areas(boxes)[None] <= LARGEST * areas(controls)[:, None])
    good = np.where((fits & (overlaps > LEAST_OVERLAP)) | (overlaps >= 0.5), overlaps, 0)
    right = np.zeros(len(boxes), np.bool_)
    found = np.flatnonzero(good.max(axis=1, initial=0) > 0)
    right[good[found].argmax(axis=1)] = True
    counted = judge(truth, boxes).judged | right | (overlaps.max(axis=0, initial=0) > 0.5)
    return JudgedPage(group, truth, boxes, describe(proposals), right, counted)


def train_trees(pages: Sequence[JudgedPage]) -> TrainedTrees:
    """Trains trees on all pages, and calibrates them by those that were trained on the other packages' pages."""
    odds, rights = [], []
    for page, told in out_of_fold(pages):
        shown = np.flatnonzero(told >= np.log(LEAST_SHOWN / (1 - LEAST_SHOWN)))
        kept = shown[suppress_overlaps(page.boxes[shown], _sigmoid(told[shown]), SAME)]
        judged = judge(page.truth, page.boxes[kept])
        odds.append(told[kept][judged.judged])
        rights.append(judged.right[judged.judged])
    slope, shift = fit_line(np.concatenate(odds), np.concatenate(rights))
    return TrainedTrees(_fit(pages), slope, shift)


def out_of_fold(pages: Sequence[JudgedPage]) -> Iterator[tuple[JudgedPage, NDArray[np.float64]]]:
    """Each page with the log-odds of its boxes, by trees that were trained on pages of other packages."""
    for fold in range(FOLDS):
        trees = _fit([page for page in pages if _fold_of(page.group) != fold])
        for page in pages:
            if _fold_of(page.group) == fold and len(page.table):
                yield page, log_odds(trees, page.table)


def log_odds(trees: Booster, table: NDArray[np.float32]) -> NDArray[np.float64]:
    """(N,) of each row of a table."""
    return np.asarray(trees.predict(table, raw_score=True), np.float64)


def _fold_of(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


def _fit(pages: Sequence[JudgedPage]) -> Booster:
    import lightgbm

    weights = [np.full(page.counted.sum(), 1 / np.sqrt(PAGE_BOXES + page.counted.sum())) for page in pages]
    data = lightgbm.Dataset(
        np.concatenate([page.table[page.counted] for page in pages]),
        np.concatenate([page.right[page.counted] for page in pages]).astype(np.float32),
        weight=np.concatenate(weights) / np.concatenate(weights).mean(),
    )
    return lightgbm.train(dict(PARAMETERS), data, ROUNDS)


def _sigmoid(odds: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * odds), np.float32)


def fit_line(odds: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and shift of the log-odds with which they say how often boxes are right: Platt's scaling, by Newton."""
    x = np.stack([odds, np.ones_like(odds)], axis=1)
    weights = np.asarray([1.0, 0.0])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (likely * (1 - likely))[:, None]).T @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(curve, x.T @ (right - likely))
        weights = weights + step / max(1.0, float(np.abs(step).max()))
    return float(weights[0]), float(weights[1])


def export_trees(trained: TrainedTrees, path: Path) -> None:
    """Writes an ONNX file: `table` (N, columns) in, `likelihood` (N, 1) out."""
    import onnx
    from onnx import TensorProto, helper

    told = trained.trees.dump_model()
    columns = int(told["max_feature_idx"]) + 1
    ensemble = helper.make_node(
        "TreeEnsembleRegressor",
        ["table"],
        ["odds"],
        domain="ai.onnx.ml",
        n_targets=1,
        post_transform="NONE",
        **_tree_columns([each["tree_structure"] for each in told["tree_info"]]),
    )
    numbers = {"slope": trained.slope, "shift": trained.shift}
    constants = [helper.make_tensor(name, TensorProto.FLOAT, [1], [value]) for name, value in numbers.items()]
    graph = helper.make_graph(
        [
            ensemble,
            helper.make_node("Mul", ["odds", "slope"], ["scaled"]),
            helper.make_node("Add", ["scaled", "shift"], ["shifted"]),
            helper.make_node("Sigmoid", ["shifted"], ["likelihood"]),
        ],
        "judge",
        [helper.make_tensor_value_info("table", TensorProto.FLOAT, ["boxes", columns])],
        [helper.make_tensor_value_info("likelihood", TensorProto.FLOAT, ["boxes", 1])],
        constants,
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _tree_columns(trees: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The attributes of a `TreeEnsembleRegressor`: one row for each node, one for each leaf."""
    names = ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    targets: dict[str, list[Any]] = {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for number, tree in enumerate(trees):
        rows: list[tuple[Any, ...]] = []
        _add_node(tree, rows)
        for place, (feature, value, true, false) in enumerate(rows):
            is_leaf = true < 0
            row = (number, place, feature, 0.0 if is_leaf else value, "LEAF" if is_leaf else "BRANCH_LEQ")
            for name, each in zip(nodes, (*row, max(true, 0), max(false, 0)), strict=True):
                nodes[name].append(each)
            for name, each in zip(targets, (number, place, 0, value), strict=True) if is_leaf else ():
                targets[name].append(each)
    return nodes | targets


def _add_node(node: dict[str, Any], rows: list[tuple[Any, ...]]) -> int:
    """Adds a node and those below it as (column, threshold or value, place if not above it, place if above it); -1 for
    the places of a leaf. Returns its own place."""
    place = len(rows)
    if "leaf_value" in node:
        rows.append((0, float(node["leaf_value"]), -1, -1))
        return place
    rows.append(())
    left, right = (_add_node(node[child], rows) for child in ("left_child", "right_child"))
    rows[place] = (int(node["split_feature"]), float(node["threshold"]), left, right)
    return place
