"""Decision trees out of an ONNX file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perception.bench.suites.train_boxes.run import save_trees
from perception.detectors.opencv import MODEL
from perception.detectors.trees import Trees
from perception.errors import DetectorMissingError


@pytest.fixture
def small(tmp_path: Path) -> Trees:
    """A tree that asks for `wide` up to 10, then for `high` up to 5; and one that is a leaf."""
    save_trees(
        tmp_path / "trees.onnx",
        ("wide", "high"),
        tree=np.array([0, 0, 0, 0, 0, 1]),
        trait=np.array([0, -1, 1, -1, -1, -1]),
        limit=np.array([10, 0, 5, 0, 0, 0]),
        left=np.array([1, 0, 3, 0, 0, 0]),
        right=np.array([2, 0, 4, 0, 0, 0]),
        value=np.array([0, -2, 0, 1, 3, 0.5]),
        bias=0.25,
    )
    return Trees(tmp_path / "trees.onnx")


def test_each_row_goes_its_own_way_down_every_tree(small: Trees) -> None:
    traits = {"high": np.array([1, 5, 6], np.float32), "wide": np.array([10, 11, 11], np.float32)}
    odds = np.array([-2, 1, 3]) + 0.5 + 0.25
    assert small.likelihood(traits) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_no_rows_are_no_likelihoods(small: Trees) -> None:
    none = np.zeros(0, np.float32)
    assert small.likelihood({"wide": none, "high": none}).shape == (0,)


def test_a_trait_that_is_missing_is_named(small: Trees) -> None:
    with pytest.raises(KeyError, match="high"):
        small.likelihood({"wide": np.zeros(2, np.float32)})


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    with pytest.raises(DetectorMissingError):
        Trees(tmp_path / "broken.onnx")


def test_the_one_that_ships_gives_likelihoods() -> None:
    trees = Trees(MODEL)
    rows = np.random.default_rng(1).normal(0, 10, (200, len(trees.names))).astype(np.float32)
    found = trees.likelihood({name: rows[:, at] for at, name in enumerate(trees.names)})
    assert found.shape == (200,)
    assert ((found > 0) & (found < 1)).all()
    assert np.ptp(found) > 0.1
