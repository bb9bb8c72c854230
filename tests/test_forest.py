"""Trees as numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perception.detectors.opencv import MODEL
from perception.forest import Forest


def stump_and_tree() -> Forest:
    """A tree that asks for `wide` up to 10, then for `high` up to 5; and one that is a leaf."""
    return Forest(
        names=("wide", "high"),
        roots=np.array([0, 5]),
        trait=np.array([0, -1, 1, -1, -1, -1]),
        limit=np.array([10, 0, 5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 3, 3, 4, 5]),
        right=np.array([2, 1, 4, 3, 4, 5]),
        value=np.array([0, -2, 0, 1, 3, 0.5], np.float32),
        bias=0.25,
        depth=2,
    )


def test_each_row_goes_its_own_way_down_every_tree() -> None:
    traits = {"high": np.array([1, 5, 6], np.float32), "wide": np.array([10, 11, 11], np.float32)}
    odds = np.array([-2, 1, 3]) + 0.5 + 0.25
    assert stump_and_tree().likelihood(traits) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_no_rows_are_no_likelihoods() -> None:
    none = np.zeros(0, np.float32)
    assert stump_and_tree().likelihood({"wide": none, "high": none}).shape == (0,)


def test_a_trait_that_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match="high"):
        stump_and_tree().likelihood({"wide": np.zeros(2, np.float32)})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    forest = stump_and_tree()
    path = tmp_path / "forest.npz"
    columns = {
        name: getattr(forest, name) for name in ("roots", "trait", "limit", "left", "right", "value", "bias", "depth")
    }
    np.savez_compressed(path, names=np.array(forest.names), **columns)
    traits = {"high": np.array([6], np.float32), "wide": np.array([11], np.float32)}
    assert Forest.load(path).likelihood(traits) == pytest.approx(forest.likelihood(traits))


def test_the_one_that_ships_is_whole() -> None:
    forest = Forest.load(MODEL)
    inner = forest.trait >= 0
    assert forest.trait.max() < len(forest.names)
    assert (forest.left[inner] > np.flatnonzero(inner)).all()
    assert (forest.right[inner] > np.flatnonzero(inner)).all()
    assert MODEL.stat().st_size < 300_000
