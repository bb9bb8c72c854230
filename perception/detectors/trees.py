"""Boosted decision trees in an ONNX file: what a model that was trained elsewhere says of rows of traits.

The file holds one `TreeEnsembleRegressor` (ai.onnx.ml 3) and a sigmoid; its metadata names the traits in the order of
the columns. `perception bench run train_boxes` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.detectors.onnx_model import open_model

TRAITS = "traits"
"""The metadata entry that holds the names of the traits, with commas between them."""


class Trees:
    """Trees that were read from a file."""

    def __init__(self, path: Path) -> None:
        """Raises DetectorMissingError: not a model that ONNX Runtime reads."""
        self._session = open_model(path, optimized=True)
        self.names = tuple(self._session.get_modelmeta().custom_metadata_map[TRAITS].split(","))

    def likelihood(self, traits: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """How likely each of N things is what the trees were trained to find.

        Args:
            traits: (N,) by name, without NaN; those that the trees do not know are ignored.

        Returns:
            (N,) in [0, 1].

        Raises:
            KeyError: a trait that the trees ask for is missing.
        """
        rows = np.stack([np.asarray(traits[name], np.float32) for name in self.names], axis=1)
        if not len(rows):
            return np.zeros(0, np.float32)
        (found,) = self._session.run(None, {"traits": rows})
        return np.asarray(found[:, 0], np.float32)
