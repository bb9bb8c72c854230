"""Boosted decision trees as numbers: what a model that was trained elsewhere says of rows of traits.

Rule 1: nothing is learned here and no library of learning is needed, only numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees of one depth at most, in one array of nodes.

    Attributes:
        names: F traits, in the order of the columns.
        roots: (T,) the first node of each tree.
        trait: (K,) which column a node asks for; -1 in a leaf.
        limit: (K,) rows with a value up to this go left.
        left, right: (K,) nodes that follow; a leaf's own.
        value: (K,) what a leaf adds to the log-odds.
        bias: the log-odds without any tree.
        depth: most steps from a root to a leaf.
    """

    names: tuple[str, ...]
    roots: NDArray[np.int64]
    trait: NDArray[np.int64]
    limit: NDArray[np.float32]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float32]
    bias: float
    depth: int

    @classmethod
    def load(cls, path: Path) -> Forest:
        """Reads what `bench/train_boxes.py` wrote."""
        with np.load(path, allow_pickle=False) as columns:
            return cls(
                names=tuple(columns["names"].tolist()),
                roots=columns["roots"].astype(np.int64),
                trait=columns["trait"].astype(np.int64),
                limit=columns["limit"].astype(np.float32),
                left=columns["left"].astype(np.int64),
                right=columns["right"].astype(np.int64),
                value=columns["value"].astype(np.float32),
                bias=float(columns["bias"]),
                depth=int(columns["depth"]),
            )

    def likelihood(self, traits: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """How likely each of N things is what the forest was trained to find.

        Args:
            traits: (N,) by name, without NaN; those that the forest does not know are passed over.

        Returns:
            (N,) in [0, 1].

        Raises:
            KeyError: a trait that the forest asks for is missing.
        """
        rows = np.stack([np.asarray(traits[name], np.float32) for name in self.names], axis=1)
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        flat, start = rows.ravel(), np.arange(len(rows))[:, None] * rows.shape[1]
        for _ in range(self.depth):
            # A leaf asks for some column and goes to itself whatever it says.
            below = flat.take(start + np.maximum(self.trait.take(at), 0)) <= self.limit.take(at)
            at = np.where(below, self.left.take(at), self.right.take(at))
        total = self.bias + self.value.take(at).sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-total)), np.float32)
